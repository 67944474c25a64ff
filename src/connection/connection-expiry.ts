import type { Runtime } from '../component/runtime.js';
import { AppError } from '../errors/app-error.js';
import { toText } from '../iml/values/coerce.js';
import { ownMember } from '../util/plain-object.js';
import type { StoredConnection } from './connection-store.js';
import { readExpires } from './read-expires.js';

/**
 * Fails for a connection whose user has to authorize again.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [doc], the type [inf]
 *
 * @throws AppError of type InvalidAccessTokenError
 */
export function assertNotExpired(stored: StoredConnection, runtime: Runtime): void {
  const end = readExpires(stored.expires, readTimezone(runtime));
  if (end === undefined || end > runtime.settings.clock.now()) return;
  throw new AppError('InvalidAccessTokenError', 'The connection has expired. It has to be authorized again.');
}

/**
 * Whether `data.expires`, the end of the access token, has passed.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [inf]
 */
export function isTokenOver({ connection }: StoredConnection, runtime: Runtime): boolean {
  const end = readExpires(ownMember(connection, 'expires'), readTimezone(runtime));
  return end !== undefined && end <= runtime.settings.clock.now();
}

function readTimezone(runtime: Runtime): string {
  return toText(runtime.environment['timezone']) || 'UTC';
}
