import type { AppErrorType } from '../shared/errors/app-error.js';
import type { ScenarioSettings } from './scenario-settings.js';

/** Why a scenario is off. */
export type InactiveReason =
  /** Too many consecutive errors. */
  | 'consecutive-errors'
  /** A connection that failed at every attempt. */
  | 'retries-exhausted'
  /** A permanent error. */
  | 'fatal-error'
  /** The store of incomplete executions is full and no data may be lost. */
  | 'storage-full'
  /** A user turned it off. */
  | 'by-hand';

/** State of a scenario without running runs. `errors` counts consecutive runs with a counted error. */
export type RestingState =
  | { readonly kind: 'active'; readonly errors: number }
  /** Suspended: nothing starts before `untilMs`. */
  | { readonly kind: 'delayed'; readonly errors: number; readonly untilMs: number }
  /** Rerun at `untilMs` as attempt number `attempt`; the schedule continues. */
  | {
      readonly kind: 'backoff';
      readonly errors: number;
      readonly attempt: number;
      readonly untilMs: number;
    }
  | {
      readonly kind: 'inactive';
      readonly errors: number;
      readonly reason: InactiveReason;
      /** The error that turned it off, if any. */
      readonly error: AppErrorType | undefined;
    };

/**
 * State of a scenario: plain data to store. Times are milliseconds since the Unix epoch. Source:
 * https://help.make.com/types-of-errors.
 */
export type ScenarioState =
  | RestingState
  /** `runs` runs are running; `resting` is the state without them. */
  | {
      readonly kind: 'running';
      readonly errors: number;
      readonly runs: number;
      readonly resting: RestingState;
    };

/** A scenario that was just turned on. */
export const NEW_SCENARIO: ScenarioState = Object.freeze({ kind: 'active', errors: 0 });

/** An event in the life of a scenario. */
export type RunOutcome =
  | { readonly kind: 'started' }
  /** Completed, including errors handled by ignore, resume or commit. */
  | { readonly kind: 'success'; readonly retry?: number | undefined }
  /** Completed, but a bundle was stored as an incomplete execution. */
  | { readonly kind: 'warning'; readonly retry?: number | undefined }
  /** Ended by a rollback handler. */
  | { readonly kind: 'rollback'; readonly retry?: number | undefined }
  | FailedRun
  | { readonly kind: 'turned-on' }
  | { readonly kind: 'turned-off' };

/** A run that ended with an unhandled error. */
export interface FailedRun {
  readonly kind: 'error';
  readonly type: AppErrorType;
  /** RateLimitError only: delay in milliseconds. Default: 20 minutes. */
  readonly delayMs?: number | undefined;
  /**
   * RateLimitError only: `Retry-After` of the API in milliseconds. Applies within the bounds of the settings, unless
   * `delayMs` differs from its default.
   */
  readonly retryAfterMs?: number | undefined;
  /** Whether the first module failed, or an earlier phase, so that nothing can be stored. Default: true. */
  readonly isFirstModule?: boolean | undefined;
  /** Number of the automatic retry, starting at 1. Undefined for an ordinary run. */
  readonly retry?: number | undefined;
  /** Whether the store of incomplete executions is full. Default: false. */
  readonly isStorageFull?: boolean | undefined;
}

/** When a run may start. */
export type StartDecision =
  | { readonly kind: 'now' }
  /** Not before this time, in milliseconds since the Unix epoch. */
  | { readonly kind: 'at'; readonly atMs: number }
  /** Not before a run has ended or an incomplete execution is resolved; events stay queued. */
  | { readonly kind: 'wait'; readonly reason: 'running' | 'unresolved' }
  | { readonly kind: 'never' };

/** Kind of a start: a run by schedule or event, a rerun of a backoff, or the retry of an incomplete execution. */
export type StartKind = 'run' | 'rerun' | 'retry';

/**
 * Decides whether a scenario may start a run. Pure, like `nextState`.
 *
 * - Off: never. Suspended: after the suspension.
 * - `sequential`: one run at a time; only retries while an incomplete execution is unresolved or a backoff is active.
 *
 * @param unresolved number of unresolved incomplete executions of the scenario
 * @see https://help.make.com/options-related-to-incomplete-executions
 */
export function nextStart(
  state: ScenarioState,
  settings: Pick<ScenarioSettings, 'sequential'>,
  start: { readonly kind: StartKind; readonly nowMs: number; readonly unresolved?: number },
): StartDecision {
  const { kind, nowMs, unresolved = 0 } = start;
  const resting = state.kind === 'running' ? state.resting : state;
  if (resting.kind === 'inactive') return { kind: 'never' };
  if (resting.kind === 'delayed' && nowMs < resting.untilMs) return { kind: 'at', atMs: resting.untilMs };
  if (settings.sequential && state.kind === 'running') return { kind: 'wait', reason: 'running' };
  const waitsForBackoff = kind === 'rerun' || (kind === 'run' && settings.sequential);
  if (waitsForBackoff && resting.kind === 'backoff' && nowMs < resting.untilMs) {
    return { kind: 'at', atMs: resting.untilMs };
  }
  if (settings.sequential && kind !== 'retry' && unresolved > 0)
    return { kind: 'wait', reason: 'unresolved' };
  return { kind: 'now' };
}
