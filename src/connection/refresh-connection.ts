import type { Runtime } from '../component/runtime.js';
import type { CompiledRequest } from '../document/compile/compiled-request.js';
import { AppError } from '../errors/app-error.js';
import { toText } from '../iml/values/coerce.js';
import { ownMember } from '../util/plain-object.js';
import type { ConnectionReport } from './connection-report.js';
import { type ConnectionStart, runConnection } from './connection-run.js';
import type { StoredConnection } from './connection-store.js';
import { readInstant } from './read-instant.js';

/**
 * Renews the credentials of a connection if its `refresh` section says so: by its condition, without one once
 * `data.expires` has passed. What `response.data` gives is merged; nothing else is lost.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [app][inf]
 *
 * @param force refreshes whatever the condition says
 * @returns the connection as it was, with no requests, where nothing was due
 *   Whatever the section fails with is told as an InvalidAccessTokenError
 */
export function refreshConnection(
  section: readonly CompiledRequest[],
  start: ConnectionStart,
  runtime: Runtime,
  force: boolean,
): Promise<ConnectionReport> {
  return runConnection(runtime, start, async (run) => {
    const [first, ...rest] = section;
    if (first === undefined) return run.given();
    if (!force && first.condition === undefined && !isTokenOver(start.stored, runtime)) return run.given();
    const forced = force ? { ...first, condition: undefined } : first;
    try {
      await run.section([forced, ...rest]);
    } catch (error) {
      throw error instanceof AppError ? refreshFailed(error) : error;
    }
    return run.given();
  });
}

/**
 * Fails for a connection whose user has to authorize again.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [doc], the type [inf]
 *
 * @throws AppError of type InvalidAccessTokenError
 */
export function assertNotExpired(stored: StoredConnection, runtime: Runtime): void {
  const end = readInstant(stored.expires, readTimezone(runtime));
  if (end === undefined || end > runtime.settings.clock.now()) return;
  throw new AppError('InvalidAccessTokenError', 'The connection has expired. It has to be authorized again.');
}

/**
 * Whether `data.expires`, the end of the access token, has passed.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [inf]
 */
function isTokenOver({ connection }: StoredConnection, runtime: Runtime): boolean {
  const end = readInstant(ownMember(connection, 'expires'), readTimezone(runtime));
  return end !== undefined && end <= runtime.settings.clock.now();
}

function readTimezone(runtime: Runtime): string {
  return toText(runtime.environment['timezone']) || 'UTC';
}

/** The message has no secrets in it already; place and status stay those of the request that failed. */
function refreshFailed(error: AppError): AppError {
  const { statusCode, requestIndex, page, place } = error;
  const message = `The connection could not be refreshed: ${error.message}`;
  return new AppError('InvalidAccessTokenError', message, {
    statusCode,
    requestIndex,
    page,
    place,
    cause: error,
  });
}
