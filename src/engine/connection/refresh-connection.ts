import { createHash } from 'node:crypto';
import { AppError } from '../../shared/errors/app-error.js';
import { isEngineError } from '../../shared/errors/engine-error.js';
import { toPortable } from '../../shared/portable-value.js';
import type { Runtime } from '../component/runtime.js';
import type { CompiledRequest } from '../document/compiled-request.js';
import type { CompiledConnection } from './compile-connection.js';
import type {
  ConnectionOptions,
  ConnectionReport,
  KnownConnection,
  RefreshInput,
} from './connection-input.js';
import { assertNotExpired, type ConnectionStart, isTokenOver, runConnection } from './connection-run.js';
import { prepareStart, type StepContext, toStored } from './start-step.js';

/** Implements `Connection.refresh`. */
export async function refresh(
  context: StepContext,
  known: KnownConnection,
  input: RefreshInput,
): Promise<ConnectionReport> {
  const compiled = await context.compile();
  const { signal, ...shared } = input;
  const stored = toStored(context.component, known);
  const work = async (): Promise<ConnectionReport> => {
    assertNotExpired(stored, context.runtime);
    return renew(
      renewalSection(compiled),
      prepareStart(context, stored, shared),
      context.runtime,
      input.force === true,
    );
  };
  const identity = JSON.stringify(toPortable([stored, shared]));
  // A digest, so that no credentials are map keys.
  return context.refreshes.run(createHash('sha256').update(identity).digest('base64'), work, signal);
}

/**
 * Returns the section that renews credentials: `refresh`, or `token` of a connection without a page, such as client
 * credentials and password grants. Source: docs/differences.md. [rt]
 */
function renewalSection(compiled: CompiledConnection): readonly CompiledRequest[] {
  if (compiled.kind === 'basic') return [];
  return compiled.refresh.length > 0 || compiled.authorize !== undefined ? compiled.refresh : compiled.token;
}

/**
 * Renews credentials if the condition of `refresh` is true or, without a condition, once `data.expires` has passed.
 * Merges `response.data`; other data stays. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/connections. [app][inf]
 *
 * @param force ignores the condition
 * @returns the unchanged connection, with no requests, if not due. Failures of the section become
 * InvalidAccessTokenError
 */
function renew(
  section: readonly CompiledRequest[],
  start: ConnectionStart,
  runtime: Runtime,
  force: boolean,
): Promise<ConnectionReport> {
  return runConnection(runtime, start, async (run) => {
    const [first, ...rest] = section;
    if (first === undefined) return run.result();
    if (!force && first.condition === undefined && !isTokenOver(start.stored, runtime)) return run.result();
    const forced = force ? { ...first, condition: undefined } : first;
    try {
      await run.runSection([forced, ...rest], 'OAUTH_TOKEN_REFUSED');
    } catch (error) {
      throw isEngineError(error, AppError) ? refreshFailed(error) : error;
    }
    return run.result();
  });
}

/** The message is redacted already. Location and status stay those of the failed request. */
function refreshFailed(error: AppError): AppError {
  const { code, statusCode, requestIndex, page, place } = error;
  const isRefused = code === 'OAUTH_TOKEN_REFUSED';
  const advice = isRefused ? `${/[.!?]$/.test(error.message) ? '' : '.'} Run iml connect again.` : '';
  const message = `The connection could not be refreshed: ${error.message}${advice}`;
  return new AppError('InvalidAccessTokenError', message, {
    code,
    statusCode,
    requestIndex,
    page,
    place,
    cause: error,
  });
}

/** Implements `Connection.test`. */
export async function testConnection(
  context: StepContext,
  known: KnownConnection,
  options: ConnectionOptions,
): Promise<ConnectionReport> {
  const compiled = await context.compile();
  const stored = toStored(context.component, known);
  assertNotExpired(stored, context.runtime);
  const isBasic = compiled.kind === 'basic';
  // A basic connection is created again from its parameters.
  const before = isBasic ? { ...stored, connection: { ...stored.parameters } } : stored;
  return runConnection(context.runtime, prepareStart(context, before, options), async (run) => {
    if (isBasic) {
      await run.runSection(compiled.requests);
    } else {
      await run.runSection(compiled.info);
    }
    return run.result();
  });
}

/** Implements `Connection.invalidate`. */
export async function invalidate(
  context: StepContext,
  known: KnownConnection,
  options: ConnectionOptions,
): Promise<ConnectionReport> {
  const compiled = await context.compile();
  const section = compiled.kind === 'basic' ? [] : compiled.invalidate;
  const start = prepareStart(context, toStored(context.component, known), options);
  return runConnection(context.runtime, start, async (run) => {
    await run.runSection(section);
    return run.result();
  });
}
