import { AppError } from '../errors/app-error.js';
import { toText } from '../iml/values/coerce.js';
import type { CompiledRequest } from '../document/compile/compiled-request.js';
import { ownMember } from '../util/plain-object.js';
import { type ConnectionReport, type ConnectionStart, runConnection } from './connection-run.js';
import type { StoredConnection } from './connection-store.js';
import { readInstant } from './read-instant.js';
import type { Runtime } from '../component/runtime.js';

/**
 * Renews the credentials of a connection if its `refresh` section says so: by its condition, without one once
 * `data.expires` has passed. What `response.data` gives is merged; nothing else is lost.
 * Source: reference/connections-modules-rpcs.md (refresh). [app][inf]
 *
 * @param force refreshes whatever the condition says
 * @returns the connection as it was, with no requests, where nothing was due
 * @throws AppError of type InvalidAccessTokenError for whatever the section fails with
 */
export function refreshConnection(
  section: readonly CompiledRequest[],
  start: ConnectionStart,
  runtime: Runtime,
  force: boolean,
): Promise<ConnectionReport> {
  return runConnection(runtime, start, async (run) => {
    const [first, ...rest] = section;
    if (first === undefined) return run.report();
    if (!force && first.condition === undefined && !isTokenOver(start.stored, runtime)) return run.report();
    const forced = force ? { ...first, condition: undefined } : first;
    try {
      await run.section([forced, ...rest]);
    } catch (error) {
      throw error instanceof AppError ? refreshFailed(error) : error;
    }
    return run.report();
  });
}

/**
 * Fails for a connection whose user has to authorize again.
 * Source: reference/response-spec.md section 7 (expires). [doc], the type [inf]
 *
 * @throws AppError of type InvalidAccessTokenError
 */
export function assertNotExpired(stored: StoredConnection, runtime: Runtime): void {
  const end = readInstant(stored.expires, timezoneOf(runtime));
  if (end === undefined || end > runtime.clock.now()) return;
  throw new AppError('InvalidAccessTokenError', 'The connection has expired. It has to be authorized again.');
}

/** Whether `data.expires`, the end of the access token, has passed. Source: reference/connections-modules-rpcs.md. [inf] */
function isTokenOver({ connection }: StoredConnection, runtime: Runtime): boolean {
  const end = readInstant(ownMember(connection, 'expires'), timezoneOf(runtime));
  return end !== undefined && end <= runtime.clock.now();
}

function timezoneOf(runtime: Runtime): string {
  return toText(runtime.environment['timezone']) || 'UTC';
}

/** The message has no secrets in it already; place and status stay those of the request that failed. */
function refreshFailed(error: AppError): AppError {
  const { statusCode, requestIndex, page, place } = error;
  const message = `The connection could not be refreshed: ${error.message}`;
  return new AppError('InvalidAccessTokenError', message, {
    ...{ statusCode, requestIndex, page, place },
    cause: error,
  });
}
