import { EngineError } from '../../errors/engine-error.js';
import { didYouMean } from '../../util/suggest.js';

/** Ceilings of one module run. */
export interface Limits {
  /** HTTP requests of the whole module: chain, repeats and pages. A redirect hop is not counted. Default 100. */
  readonly maxRequests: number;
  /** Follow-up pages; the first request is not one. Default 50. */
  readonly maxPages: number;
  /** Records over all pages. Default 3200. */
  readonly maxRecords: number;
  /** Milliseconds of the whole module, unless the app sets `timeout`. Default 40000. */
  readonly timeoutMs: number;
  /** Milliseconds an app can raise its time to. Default 300000. */
  readonly maxTimeoutMs: number;
}

/** Source: specification/001 (Limits), reference/pagination.md (Limits); 300 s: reference/request-spec.md section 1 (timeout). */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  maxRequests: 100,
  maxPages: 50,
  maxRecords: 3200,
  timeoutMs: 40_000,
  maxTimeoutMs: 300_000,
});

/**
 * The defaults with the given ones in their place.
 *
 * @throws EngineError (USAGE) for a name that is no limit, and for a value that is no whole number of at least 0
 */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      throw new EngineError(
        'USAGE',
        `There is no limit "${name}".${didYouMean(name, Object.keys(DEFAULT_LIMITS))}`,
      );
    }
    if (
      value !== undefined &&
      value !== Number.POSITIVE_INFINITY &&
      !(Number.isInteger(value) && value >= 0)
    ) {
      throw new EngineError(
        'USAGE',
        `The limit "${name}" has to be a whole number of at least 0, or Infinity.`,
      );
    }
  }
  return {
    ...DEFAULT_LIMITS,
    ...Object.fromEntries(Object.entries(given).filter(([, v]) => v !== undefined)),
  };
}
