import type { AppErrorType } from '../../errors/app-error.js';

/** How a scenario takes an error that no handler took. */
export interface ErrorReaction {
  readonly kind: /** Interrupted; so many in a row turn the scenario off. */
    | 'count'
    /** The bundle is stored, other bundles go on; where nothing may be stored, as `count`. */
    | 'store'
    /** Interrupted, and nothing starts for a while; not counted. */
    | 'suspend'
    /** Interrupted, and tried again at growing distances; not counted. */
    | 'retry'
    /** Off at once, and somebody is told. */
    | 'stop'
    /** Interrupted, and that is all. */
    | 'none';
  /** What becomes of what the run did so far. */
  readonly data: 'rollback' | 'keep';
}

const COUNT: ErrorReaction = { kind: 'count', data: 'rollback' };
const STORE: ErrorReaction = { kind: 'store', data: 'rollback' };
const RETRY: ErrorReaction = { kind: 'retry', data: 'rollback' };
const STOP: ErrorReaction = { kind: 'stop', data: 'rollback' };

/**
 * Source: https://help.make.com/types-of-errors.
 * AccountValidationError counts, as the newer edition has it. [choice]
 */
export const ERROR_REACTIONS: Readonly<Record<AppErrorType, ErrorReaction>> = {
  RuntimeError: COUNT,
  UnknownError: COUNT,
  OutOfSpaceError: COUNT,
  BundleValidationError: COUNT,
  AccountValidationError: COUNT,
  // Not in the table; a run that took too long is not stored, and may be shorter the next time. [inf]
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
  // What was committed stays. [src]
  InconsistencyError: { kind: 'stop', data: 'keep' },
  // Not in the table; they do not pass before somebody raises a limit. [inf]
  OperationsLimitExceededError: STOP,
  DataSizeLimitExceededError: STOP,
  // Somebody stopped this one run. [inf]
  ExecutionInterruptedError: { kind: 'none', data: 'rollback' },
  // Not in the table; a warning takes nothing back. [inf]
  Warning: { kind: 'none', data: 'keep' },
};

/** What a type means; a name that is none is an UnknownError, the documented fallback. */
export function reactionTo(type: string): ErrorReaction {
  return Object.hasOwn(ERROR_REACTIONS, type) ? ERROR_REACTIONS[type as AppErrorType] : COUNT;
}
