import { createHmac, randomBytes } from 'node:crypto';
import { isEmpty, toNumber } from '../../language/values/value.js';
import { addAbortListener, removeAbortListener } from '../../shared/concurrency.js';
import { isPlainObject, ownMember } from '../../shared/plain-object.js';
import type { App } from '../document/app.js';
import { compileDirective } from '../document/compile-directive.js';
import { jsonText } from '../http/body/encode-body.js';
import { collectGiven } from '../redaction/secrets.js';
import { applyTimeout } from '../run/evaluate-directive.js';
import { DEFAULT_LIMITS, type Limits, readTimeoutMs } from '../run/limits.js';
import {
  Run,
  type RunContext,
  type RunRules,
  type RunScope,
  startContext,
  withPosition,
} from '../run/run-context.js';
import { callEndpoint } from './call-endpoint.js';
import type { Runtime, StartInput } from './runtime.js';

export interface StartedRun {
  readonly context: RunContext;
  /** Ends pending work, timers and the span. Must be called at the end of each run, with the error that ended it. */
  readonly finish: (error?: unknown) => void;
}

/** Differences between kinds of runs. */
export interface RunTraits {
  /** Whether requests may only go to hosts that the app defines, not its data. Default: false. */
  readonly keepsHost?: boolean;
  /** Whether all of `temp` is secret. Default: decided by names. */
  readonly hidesTemp?: boolean;
  /** Name of the stored connection. Default: none; the connection is identified by its data. */
  readonly connectionName?: string | undefined;
  /** Kind and name of the component, such as `module:listContacts`. */
  readonly component?: string | undefined;
}

/**
 * Collects the secrets in the input of a run: connection, common data and webhook.
 *
 * @param more further values whose texts are all secret
 * @throws ImlError (IML_LIMIT) for too many secrets
 */
export function findRunSecrets(
  runtime: Runtime,
  { connection, common = runtime.common, webhook }: Pick<StartInput, 'connection' | 'common' | 'webhook'>,
  ...more: readonly unknown[]
): readonly string[] {
  return collectGiven(connection, common, webhook, ...more);
}

/**
 * Creates the state of a run: scope, secrets, time limit and signals.
 *
 * @param secrets result of `findRunSecrets`
 */
export function startRun(
  runtime: Runtime,
  input: StartInput,
  secrets: readonly string[],
  traits: RunTraits = {},
): StartedRun {
  input.signal?.throwIfAborted();
  const common = input.common ?? runtime.common;
  const rules: RunRules = {
    timeoutMs: readTimeout(runtime.app, runtime.settings.limits, common),
    limits: limitsWithCommon(runtime.settings.limits, common),
    keepsHost: traits.keepsHost === true,
    callEndpoint: (call, context) => callEndpoint(call, context, runtime),
    hidesTemp: traits.hidesTemp,
    component: traits.component,
    app: runtime.app.name,
    identifyConnection: () => nameConnection(runtime, input, traits),
  };
  const run = new Run(runtime.settings, rules, secrets);
  const context = startContext(run, createNames(runtime, input, common));
  run.limitTime(rules.timeoutMs);
  return { context, finish: watchSignal(run, input.signal) };
}

/** A stored connection keeps its identity when its data is refreshed. */
function nameConnection({ app }: Runtime, { connection }: StartInput, { connectionName }: RunTraits): string {
  return connectionName === undefined
    ? identifyConnection(connection)
    : JSON.stringify([app.identity, connectionName]);
}

/** Key of this process, so that a digest reveals nothing about the data. */
let processKey: Buffer | undefined;

/** Identifies a connection by its data, even if each run gets its own copy. The result does not reveal the data. */
export function identifyConnection(data: Readonly<Record<string, unknown>> | undefined): string {
  if (data === undefined) return '';
  processKey ??= randomBytes(32);
  try {
    return createHmac('sha256', processKey)
      .update(jsonText(data) ?? '')
      .digest('base64url');
  } catch {
    // Data that JSON cannot represent comes from the embedder; these connections share one budget per host.
    return 'other';
  }
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api.
 */
function createNames(runtime: Runtime, input: StartInput, common: unknown): RunScope {
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
 * The time limit at the start of a run: a number in the base or in the common data, 1 to 300000 ms; the base wins. Requests apply
 * their own `timeout`, and expressions, before they are sent. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [src][doc][inf]
 */
export function readTimeout(app: App, limits: Limits, common: unknown): number {
  const timeout = [app.base?.value, common]
    .map((value) => readTimeoutMs(isPlainObject(value) ? ownMember(value, 'timeout') : undefined, limits))
    .find((value) => value !== undefined);
  return timeout ?? limits.timeoutMs;
}

/**
 * Applies a `timeout` of the common data that is an expression, and warns of one that cannot be read. A `timeout` of the base
 * or of the request replaces it.
 *
 * @throws AppError of type RuntimeError if the expression fails
 */
export async function applyCommonTimeout(runtime: Runtime, context: RunContext): Promise<void> {
  const { common } = context.scope;
  const written = isPlainObject(common) ? ownMember(common, 'timeout') : undefined;
  if (typeof written === 'number' || isEmpty(written)) return;
  const document = runtime.app.common?.value === common ? runtime.app.common : undefined;
  const directive = compileDirective(written, '/timeout', await runtime.directives(written));
  applyTimeout(directive, withPosition(context, { document }));
}

/** Names in the common data that replace limits of a run. Source: https://github.com/minsu-kang/make-custom-app-skill, runtime-reference. [inf] */
const COMMON_LIMITS: readonly [name: string, limit: 'maxRequests' | 'maxPages' | 'maxRecords'][] = [
  ['maxRequestCount', 'maxRequests'],
  ['maxPaginationRequestCount', 'maxPages'],
  ['maxPastRecords', 'maxRecords'],
];

/** The limits of a run, those in the common data of the app applied. A limit of the embedder's is never raised. */
function limitsWithCommon(limits: Limits, common: unknown): Limits {
  if (!isPlainObject(common)) return limits;
  const changed: Partial<Record<keyof Limits, number>> = {};
  for (const [name, limit] of COMMON_LIMITS) {
    const value = toNumber(ownMember(common, name));
    if (value === undefined || !(value >= 0)) continue;
    changed[limit] = limits[limit] === DEFAULT_LIMITS[limit] ? value : Math.min(limits[limit], value);
  }
  return { ...limits, ...changed };
}

function watchSignal(run: Run, signal: AbortSignal | undefined): StartedRun['finish'] {
  const listener = { onAbort: () => run.abort(signal?.reason) };
  // Concurrent runs share a signal; separate DOM listeners would trigger the leak warning of Node.js.
  if (signal !== undefined) addAbortListener(signal, listener);
  return (error) => {
    if (signal !== undefined) removeAbortListener(signal, listener);
    run.end(error);
  };
}
