import type { AppErrorType } from '../shared/errors/app-error.js';
import { EngineError } from '../shared/errors/engine-error.js';
import { didYouMean } from '../shared/suggest.js';

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

/** Settings of a scenario. Source: https://help.make.com/types-of-errors. */
export interface ScenarioSettings {
  /** `timed`: by a schedule. `instant`: by events. Default: `timed`. */
  readonly scheduling: 'timed' | 'instant';
  /** Runs one at a time, and none while an incomplete execution is unresolved. Default: false. */
  readonly sequential: boolean;
  /** Whether to store failed bundles as incomplete executions. Default: false. */
  readonly storeIncomplete: boolean;
  /** Whether to discard a bundle if the store is full; otherwise the scenario is turned off. Default: false. */
  readonly dataLoss: boolean;
  /** Whether to commit after each bundle of the first module, or once at the end. Default: true. */
  readonly autoCommit: boolean;
  /** Consecutive errors that turn the scenario off. Default: 3. [doc] */
  readonly maxErrors: number;
  /** Same as `maxErrors` for instant scheduling; the help centre describes 1. Default: `maxErrors`. */
  readonly instantMaxErrors: number;
  /** Reaction to a RateLimitError with instant scheduling. Default: `suspend`; the help centre describes `backoff`. */
  readonly instantRateLimit: 'suspend' | 'backoff';
  /** Shortest suspension for a `Retry-After` in milliseconds. Default: 1000. */
  readonly minRetryAfterMs: number;
  /**
   * Longest suspension for a `Retry-After` in milliseconds; 0 ignores it, and the suspension takes 20 minutes.
   * Default: one day.
   */
  readonly maxRetryAfterMs: number;
}

/** Default settings: timed, nothing stored, auto-commit, off after three consecutive errors. */
export const DEFAULT_SETTINGS: ScenarioSettings = Object.freeze({
  scheduling: 'timed',
  sequential: false,
  storeIncomplete: false,
  dataLoss: false,
  autoCommit: true,
  maxErrors: 3,
  instantMaxErrors: 3,
  instantRateLimit: 'suspend',
  minRetryAfterMs: 1000,
  maxRetryAfterMs: 24 * 60 * 60 * 1000,
});

/**
 * Merges settings into the defaults.
 *
 * @throws EngineError (USAGE) for an unknown setting or an invalid value
 */
export function completeSettings(given: Partial<ScenarioSettings> = {}): ScenarioSettings {
  const written = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  for (const [name, value] of Object.entries(written)) assertSetting(name, value);
  const settings = { ...DEFAULT_SETTINGS, ...written };
  return { ...settings, instantMaxErrors: given.instantMaxErrors ?? settings.maxErrors };
}

const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  scheduling: ['timed', 'instant'],
  instantRateLimit: ['suspend', 'backoff'],
};

function assertSetting(name: string, value: unknown): void {
  if (!Object.hasOwn(DEFAULT_SETTINGS, name)) {
    const hint = didYouMean(name, Object.keys(DEFAULT_SETTINGS));
    throw new EngineError('USAGE', `Unknown scenario setting "${name}".${hint}`);
  }
  const choices = CHOICES[name];
  if (choices !== undefined && !choices.includes(value)) {
    throw new EngineError('USAGE', `The setting "${name}" has to be one of ${choices.join(', ')}.`);
  }
  if (name.endsWith('RetryAfterMs')) {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return;
    throw new EngineError('USAGE', `The setting "${name}" has to be a whole number of at least 0.`);
  }
  if (name.endsWith('MaxErrors') || name === 'maxErrors') {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return;
    throw new EngineError('USAGE', `The setting "${name}" has to be a whole number of at least 1.`);
  }
  if (choices === undefined && typeof value !== 'boolean') {
    throw new EngineError('USAGE', `The setting "${name}" must be true or false.`);
  }
}
