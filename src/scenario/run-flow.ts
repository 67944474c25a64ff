import { randomUUID } from 'node:crypto';
import { type Reporting, reporting } from '../engine/component/report.js';
import { type Clock, SYSTEM_CLOCK } from '../shared/clock.js';
import {
  ANY_FUNCTION,
  ANY_LIST,
  ANY_OBJECT,
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
  SIGNAL,
} from '../shared/errors/check-options.js';
import { EngineError } from '../shared/errors/engine-error.js';
import { inSpan, NO_TRACING, type Tracing } from '../shared/tracing.js';
import type { CompiledFlow } from './compile-flow.js';
import { reactionTo } from './error-reactions.js';
import type { TriggerData } from './flow.js';
import type { FlowReport, IncompleteExecution, IncompleteStore } from './flow-report.js';
import { type FlowDependencies, FlowRun, Interruption } from './flow-run.js';
import { completeSettings, type RunOutcome, type ScenarioSettings } from './scenario-state.js';

/** Input of a flow run. */
export interface FlowInput {
  /** Instant triggers only: events to process, in order. Other first modules run once. */
  readonly events?: readonly unknown[] | undefined;
  /** Polling triggers only: `state` of the previous report. */
  readonly state?: TriggerData | undefined;
  /** Aborts the run: it rolls back and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a flow run. */
export interface FlowOptions {
  readonly settings?: Partial<ScenarioSettings> | undefined;
  /** Store of incomplete executions. Default: none are stored. */
  readonly store?: IncompleteStore | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Creates ids of incomplete executions. Default: random. */
  readonly newId?: (() => string) | undefined;
  /**
   * Polling triggers with `autoCommit` only: called with the trigger's state after bundles were processed or stored. A
   * run from that state repeats none of them. The flow waits for the promise.
   */
  readonly onProgress?: ((state: TriggerData) => Promise<void>) | undefined;
  /**
   * Returns secrets to redact in errors of modules, in addition to values with secret names, such as the data of a
   * webhook. Called once, after a failure; if it rejects, the run rejects too. Default: none.
   */
  readonly findSecrets?: (() => Promise<readonly string[]>) | undefined;
  /** A span of the run. Those of its engines are its children. Default: none. */
  readonly tracing?: Tracing | undefined;
}

const INPUT_SHAPES: OptionShapes<FlowInput> = { events: ANY_LIST, state: ANY_OBJECT, signal: SIGNAL };

const OPTION_SHAPES: OptionShapes<FlowOptions> = {
  settings: ANY_OBJECT,
  store: objectWithFunctions(['save', 'remove']),
  clock: objectWithFunctions(['now', 'sleep', 'after']),
  newId: ANY_FUNCTION,
  onProgress: ANY_FUNCTION,
  findSecrets: ANY_FUNCTION,
  tracing: objectWithFunctions(['startSpan']),
};

/** Options of resuming an incomplete execution; its store is required. */
export type ResumeOptions = FlowOptions & {
  readonly store: IncompleteStore;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Runs a flow: the first module, then each of its bundles through the other modules. Retries nothing itself: the
 * report says what was stored and when its retry is due, `nextState` what to do next.
 *
 * @returns the report, also of a failed run; `orThrow()` throws its error
 * @throws the reason of `input.signal`, errors of the store, and defects; EngineError (USAGE) for an invalid setting
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
      return inFlowSpan(flow, options, () => runAll(flow, input, options));
    })(),
  );
}

function inFlowSpan(
  { flow }: CompiledFlow,
  { tracing = NO_TRACING }: FlowOptions,
  work: () => Promise<FlowReport>,
): Promise<FlowReport> {
  const input = { name: 'iml flow', kind: 'internal', attributes: { 'iml.flow': flow.name } } as const;
  return inSpan(tracing, input, async (span) => {
    const report = await work();
    if (report.error !== undefined) span.fail(report.error.type);
    return report;
  });
}

async function runAll(flow: CompiledFlow, input: FlowInput, options: FlowOptions): Promise<FlowReport> {
  const tools = completeDependencies(options, input.signal);
  const run = new FlowRun(flow, tools);
  const takesEvents = flow.steps[0]?.step.module.type === 'instant_trigger';
  const sources = takesEvents
    ? (input.events ?? []).map((payload) => ({ payload }))
    : [{ state: input.state }];
  let done = 0;
  const ended = await runPhases(run, async () => {
    for (const source of sources) {
      await run.first(source);
      done++;
    }
    if (!tools.settings.autoCommit) await run.commit();
  });
  // The event of an interrupted run is done if all of it is stored. Without `autoCommit`, a run processes all events
  // or none.
  if (ended !== undefined)
    done = run.isLossy && !tools.settings.autoCommit ? 0 : done + (run.isLossy ? 0 : 1);
  return createReport(run, ended, { retry: undefined, eventsDone: Math.min(done, sources.length) });
}

/**
 * Resumes an incomplete execution: runs the remaining steps for its bundle. Removes it from the store on success. On
 * failure the remaining work replaces it, with its next retry or for manual resolution.
 *
 * @param execution as stored, optionally with corrected `outputs`
 * @returns the report, like `runFlow`
 * @throws EngineError (USAGE) for an execution of another flow, or of a step that does not exist any more
 */
export function resumeFlow(
  flow: CompiledFlow,
  execution: IncompleteExecution,
  options: ResumeOptions,
): Reporting<FlowReport> {
  return reporting(
    (async () => {
      checkOptions(options, { ...OPTION_SHAPES, signal: SIGNAL }, 'The options of resumeFlow', ['store']);
      return inFlowSpan(flow, options, () => resume(flow, execution, options));
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
    const message = `The flow "${flow.flow.name}" cannot resume the execution "${execution.id}".`;
    throw new EngineError('USAGE', message);
  }
  const tools = completeDependencies(options, options.signal);
  const run = new FlowRun(flow, tools, execution);
  const ended = await runPhases(run, async () => {
    await run.step(index, execution.outputs);
    await run.commit();
  });
  const isReplaced = run.incomplete.some(({ id }) => id === execution.id);
  if (!isReplaced && !run.isLossy) await options.store.remove(execution.id);
  // Rolled back by a handler, or the store is full: removes the retry, so that it is not due repeatedly.
  if (!isReplaced && run.isLossy) await options.store.save({ ...execution, retry: undefined });
  return createReport(run, ended, { retry: execution.retry?.attempt ?? 0, eventsDone: 0 });
}

function completeDependencies(options: FlowOptions, signal: AbortSignal | undefined): FlowDependencies {
  const { store, clock = SYSTEM_CLOCK, newId = randomUUID, onProgress, findSecrets } = options;
  const settings = completeSettings(options.settings);
  return { settings, store, clock, newId, onProgress, findSecrets, signal };
}

/** Runs all phases of a run, however it ends. */
async function runPhases(run: FlowRun, work: () => Promise<void>): Promise<Interruption | undefined> {
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
    // Steps before a stored bundle are committed, as its retry continues from there.
    await (how === 'commit' || plan !== undefined ? run.commit() : run.rollback());
    return ended;
  } catch (failure) {
    if (failure instanceof Interruption) return failure;
    throw failure;
  }
}

function createReport(
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

/** Lists executions of a flow whose retry is due, oldest first. */
export async function listDue(
  flow: string,
  store: IncompleteStore,
  nowMs: number,
): Promise<readonly IncompleteExecution[]> {
  return (await store.list(flow)).filter(({ retry }) => retry !== undefined && retry.atMs <= nowMs);
}

/** Lists executions of a flow without an automatic retry. */
export async function listUnresolved(
  flow: string,
  store: IncompleteStore,
): Promise<readonly IncompleteExecution[]> {
  return (await store.list(flow)).filter(({ retry }) => retry === undefined);
}

/**
 * Resolves an incomplete execution manually: runs its remaining steps now, optionally with corrected data. If it fails
 * again, it stays without an automatic retry.
 *
 * @param outputs replace stored outputs, by step id
 * @returns the report, like `runFlow`
 * @throws EngineError (USAGE) for an unknown id
 */
export function resolveExecution(
  flow: CompiledFlow,
  id: string,
  options: ResumeOptions,
  outputs: Readonly<Record<string, unknown>> = {},
): Reporting<FlowReport> {
  return reporting(
    find(id, options.store).then((execution) =>
      resumeFlow(
        flow,
        { ...execution, outputs: { ...execution.outputs, ...outputs }, retry: undefined },
        options,
      ),
    ),
  );
}

/**
 * Removes an incomplete execution.
 *
 * @throws EngineError (USAGE) for an unknown id
 */
export async function discardExecution(id: string, store: IncompleteStore): Promise<IncompleteExecution> {
  const execution = await find(id, store);
  await store.remove(id);
  return execution;
}

async function find(id: string, store: IncompleteStore): Promise<IncompleteExecution> {
  const execution = await store.get(id);
  if (execution !== undefined) return execution;
  throw new EngineError('USAGE', `There is no incomplete execution "${id}".`);
}
