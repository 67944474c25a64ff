import { AppError } from '../errors/app-error.js';
import { isEngineError, SpecError } from '../errors/engine-error.js';
import type { BudgetWait, RunContext } from '../run/scope/run-context.js';
import type { RunWarning, StopReason, TraceEvent } from '../run/trace/trace.js';
import { findUnreadable } from './reading-values.js';

/** What a run took. */
export interface RunStats {
  /** Requests counted against the limit of 100. */
  readonly requests: number;
  /** Follow-up pages. */
  readonly pages: number;
  readonly records: number;
  readonly durationMs: number;
  /** Why the last paging ended; undefined where nothing was paged. */
  readonly stopReason: StopReason | undefined;
  /** What the budgets of services made the run wait for; undefined where it had to wait for none. See docs/limits.md (Budget). */
  readonly waits?: readonly BudgetWait[] | undefined;
}

/** What a report tells of a run, however it ended. */
export interface RunFacts {
  readonly stats: RunStats;
  readonly trace: readonly TraceEvent[];
  readonly warnings: readonly RunWarning[];
}

/**
 * The outcome of a run, told apart by `ok`: what the run has given, or the `error` that ended it. What was given is not
 * to be had before one of the two was looked at: of a failed run those members are undefined.
 *
 * @example
 * const report = await engine.rpc('listFields').call({ connection });
 * if (!report.ok) return show(report.error); // an AppError: type, message, place
 * use(report.result);
 */
export type Report<Given extends object, Facts = RunFacts, Failure extends object = RunFailure> =
  | (Facts & Given & Missing<Failure> & { readonly ok: true })
  | (Facts & Missing<Given> & Failure & { readonly ok: false });

/** What ended a run. */
export interface RunFailure {
  readonly error: AppError;
}

type Missing<Members> = { readonly [Name in keyof Members]: undefined };

/** A report of one of the two kinds. */
export type AnyReport = { readonly ok: boolean; readonly error: Error | undefined };

/** The report of a run that went well. */
export type Succeeded<R extends AnyReport> = Extract<R, { readonly ok: true }>;

/**
 * A run under way. Awaited it gives its report, also where the app or the service failed; `orThrow()` gives the report of
 * a run that went well, and throws the error of any other.
 *
 * Both reject for what is no outcome of the app: a mistake of the caller (`EngineError` USAGE), the reason of the
 * caller's own signal, what a port of the embedder's rejects with, or a defect.
 *
 * @example
 * const { stored } = await engine.connection('apiKey').create({ parameters: { key } }).orThrow();
 */
export interface Reporting<R extends AnyReport> extends Promise<R> {
  /** @throws the `error` of the report */
  readonly orThrow: () => Promise<Succeeded<R>>;
}

/** Lends `orThrow` to a promise of a report. */
export function reporting<R extends AnyReport>(work: Promise<R>): Reporting<R> {
  return Object.assign(work, { orThrow: async () => assertOk(await work) });
}

/** @throws the error of a report that has one */
export function assertOk<R extends AnyReport>(report: R): Succeeded<R> {
  if (!report.ok) throw report.error;
  return report as Succeeded<R>; // `ok` says so
}

/**
 * What a failure of the app or its service is told as; undefined for everything else, which is thrown on. A component
 * that cannot be run as it is written is set up wrongly.
 */
export function asRunError(thrown: unknown): AppError | undefined {
  if (isEngineError(thrown, AppError)) return thrown;
  if (!isEngineError(thrown, SpecError) || thrown.code !== 'SPEC_INVALID') return undefined;
  const { message, place } = thrown;
  return new AppError('InvalidConfigurationError', message, { cause: thrown, place });
}

/** The counters of a run; all zero for one that did not start. */
export function readStats(context: RunContext | undefined): RunStats {
  return {
    requests: context?.run.counters.requests ?? 0,
    pages: context?.run.counters.pages ?? 0,
    records: context?.run.counters.records ?? 0,
    durationMs: context?.run.elapsedMs ?? 0,
    stopReason: context?.run.counters.stopReason,
    waits: context?.run.waits,
  };
}

/** What a report tells of a run; of one that did not start, that nothing happened. */
function readFacts(context: RunContext | undefined): RunFacts {
  return {
    stats: readStats(context),
    trace: context?.run.log.trace.events ?? [],
    warnings: context?.run.log.warnings ?? [],
  };
}

/** The report of a run that has given something. */
export function reportSuccess<Given extends object>(
  given: Given,
  context: RunContext | undefined,
): Report<Given> {
  return { ...readFacts(context), ...given, ok: true, error: undefined };
}

/**
 * The report of a run that has failed.
 *
 * @throws `thrown` itself where it is no outcome of the app
 */
export function reportFailure<Given extends object>(
  thrown: unknown,
  context: RunContext | undefined,
): Report<Given> {
  const error = asRunError(thrown);
  if (error === undefined) throw findUnreadable(thrown, () => Object.values(context?.scope ?? {}));
  return { ...readFacts(context), ok: false, error } as Report<Given>; // what is not there is undefined
}
