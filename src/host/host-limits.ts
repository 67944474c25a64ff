import { resolveBounds } from '../errors/check-options.js';

/** Ceilings and times of a host. */
export interface HostLimits {
  /** Bytes of a payload. Default 5 MB, what users of the platform report. [inf] */
  readonly maxBodyBytes: number;
  /** Until the head of a request is there. Default 10 s. */
  readonly headerTimeoutMs: number;
  /** Bytes of payloads that are received or worked on at a time; more are answered 503. Default 128 MB. */
  readonly maxBytesInFlight: number;
  /** Until a request is there whole. Default 30 s. One that brings less than 2500 bytes in 5 s ends sooner. */
  readonly bodyTimeoutMs: number;
  /** Requests in the works at a time; more are answered 503. Default 1000. */
  readonly maxRequests: number;
  /** Open connections; further ones are closed. One peer may have half of them. Default 4000. */
  readonly maxConnections: number;
  /**
   * How long the store may be at one transaction while a hundred or more calls wait for it; until it is through, further
   * ones are answered 503 at once. Longer than a healthy database takes, shorter than senders have patience. Default 500 ms.
   */
  readonly maxStoreWaitMs: number;
  /** Events that may wait for one hook; more are answered 429. Default 10000. */
  readonly maxQueued: number;
  /** Bytes of all events that may wait for one hook; more are answered 429. Default 512 MB. */
  readonly maxQueuedBytes: number;
  /** What a sender is told to wait for in a 429. Default 60 s. */
  readonly retryAfterMs: number;
  /** How long a sender waits for the answer of a responder. Default 40 s. */
  readonly answerTimeoutMs: number;
  /**
   * After how many starts that no process lived to see the end of something is given up, counted are those with nothing
   * else under way. Default 10.
   */
  readonly maxAttempts: number;
  /** Incomplete executions a scenario may have that are not resolved. Default 1000. */
  readonly maxIncompletes: number;
  /** Runs at the same time. Of events that keep no order, one scenario has at most three quarters of them. Default 40. */
  readonly concurrency: number;
  /** Events of a queue that one timed run takes. Default 100. */
  readonly maxEventsPerRun: number;
  /** How long work may be due before `/health` reports its scenario as stalled. Default 30 s. */
  readonly stalledMs: number;
  /** How long events and incomplete executions that are done with are kept. Default 30 days. Source: https://help.make.com/webhooks [doc-old] */
  readonly keepMs: number;
  /** Characters of an unreadable request that are kept to be looked at, without secrets. Default 65536. */
  readonly maxKeptBytes: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long what is under way may go on once a host is told to stop. */
export const DEFAULT_GRACE_MS: number = 10_000;

/** Unreadable calls of one hook that are kept to be looked at; of more there is only the answer. */
export const MAX_REJECTED: number = 1000;

/** The limits of a host that is given none: bytes, milliseconds and counts, as `HostLimits` names them. Frozen. */
export const DEFAULT_HOST_LIMITS: HostLimits = Object.freeze({
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
  maxEventsPerRun: 100,
  stalledMs: 30_000,
  keepMs: 30 * DAY_MS,
  maxKeptBytes: 64 * 1024,
});

/**
 * The defaults with the given ones in their place.
 *
 * @throws EngineError (USAGE) for a name that is no limit, and for a value that is no whole number of at least 1
 */
export function resolveHostLimits(given: Partial<HostLimits> = {}): HostLimits {
  return resolveBounds(DEFAULT_HOST_LIMITS, given, { least: 1 });
}
