import type { App } from '../document/app.js';
import { toNumber } from '../iml/values/coerce.js';
import type { Parts } from '../iml/values/work.js';
import { collectGiven } from '../redaction/collect-secrets.js';
import type { Limits } from '../run/limits/limits.js';
import { Run, RunContext, type RunRules } from '../run/scope/run-context.js';
import type { RunScope } from '../run/scope/run-scope.js';
import { addAbortListener, removeAbortListener } from '../util/abort-listeners.js';
import { isPlainObject, ownMember } from '../util/plain-object.js';
import { identifyConnection } from './connection-identity.js';
import type { RunInput, Runtime } from './runtime.js';

export interface StartedRun {
  readonly context: RunContext;
  /** Ends what is still under way, and the timers. Must be called when the run is over, however it ends. */
  readonly finish: () => void;
}

/** What differs between the kinds of components that are run. */
export interface RunTraits {
  /** Whether requests may only go where the app, not the data of a run, sends them. Default: false. */
  readonly keepsHost?: boolean;
  /** Whether all that `temp` holds is a secret. Default: what its names say. */
  readonly hidesTemp?: boolean;
  /** The name its connection is kept under. Default: it is known by its data alone. */
  readonly connectionName?: string | undefined;
}

/**
 * What of the input of a run nothing may show: that of the connection, of common data and of a hook.
 *
 * @param more further values of which all text is secret
 * @returns the secrets themselves where nobody had to wait for them
 * @throws ImlError `IML_LIMIT` for more than a run can keep
 */
export function findRunSecrets(
  runtime: Runtime,
  { connection, common = runtime.common, webhook }: Pick<RunInput, 'connection' | 'common' | 'webhook'>,
  ...more: readonly unknown[]
): readonly string[] | Promise<readonly string[]> {
  return collectGiven(connection, common, webhook, ...more);
}

/**
 * Sets up the state of a run: scope, secrets, time limit, signals.
 *
 * @param secrets what `findRunSecrets` has found
 */
export function startRun(
  runtime: Runtime,
  input: RunInput,
  secrets: readonly string[],
  traits: RunTraits = {},
): StartedRun {
  input.signal?.throwIfAborted();
  const common = input.common ?? runtime.common;
  const rules: RunRules = {
    timeoutMs: readTimeout(runtime.app, runtime.settings.limits, common),
    keepsHost: traits.keepsHost === true,
    // Few apps have endpoints that call one another.
    callEndpoint: async (call, context) => {
      const { callEndpoint } = await import('./call-endpoint.js');
      return callEndpoint(call, context, runtime);
    },
    hidesTemp: traits.hidesTemp,
    identifyConnection: () => nameConnection(runtime, input, traits),
  };
  const run = new Run(runtime.settings, rules, secrets);
  const context = RunContext.start(run, createScope(runtime, input, common));
  return { context, finish: watchTime(run, input.signal) };
}

/** A connection that is kept stays the same when its data are refreshed. */
function* nameConnection(
  { app }: Runtime,
  { connection }: RunInput,
  { connectionName }: RunTraits,
): Parts<string> {
  return connectionName === undefined
    ? yield* identifyConnection(connection)
    : JSON.stringify([app.identity, connectionName]);
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api.
 */
function createScope(runtime: Runtime, input: RunInput, common: unknown): RunScope {
  return {
    ...input.names,
    environment: runtime.environment,
    parameters: input.parameters ?? {},
    connection: input.connection,
    common,
    data: input.data,
    webhook: input.webhook,
    payload: input.payload,
    scenario: input.scenario,
    metadata: input.metadata,
    temp: {},
  };
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests: in base or common data, 1 to
 * 300000 ms, base wins. [src][doc][inf]
 */
export function readTimeout(app: App, { timeoutMs, maxTimeoutMs }: Limits, common: unknown): number {
  const timeout = [app.base?.value, common]
    .map((value) => toNumber(isPlainObject(value) ? ownMember(value, 'timeout') : undefined))
    .find((value) => value !== undefined && value >= 1);
  return timeout === undefined ? timeoutMs : Math.min(timeout, maxTimeoutMs);
}

function watchTime(run: Run, signal: AbortSignal | undefined): () => void {
  // One more millisecond: exactly at the limit a run may still go on.
  const cancel = run.settings.clock.after(run.rules.timeoutMs + 1, () => run.endInTime());
  const listener = { onAbort: () => run.abort(signal?.reason) };
  // Runs at the same time share a signal: many listeners of their own would be taken for a leak.
  if (signal !== undefined) addAbortListener(signal, listener);
  return () => {
    cancel();
    if (signal !== undefined) removeAbortListener(signal, listener);
    run.end();
  };
}
