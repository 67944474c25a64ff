import { createHmac, randomBytes } from 'node:crypto';
import type { App } from '../document/app.js';
import { jsonText } from '../http/body/json-text.js';
import { toNumber } from '../iml/values/coerce.js';
import { collectGiven } from '../redaction/collect-secrets.js';
import { type Limits, limitsWithCommon } from '../run/limits/limits.js';
import { Run, type RunContext, type RunRules, startContext } from '../run/scope/run-context.js';
import type { RunScope } from '../run/scope/run-scope.js';
import { addAbortListener, removeAbortListener } from '../util/abort-listeners.js';
import { isPlainObject, ownMember } from '../util/plain-object.js';
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
 * @throws ImlError `IML_LIMIT` for more than a run can keep
 */
export function findRunSecrets(
  runtime: Runtime,
  { connection, common = runtime.common, webhook }: Pick<RunInput, 'connection' | 'common' | 'webhook'>,
  ...more: readonly unknown[]
): readonly string[] {
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
    limits: limitsWithCommon(runtime.settings.limits, common),
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
  const context = startContext(run, createNames(runtime, input, common));
  return { context, finish: watchTime(run, input.signal) };
}

/** A stored connection keeps its identity when its data is refreshed. */
function nameConnection({ app }: Runtime, { connection }: RunInput, { connectionName }: RunTraits): string {
  return connectionName === undefined
    ? identifyConnection(connection)
    : JSON.stringify([app.identity, connectionName]);
}

/** Key of this process: a digest made with it says nothing about the data. */
let processKey: Buffer | undefined;

/** Identifies a connection by its data, also if each run gets an object of its own. The result does not reveal the data. */
export function identifyConnection(data: Readonly<Record<string, unknown>> | undefined): string {
  if (data === undefined) return '';
  processKey ??= randomBytes(32);
  try {
    return createHmac('sha256', processKey)
      .update(jsonText(data) ?? '')
      .digest('base64url');
  } catch {
    // Data that JSON cannot represent is the embedder's own; those connections share one budget per host.
    return 'other';
  }
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api.
 */
function createNames(runtime: Runtime, input: RunInput, common: unknown): RunScope {
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
  const cancel = run.settings.clock.after(run.rules.timeoutMs + 1, () => run.timeOut());
  const listener = { onAbort: () => run.abort(signal?.reason) };
  // Runs at the same time share a signal: many listeners of their own would be taken for a leak.
  if (signal !== undefined) addAbortListener(signal, listener);
  return () => {
    cancel();
    if (signal !== undefined) removeAbortListener(signal, listener);
    run.end();
  };
}
