import type { AppErrorType } from '../../errors/app-error.js';

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
