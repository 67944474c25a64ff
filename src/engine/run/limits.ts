import { toNumber } from '../../language/values/value.js';
import { resolveBounds } from '../../shared/errors/check-options.js';
import { DEFAULT_SANDBOX_LIMITS } from '../sandbox/sandbox.js';

/** Limits of one module run. */
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
  /** Milliseconds of one call of a custom function. Default 10000. */
  readonly functionTimeoutMs: number;
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/pagination, docs/limits.md [doc];
 * 300 s: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests, timeout. [doc]
 * 10 s: https://developers.make.com/custom-apps-documentation/app-components/iml-functions. [doc]
 */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  maxRequests: 100,
  maxPages: 50,
  maxRecords: 3200,
  timeoutMs: 40_000,
  maxTimeoutMs: 300_000,
  functionTimeoutMs: DEFAULT_SANDBOX_LIMITS.timeMs,
});

/**
 * Applies limits to the defaults.
 *
 * @throws EngineError (USAGE) for an unknown name, and for a value that is neither a whole number of at least 0 nor
 *   Infinity
 */
export function resolveLimits(given: Partial<Limits> = {}): Limits {
  return resolveBounds(DEFAULT_LIMITS, given, { infinity: true });
}

/** A `timeout` of the app in milliseconds, at most `maxTimeoutMs`; undefined for a value that is no number of at least 1. */
export function readTimeoutMs(value: unknown, { maxTimeoutMs }: Limits): number | undefined {
  const timeoutMs = toNumber(value);
  return timeoutMs !== undefined && timeoutMs >= 1 ? Math.min(timeoutMs, maxTimeoutMs) : undefined;
}
