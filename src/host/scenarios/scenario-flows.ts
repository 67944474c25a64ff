import {
  ANY_FUNCTION,
  ANY_OBJECT,
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
} from '../../errors/check-options.js';
import type { CompileOptions } from '../../iml/compile.js';
import { type CompiledFlow, compileFlow } from '../../scenario/flow/compile-flow.js';
import { engineModule } from '../../scenario/flow/engine-module.js';
import type { FlowModule, FlowStep, ModuleInput, TriggerData } from '../../scenario/flow/flow.js';
import {
  type FlowReport,
  type IncompleteExecution,
  type IncompleteStore,
  readWebhookResponse,
} from '../../scenario/flow/flow-report.js';
import { type ResumeOptions, resumeFlow, runFlow } from '../../scenario/flow/run-flow.js';
import { createBoundedCache } from '../../util/bounded-cache.js';
import { type Clock, SYSTEM_CLOCK } from '../../util/clock.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';
import { fromPortable } from '../../util/portable-value.js';
import { type Engines, requireApp } from '../hooks/require-app.js';
import type { FlowOutcome, FlowRequest, Flows, IncompleteDraft } from '../ports/ports.js';
import { type HostTracing, NO_TRACING } from '../ports/tracing.js';
import { keepValue, measureKept, readKept } from '../store/kept-value.js';
import { readPlan } from '../store/scenario-plan.js';
import type { ScenarioRow } from '../store/tables.js';
import { describeFailure, describeOutput } from './describe-output.js';
import type { FlowDefinition, StepDefinition } from './flow-definition.js';
import type { FindConnectionSecrets } from './scenario-secrets.js';

/** What scenarios run with: the engines of their apps, and what their templates read. Only `engines` is required. */
export interface ScenarioFlowsOptions {
  readonly engines: Engines;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** What the templates of modules read and call: clock, timezone, randomness. */
  readonly expressions?: CompileOptions | undefined;
  /** Spans around modules: the same as the host's. Default: none. */
  readonly tracing?: HostTracing | undefined;
  /** Gets what came of each run, before it is written down, which waits for a promise. */
  readonly onReport?: ((scenario: string, report: FlowReport) => unknown) | undefined;
  /**
   * Finds what of the connections of a scenario and of its hook no error may show: a sender may have put it into a call. Default: of
   * connections only what a module knows of its own is kept out of its errors.
   */
  readonly findConnectionSecrets?: FindConnectionSecrets | undefined;
}

const SHAPES: OptionShapes<ScenarioFlowsOptions> = {
  engines: ANY_OBJECT,
  clock: objectWithFunctions(['now', 'sleep', 'after']),
  expressions: ANY_OBJECT,
  tracing: objectWithFunctions(['inSpan']),
  onReport: ANY_FUNCTION,
  findConnectionSecrets: ANY_FUNCTION,
};

/** Flows kept compiled, and characters of their definitions; one beyond that is compiled again. */
const MAX_FLOWS = 500;
const MAX_FLOWS_LENGTH = 16 * 1024 * 1024;

/** Runs the linear flows of `scenario/` with the modules of some engines, in this thread. */
export function createScenarioFlows(given: ScenarioFlowsOptions): Flows {
  checkOptions(given, SHAPES, 'The options of createScenarioFlows', ['engines']);
  const { findConnectionSecrets = async () => [], ...options } = given;
  return createFlows({
    ...options,
    findSecrets: (request) => findRunSecrets(request, findConnectionSecrets),
  });
}

/** What no error of a run may show: see `collectScenarioSecrets`. */
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
  /** Finds what no error of a run may show. Called once, when a module has failed. */
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
    // Only `putScenario` writes definitions, after a guard has seen them.
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
      const kept: Kept = {
        drafts: new Map(),
        stored: 0,
        bytes: 0,
        progress: undefined,
        toldAtMs: clock.now(),
      };
      const { source } = request;
      const before = source.kind === 'incomplete' ? source.incomplete.bytes : 0;
      const store = collectInto(kept, room, Math.max(MAX_EXECUTION_BYTES, before));
      const onProgress = (state: TriggerData): Promise<void> =>
        tellProgress(request, kept, state, clock.now());
      const { settings } = readPlan(scenario);
      const options = { settings, store, clock, onProgress, findSecrets: () => findSecrets(request) };
      const report = await runSource(flow, request, options, signal);
      const answer = readWebhookResponse(report);
      if (answer !== undefined) request.onAnswer?.(answer);
      await onReport?.(scenario.name, report);
      return {
        ...toOutcome(report, kept),
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
      const state = readKept(scenario.triggerState);
      return runFlow(flow, { state: isPlainObject(state) ? state : undefined, signal }, options);
    }
    case 'incomplete': {
      const execution = fromPortable(source.execution) as IncompleteExecution;
      return resumeFlow(flow, execution, { ...options, signal });
    }
  }
}

/** The webhook as the first module of a flow: what came in is what it puts out. */
const WEBHOOK: FlowStep = {
  id: 1,
  module: {
    name: 'webhook',
    type: 'instant_trigger',
    run: async ({ payload }) => ({ bundles: [payload], error: undefined }),
  } satisfies FlowModule,
};

function compileStep(step: StepDefinition, engines: Engines, tracing: HostTracing): FlowStep {
  const { id, app, module, connection, parameters, filter, onError } = step;
  const engine = requireApp(engines, app);
  return {
    id,
    connection,
    parameters,
    filter,
    onError,
    module: traceModule(engineModule(engine, module), step, tracing),
  };
}

function traceModule(module: FlowModule, { id, app }: StepDefinition, tracing: HostTracing): FlowModule {
  const attributes = { 'iml.app': app, 'iml.module': module.name, 'iml.step_id': id };
  const { run, respond } = module;
  const inSpan = <R extends { readonly error?: Error | undefined }>(work: () => PromiseLike<R>): Promise<R> =>
    tracing.inSpan({ name: 'iml module', kind: 'internal', attributes }, async (span) => {
      const outcome = await work();
      // Its message may quote what the hook knows as secret. The span of the run tells what is taken out of that.
      if (outcome.error !== undefined) span.fail(outcome.error.name);
      return outcome;
    });
  return {
    ...module,
    run: (input) => inSpan(() => run(input)),
    ...(respond && { respond: (input: ModuleInput) => inSpan(() => respond(input)) }),
  };
}

/** Bytes of the incomplete executions that one run leaves, beside its last: all are stored in one commit. [choice] */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

/** Bytes of a single one, which a database is given in one statement; SQLite takes 3 ms for each megabyte. [choice] */
const MAX_EXECUTION_BYTES = 10 * 1024 * 1024;

/**
 * Executions are collected while the flow runs, and stored by the host with everything else that follows from the run.
 *
 * @param mostBytes of one of them
 */
function collectInto(kept: Kept, room: number, mostBytes: number): IncompleteStore {
  const { drafts } = kept;
  return {
    // Only who resolves one by hand asks for these.
    get: async () => undefined,
    list: async () => [],
    save: async (execution) => {
      const isNew = !drafts.has(execution.id);
      if (isNew && (drafts.size + kept.stored >= room || kept.bytes >= MAX_KEPT_BYTES)) return 'full';
      const draft = toDraft(execution);
      const bytes = measureKept(draft.execution);
      if (bytes > mostBytes) return 'full';
      kept.bytes += bytes;
      drafts.set(execution.id, draft);
      return 'saved';
    },
    remove: async (id) => void drafts.delete(id),
  };
}

/** What a run leaves behind that is not told yet. */
interface Kept {
  readonly drafts: Map<string, IncompleteDraft>;
  /** How many executions were stored with the progress. */
  stored: number;
  /** Of the executions that are not stored. */
  bytes: number;
  /** Of the trigger, behind the last item that is through. */
  progress: TriggerData | undefined;
  toldAtMs: number;
}

/** How often a poll says how far it has come: a write each time, for at most so much work that is done again. */
const PROGRESS_EVERY_MS = 1000;

async function tellProgress(
  { source, onProgress }: FlowRequest,
  kept: Kept,
  state: TriggerData,
  nowMs: number,
): Promise<void> {
  if (source.kind !== 'poll') return;
  kept.progress = state;
  if (onProgress === undefined || Math.abs(nowMs - kept.toldAtMs) < PROGRESS_EVERY_MS) return;
  kept.toldAtMs = nowMs;
  const incompletes = [...kept.drafts.values()];
  await onProgress({ triggerState: keepValue(state), incompletes });
  kept.stored += incompletes.length;
  kept.drafts.clear();
  kept.bytes = 0;
}

function toOutcome(report: FlowReport, { drafts, progress }: Kept): FlowOutcome {
  const { outcome, error, state, eventsDone } = report;
  return {
    outcome,
    error: error?.toJSON() as PlainObject | undefined,
    incompletes: [...drafts.values()],
    bundlesDone: eventsDone,
    triggerState: state && keepValue(state),
    progressState: progress && keepValue(progress),
  };
}

export function toDraft(execution: IncompleteExecution): IncompleteDraft {
  const { retry, error } = execution;
  return {
    execution: keepValue(execution),
    error,
    stored:
      retry === undefined
        ? { resolution: 'manual', cause: 'data' }
        : { resolution: 'automatic', attempt: retry.attempt, atMs: retry.atMs },
  };
}
