import { RETRY_DELAYS_MS, reactionTo } from './error-reactions.js';
import type { ErrorHandler } from './flow.js';
import type { IncompleteExecution } from './flow-report.js';

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
