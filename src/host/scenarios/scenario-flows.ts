import type { CompileOptions } from '../../language/compile.js';
import { type CompiledFlow, compileFlow } from '../../scenario/compile-flow.js';
import { engineModule } from '../../scenario/engine-module.js';
import type { ErrorHandler, FlowModule, FlowStep, ModuleInput, TriggerData } from '../../scenario/flow.js';
import {
  type FlowPhase,
  type FlowReport,
  type IncompleteExecution,
  type IncompleteStore,
  readWebhookResponse,
} from '../../scenario/flow-report.js';
import { type ResumeOptions, resumeFlow, runFlow } from '../../scenario/run-flow.js';
import { createBoundedCache } from '../../shared/bounded-cache.js';
import { type Clock, SYSTEM_CLOCK } from '../../shared/clock.js';
import {
  ANY_FUNCTION,
  ANY_OBJECT,
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
} from '../../shared/errors/check-options.js';
import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import { fromPortable } from '../../shared/portable-value.js';
import { inSpan, NO_TRACING, type Tracing } from '../../shared/tracing.js';
import {
  type Engines,
  type FlowOutcome,
  type FlowOutput,
  type FlowRequest,
  type FlowStepName,
  type Flows,
  type IncompleteDraft,
  requireApp,
} from '../ports.js';
import { readPlan } from '../store/scenario-plan.js';
import { fromStored, measureStored, toStored } from '../store/stored-value.js';
import type { ScenarioRow } from '../store/tables.js';
import type { FindConnectionSecrets } from './scenario-secrets.js';

/** A module of a scenario as JSON data. */
export interface StepDefinition {
  /** Later modules read its output by id: `{{2.email}}`. */
  readonly id: number;
  readonly app: string;
  readonly module: string;
  /** Name of the connection. */
  readonly connection?: string | undefined;
  /** Templates by parameter name. */
  readonly parameters?: PlainObject | undefined;
  /** JSON pointers to values in `parameters` that may be credentials and are never displayed. */
  readonly hiddenParameters?: readonly string[] | undefined;
  readonly filter?: string | boolean | undefined;
  readonly onError?: ErrorHandler | undefined;
  /** Searches only: see `FlowStep`. */
  readonly continueWhenNoRes?: boolean | undefined;
}

/** Input of `createScenarioFlows`: the flow of a plan as plain JSON data. */
export interface FlowDefinition {
  /**
   * Whether module 1 is the webhook: `{{1.email}}` reads the incoming bundle. Otherwise the first step is the
   * trigger.
   */
  readonly startsWithWebhook: boolean;
  readonly steps: readonly StepDefinition[];
}

/** Options of `createScenarioFlows`. Only `engines` is required. */
export interface ScenarioFlowsOptions {
  readonly engines: Engines;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Options for templates of modules: clock, timezone, randomness. */
  readonly expressions?: CompileOptions | undefined;
  /** Tracing of modules. Use the tracing of the host. Default: none. */
  readonly tracing?: Tracing | undefined;
  /** Receives the report of each run before it is stored. The run waits for the promise. */
  readonly onReport?: ((scenario: string, report: FlowReport) => unknown) | undefined;
  /**
   * Finds secrets of the connections of a scenario and its hook to redact from errors, because a sender may have put
   * them into a call. Default: a module redacts only the secrets of its own connection.
   */
  readonly findConnectionSecrets?: FindConnectionSecrets | undefined;
}

const SHAPES: OptionShapes<ScenarioFlowsOptions> = {
  engines: ANY_OBJECT,
  clock: objectWithFunctions(['now', 'sleep', 'after']),
  expressions: ANY_OBJECT,
  tracing: objectWithFunctions(['startSpan']),
  onReport: ANY_FUNCTION,
  findConnectionSecrets: ANY_FUNCTION,
};

/** Maximum compiled flows and characters of their definitions. Further ones are compiled again. */
const MAX_FLOWS = 500;
const MAX_FLOWS_LENGTH = 16 * 1024 * 1024;

/** Runs linear flows of `scenario/` with the modules of engines, in this thread. */
export function createScenarioFlows(given: ScenarioFlowsOptions): Flows {
  checkOptions(given, SHAPES, 'The options of createScenarioFlows', ['engines']);
  const { findConnectionSecrets = async () => [], ...options } = given;
  return createFlows({
    ...options,
    findSecrets: (request) => findRunSecrets(request, findConnectionSecrets),
  });
}

/** Secrets to redact from errors of a run. See `collectScenarioSecrets`. */
export async function findRunSecrets(
  { scenario, findHooks }: Pick<FlowRequest, 'scenario' | 'findHooks'>,
  findConnectionSecrets: FindConnectionSecrets,
): Promise<readonly string[]> {
  const hooks = (await findHooks?.()) ?? [];
  const { collectScenarioSecrets } = await import('./scenario-secrets.js');
  return collectScenarioSecrets({ hooks, flows: [readPlan(scenario).flow], findConnectionSecrets });
}

/** Options of `createFlows`. */
export interface FlowsOptions extends Omit<ScenarioFlowsOptions, 'findConnectionSecrets'> {
  /** Finds secrets to redact from errors of a run. Called once, after a module failed. */
  readonly findSecrets: (request: FlowRequest) => Promise<readonly string[]>;
}

export function createFlows({
  engines,
  clock = SYSTEM_CLOCK,
  expressions,
  tracing = NO_TRACING,
  onReport,
  findSecrets,
}: FlowsOptions): Flows {
  const compiled = createBoundedCache<CompiledFlow>(MAX_FLOWS, MAX_FLOWS_LENGTH);
  const loadFlow = (scenario: ScenarioRow): CompiledFlow => {
    // Only `putScenario` writes definitions, after validation.
    const definition = readPlan(scenario).flow as FlowDefinition;
    const key = `${scenario.name} ${JSON.stringify(definition)}`;
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const steps = definition.steps.map((step) => compileStep(step, engines, tracing));
    const flow = {
      name: scenario.name,
      steps: definition.startsWithWebhook ? [WEBHOOK, ...steps] : steps,
    };
    const made = compileFlow(flow, expressions);
    compiled.set(key, made);
    return made;
  };
  return {
    run: async (request) => {
      const { scenario, room, signal } = request;
      const flow = loadFlow(scenario);
      const collected: Collected = {
        drafts: new Map(),
        stored: 0,
        bytes: 0,
        progress: undefined,
        toldAtMs: clock.now(),
      };
      const { source } = request;
      const before = source.kind === 'incomplete' ? source.incomplete.bytes : 0;
      const store = collectInto(collected, room, Math.max(MAX_EXECUTION_BYTES, before));
      const onProgress = (state: TriggerData): Promise<void> =>
        reportProgress(request, collected, state, clock.now());
      const { settings } = readPlan(scenario);
      const options = { settings, store, clock, onProgress, findSecrets: () => findSecrets(request) };
      const report = await runSource(flow, request, options, signal);
      const answer = readWebhookResponse(report);
      if (answer !== undefined) request.onAnswer?.(answer);
      await onReport?.(scenario.name, report);
      return {
        ...toOutcome(report, collected),
        output: describeOutput(flow, report),
        failedAt: describeFailure(flow, report),
      };
    },
  };
}

async function runSource(
  flow: CompiledFlow,
  { scenario, source }: FlowRequest,
  options: ResumeOptions,
  signal: AbortSignal,
): Promise<FlowReport> {
  switch (source.kind) {
    case 'event':
      return runFlow(flow, { events: source.bundles, signal }, options);
    case 'poll': {
      const state = fromStored(scenario.triggerState);
      return runFlow(flow, { state: isPlainObject(state) ? state : undefined, signal }, options);
    }
    case 'incomplete': {
      const execution = fromPortable(source.execution) as IncompleteExecution;
      return resumeFlow(flow, execution, { ...options, signal });
    }
  }
}

/** The webhook as the first module of a flow. It outputs the incoming bundle. */
const WEBHOOK: FlowStep = {
  id: 1,
  module: {
    name: 'webhook',
    type: 'instant_trigger',
    run: async ({ payload }) => ({ bundles: [payload], error: undefined }),
  } satisfies FlowModule,
};

function compileStep(step: StepDefinition, engines: Engines, tracing: Tracing): FlowStep {
  const { id, app, module, connection, parameters, filter, onError, continueWhenNoRes } = step;
  const engine = requireApp(engines, app);
  return {
    id,
    connection,
    parameters,
    filter,
    onError,
    continueWhenNoRes,
    module: traceModule(engineModule(engine, module), step, tracing),
  };
}

function traceModule(module: FlowModule, { id, app }: StepDefinition, tracing: Tracing): FlowModule {
  const attributes = { 'iml.app': app, 'iml.module': module.name, 'iml.step_id': id };
  const { run, respond } = module;
  const traced = <R extends { readonly error?: Error | undefined }>(work: () => PromiseLike<R>): Promise<R> =>
    inSpan(tracing, { name: 'iml module', kind: 'internal', attributes }, async (span) => {
      const outcome = await work();
      // The message may contain secrets of the hook. The span of the run reports the redacted message.
      if (outcome.error !== undefined) span.fail(outcome.error.name);
      return outcome;
    });
  return {
    ...module,
    run: (input) => traced(() => run(input)),
    ...(respond && { respond: (input: ModuleInput) => traced(() => respond(input)) }),
  };
}

/** Maximum bytes of incomplete executions per run, except its last one. All are stored in one commit. [choice] */
const MAX_COLLECTED_BYTES = 32 * 1024 * 1024;

/**
 * Maximum bytes of one incomplete execution, which is one statement. SQLite blocks the event loop while it writes.
 * [choice]
 */
const MAX_EXECUTION_BYTES = 10 * 1024 * 1024;

/**
 * Collects incomplete executions during the run. The host stores them with the other results.
 *
 * @param mostBytes maximum bytes of one execution
 */
function collectInto(collected: Collected, room: number, mostBytes: number): IncompleteStore {
  const { drafts } = collected;
  return {
    // Only needed for manual resolution.
    get: async () => undefined,
    list: async () => [],
    save: async (execution) => {
      const isNew = !drafts.has(execution.id);
      if (isNew && (drafts.size + collected.stored >= room || collected.bytes >= MAX_COLLECTED_BYTES))
        return 'full';
      const draft = toDraft(execution);
      const bytes = measureStored(draft.execution);
      if (bytes > mostBytes) return 'full';
      collected.bytes += bytes;
      drafts.set(execution.id, draft);
      return 'saved';
    },
    remove: async (id) => void drafts.delete(id),
  };
}

/** Results of a run that are not reported yet. */
interface Collected {
  readonly drafts: Map<string, IncompleteDraft>;
  /** Number of executions stored with the progress. */
  stored: number;
  /** Bytes of the unstored executions. */
  bytes: number;
  /** State of the trigger after the last completed item. */
  progress: TriggerData | undefined;
  toldAtMs: number;
}

/** Interval of progress reports of a poll. Each one is a write; a crash repeats at most the work of one interval. */
const PROGRESS_EVERY_MS = 1000;

async function reportProgress(
  { source, onProgress }: FlowRequest,
  collected: Collected,
  state: TriggerData,
  nowMs: number,
): Promise<void> {
  if (source.kind !== 'poll') return;
  collected.progress = state;
  if (onProgress === undefined || Math.abs(nowMs - collected.toldAtMs) < PROGRESS_EVERY_MS) return;
  collected.toldAtMs = nowMs;
  const incompletes = [...collected.drafts.values()];
  await onProgress({ triggerState: toStored(state), incompletes });
  collected.stored += incompletes.length;
  collected.drafts.clear();
  collected.bytes = 0;
}

function toOutcome(report: FlowReport, { drafts, progress }: Collected): FlowOutcome {
  const { outcome, error, state, eventsDone } = report;
  return {
    outcome,
    error: error?.toJSON() as PlainObject | undefined,
    incompletes: [...drafts.values()],
    bundlesDone: eventsDone,
    triggerState: state && toStored(state),
    progressState: progress && toStored(progress),
  };
}

export function toDraft(execution: IncompleteExecution): IncompleteDraft {
  const { retry, error } = execution;
  return {
    execution: toStored(execution),
    error,
    stored:
      retry === undefined
        ? { resolution: 'manual', cause: 'data' }
        : { resolution: 'automatic', attempt: retry.attempt, atMs: retry.atMs },
  };
}

/** The output of a run, or where its bundles ended. Undefined if an error ended the run. */
export function describeOutput(flow: CompiledFlow, report: FlowReport): FlowOutput | undefined {
  if (!report.ok) return undefined;
  const bundles = report.bundles.length;
  if (bundles > 0) return { bundles };
  const steps = new Map(flow.steps.map(({ step }) => [step.id, step.module]));
  for (let index = report.phases.length - 1; index >= 0; index--) {
    const phase = report.phases[index] as FlowPhase;
    const why = whyEnded(phase);
    if (why === undefined || !('stepId' in phase)) continue;
    const module = steps.get(phase.stepId);
    // A responder has no output and does not end a bundle.
    if (module === undefined || module.type === 'responder') continue;
    const unreadAt = phase.kind === 'operation' ? phase.unreadAt : undefined;
    const endedAt = { stepId: phase.stepId, module: module.name, why, ...(unreadAt && { unreadAt }) };
    return { bundles, endedAt };
  }
  return { bundles };
}

/** The step whose module failed last; undefined if no error ended the run. */
function describeFailure(flow: CompiledFlow, report: FlowReport): FlowStepName | undefined {
  if (report.ok) return undefined;
  const failed = report.phases.findLast((phase) => phase.kind === 'operation' && phase.error !== undefined);
  if (failed?.kind !== 'operation') return undefined;
  const found = flow.steps.find(({ step }) => step.id === failed.stepId);
  return found && { stepId: failed.stepId, module: found.step.module.name };
}

function whyEnded(phase: FlowPhase): 'filter' | 'nothing' | 'ignored' | undefined {
  if (phase.kind === 'filtered') return 'filter';
  if (phase.kind !== 'operation' || phase.bundles > 0) return undefined;
  if (phase.error === undefined) return 'nothing';
  return phase.handledBy === 'ignore' ? 'ignored' : undefined;
}
