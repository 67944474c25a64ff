import { resolveBounds } from '../shared/errors/check-options.js';

/** Limits and timeouts of a host. */
export interface HostLimits {
  /** Maximum bytes of a payload. Default 5 MB, as users of Make report. [inf] */
  readonly maxBodyBytes: number;
  /** Maximum time until the request head is complete. Default 10 s. */
  readonly headerTimeoutMs: number;
  /** Maximum bytes of payloads in flight; further calls get 503. Default 128 MB. */
  readonly maxBytesInFlight: number;
  /**
   * Maximum time until a request is complete. Default 30 s. A sender of less than 2500 bytes in 5 s is disconnected
   * earlier.
   */
  readonly bodyTimeoutMs: number;
  /** Maximum concurrent requests; further ones get 503. Default 1000. */
  readonly maxRequests: number;
  /** Maximum open connections; further ones are closed. One peer may hold half of them. Default 4000. */
  readonly maxConnections: number;
  /**
   * If a transaction takes longer while at least 100 calls wait, further calls get 503 at once until it ends. Default
   * 500 ms.
   */
  readonly maxStoreWaitMs: number;
  /** Maximum waiting events per hook; further calls get 429. Default 10000. */
  readonly maxQueued: number;
  /** Maximum bytes of waiting events per hook; further calls get 429. Default 512 MB. */
  readonly maxQueuedBytes: number;
  /** `Retry-After` of a 429 response. Default 60 s. */
  readonly retryAfterMs: number;
  /** How long a sender waits for the response of a responder. Default 40 s. */
  readonly answerTimeoutMs: number;
  /**
   * Maximum starts of work whose process ended before the work did. Only starts without other running work count.
   * Default 10.
   */
  readonly maxAttempts: number;
  /** Maximum unresolved incomplete executions per scenario. Default 1000. */
  readonly maxIncompletes: number;
  /** Maximum concurrent runs. A quarter stays for scenarios whose work just arrived. Default 40. */
  readonly concurrency: number;
  /** Maximum percentage of the concurrent runs per tenant while another tenant waits. Default 75. */
  readonly tenantShare: number;
  /** Maximum events per scheduled run. Default 100. */
  readonly maxEventsPerRun: number;
  /** How long work may be overdue before `/health` reports its scenario as stalled. Default 30 s. */
  readonly stalledMs: number;
  /**
   * Retention of finished events and incomplete executions. Default 30 days. Source: https://help.make.com/webhooks
   * [doc-old]
   */
  readonly keepMs: number;
  /** Maximum characters of a rejected request that are stored, redacted. Default 65536. */
  readonly maxKeptBytes: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Default time for running work to finish when the host stops. */
export const DEFAULT_GRACE_MS: number = 10_000;

/** Maximum stored rejected calls per hook. The host does not store further ones. */
export const MAX_REJECTED: number = 1000;

/** Default limits, frozen. See `HostLimits` for units. */
const DEFAULT_HOST_LIMITS: HostLimits = Object.freeze({
  maxBodyBytes: 5 * 1024 * 1024,
  maxBytesInFlight: 128 * 1024 * 1024,
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  maxRequests: 1000,
  maxConnections: 4000,
  maxStoreWaitMs: 500,
  maxQueued: 10_000,
  maxQueuedBytes: 512 * 1024 * 1024,
  retryAfterMs: 60_000,
  answerTimeoutMs: 40_000,
  maxAttempts: 10,
  maxIncompletes: 1000,
  concurrency: 40,
  tenantShare: 75,
  maxEventsPerRun: 100,
  stalledMs: 30_000,
  keepMs: 30 * DAY_MS,
  maxKeptBytes: 64 * 1024,
});

/**
 * Merges limits with the defaults.
 *
 * @throws EngineError (USAGE) for an unknown name or a value that is not an integer of at least 1
 */
export function resolveHostLimits(given: Partial<HostLimits> = {}): HostLimits {
  return resolveBounds(DEFAULT_HOST_LIMITS, given, { least: 1 });
}
