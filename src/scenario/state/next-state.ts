import { RATE_LIMIT_DELAY_MS } from '../../errors/app-error.js';
import { assertNever } from '../../util/plain-object.js';
import { RERUN_DELAYS_MS, RETRY_DELAYS_MS } from './backoff-delays.js';
import { reactionTo } from './error-reactions.js';
import { DEFAULT_SETTINGS, type ScenarioSettings } from './scenario-settings.js';
import type { FailedRun, InactiveReason, RestingState, RunOutcome, ScenarioState } from './scenario-state.js';

/**
 * Milliseconds that nothing starts for after a RateLimitError. What an app says itself comes first, then what its service asks for, within
 * bounds. [choice]
 */
function computeRateLimitDelay(settings: ScenarioSettings, failed: FailedRun): number {
  const { delayMs = RATE_LIMIT_DELAY_MS, retryAfterMs } = failed;
  // Settings that were stored before there were these have none.
  const { minRetryAfterMs, maxRetryAfterMs } = { ...DEFAULT_SETTINGS, ...settings };
  if (delayMs !== RATE_LIMIT_DELAY_MS && Number.isFinite(delayMs) && delayMs >= 0) return delayMs;
  if (retryAfterMs === undefined || !Number.isFinite(retryAfterMs) || maxRetryAfterMs === 0) {
    return RATE_LIMIT_DELAY_MS;
  }
  return Math.min(Math.max(retryAfterMs, minRetryAfterMs), maxRetryAfterMs);
}

/** How the rest of a failed run is kept. */
export type StoredExecution =
  /** It is tried again at `atMs`, for the `attempt`-th time. */
  | { readonly resolution: 'automatic'; readonly attempt: number; readonly atMs: number }
  /** Somebody has to resolve or discard it: because its data are wrong, or because its retries are used up or failed otherwise. */
  | { readonly resolution: 'manual'; readonly cause: 'data' | 'retries' };

/** What an outcome means for a scenario. */
export interface Transition {
  readonly state: ScenarioState;
  /** How the run ended; undefined where none did. */
  readonly status: 'success' | 'warning' | 'error' | undefined;
  /** What becomes of what the run did; undefined where no run ended. */
  readonly data: 'commit' | 'rollback' | 'keep' | undefined;
  /** An incomplete execution to keep, or to keep on. */
  readonly stored: StoredExecution | undefined;
  /** Whether a bundle is lost because there is no room for it, as the settings allow. */
  readonly isDiscarded: boolean;
  /** Who watches over the scenario has to be told that it went off, and why. */
  readonly notify: Exclude<InactiveReason, 'by-hand'> | undefined;
  /** Milliseconds until something starts by itself; undefined where only the usual schedule does. */
  readonly delayMs: number | undefined;
}

/** A transition as far as a rule has something to say. */
interface Move extends Partial<Omit<Transition, 'state' | 'delayMs'>> {
  readonly state: RestingState;
}

/**
 * The whole life of a scenario: what an outcome means for its state, for the run's data and for the bundle that failed.
 * Pure: whoever keeps the state stores what comes out, and does what it says. It never throws.
 *
 * @param nowMs milliseconds since the epoch
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
  const resting = awake(state.kind === 'running' ? state.resting : state, nowMs);
  const move = endBackoff(decideMove(resting, settings, outcome, nowMs), outcome, nowMs);
  // A suspended scenario starts nothing early, retries neither.
  const stored = move.state.kind === 'delayed' ? notBefore(move.stored, move.state.untilMs) : move.stored;
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

/** A suspension that is over is none. */
function awake(state: RestingState, nowMs: number): RestingState {
  return state.kind === 'delayed' && state.untilMs <= nowMs
    ? { kind: 'active', errors: state.errors }
    : state;
}

/** A rerun that ended otherwise than by another failure of its kind ends the backoff: it must not be due for ever. [inf] */
function endBackoff(move: Move, outcome: RunOutcome, nowMs: number): Move {
  const { state } = move;
  const isRun = move.status !== undefined && !('retry' in outcome && outcome.retry !== undefined);
  if (!isRun || state.kind !== 'backoff' || nowMs < state.untilMs) return move;
  return { ...move, state: { kind: 'active', errors: state.errors } };
}

/** Counts the runs under way: one more that started, or one less that ended. Of a retry nobody says that it started. */
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
      // It never turns a scenario off. Source: https://help.make.com/quick-error-handling-reference. [doc]
      return { state, status: 'error', data: 'rollback' };
    case 'error':
      return outcome.retry === undefined
        ? afterError(state, settings, outcome, nowMs)
        : afterRetry(state, settings, outcome, nowMs);
    default:
      return assertNever(outcome);
  }
}

/** Ends a backoff and forgets errors. A suspension stands: another run may have brought it. */
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
 * Keeps what failed, unless the settings or the place of the error forbid it: the first module has nothing to keep.
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

/**
 * Instant scheduling may back off instead.
 * Source: https://help.make.com/fixing-rate-limit-errors.
 */
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

function notBefore(stored: StoredExecution | undefined, untilMs: number): StoredExecution | undefined {
  return stored?.resolution === 'automatic' ? { ...stored, atMs: Math.max(stored.atMs, untilMs) } : stored;
}

/** A run of the usual schedule that fails before its time does not bring the next rerun nearer, nor push it away. [inf] */
function backOff(state: RestingState, failed: FailedRun, nowMs: number): Move {
  // Nothing was done yet that could be taken back. Source: https://help.make.com/types-of-errors. [doc]
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
 * A retry of an incomplete execution failed: it is kept on. The scenario goes its own way meanwhile, unless the error
 * is one that turns it off or suspends it.
 * Source: https://help.make.com/exponential-backoff [doc]; errors of other types [inf]
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
