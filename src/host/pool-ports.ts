import { type AppDefinition, defineApp } from '../engine/loading/define-app.js';
import { loadApp } from '../engine/loading/load-app.js';
import type { EnginePool } from '../engine/pool/engine-pool.js';
import type { AppSource, PoolCalls } from '../engine/pool/messages.js';
import { createTaskSpans } from '../engine/pool/task-spans.js';
import { TerminatedError } from '../engine/pool/terminated.js';
import type { IncomingCall } from '../engine/webhook/incoming-call.js';
import type { CompileOptions } from '../language/compile.js';
import { planAfterRetry } from '../scenario/error-reactions.js';
import type { IncompleteExecution } from '../scenario/flow-report.js';
import { ByteBudget } from '../shared/byte-budget.js';
import { type Clock, SYSTEM_CLOCK } from '../shared/clock.js';
import { AppError } from '../shared/errors/app-error.js';
import {
  ANY_FUNCTION,
  ANY_OBJECT,
  ANY_VALUE,
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
  wholeNumber,
} from '../shared/errors/check-options.js';
import { EngineError } from '../shared/errors/engine-error.js';
import type { PlainObject } from '../shared/plain-object.js';
import { type PlainResponse, toFetchResponse } from '../shared/server/plain-request.js';
import { JsonText } from '../shared/store/table.js';
import { NO_TRACING, type Tracing } from '../shared/tracing.js';
import {
  type FlowOutcome,
  type FlowRequest,
  type Flows,
  type HostApp,
  type IncompleteDraft,
  type ReceivedBundles,
  type Receiver,
  requireApp,
  type WebhookReception,
} from './ports.js';
import { type FlowDefinition, findRunSecrets, toDraft } from './scenarios/scenario-flows.js';
import type { FindConnectionSecrets } from './scenarios/scenario-secrets.js';
import { readPlan } from './store/scenario-plan.js';
import { fromStored, writeStored } from './store/stored-value.js';
import type { ScenarioRow } from './store/tables.js';

/** An app of a host whose code runs in a pool. */
export interface PoolHostApp extends HostApp {
  /** Where the workers load the app from. */
  readonly source: AppSource;
}

type PoolApps = Readonly<Record<string, PoolHostApp>>;

/** Task module of a host. Also the setup module of pools whose engine options are plain data (`setupData`). */
export const HOST_WORKER: URL = new URL('../../dist/node/host-worker.js', import.meta.url);

/**
 * Loads apps whose code runs in a pool, for `createPoolReceiver`, `createPoolFlows`, `attachHook` and `detachHook`.
 *
 * @param sources folders, or inputs of `defineApp`
 * @returns the apps by name
 * @throws SpecError if an app cannot be loaded; EngineError (USAGE) for a duplicate app name
 * @example
 * const pool = createEnginePool({ threads: 4, connections });
 * const apps = await openPoolApps(pool, ['./crm', './mail']);
 * const host = createHost({ store, receiver: createPoolReceiver({ pool, apps }), flows: createPoolFlows({ pool, apps }) });
 */
export async function openPoolApps(
  pool: EnginePool,
  sources: readonly (string | AppDefinition)[],
): Promise<Readonly<Record<string, PoolHostApp>>> {
  const apps: Record<string, PoolHostApp> = {};
  for (const source of sources) {
    const app = typeof source === 'string' ? await loadApp(source) : defineApp(source);
    if (Object.hasOwn(apps, app.name)) {
      throw new EngineError('USAGE', `Two apps are named "${app.name}".`);
    }
    apps[app.name] = { app, source, webhook: pool.app(source).webhook };
  }
  return apps;
}

/** Options shared by the pool ports. */
export interface PoolPortOptions {
  readonly pool: EnginePool;
  readonly apps: PoolApps;
  /**
   * The task module. Only needed for bundlers: a file that re-exports `iml-runtime/host-worker`. Default: the module
   * of this package.
   */
  readonly module?: string | URL | undefined;
}

const PORT_SHAPES: OptionShapes<PoolPortOptions> = {
  pool: objectWithFunctions(['app', 'run', 'close']),
  apps: ANY_OBJECT,
  module: ANY_VALUE,
};

/** Options of `createPoolReceiver`. */
export interface PoolReceiverOptions extends PoolPortOptions {
  /** Time limit of a call. Its worker is terminated and the response is 503. Default: 5 s. */
  readonly webhookTimeoutMs?: number | undefined;
}

/** Processes webhook calls in a pool. */
export function createPoolReceiver(options: PoolReceiverOptions): Receiver {
  const shapes = { ...PORT_SHAPES, webhookTimeoutMs: wholeNumber(1) };
  checkOptions(options, shapes, 'The options of createPoolReceiver', ['pool', 'apps']);
  const { pool, apps, module = HOST_WORKER, webhookTimeoutMs = 5000 } = options;
  return async ({ app, webhook, call, parameters, stored, findRecipients, signal }) => {
    const { source } = requireApp(apps, app);
    const input: ReceiveTask = { source, webhook, call, parameters, stored };
    // Nothing is stored before the task ends.
    const reception = await repeatBlameless(
      () =>
        pool.run({
          module,
          name: 'receiveCall',
          app,
          input,
          timeoutMs: webhookTimeoutMs,
          signal,
          calls: { recipients: findRecipients },
        }),
      () => true,
    );
    return restoreReception(reception as CarriedReception);
  };
}

type CarriedReception =
  | {
      readonly ok: true;
      readonly answer: PlainResponse;
      readonly bundles: CarriedBundles;
      readonly deliveries:
        | readonly { readonly recipients: readonly string[]; readonly bundles: CarriedBundles }[]
        | undefined;
    }
  | {
      readonly ok: false;
      readonly answer: PlainResponse;
      readonly phase: string;
      readonly error: PlainObject;
    };

function restoreReception(reception: CarriedReception): WebhookReception {
  const { answer } = reception;
  const shared = {
    answer,
    get response() {
      return toFetchResponse(answer);
    },
  };
  if (!reception.ok) {
    const { phase, error } = reception;
    return { ...shared, ok: false, phase, error: { toJSON: () => error } };
  }
  return {
    ...shared,
    ok: true,
    bundles: restoreBundles(reception.bundles),
    deliveries: reception.deliveries?.map(({ recipients, bundles }) => ({
      recipients,
      bundles: restoreBundles(bundles),
    })),
  };
}

function restoreBundles({ text, count }: CarriedBundles): ReceivedBundles {
  return count === 0 ? [] : new JsonText(text, Buffer.byteLength(text));
}

/** Options of `createPoolFlows`. `pool` and `apps` are required. */
export interface PoolFlowsOptions extends PoolPortOptions {
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Maximum bytes of events and incomplete executions in workers; further runs wait. Default: 64 MB. */
  readonly maxBytesInFlight?: number | undefined;
  /** Options for templates of modules: plain data. */
  readonly expressions?: FlowTask['expressions'] | undefined;
  /** Tracing of modules. Use the tracing of the host. Default: none. */
  readonly tracing?: Tracing | undefined;
  /** Receives the output bundles of a run as JSON lines `{ scenario, bundle }`. The run waits for the promise. */
  readonly onBundles?: ((scenario: string, lines: readonly string[]) => unknown) | undefined;
  /**
   * Names of the connections of an app in this process. A run with a missing connection backs off instead of
   * deactivating its scenario, because another process of the host may have it. Default: unknown.
   */
  readonly connectionNames?: ((app: string) => Promise<readonly string[]>) | undefined;
  /** See `createScenarioFlows`. */
  readonly findConnectionSecrets?: FindConnectionSecrets | undefined;
}

const FLOWS_SHAPES: OptionShapes<PoolFlowsOptions> = {
  ...PORT_SHAPES,
  clock: objectWithFunctions(['now', 'sleep', 'after']),
  expressions: ANY_OBJECT,
  tracing: objectWithFunctions(['startSpan']),
  maxBytesInFlight: wholeNumber(1),
  onBundles: ANY_FUNCTION,
  connectionNames: ANY_FUNCTION,
  findConnectionSecrets: ANY_FUNCTION,
};

/**
 * Runs flows in a pool. One worker runs all modules of a flow, each within `runTimeoutMs` of the pool. A flow of
 * several apps counts as one app.  If a worker is terminated, the run ends like a module timeout: the scenario backs
 * off and the work is retried.
 */
export function createPoolFlows(options: PoolFlowsOptions): Flows {
  checkOptions(options, FLOWS_SHAPES, 'The options of createPoolFlows', ['pool', 'apps']);
  const { pool, apps, module = HOST_WORKER, clock = SYSTEM_CLOCK } = options;
  const budget = new ByteBudget<FlowRequest>(options.maxBytesInFlight ?? MAX_BYTES_IN_FLIGHT);
  return {
    run: async (request) => {
      const { scenario, signal } = request;
      const { steps } = readPlan(scenario).flow as FlowDefinition;
      const names = [...new Set(steps.map(({ app }) => app))].sort();
      const sources = Object.fromEntries(names.map((name) => [name, requireApp(apps, name).source]));
      const release = (): void => budget.release(request);
      signal.addEventListener('abort', release);
      let hasReported = false;
      const calls = callsOf(request, options, () => (hasReported = true));
      try {
        await budget.hold(request, countBytes(request));
        signal.throwIfAborted();
        const outcome = await repeatBlameless(
          () => {
            const spans = createTaskSpans(options.tracing ?? NO_TRACING);
            const task = {
              module,
              name: 'runFlow',
              app: names.join(' '),
              input: toTask(request, sources, options),
              signal,
              calls: { ...calls, ...spans.calls },
            };
            return pool.run(task).finally(spans.end);
          },
          () => !hasReported,
        );
        return await forgiveMissing(restoreOutcome(outcome as CarriedOutcome), steps, options);
      } catch (error) {
        if (!isTerminated(error) || signal.aborted) throw error;
        return describeTermination(request, error, clock.now());
      } finally {
        signal.removeEventListener('abort', release);
        release();
      }
    },
  };
}

/**
 * A misconfigured app deactivates its scenario for all processes. A connection that only this process lacks does not.
 */
async function forgiveMissing(
  outcome: FlowOutcome,
  steps: FlowDefinition['steps'],
  { connectionNames }: PoolFlowsOptions,
): Promise<FlowOutcome> {
  const ended = outcome.outcome;
  if (ended.kind !== 'error' || ended.type !== 'InvalidConfigurationError' || connectionNames === undefined) {
    return outcome;
  }
  for (const { app, connection } of steps) {
    if (typeof connection !== 'string' || (await connectionNames(app)).includes(connection)) continue;
    return { ...outcome, outcome: { ...ended, type: 'ConnectionError' } };
  }
  return outcome;
}

/** A parsed event takes several times its bytes in a worker's heap of 512 MB. [choice] */
const MAX_BYTES_IN_FLIGHT = 64 * 1024 * 1024;

function countBytes({ source }: FlowRequest): number {
  if (source.kind === 'poll') return 0;
  return source.kind === 'event' ? source.event.bytes : source.incomplete.bytes;
}

function toTask(
  { scenario, source, room, onProgress, onAnswer }: FlowRequest,
  sources: FlowTask['sources'],
  { expressions = {}, tracing = NO_TRACING, onBundles }: PoolFlowsOptions,
): FlowTask {
  const { id, name, definition } = scenario;
  return {
    sources,
    scenario: { id, name, definition },
    triggerState: scenario.triggerState === null ? undefined : writeStored(scenario.triggerState),
    source: toTaskSource(source),
    room,
    expressions,
    uses: {
      progress: onProgress !== undefined,
      answer: onAnswer !== undefined,
      bundles: onBundles !== undefined,
      spans: tracing !== NO_TRACING,
    },
  };
}

function toTaskSource(source: FlowRequest['source']): FlowTask['source'] {
  switch (source.kind) {
    case 'event':
      return { kind: 'event', bundles: writeStored(source.event.bundles) ?? '[]' };
    case 'poll':
      return { kind: 'poll' };
    case 'incomplete': {
      const { execution, bytes } = source.incomplete;
      return { kind: 'incomplete', execution: writeStored(execution) ?? 'null', bytes };
    }
  }
}

/** @param onReport called before a run passes on what a repeated run would pass on again */
function callsOf(
  request: FlowRequest,
  { onBundles, findConnectionSecrets = async () => [] }: PoolFlowsOptions,
  onReport: () => void,
): PoolCalls {
  return {
    secrets: () => findRunSecrets(request, findConnectionSecrets),
    bundles: (lines: readonly string[]) => {
      onReport();
      return onBundles?.(request.scenario.name, lines);
    },
    answer: (answer: PlainResponse) => {
      onReport();
      return request.onAnswer?.(toFetchResponse(answer));
    },
    progress: (state: string | undefined, incompletes: readonly CarriedDraft[]) => {
      onReport();
      return request.onProgress?.({
        triggerState: restoreKept(state),
        incompletes: incompletes.map(restoreDraft),
      });
    },
  };
}

/** Attempts of a task that other runs of its app ended. [choice] */
const MAX_ATTEMPTS = 3;

/** Repeats a task whose worker was terminated because of another run of its app. */
async function repeatBlameless(start: () => Promise<unknown>, mayRepeat: () => boolean): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      const isBlameless = error instanceof TerminatedError && error.causedBy === 'other-run';
      if (!isBlameless || attempt === MAX_ATTEMPTS || !mayRepeat()) throw error;
    }
  }
}

function restoreOutcome({
  incompletes,
  triggerState,
  progressState,
  ...outcome
}: CarriedOutcome): FlowOutcome {
  return {
    ...outcome,
    incompletes: incompletes.map(restoreDraft),
    triggerState: restoreKept(triggerState),
    progressState: restoreKept(progressState),
  };
}

function restoreDraft({ execution, error, stored }: CarriedDraft): IncompleteDraft {
  return { execution: restoreKept(execution), error, stored };
}

function restoreKept(text: string | undefined): JsonText | undefined {
  return text === undefined ? undefined : new JsonText(text, Buffer.byteLength(text));
}

function isTerminated(error: unknown): error is EngineError {
  return error instanceof EngineError && error.code === 'WORKER_TERMINATED';
}

/** The module is unknown: another run of the app may have terminated the worker. */
function describeTermination({ source }: FlowRequest, cause: EngineError, nowMs: number): FlowOutcome {
  const error = new AppError('ModuleTimeoutError', cause.message, { cause });
  const type = error.type;
  const outcome = {
    kind: 'error',
    type,
    ...(source.kind === 'incomplete' && { retry: source.incomplete.attempts }),
  } as const;
  const failed: FlowOutcome = {
    outcome,
    error: error.toJSON() as PlainObject,
    incompletes: [],
    triggerState: undefined,
  };
  if (source.kind !== 'incomplete') return failed;
  const execution = fromStored(source.incomplete.execution) as IncompleteExecution;
  const tried = { type, message: error.message };
  const next = { ...execution, error: tried, ...planAfterRetry(execution, type, nowMs) };
  return { ...failed, incompletes: [toDraft(next)] };
}

// Data that the tasks of `host-worker.ts` exchange with the main thread.

/** Input of `receiveCall`. */
export interface ReceiveTask {
  readonly source: AppSource;
  readonly webhook: string;
  readonly call: IncomingCall;
  readonly parameters: PlainObject;
  readonly stored: PlainObject;
}

/** Bundles as stored JSON text, and their number. */
export interface CarriedBundles {
  readonly text: string;
  readonly count: number;
}

/** Input of `runFlow`. Stored values cross as JSON text. */
export interface FlowTask {
  /** Sources of all apps of the flow by name. */
  readonly sources: Readonly<Record<string, AppSource>>;
  /** Name and plan. `triggerState` is separate. */
  readonly scenario: Pick<ScenarioRow, 'id' | 'name' | 'definition'>;
  readonly triggerState: string | undefined;
  readonly source:
    | { readonly kind: 'event'; readonly bundles: string }
    | { readonly kind: 'poll' }
    | { readonly kind: 'incomplete'; readonly execution: string; readonly bytes: number };
  readonly room: number;
  readonly expressions: Pick<CompileOptions, 'timezone' | 'semantics' | 'platformVersion'>;
  /** Which calls to the main thread the task may make. */
  readonly uses: {
    readonly progress: boolean;
    readonly answer: boolean;
    readonly bundles: boolean;
    readonly spans: boolean;
  };
}

/** An incomplete execution sent to the main thread. */
export interface CarriedDraft extends Pick<IncompleteDraft, 'error' | 'stored'> {
  readonly execution: string;
}

/** The outcome of a flow sent to the main thread, with stored values as JSON text. */
export interface CarriedOutcome
  extends Omit<FlowOutcome, 'incompletes' | 'triggerState' | 'progressState' | 'output'> {
  readonly incompletes: readonly CarriedDraft[];
  readonly triggerState: string | undefined;
  readonly progressState: string | undefined;
  readonly output: FlowOutcome['output'];
}
