import type { AppErrorType } from '../../errors/app-error.js';
import type { ScenarioSettings } from './scenario-settings.js';

/** Why a scenario is off. */
export type InactiveReason =
  /** As many errors in a row as the settings allow. */
  | 'consecutive-errors'
  /** A connection that failed at every attempt. */
  | 'retries-exhausted'
  /** An error that no further run can mend. */
  | 'fatal-error'
  /** No room for an incomplete execution, and no data may be lost. */
  | 'storage-full'
  /** Somebody turned it off. */
  | 'by-hand';

/** A scenario between runs. `errors` counts the runs in a row that ended with a counted error. */
export type RestingState =
  | { readonly kind: 'active'; readonly errors: number }
  /** Suspended: nothing starts before `untilMs`. */
  | { readonly kind: 'delayed'; readonly errors: number; readonly untilMs: number }
  /** To be run again at `untilMs`, for the `attempt`-th time; the usual schedule goes on meanwhile. */
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
      /** What ended it, where an error did. */
      readonly error: AppErrorType | undefined;
    };

/**
 * The state of a scenario: plain data, to be stored as it is. Times are milliseconds since the epoch.
 * Source: https://help.make.com/types-of-errors.
 */
export type ScenarioState =
  | RestingState
  /** `runs` runs are under way; `resting` is what it would be without them. */
  | {
      readonly kind: 'running';
      readonly errors: number;
      readonly runs: number;
      readonly resting: RestingState;
    };

/** A scenario that was just turned on. */
export const NEW_SCENARIO: ScenarioState = Object.freeze({ kind: 'active', errors: 0 });

/** What happened to a scenario. */
export type RunOutcome =
  | { readonly kind: 'started' }
  /** To its end. Errors that ignore, resume or commit handled are none. */
  | { readonly kind: 'success'; readonly retry?: number | undefined }
  /** To its end, but a bundle was kept as an incomplete execution whose error calls for nothing more. */
  | { readonly kind: 'warning'; readonly retry?: number | undefined }
  /** Ended by a rollback handler. */
  | { readonly kind: 'rollback'; readonly retry?: number | undefined }
  | FailedRun
  | { readonly kind: 'turned-on' }
  | { readonly kind: 'turned-off' };

/** A run that ended with an error nobody handled. */
export interface FailedRun {
  readonly kind: 'error';
  readonly type: AppErrorType;
  /** Of RateLimitError: how long to wait. Default 20 minutes. */
  readonly delayMs?: number | undefined;
  /**
   * Of RateLimitError: what the service asks to wait for (`Retry-After`). It counts within the bounds of the settings,
   * unless `delayMs` says something else than the default.
   */
  readonly retryAfterMs?: number | undefined;
  /** Whether the first module failed, or something before it: then nothing can be stored. Default: true. */
  readonly isFirstModule?: boolean | undefined;
  /** Of the automatic retry of an incomplete execution: its number, from 1. Undefined for an ordinary run. */
  readonly retry?: number | undefined;
  /** Whether the storage of incomplete executions has no room. Default: false. */
  readonly isStorageFull?: boolean | undefined;
}

/** When a run may start. */
export type StartDecision =
  | { readonly kind: 'now' }
  /** Not before this time, in milliseconds since the epoch. */
  | { readonly kind: 'at'; readonly atMs: number }
  /** Not before a run has ended or an incomplete execution is resolved; events stay in their queue. */
  | { readonly kind: 'wait'; readonly reason: 'running' | 'unresolved' }
  | { readonly kind: 'never' };

/** What wants to start: a run of the schedule or for an event, a rerun of a backoff, or the retry of an incomplete execution. */
export type StartKind = 'run' | 'rerun' | 'retry';

/**
 * Whether a scenario may start something now. Pure, as `nextState` is.
 *
 * - Off: nothing. Suspended: nothing before the suspension is over.
 * - `sequential`: one run after the other, and none but retries while an incomplete execution is unresolved or a backoff
 *   is under way.
 *
 * @param unresolved incomplete executions of the scenario that are not resolved
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
