import { RATE_LIMIT_DELAY_MS } from '../shared/errors/app-error.js';
import { assertNever } from '../shared/plain-object.js';
import { RERUN_DELAYS_MS, RETRY_DELAYS_MS, reactionTo } from './error-reactions.js';
import type {
  FailedRun,
  InactiveReason,
  RestingState,
  RunOutcome,
  ScenarioSettings,
  ScenarioState,
} from './scenario-state.js';

/**
 * Returns the suspension after a RateLimitError in milliseconds: the app's delay first, then `Retry-After` within
 * bounds. [choice]
 */
function computeRateLimitDelay(settings: ScenarioSettings, failed: FailedRun): number {
  const { delayMs = RATE_LIMIT_DELAY_MS, retryAfterMs } = failed;
  const { minRetryAfterMs, maxRetryAfterMs } = settings;
  if (delayMs !== RATE_LIMIT_DELAY_MS && Number.isFinite(delayMs) && delayMs >= 0) return delayMs;
  if (retryAfterMs === undefined || !Number.isFinite(retryAfterMs) || maxRetryAfterMs === 0) {
    return RATE_LIMIT_DELAY_MS;
  }
  return Math.min(Math.max(retryAfterMs, minRetryAfterMs), maxRetryAfterMs);
}

/** How the remaining work of a failed run is stored. */
export type StoredExecution =
  /** Retried automatically at `atMs`, as attempt number `attempt`. */
  | { readonly resolution: 'automatic'; readonly attempt: number; readonly atMs: number }
  /**
   * Has to be resolved or discarded manually: its data is invalid, or its retries are exhausted or failed otherwise.
   */
  | { readonly resolution: 'manual'; readonly cause: 'data' | 'retries' };

/** Consequences of an outcome for a scenario. */
export interface Transition {
  readonly state: ScenarioState;
  /** Status of the ended run; undefined if no run ended. */
  readonly status: 'success' | 'warning' | 'error' | undefined;
  /** What happens to the changes of the run; undefined if no run ended. */
  readonly data: 'commit' | 'rollback' | 'keep' | undefined;
  /** An incomplete execution to store or update. */
  readonly stored: StoredExecution | undefined;
  /** Whether a bundle is discarded, as the store is full and the settings allow it. */
  readonly isDiscarded: boolean;
  /** Why the scenario was turned off, for a notification of its owner. */
  readonly notify: Exclude<InactiveReason, 'by-hand'> | undefined;
  /** Milliseconds until the next automatic start; undefined if only the schedule applies. */
  readonly delayMs: number | undefined;
}

/** A partial transition. */
interface Move extends Partial<Omit<Transition, 'state' | 'delayMs'>> {
  readonly state: RestingState;
}

/**
 * The state machine of a scenario: consequences of an outcome for its state, the run's changes and the failed bundle.
 * Pure and never throws; the caller stores the state and carries out the transition.
 *
 * @param nowMs milliseconds since the Unix epoch
 * @see https://help.make.com/types-of-errors
 * @example
 * let { state } = nextState(NEW_SCENARIO, settings, { kind: 'error', type: 'ConnectionError' }, Date.now());
 * // { kind: 'backoff', errors: 0, attempt: 1, untilMs: a minute from now }
 */
export function nextState(
  state: ScenarioState,
  settings: ScenarioSettings,
  outcome: RunOutcome,
  nowMs: number,
): Transition {
  const resting = endSuspension(state.kind === 'running' ? state.resting : state, nowMs);
  const move = endBackoff(decideMove(resting, settings, outcome, nowMs), outcome, nowMs);
  // A suspended scenario starts nothing early, not even retries.
  const stored = move.state.kind === 'delayed' ? delayUntil(move.stored, move.state.untilMs) : move.stored;
  const waits = [
    move.state.kind === 'delayed' || move.state.kind === 'backoff' ? move.state.untilMs : undefined,
    stored?.resolution === 'automatic' ? stored.atMs : undefined,
  ].filter((atMs) => atMs !== undefined);
  return {
    status: undefined,
    data: undefined,
    isDiscarded: false,
    notify: undefined,
    ...move,
    stored,
    state: withRuns(state, move.state, outcome),
    delayMs: waits.length === 0 ? undefined : Math.max(0, Math.min(...waits) - nowMs),
  };
}

/** Ends a suspension that has expired. */
function endSuspension(state: RestingState, nowMs: number): RestingState {
  return state.kind === 'delayed' && state.untilMs <= nowMs
    ? { kind: 'active', errors: state.errors }
    : state;
}

/** Ends the backoff after a rerun that did not fail in the same way, so that it is not due forever. [inf] */
function endBackoff(move: Move, outcome: RunOutcome, nowMs: number): Move {
  const { state } = move;
  const isRun = move.status !== undefined && !('retry' in outcome && outcome.retry !== undefined);
  if (!isRun || state.kind !== 'backoff' || nowMs < state.untilMs) return move;
  return { ...move, state: { kind: 'active', errors: state.errors } };
}

/** Counts running runs: plus one for a start, minus one for an end. Starts of retries are not reported. */
function withRuns(before: ScenarioState, resting: RestingState, outcome: RunOutcome): ScenarioState {
  if (resting.kind === 'inactive') return resting;
  const runs = before.kind === 'running' ? before.runs : 0;
  const isRetry = 'retry' in outcome && outcome.retry !== undefined;
  const isNoRun = isRetry || outcome.kind === 'turned-on';
  const left = outcome.kind === 'started' ? runs + 1 : isNoRun ? runs : runs - 1;
  return left > 0 ? { kind: 'running', errors: resting.errors, runs: left, resting } : resting;
}

function decideMove(
  state: RestingState,
  settings: ScenarioSettings,
  outcome: RunOutcome,
  nowMs: number,
): Move {
  switch (outcome.kind) {
    case 'started':
      return { state };
    case 'turned-on':
      return { state: state.kind === 'inactive' ? { kind: 'active', errors: 0 } : state };
    case 'turned-off':
      return { state: { kind: 'inactive', errors: state.errors, reason: 'by-hand', error: undefined } };
    case 'success':
      return {
        state: outcome.retry === undefined ? afterSuccess(state) : state,
        status: 'success',
        data: 'commit',
      };
    case 'warning':
      return { state, status: 'warning', data: 'commit' };
    case 'rollback':
      // Never turns a scenario off. Source: https://help.make.com/quick-error-handling-reference. [doc]
      return { state, status: 'error', data: 'rollback' };
    case 'error':
      return outcome.retry === undefined
        ? afterError(state, settings, outcome, nowMs)
        : afterRetry(state, settings, outcome, nowMs);
    default:
      return assertNever(outcome);
  }
}

/** Ends a backoff and resets errors. A suspension stays, as another run may have caused it. */
function afterSuccess(state: RestingState): RestingState {
  if (state.kind === 'inactive') return state;
  return state.kind === 'delayed' ? { ...state, errors: 0 } : { kind: 'active', errors: 0 };
}

function afterError(state: RestingState, settings: ScenarioSettings, failed: FailedRun, nowMs: number): Move {
  const reaction = reactionTo(failed.type);
  const failure = { status: 'error', data: reaction.data } as const;
  switch (reaction.kind) {
    case 'count':
      return { ...failure, ...count(state, settings, failed) };
    case 'store':
      return (
        store(state, settings, failed, { resolution: 'manual', cause: 'data' }) ?? {
          ...failure,
          ...count(state, settings, failed),
        }
      );
    case 'suspend':
      return { ...failure, ...limitRate(state, settings, failed, nowMs) };
    case 'retry':
      return (
        store(state, settings, failed, firstRetry(nowMs)) ?? { ...failure, ...backOff(state, failed, nowMs) }
      );
    case 'stop':
      return { ...failure, ...stop(state, failed, 'fatal-error') };
    case 'none':
      return { ...failure, state };
    default:
      return assertNever(reaction.kind);
  }
}

function count(state: RestingState, settings: ScenarioSettings, failed: FailedRun): Move {
  if (state.kind === 'inactive') return { state };
  const limit = settings.scheduling === 'instant' ? settings.instantMaxErrors : settings.maxErrors;
  const counted = { ...state, errors: state.errors + 1 };
  if (counted.errors >= limit) return stop(counted, failed, 'consecutive-errors');
  return { state: counted.kind === 'delayed' ? counted : { kind: 'active', errors: counted.errors } };
}

/**
 * Stores the failed bundle, unless the settings forbid it or the first module failed, which has nothing to store.
 * Source: https://help.make.com/errors-that-dont-create-incomplete-executions. [doc]
 */
function store(
  state: RestingState,
  settings: ScenarioSettings,
  failed: FailedRun,
  stored: StoredExecution,
): Move | undefined {
  if (!settings.storeIncomplete || failed.isFirstModule !== false) return undefined;
  if (failed.isStorageFull !== true) return { state, status: 'warning', data: 'commit', stored };
  if (settings.dataLoss) return { state, status: 'warning', data: 'commit', isDiscarded: true };
  return { status: 'error', data: 'rollback', ...stop(state, failed, 'storage-full') };
}

function firstRetry(nowMs: number): StoredExecution {
  return { resolution: 'automatic', attempt: 1, atMs: nowMs + (RETRY_DELAYS_MS[0] ?? 0) };
}

/** Instant scheduling may use a backoff instead. Source: https://help.make.com/fixing-rate-limit-errors. */
function limitRate(state: RestingState, settings: ScenarioSettings, failed: FailedRun, nowMs: number): Move {
  const backsOff = settings.scheduling === 'instant' && settings.instantRateLimit === 'backoff';
  const kept = store(state, settings, failed, firstRetry(nowMs));
  if (backsOff) return kept ?? backOff(state, failed, nowMs);
  if (kept?.state.kind === 'inactive' || state.kind === 'inactive') return kept ?? { state };
  const delayed = suspend(state, settings, failed, nowMs);
  if (kept === undefined) return { state: delayed };
  return { ...kept, state: delayed };
}

function suspend(
  state: RestingState,
  settings: ScenarioSettings,
  failed: FailedRun,
  nowMs: number,
): RestingState & { kind: 'delayed' } {
  const untilMs = nowMs + computeRateLimitDelay(settings, failed);
  const standing = state.kind === 'delayed' ? state.untilMs : untilMs;
  return { kind: 'delayed', errors: state.errors, untilMs: Math.max(untilMs, standing) };
}

function delayUntil(stored: StoredExecution | undefined, untilMs: number): StoredExecution | undefined {
  return stored?.resolution === 'automatic' ? { ...stored, atMs: Math.max(stored.atMs, untilMs) } : stored;
}

/** A scheduled run that fails before the next rerun does not move it. [inf] */
function backOff(state: RestingState, failed: FailedRun, nowMs: number): Move {
  // Nothing was done that could be reverted. Source: https://help.make.com/types-of-errors. [doc]
  const status = failed.isFirstModule === false ? 'error' : 'warning';
  if (state.kind === 'inactive' || state.kind === 'delayed') return { state, status };
  if (state.kind === 'backoff' && nowMs < state.untilMs) return { state, status };
  const attempt = state.kind === 'backoff' ? state.attempt + 1 : 1;
  const delayMs = RERUN_DELAYS_MS[attempt - 1];
  if (delayMs === undefined) return stop(state, failed, 'retries-exhausted');
  return { state: { kind: 'backoff', errors: state.errors, attempt, untilMs: nowMs + delayMs }, status };
}

function stop(state: RestingState, { type }: FailedRun, reason: Exclude<InactiveReason, 'by-hand'>): Move {
  if (state.kind === 'inactive') return { state };
  return { state: { kind: 'inactive', errors: state.errors, reason, error: type }, notify: reason };
}

/**
 * Handles the failed retry of an incomplete execution, which stays stored. The scenario is not affected, unless the
 * error turns it off or suspends it. Source: https://help.make.com/exponential-backoff [doc]; errors of other types
 * [inf]
 */
function afterRetry(state: RestingState, settings: ScenarioSettings, failed: FailedRun, nowMs: number): Move {
  const { kind } = reactionTo(failed.type);
  const failure = { status: 'error', data: 'rollback' } as const;
  const manual: StoredExecution = { resolution: 'manual', cause: kind === 'store' ? 'data' : 'retries' };
  if (kind === 'stop') return { ...failure, ...stop(state, failed, 'fatal-error'), stored: manual };
  if (kind !== 'suspend' && kind !== 'retry') return { ...failure, state, stored: manual };
  const attempt = (failed.retry ?? 0) + 1;
  const delayMs = RETRY_DELAYS_MS[attempt - 1];
  const stored: StoredExecution =
    delayMs === undefined ? manual : { resolution: 'automatic', attempt, atMs: nowMs + delayMs };
  const backsOff = settings.scheduling === 'instant' && settings.instantRateLimit === 'backoff';
  if (kind === 'retry' || backsOff || state.kind === 'inactive') return { ...failure, state, stored };
  const delayed = suspend(state, settings, failed, nowMs);
  return { ...failure, state: delayed, stored };
}
