import type { AppErrorType } from '../shared/errors/app-error.js';
import type { ErrorHandler } from './flow.js';
import type { IncompleteExecution } from './flow-report.js';

/** How a scenario reacts to an unhandled error. */
export interface ErrorReaction {
  readonly kind: /** Ends the run. Consecutive errors turn the scenario off. */
    | 'count'
    /** Stores the bundle and continues with others. If storing is off, same as `count`. */
    | 'store'
    /** Ends the run and suspends the scenario. Not counted. */
    | 'suspend'
    /** Ends the run and reruns it with increasing delays. Not counted. */
    | 'retry'
    /** Switches the scenario off at once and notifies its owner. */
    | 'stop'
    /** Ends the run without further consequences. */
    | 'none';
  /** What happens to the changes of the run. */
  readonly data: 'rollback' | 'keep';
}

const COUNT: ErrorReaction = { kind: 'count', data: 'rollback' };
const STORE: ErrorReaction = { kind: 'store', data: 'rollback' };
const RETRY: ErrorReaction = { kind: 'retry', data: 'rollback' };
const STOP: ErrorReaction = { kind: 'stop', data: 'rollback' };

/** Source: https://help.make.com/types-of-errors. AccountValidationError counts, as in the newer edition. [choice] */
export const ERROR_REACTIONS: Readonly<Record<AppErrorType, ErrorReaction>> = {
  RuntimeError: COUNT,
  UnknownError: COUNT,
  OutOfSpaceError: COUNT,
  BundleValidationError: COUNT,
  AccountValidationError: COUNT,
  // Not in the table. A run that exceeded its time is not stored and may be shorter next time. [inf]
  ScenarioTimeoutError: COUNT,
  DataError: STORE,
  DuplicateDataError: STORE,
  RateLimitError: { kind: 'suspend', data: 'rollback' },
  ConnectionError: RETRY,
  ModuleTimeoutError: RETRY,
  InvalidConfigurationError: STOP,
  InvalidAccessTokenError: STOP,
  IncompleteDataError: STOP,
  UnexpectedError: STOP,
  MaxResultsExceededError: STOP,
  MaxFileSizeExceededError: STOP,
  // Committed changes stay. [src]
  InconsistencyError: { kind: 'stop', data: 'keep' },
  // Not in the table. These errors persist until a limit is raised. [inf]
  OperationsLimitExceededError: STOP,
  DataSizeLimitExceededError: STOP,
  // A user stopped this run. [inf]
  ExecutionInterruptedError: { kind: 'none', data: 'rollback' },
  // Not in the table. A warning reverts nothing. [inf]
  Warning: { kind: 'none', data: 'keep' },
};

/** Returns the reaction to an error type. Unknown types count as UnknownError, the documented fallback. */
export function reactionTo(type: string): ErrorReaction {
  return Object.hasOwn(ERROR_REACTIONS, type) ? ERROR_REACTIONS[type as AppErrorType] : COUNT;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays between reruns of a scenario that stores nothing, each after the previous failure. [doc] */
export const RERUN_DELAYS_MS: readonly number[] = [
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
];

/** Delays between retries of an incomplete execution. [doc] */
export const RETRY_DELAYS_MS: readonly number[] = [
  MINUTE_MS,
  10 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  30 * MINUTE_MS,
  30 * MINUTE_MS,
  3 * HOUR_MS,
  3 * HOUR_MS,
];

/** Automatic retries of an incomplete execution. */
export type RetryPlan = Pick<IncompleteExecution, 'policy' | 'retry'>;

const BY_HAND: RetryPlan = { policy: undefined, retry: undefined };
const DEFAULT_ATTEMPTS = 3;
const DEFAULT_INTERVAL_MS = 15 * 60_000;

/**
 * Plans the retries of a bundle stored because of an error. Source:
 * https://help.make.com/automatic-retry-of-incomplete-executions. [doc]
 */
export function planForError(type: string, nowMs: number): RetryPlan {
  const { kind } = reactionTo(type);
  if (kind !== 'retry' && kind !== 'suspend') return BY_HAND;
  return planAttempt({ kind: 'backoff' }, 1, nowMs);
}

/** Plans the retries of a bundle stored by a Break handler. */
export function planForBreak(handler: ErrorHandler & { kind: 'break' }, nowMs: number): RetryPlan {
  const { automatic = true, attempts = DEFAULT_ATTEMPTS, intervalMs = DEFAULT_INTERVAL_MS } = handler;
  return automatic ? planAttempt({ kind: 'interval', attempts, intervalMs }, 1, nowMs) : BY_HAND;
}

/** Plans the next retry after a failed one. Permanent errors and manual runs have none. */
export function planAfterRetry(tried: RetryPlan, type: string, nowMs: number): RetryPlan {
  const { policy, retry } = tried;
  if (policy === undefined || retry === undefined) return BY_HAND;
  const { kind } = reactionTo(type);
  const isWorthIt = kind === 'retry' || kind === 'suspend' || (policy.kind === 'interval' && kind !== 'stop');
  return isWorthIt ? planAttempt(policy, retry.attempt + 1, nowMs) : BY_HAND;
}

function planAttempt(policy: NonNullable<RetryPlan['policy']>, attempt: number, nowMs: number): RetryPlan {
  const delayMs =
    policy.kind === 'backoff'
      ? RETRY_DELAYS_MS[attempt - 1]
      : attempt <= policy.attempts
        ? policy.intervalMs
        : undefined;
  if (delayMs === undefined) return { policy, retry: undefined };
  return { policy, retry: { attempt, atMs: nowMs + delayMs } };
}
