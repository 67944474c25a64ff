import { EngineError } from '../../errors/engine-error.js';
import { didYouMean } from '../../util/suggest.js';

/** Ceilings and times of a host. */
export interface HostLimits {
  /** Bytes of a payload. Default 5 MB. Source: reference/webhooks.md (Payload types). [app] */
  readonly maxBodyBytes: number;
  /** Until the head of a request is there. Default 10 s. */
  readonly headerTimeoutMs: number;
  /** Until a request is there whole. Default 30 s. */
  readonly bodyTimeoutMs: number;
  /** Requests in the works at a time; more are answered 503. Default 1000. */
  readonly maxRequests: number;
  /** Events that may wait for one hook; more are answered 429. Default 10000. */
  readonly maxQueued: number;
  /** How long a sender waits for the answer of a responder. Default 40 s. */
  readonly answerTimeoutMs: number;
  /** After how many starts that no process lived to see the end of an event is dead. Default 10. */
  readonly maxAttempts: number;
  /** Incomplete executions a scenario may have that are not resolved. Default 1000. */
  readonly maxIncompletes: number;
  /** How long a job goes on with events of its lane before others get their turn. Default 2 s. */
  readonly sliceMs: number;
  /** Events of a queue that one timed run takes. Default 100. */
  readonly maxEventsPerRun: number;
  /** How long a worker may be silent before others take over its work. Default 30 s. */
  readonly leaseMs: number;
  /** How long events that are done with are kept. Default 30 days. Source: reference/webhooks.md (Queue). [doc-old] */
  readonly keepMs: number;
  /** Bytes of an unreadable request that are kept to be looked at. Default 64 KB. */
  readonly maxKeptBytes: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export const DEFAULT_HOST_LIMITS: HostLimits = Object.freeze({
  maxBodyBytes: 5 * 1024 * 1024,
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  maxRequests: 1000,
  maxQueued: 10_000,
  answerTimeoutMs: 40_000,
  maxAttempts: 10,
  maxIncompletes: 1000,
  sliceMs: 2000,
  maxEventsPerRun: 100,
  leaseMs: 30_000,
  keepMs: 30 * DAY_MS,
  maxKeptBytes: 64 * 1024,
});

/**
 * The defaults with the given ones in their place.
 *
 * @throws EngineError (USAGE) for a name that is no limit, and for a value that is no whole number of at least 1
 */
export function hostLimitsOf(given: Partial<HostLimits> = {}): HostLimits {
  const written = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of written) {
    if (!Object.hasOwn(DEFAULT_HOST_LIMITS, name)) {
      const hint = didYouMean(name, Object.keys(DEFAULT_HOST_LIMITS));
      throw new EngineError('USAGE', `There is no limit "${name}".${hint}`);
    }
    if (!(Number.isSafeInteger(value) && value >= 1)) {
      throw new EngineError('USAGE', `The limit "${name}" has to be a whole number of at least 1.`);
    }
  }
  return { ...DEFAULT_HOST_LIMITS, ...Object.fromEntries(written) };
}
