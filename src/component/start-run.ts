import { collectSecrets } from '../redaction/collect-secrets.js';
import { createRedactor } from '../redaction/redact.js';
import { listenForMissing } from '../iml/environment/scope-hook.js';
import { RunContext, type RunScope } from '../run/run-context.js';
import { moduleTimeout } from '../run/request/send-request.js';
import { isPlainObject, ownMember } from '../util/plain-object.js';
import { createEndpointCaller } from './call-endpoint.js';
import { freshNames } from './fresh-names.js';
import type { RunInput, Runtime } from './runtime.js';

export interface StartedRun {
  readonly context: RunContext;
  /** Ends what is still under way, and the timers. Must be called when the run is over, however it ends. */
  readonly finish: () => void;
}

/** What differs between the kinds of components that are run. */
export interface RunTraits {
  /** Whether requests may only go where the app, not the data of the run, sends them. Default: false. */
  readonly keepsHost?: boolean;
}

/** Sets up the state of a run: scope, secrets, time limit, signals. */
export function startRun(runtime: Runtime, input: RunInput, traits: RunTraits = {}): StartedRun {
  input.signal?.throwIfAborted();
  const { clock, random, limits, transport, onPageLoop, trace, onTrace } = runtime;
  const common = input.common ?? runtime.common;
  const timeoutMs = readTimeout(runtime, common);
  const settings = {
    ...{ transport, clock, random, limits, timeoutMs, onPageLoop, trace, onTrace },
    callEndpoint: createEndpointCaller(runtime),
    keepsHost: traits.keepsHost === true,
  };
  const redactor = createRedactor({ secrets: collectSecrets(input.connection, common) });
  const context = new RunContext(settings, createScope(runtime, input, common), redactor);
  listenForMissing(context.scope, missingListener(context));
  return { context, finish: watchTime(context, input.signal) };
}

/** All names are there from the start, so that the object keeps one shape. Source: reference/request-spec.md section 4. */
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
    ...freshNames(),
  };
}

/** Source: reference/request-spec.md section 1 (timeout): in base or common data, 1 to 300000 ms, base wins. [src][doc][inf] */
export function readTimeout(runtime: Pick<Runtime, 'app' | 'limits'>, common: unknown): number {
  const { timeoutMs, maxTimeoutMs } = runtime.limits;
  const written = [runtime.app.base?.value, common].map((value) =>
    isPlainObject(value) ? Number(ownMember(value, 'timeout') ?? Number.NaN) : Number.NaN,
  );
  const timeout = written.find((value) => Number.isFinite(value) && value >= 1);
  return timeout === undefined ? timeoutMs : Math.min(timeout, maxTimeoutMs);
}

function watchTime(context: RunContext, signal: AbortSignal | undefined): () => void {
  const { settings } = context;
  // One more millisecond: exactly at the limit a run may still go on.
  const cancel = settings.clock.after(settings.timeoutMs + 1, () =>
    context.abort.abort(moduleTimeout(context)),
  );
  const stop = (): void => context.abort.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  return () => {
    cancel();
    signal?.removeEventListener('abort', stop);
    context.end();
  };
}

/** Each missing value is told once a run, however many records miss it. */
function missingListener(context: RunContext): Parameters<typeof listenForMissing>[1] {
  const told = new Set<string>();
  return ({ expression, pointer, offset, reason }) => {
    const key = `${context.requestIndex} ${pointer} ${offset}`;
    if (told.has(key)) return;
    told.add(key);
    const place = context.document?.placeOf(pointer, offset) ?? { pointer };
    context.emit({ kind: 'missing', expression, reason, place });
  };
}
