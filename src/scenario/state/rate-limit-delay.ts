import { RATE_LIMIT_DELAY_MS } from '../../errors/app-error.js';
import { DEFAULT_SETTINGS, type ScenarioSettings } from './scenario-settings.js';
import type { FailedRun } from './scenario-state.js';

/**
 * Milliseconds that nothing starts for after a RateLimitError. What an app says itself comes first, then what its service asks for, within
 * bounds. [choice]
 */
export function computeRateLimitDelay(settings: ScenarioSettings, failed: FailedRun): number {
  const { delayMs = RATE_LIMIT_DELAY_MS, retryAfterMs } = failed;
  // Settings that were stored before there were these have none.
  const { minRetryAfterMs, maxRetryAfterMs } = { ...DEFAULT_SETTINGS, ...settings };
  if (delayMs !== RATE_LIMIT_DELAY_MS && Number.isFinite(delayMs) && delayMs >= 0) return delayMs;
  if (retryAfterMs === undefined || !Number.isFinite(retryAfterMs) || maxRetryAfterMs === 0) {
    return RATE_LIMIT_DELAY_MS;
  }
  return Math.min(Math.max(retryAfterMs, minRetryAfterMs), maxRetryAfterMs);
}
