import type { BuiltResponse } from '../engine/run/build-answer.js';
import type { RunWarning } from '../engine/run/trace.js';
import type { Evaluate } from '../language/compile/compile-expression.js';
import type { CompileOptions } from '../language/compile.js';
import type { Clock } from '../shared/clock.js';
import { AppError } from '../shared/errors/app-error.js';
import { isEngineError } from '../shared/errors/engine-error.js';
import { ImlError } from '../shared/errors/iml-error.js';
import { isPlainObject } from '../shared/plain-object.js';
import { type CompiledFlow, type CompiledStep, mapInputs } from './compile-flow.js';
import { planAfterRetry, planForBreak, planForError, type RetryPlan, reactionTo } from './error-reactions.js';
import type { ErrorHandler, FlowModule, FlowStep, ModuleInput, TriggerData } from './flow.js';
import type { FlowPhase, IncompleteExecution, IncompleteStore } from './flow-report.js';
import type { RedactFailure } from './redact-failure.js';
import type { ScenarioSettings } from './scenario-state.js';

/** Dependencies of a flow run. */
export interface FlowDependencies {
  readonly settings: ScenarioSettings;
  /** Without a store nothing is stored, regardless of the settings. */
  readonly store: IncompleteStore | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly onProgress: ((state: TriggerData) => Promise<void>) | undefined;
  readonly findSecrets: (() => Promise<readonly string[]>) | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Ends a run early. Internal to this folder. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly how: 'commit' | 'rollback' | 'error';
  readonly error: AppError | undefined;
  readonly isFirstModule: boolean;
  readonly isStorageFull: boolean;
  /** How to store the remaining bundles; undefined if they are not stored. */
  readonly plan: RetryPlan | undefined;

  constructor(
    how: Interruption['how'],
    details: Partial<Pick<Interruption, 'error' | 'isFirstModule' | 'isStorageFull' | 'plan'>> = {},
  ) {
    super(details.error?.message);
    this.how = how;
    this.error = details.error;
    this.isFirstModule = details.isFirstModule ?? false;
    this.isStorageFull = details.isStorageFull ?? false;
    this.plan = details.plan;
  }
}

/** A running flow: each bundle passes through all steps before the next one. */
export class FlowRun {
  readonly phases: FlowPhase[] = [];
  readonly bundles: unknown[] = [];
  readonly incomplete: IncompleteExecution[] = [];
  operations = 0;
  answer: BuiltResponse | undefined;
  /** State of the first module. */
  state: TriggerData | undefined;
  /** States of the first module by bundle: each starts with that bundle. */
  private states: readonly (TriggerData | undefined)[] | undefined;
  /** Whether a bundle was stored or discarded. */
  hasWarning = false;
  /** Whether some work was neither completed nor stored. */
  isLossy = false;
  private readonly flow: CompiledFlow;
  private readonly dependencies: FlowDependencies;
  /** The execution that this run resumes. Its id is reused for the next failure. */
  private readonly retried: IncompleteExecution | undefined;
  private freeId: string | undefined;
  private readonly touched = new Set<FlowModule>();
  /** Created when the first module fails. */
  private redactor: Promise<RedactFailure> | undefined;

  constructor(flow: CompiledFlow, tools: FlowDependencies, retried?: IncompleteExecution) {
    this.flow = flow;
    this.dependencies = tools;
    this.retried = retried;
    this.freeId = retried?.id;
  }

  get hasResponder(): boolean {
    return this.flow.steps.some(({ step }) => step.module.type === 'responder');
  }

  /** Runs the first module and passes its output through the other steps. */
  async first(extra: Pick<ModuleInput, 'state' | 'payload'>): Promise<void> {
    await this.step(0, {}, extra);
  }

  /** Runs the flow from a step on, for one bundle. */
  async step(
    index: number,
    outputs: Outputs,
    extra: Pick<ModuleInput, 'state' | 'payload'> = {},
  ): Promise<void> {
    const compiled = this.flow.steps[index];
    if (compiled === undefined) {
      const last = String(this.flow.steps[index - 1]?.step.id);
      if (Object.hasOwn(outputs, last)) this.bundles.push(outputs[last]);
      return;
    }
    const bundles = await this.runModule(compiled, index, outputs, extra);
    if (bundles === undefined) return;
    const isLine = index === 0 && this.dependencies.settings.autoCommit;
    for (const [number, bundle] of bundles.entries()) {
      const inner = bundle === PASS ? outputs : { ...outputs, [compiled.step.id]: bundle };
      try {
        await this.step(index + 1, inner);
        if (isLine) await this.commit();
        const next = isLine ? this.states?.[number + 1] : undefined;
        if (next !== undefined) await this.dependencies.onProgress?.(next);
      } catch (error) {
        if (error instanceof Interruption) {
          await this.storeRest(error, index, outputs, bundles.slice(number + 1));
        }
        throw error;
      }
    }
  }

  /** @throws Interruption with an InconsistencyError if a module cannot commit */
  commit(): Promise<void> {
    return this.settle('commit');
  }

  rollback(): Promise<void> {
    return this.settle('rollback');
  }

  /** Returns the bundles of one operation; undefined if its bundle ends here. */
  private async runModule(
    compiled: CompiledStep,
    index: number,
    outputs: Outputs,
    extra: Pick<ModuleInput, 'state' | 'payload'>,
  ): Promise<readonly unknown[] | undefined> {
    const { signal } = this.dependencies;
    signal?.throwIfAborted();
    const { step, filter } = compiled;
    const passes = filter === undefined ? { value: true } : evaluateTemplate(filter, outputs);
    if ('error' in passes)
      return this.fail(compiled, index, outputs, await this.redact(passes.error, outputs));
    if (!passes.value || passes.value === 'false') {
      this.phases.push({ kind: 'filtered', stepId: step.id });
      return undefined;
    }
    this.operations++;
    this.touched.add(step.module);
    const outcome = await runStep(compiled, outputs, { ...extra, signal }, this.flow.options);
    if (outcome.error !== undefined) {
      const error = await this.redact(outcome.error, outputs, extra.payload);
      return this.fail(compiled, index, outputs, error);
    }
    if (index === 0) {
      this.state = outcome.state;
      this.states = outcome.states;
    }
    this.answer ??= outcome.answer;
    const bundles = outcome.bundles?.length ?? 0;
    // Without its message, which may quote values of other apps.
    const unread = outcome.warnings?.find(({ code }) => bundles === 0 && code === 'unread-response');
    this.phases.push({ ...operation(step.id, bundles), ...(unread && { unreadAt: unread.place ?? {} }) });
    if (outcome.bundles === undefined) return [PASS];
    const isRead = index < this.flow.steps.length - 1;
    return isRead && step.module.type === 'search' ? numberResults(outcome.bundles, step) : outcome.bundles;
  }

  private async fail(
    compiled: CompiledStep,
    index: number,
    outputs: Outputs,
    error: AppError,
  ): Promise<readonly unknown[] | undefined> {
    const handler = findHandler(compiled, this.dependencies.store !== undefined);
    this.phases.push({ ...operation(compiled.step.id, 0), error, handledBy: handler?.kind });
    const handling = handleError(handler, compiled, { outputs, error });
    switch (handling.kind) {
      case 'unhandled': {
        const unhandled = handling.error === error ? error : await this.redact(handling.error, outputs);
        return this.interrupt(compiled, index, outputs, unhandled);
      }
      case 'ignore':
        return undefined;
      case 'resume':
        return [handling.output];
      case 'commit':
        throw new Interruption('commit');
      case 'rollback':
        throw new Interruption('rollback', { error });
      case 'break': {
        const plan =
          this.planNextRetry(error) ?? planForBreak(handling.handler, this.dependencies.clock.now());
        await this.store(compiled, outputs, error, plan);
        return undefined;
      }
    }
  }

  /** Redacts an error before it is stored, logged or reported. */
  private async redact(error: AppError, outputs: Outputs, ...more: readonly unknown[]): Promise<AppError> {
    this.redactor ??= this.createRedactor();
    return (await this.redactor)(error, [...Object.values(outputs), ...more]);
  }

  /** Loaded lazily, as few runs fail and redaction is expensive to load. */
  private async createRedactor(): Promise<RedactFailure> {
    const { createFailureRedactor } = await import('./redact-failure.js');
    return createFailureRedactor(this.dependencies.findSecrets);
  }

  /**
   * Handles an unhandled error: stores the bundle if configured, and ends the run unless other bundles may continue.
   */
  private async interrupt(
    compiled: CompiledStep,
    index: number,
    outputs: Outputs,
    error: AppError,
  ): Promise<undefined> {
    const reaction = reactionTo(error.type).kind;
    const isStored = reaction === 'store' || reaction === 'retry' || reaction === 'suspend';
    const mayStore =
      this.retried !== undefined || (this.dependencies.settings.storeIncomplete && index > 0 && isStored);
    if (!mayStore || this.dependencies.store === undefined) {
      throw new Interruption('error', { error, isFirstModule: index === 0 });
    }
    const plan = this.planNextRetry(error) ?? planForError(error.type, this.dependencies.clock.now());
    const isKept = await this.store(compiled, outputs, error, plan, reaction === 'store');
    if (isKept && reaction === 'store') return undefined;
    throw new Interruption('error', { error, ...(isKept ? { plan } : { isStorageFull: true }) });
  }

  private planNextRetry(error: AppError): RetryPlan | undefined {
    return this.retried && planAfterRetry(this.retried, error.type, this.dependencies.clock.now());
  }

  /** Stores the bundles that an interruption leaves pending at this step. */
  private async storeRest(
    { plan, error, how }: Interruption,
    index: number,
    outputs: Outputs,
    rest: readonly unknown[],
  ): Promise<void> {
    const { id } = this.flow.steps[index]?.step ?? {};
    const next = this.flow.steps[index + 1];
    if (how === 'commit' || rest.length === 0 || next === undefined || id === undefined) return;
    if (plan === undefined || error === undefined) {
      this.isLossy = true;
      return;
    }
    for (const bundle of rest) {
      const inner = bundle === PASS ? outputs : { ...outputs, [id]: bundle };
      if (!(await this.store(next, inner, error, plan, false))) this.isLossy = true;
    }
  }

  /**
   * Stores the remaining work for one bundle.
   *
   * @param mayDiscard whether the bundle may be discarded if the store is full and the settings allow it
   * @returns false if the store is full
   * @throws Interruption if the store is full and the bundle may not be discarded
   */
  private async store(
    { step }: CompiledStep,
    outputs: Outputs,
    error: AppError,
    plan: RetryPlan,
    mayDiscard = true,
  ): Promise<boolean> {
    const { store, clock, newId, settings } = this.dependencies;
    const execution: IncompleteExecution = {
      id: this.freeId ?? newId(),
      flow: this.flow.flow.name,
      stepId: step.id,
      outputs,
      error: { type: error.type, message: error.message },
      storedAtMs: clock.now(),
      ...plan,
    };
    if ((await store?.save(execution)) === 'saved') {
      this.freeId = undefined;
      this.hasWarning = true;
      this.incomplete.push(execution);
      this.phases.push({ kind: 'stored', stepId: step.id, id: execution.id });
      return true;
    }
    if (!mayDiscard) return false;
    if (!settings.dataLoss) throw new Interruption('error', { error, isStorageFull: true });
    this.hasWarning = true;
    this.phases.push({ kind: 'discarded', stepId: step.id });
    return true;
  }

  private async settle(kind: 'commit' | 'rollback'): Promise<void> {
    this.phases.push({ kind });
    const modules = [...this.touched];
    this.touched.clear();
    for (const module of modules) {
      try {
        await module[kind]?.();
      } catch (cause) {
        const message = `The module "${module.name}" could not ${kind === 'commit' ? 'commit' : 'roll back'}.`;
        const error = new AppError('InconsistencyError', message, { cause });
        throw new Interruption('error', { error });
      }
    }
  }
}

/**
 * The bundles of a search as later modules read them: each with its number from 1 and the number of all. No result is one
 * bundle, unless the step ends there.
 * Source: scenarios of users, and https://github.com/minsu-kang/make-custom-app-skill, runtime-reference. [app]
 */
function numberResults(bundles: readonly unknown[], { continueWhenNoRes }: FlowStep): readonly unknown[] {
  const { length } = bundles;
  if (length === 0) return continueWhenNoRes === false ? [] : [{ __IMTLENGTH__: 0 }];
  return bundles.map((bundle, index) =>
    isPlainObject(bundle) ? { ...bundle, __IMTINDEX__: index + 1, __IMTLENGTH__: length } : bundle,
  );
}

/** Marks a bundle that a module passes on without an output of its own. */
const PASS: unique symbol = Symbol('pass');

function operation(stepId: number, bundles: number): FlowPhase & { kind: 'operation' } {
  return { kind: 'operation', stepId, bundles, error: undefined, handledBy: undefined };
}

/** What happens to the bundle of a failed module. */
type Handling =
  /** Unhandled. `error` is the handler's own error if it failed. */
  | { readonly kind: 'unhandled'; readonly error: AppError }
  /** The bundle ends. */
  | { readonly kind: 'ignore' }
  /** The bundle continues with the handler's output. */
  | { readonly kind: 'resume'; readonly output: unknown }
  /** The run ends. */
  | { readonly kind: 'commit' | 'rollback' }
  /** The remaining work of the bundle is stored. */
  | { readonly kind: 'break'; readonly handler: ErrorHandler & { readonly kind: 'break' } };

/** Returns the error handler of a step. A Break handler without a store does not apply. */
function findHandler({ step: { onError } }: CompiledStep, canStore: boolean): ErrorHandler | undefined {
  return onError?.kind === 'break' && !canStore ? undefined : onError;
}

/** A failed step and its input. */
interface FailedStep {
  readonly outputs: Outputs;
  readonly error: AppError;
}

/** Applies an error handler. Source: https://help.make.com/quick-error-handling-reference. [doc] */
function handleError(
  handler: ErrorHandler | undefined,
  { resume }: CompiledStep,
  { outputs, error }: FailedStep,
): Handling {
  if (handler === undefined) return { kind: 'unhandled', error };
  switch (handler.kind) {
    case 'resume': {
      const output = resume === undefined ? { value: undefined } : evaluateTemplate(resume, outputs);
      return 'error' in output
        ? { kind: 'unhandled', error: output.error }
        : { kind: 'resume', output: output.value };
    }
    case 'break':
      return { kind: 'break', handler };
    default:
      return { kind: handler.kind };
  }
}

/** Outputs of previous modules by step id, as expressions of a flow read them. */
type Outputs = Readonly<Record<string, unknown>>;

type StepOutcome =
  | {
      readonly error?: undefined;
      /** Undefined for a responder, which passes its bundle on. */
      readonly bundles: readonly unknown[] | undefined;
      readonly state?: TriggerData | undefined;
      readonly states?: readonly (TriggerData | undefined)[] | undefined;
      readonly answer?: BuiltResponse | undefined;
      readonly warnings?: readonly RunWarning[] | undefined;
    }
  | { readonly error: AppError };

/**
 * Maps the inputs of a module and runs it for one bundle.
 *
 * @returns failures of the app or flow as `error`, which may quote the input
 * @throws other errors: the reason of an aborted signal, or a defect
 */
async function runStep(
  { step, inputs }: CompiledStep,
  outputs: Outputs,
  extra: Pick<ModuleInput, 'state' | 'payload' | 'signal'>,
  options: CompileOptions,
): Promise<StepOutcome> {
  const { module, connection } = step;
  try {
    const mapped = await mapInputs(inputs, module, outputs, options);
    if (!mapped.ok) return { error: mapped.error };
    const input = { ...extra, parameters: mapped.parameters, connection };
    if (module.type !== 'responder' || module.respond === undefined) return await module.run(input);
    const { result, error } = await module.respond(input);
    return error === undefined ? { bundles: undefined, answer: result } : { error };
  } catch (error) {
    extra.signal?.throwIfAborted();
    return { error: asStepError(error) };
  }
}

/** Evaluates a filter or the output of a resume handler for one bundle. */
function evaluateTemplate(
  evaluate: Evaluate,
  outputs: Outputs,
): { readonly value: unknown } | { readonly error: AppError } {
  try {
    return { value: evaluate(outputs) };
  } catch (error) {
    return { error: asStepError(error) };
  }
}

/**
 * An error of the mapping is a DataError with the field's path [app]; a module that cannot run is a configuration
 * error. [inf]
 */
function asStepError(error: unknown): AppError {
  if (isEngineError(error, AppError)) return error;
  if (isEngineError(error, ImlError)) {
    const path = error.place?.pointer?.slice(1).replaceAll('/', '.') ?? '';
    const field = path === '' ? '' : `Failed to map '${path}': `;
    return new AppError('DataError', field + error.message, { cause: error });
  }
  if (isEngineError(error)) {
    return new AppError('InvalidConfigurationError', error.message, { cause: error, place: error.place });
  }
  throw error;
}
