import { AppError } from '../../shared/errors/app-error.js';
import { isEngineError, SpecError } from '../../shared/errors/engine-error.js';
import type { Bundle } from '../run/collect-outputs.js';
import type { BudgetWait, RunContext } from '../run/run-context.js';
import type { RunWarning, StopReason, TraceEvent } from '../run/trace.js';
import type { TriggerState } from './trigger-data.js';

/** Counters of a run. */
export interface RunStats {
  /** Requests that count towards the limit of 100. */
  readonly requests: number;
  /** Pages after the first page of each request. A repeat of the same page is not counted again. */
  readonly followUpPages: number;
  readonly records: number;
  readonly durationMs: number;
  /** Why the last pagination ended; undefined without pagination. */
  readonly stopReason: StopReason | undefined;
  /** Waits for call budgets of remote APIs; undefined if there were none. See docs/limits.md (Budget). */
  readonly waits?: readonly BudgetWait[] | undefined;
}

/** Members of every report. */
export interface RunFacts {
  readonly stats: RunStats;
  readonly trace: readonly TraceEvent[];
  readonly warnings: readonly RunWarning[];
}

/**
 * The outcome of a run: a discriminated union on `ok`. Results are typed as present only if `ok` is true, `error` only
 * if it is false.
 *
 * @example
 * const report = await engine.rpc('listFields').call({ connection });
 * if (!report.ok) return show(report.error); // an AppError: type, message, place
 * use(report.result);
 */
export type RunReport<
  Given extends object = ModuleResult,
  Facts = RunFacts,
  Failure extends object = RunFailure,
> =
  | (Facts & Given & Missing<Failure> & { readonly ok: true })
  | (Facts & Missing<Given> & Failure & { readonly ok: false });

/** Result of a module run. */
export interface ModuleResult<Given = Bundle> {
  /** All bundles; empty if the run was iterated. */
  readonly bundles: readonly Given[];
  /** Polling triggers only: the state to pass to the next run. */
  readonly state: TriggerState | undefined;
}

/** The error that ended a run. */
export interface RunFailure {
  readonly error: AppError;
}

type Missing<Members> = { readonly [Name in keyof Members]: undefined };

/** Any report. */
export type AnyReport = { readonly ok: boolean; readonly error: Error | undefined };

/** The report of a successful run. */
export type Succeeded<R extends AnyReport> = Extract<R, { readonly ok: true }>;

/**
 * A running call. `await` returns its report, also after a failure of the app or API; `orThrow()` returns the report
 * of a successful call and throws the error otherwise.
 *
 * Both reject with errors that are no outcome of the app: a caller's mistake (EngineError USAGE), the reason of the
 * caller's signal, errors of the embedder's ports, or a defect.
 *
 * @example
 * const { stored } = await engine.connection('apiKey').create({ parameters: { key } }).orThrow();
 */
export interface Reporting<R extends AnyReport> extends Promise<R> {
  /** @throws the `error` of the report */
  readonly orThrow: () => Promise<Succeeded<R>>;
}

/** Adds `orThrow` to the promise of a report. */
export function reporting<R extends AnyReport>(work: Promise<R>): Reporting<R> {
  return Object.assign(work, { orThrow: async () => assertOk(await work) });
}

/** @throws the error of a report that has one */
export function assertOk<R extends AnyReport>(report: R): Succeeded<R> {
  if (!report.ok) throw report.error;
  return report as Succeeded<R>; // `ok` selects the variant
}

/**
 * Converts a failure of the app or API to an AppError. Returns undefined for other errors, which are thrown. A
 * component that cannot run as written is a configuration error.
 */
export function asRunError(thrown: unknown): AppError | undefined {
  if (isEngineError(thrown, AppError)) return thrown;
  if (!isEngineError(thrown, SpecError) || thrown.code !== 'SPEC_INVALID') return undefined;
  const { message, place } = thrown;
  return new AppError('InvalidConfigurationError', message, { cause: thrown, place });
}

/** Returns the counters of a run; all zero if it did not start. */
export function readStats(context: RunContext | undefined): RunStats {
  return {
    requests: context?.run.counters.requests ?? 0,
    followUpPages: context?.run.counters.followUpPages ?? 0,
    records: context?.run.counters.records ?? 0,
    durationMs: context?.run.elapsedMs ?? 0,
    stopReason: context?.run.counters.stopReason,
    waits: context?.run.waits,
  };
}

/** Returns the common members of a report; empty if the run did not start. */
function readFacts(context: RunContext | undefined): RunFacts {
  return {
    stats: readStats(context),
    trace: context?.run.log.events ?? [],
    warnings: context?.run.log.warnings ?? [],
  };
}

/** Creates the report of a successful run. */
export function reportSuccess<Given extends object>(
  given: Given,
  context: RunContext | undefined,
): RunReport<Given> {
  return { ...readFacts(context), ...given, ok: true, error: undefined };
}

/**
 * Creates the report of a failed run.
 *
 * @throws `thrown` if it is not an error of the app
 */
export function reportFailure<Given extends object>(
  thrown: unknown,
  context: RunContext | undefined,
): RunReport<Given> {
  const error = asRunError(thrown);
  if (error === undefined) throw thrown;
  return { ...readFacts(context), ok: false, error } as RunReport<Given>; // missing members are undefined
}
