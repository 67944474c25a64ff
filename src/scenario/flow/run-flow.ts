import { randomUUID } from 'node:crypto';
import { type Reporting, reporting } from '../../component/report.js';
import {
  ANY_FUNCTION,
  ANY_LIST,
  ANY_OBJECT,
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
  SIGNAL,
} from '../../errors/check-options.js';
import { EngineError } from '../../errors/engine-error.js';
import { type Clock, SYSTEM_CLOCK } from '../../util/clock.js';
import { reactionTo } from '../state/error-reactions.js';
import { completeSettings, type ScenarioSettings } from '../state/scenario-settings.js';
import type { RunOutcome } from '../state/scenario-state.js';
import type { CompiledFlow } from './compile-flow.js';
import type { TriggerData } from './flow.js';
import type { FlowReport, IncompleteExecution, IncompleteStore } from './flow-report.js';
import { FlowRun, type FlowTools, Interruption } from './flow-run.js';

/** What a run of a flow starts from. */
export interface FlowInput {
  /** Of an instant trigger: the events to take, in order. Any other first module runs once. */
  readonly events?: readonly unknown[] | undefined;
  /** Of a polling trigger: what the report of the run before gave. */
  readonly state?: TriggerData | undefined;
  /** Ends the run; the promise rejects with its reason, after a rollback. */
  readonly signal?: AbortSignal | undefined;
}

/** What a run of a flow is given. Default: `DEFAULT_SETTINGS`, no store, the clock of the system, random ids. */
export interface FlowOptions {
  readonly settings?: Partial<ScenarioSettings> | undefined;
  /** Where incomplete executions go. Without it none is stored. */
  readonly store?: IncompleteStore | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Ids of incomplete executions. Default: random. */
  readonly newId?: (() => string) | undefined;
  /**
   * Of a polling trigger, with `autoCommit`: gets the state the trigger has behind bundles that are through or stored, wherever it has
   * moved on with them. A run that goes on from there repeats none of them. The flow waits for it.
   */
  readonly onProgress?: ((state: TriggerData) => Promise<void>) | undefined;
  /**
   * Gives values that no error of a module may show, beside what its data hold under names that say secret: what a webhook was
   * attached with. Asked once, when a module has failed; where it rejects, so does the run. Default: there are none.
   */
  readonly findSecrets?: (() => Promise<readonly string[]>) | undefined;
}

const INPUT_SHAPES: OptionShapes<FlowInput> = { events: ANY_LIST, state: ANY_OBJECT, signal: SIGNAL };

const OPTION_SHAPES: OptionShapes<FlowOptions> = {
  settings: ANY_OBJECT,
  store: objectWithFunctions(['save', 'remove']),
  clock: objectWithFunctions(['now', 'sleep', 'after']),
  newId: ANY_FUNCTION,
  onProgress: ANY_FUNCTION,
  findSecrets: ANY_FUNCTION,
};

/** What goes on with an incomplete execution is given: its store is needed. */
export type ResumeOptions = FlowOptions & {
  readonly store: IncompleteStore;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Runs a flow: the first module, then each of its bundles through the others, one by one and to the end.
 * Nothing is retried here: the report says what is stored and when its retry is due, and `nextState` what to do next.
 *
 * @returns the report, also of a run that failed; `orThrow()` throws its error
 * @throws the reason of `input.signal`, errors of the store, and defects; EngineError (USAGE) for a wrong setting
 * @see https://help.make.com/scenario-execution-cycles-and-phases
 * @example
 * const steps = [{ id: 1, module: engineModule(engine, 'watchContacts') }];
 * const flow = compileFlow({ name: 'welcome', steps });
 * const report = await runFlow(flow, { state: lastState });
 * if (!report.ok) console.error(report.error.message);
 */
export function runFlow(
  flow: CompiledFlow,
  input: FlowInput = {},
  options: FlowOptions = {},
): Reporting<FlowReport> {
  return reporting(
    (async () => {
      checkOptions(input, INPUT_SHAPES, 'The input of runFlow');
      checkOptions(options, OPTION_SHAPES, 'The options of runFlow');
      return runAll(flow, input, options);
    })(),
  );
}

async function runAll(flow: CompiledFlow, input: FlowInput, options: FlowOptions): Promise<FlowReport> {
  const tools = completeTools(options, input.signal);
  const run = new FlowRun(flow, tools);
  const takesEvents = flow.steps[0]?.step.module.type === 'instant_trigger';
  const sources = takesEvents
    ? (input.events ?? []).map((payload) => ({ payload }))
    : [{ data: input.state }];
  let done = 0;
  const ended = await lead(run, async () => {
    for (const source of sources) {
      await run.first(source);
      done++;
    }
    if (!tools.settings.autoCommit) await run.commit();
  });
  // An event whose run was interrupted is done if all of it is stored; one run takes all or, uncommitted, none.
  if (ended !== undefined)
    done = run.isLossy && !tools.settings.autoCommit ? 0 : done + (run.isLossy ? 0 : 1);
  return makeReport(run, ended, { retry: undefined, eventsDone: Math.min(done, sources.length) });
}

/**
 * Goes on with an incomplete execution: the steps that are left, for its bundle. When that succeeds it is removed from
 * the store; when it fails again, what is left then takes its place, with its next retry or left to somebody.
 *
 * @param execution as the store gave it; with other `outputs` where somebody has mended the data by hand
 * @returns the report, as `runFlow` does
 * @throws EngineError (USAGE) for an execution of another flow, or of a step the flow does not have any more
 */
export function resumeFlow(
  flow: CompiledFlow,
  execution: IncompleteExecution,
  options: ResumeOptions,
): Reporting<FlowReport> {
  return reporting(
    (async () => {
      checkOptions(options, { ...OPTION_SHAPES, signal: SIGNAL }, 'The options of resumeFlow', ['store']);
      return resume(flow, execution, options);
    })(),
  );
}

async function resume(
  flow: CompiledFlow,
  execution: IncompleteExecution,
  options: ResumeOptions,
): Promise<FlowReport> {
  const index = flow.steps.findIndex(({ step }) => step.id === execution.stepId);
  if (execution.flow !== flow.flow.name || index === -1) {
    const message = `The flow "${flow.flow.name}" cannot go on with the execution "${execution.id}".`;
    throw new EngineError('USAGE', message);
  }
  const tools = completeTools(options, options.signal);
  const run = new FlowRun(flow, tools, execution);
  const ended = await lead(run, async () => {
    await run.step(index, execution.outputs);
    await run.commit();
  });
  const isReplaced = run.incomplete.some(({ id }) => id === execution.id);
  if (!isReplaced && !run.isLossy) await options.store.remove(execution.id);
  // Taken back by a handler, or not storable: it must not come due again and again.
  if (!isReplaced && run.isLossy) await options.store.save({ ...execution, retry: undefined });
  return makeReport(run, ended, { retry: execution.retry?.attempt ?? 0, eventsDone: 0 });
}

function completeTools(options: FlowOptions, signal: AbortSignal | undefined): FlowTools {
  const { store, clock = SYSTEM_CLOCK, newId = randomUUID, onProgress, findSecrets } = options;
  const settings = completeSettings(options.settings);
  return { settings, store, clock, newId, onProgress, findSecrets, signal };
}

/** Leads a run through its phases, however it ends. */
async function lead(run: FlowRun, work: () => Promise<void>): Promise<Interruption | undefined> {
  run.phases.push({ kind: 'initialization' });
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof Interruption)) {
      await run.rollback().catch(() => {});
      throw error;
    }
    return await settle(run, error);
  } finally {
    run.phases.push({ kind: 'finalization' });
  }
}

async function settle(run: FlowRun, ended: Interruption): Promise<Interruption> {
  const { how, error, plan } = ended;
  if (how === 'error' && plan === undefined) run.isLossy = true;
  if (how === 'rollback') run.isLossy = true;
  const keeps = error !== undefined && reactionTo(error.type).data === 'keep';
  if (keeps) return ended;
  try {
    // What ran before a stored bundle stays: its retry goes on from there.
    await (how === 'commit' || plan !== undefined ? run.commit() : run.rollback());
    return ended;
  } catch (failure) {
    if (failure instanceof Interruption) return failure;
    throw failure;
  }
}

function makeReport(
  run: FlowRun,
  ended: Interruption | undefined,
  { retry, eventsDone }: { readonly retry: number | undefined; readonly eventsDone: number },
): FlowReport {
  const outcome = decideOutcome(run, ended, retry);
  const { operations, phases, bundles, incomplete, hasResponder, answer, state, isLossy } = run;
  const facts = {
    status: decideStatus(outcome, ended),
    outcome,
    operations,
    phases,
    incomplete,
    hasResponder,
    answer,
    state: isLossy ? undefined : state,
    eventsDone,
  };
  const error = ended?.how === 'commit' ? undefined : ended?.error;
  return error === undefined
    ? { ...facts, ok: true, bundles, error, completed: undefined }
    : { ...facts, ok: false, bundles: undefined, error, completed: bundles };
}

function decideStatus(outcome: EndedRun, ended: Interruption | undefined): FlowReport['status'] {
  if (outcome.kind === 'success' || outcome.kind === 'warning') return outcome.kind;
  return ended?.plan === undefined ? 'error' : 'warning';
}

type EndedRun = Extract<RunOutcome, { kind: 'success' | 'warning' | 'rollback' | 'error' }>;

function decideOutcome(run: FlowRun, ended: Interruption | undefined, retry: number | undefined): EndedRun {
  if (ended === undefined || ended.how === 'commit' || ended.error === undefined) {
    return { kind: run.hasWarning ? 'warning' : 'success', retry };
  }
  if (ended.how === 'rollback') return { kind: 'rollback', retry };
  const { error, isFirstModule, isStorageFull } = ended;
  const { type, delay: delayMs, retryAfterMs } = error;
  return { kind: 'error', type, delayMs, retryAfterMs, isFirstModule, isStorageFull, retry };
}
