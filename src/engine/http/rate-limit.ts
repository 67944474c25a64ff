import { LONGEST_TIMER_MS } from '../../shared/clock.js';
import { responseHeader } from './headers.js';
import type { ResponseHeaders } from './transport.js';

/** Rate limit reported by an API. */
interface RateLimit {
  /** Remaining calls. */
  readonly remaining: number;
  /** Milliseconds until the limit resets. */
  readonly resetMs: number;
  /** Calls per window; undefined if not reported. */
  readonly limit: number | undefined;
}

const PREFIXES = ['ratelimit', 'x-ratelimit', 'x-rate-limit'] as const;

/** At least one of these headers is present if an API reports a limit. Checked first, as most responses have none. */
export const RATE_LIMIT_HEADERS: readonly string[] = [
  'ratelimit',
  ...PREFIXES.map((prefix) => `${prefix}-remaining`),
];

/** Longer values are ignored. */
const MAX_LENGTH = 1000;

/** Larger values are Unix seconds or milliseconds. Values between a day and `EPOCH_S` are ambiguous and ignored. */
const [DAY_S, EPOCH_S, EPOCH_MS] = [86_400, 1_000_000_000, 1_000_000_000_000] as const;

/**
 * Reads the rate limit headers of a response: the structured `RateLimit` with its policies (the tightest one),
 * `RateLimit-Limit`, `-Remaining` and `-Reset` of earlier drafts, or the same names with an `X-`. A reset time is
 * relative to the response's `Date`. Ambiguous values are ignored.
 *
 * @param nowMs used for a response without `Date`
 * @returns undefined if no limit or no reset is reported
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function readRateLimit(headers: ResponseHeaders, nowMs: number): RateLimit | undefined {
  const structured = readText(headers, 'ratelimit');
  if (structured !== undefined) return readStructured(structured, readText(headers, 'ratelimit-policy'));
  for (const prefix of PREFIXES) {
    const remaining = readCount(readText(headers, `${prefix}-remaining`));
    const reset = readText(headers, `${prefix}-reset`);
    if (remaining === undefined || reset === undefined) continue;
    const resetMs = readReset(reset, readDate(headers) ?? nowMs);
    if (resetMs === undefined) continue;
    // In `100, 100;w=60` the first number counts.
    return { remaining, resetMs, limit: readCount(readText(headers, `${prefix}-limit`)?.split(/[,;]/)[0]) };
  }
  return undefined;
}

function readText(headers: ResponseHeaders, name: string): string | undefined {
  const text = responseHeader(headers, name)?.trim();
  return text === undefined || text === '' || text.length > MAX_LENGTH ? undefined : text;
}

function readCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,12}\s*$/.test(text) ? Number(text) : undefined;
}

function readDate(headers: ResponseHeaders): number | undefined {
  const ms = Date.parse(readText(headers, 'date') ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** Reads seconds from now, Unix seconds or Unix milliseconds. */
function readReset(text: string, nowMs: number): number | undefined {
  if (!/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return undefined;
  const number = Number(text);
  if (number <= DAY_S) return number * 1000;
  if (number < EPOCH_S) return undefined;
  return Math.max(0, (number < EPOCH_MS ? number * 1000 : number) - nowMs);
}

/** Reads `"burst";r=5;t=2, "daily";r=900;t=3600`, or `limit=100, remaining=50, reset=5` of draft 7. */
function readStructured(text: string, policies: string | undefined): RateLimit | undefined {
  const flat = readParameters(text.split(','));
  const [remaining, reset] = [flat.get('remaining'), flat.get('reset')];
  if (remaining !== undefined && reset !== undefined) {
    return { remaining, resetMs: reset * 1000, limit: flat.get('limit') };
  }
  const known = new Map((policies?.split(',') ?? []).map((item) => readItem(item)));
  let tightest: RateLimit | undefined;
  for (const item of text.split(',')) {
    const [name, parameters] = readItem(item);
    const policy = known.get(name);
    const left = parameters.get('r');
    const seconds = parameters.get('t') ?? policy?.get('w');
    if (left === undefined || seconds === undefined) continue;
    const found = { remaining: left, resetMs: seconds * 1000, limit: policy?.get('q') };
    if (tightest === undefined || isTighter(found, tightest)) tightest = found;
  }
  return tightest;
}

function isTighter(one: RateLimit, other: RateLimit): boolean {
  return one.remaining === other.remaining ? one.resetMs > other.resetMs : one.remaining < other.remaining;
}

function readItem(item: string): readonly [name: string, parameters: ReadonlyMap<string, number>] {
  const [name = '', ...parameters] = item.split(';');
  return [name.trim(), readParameters(parameters)];
}

function readParameters(texts: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const text of texts) {
    const [, name, digits] = /^\s*([a-z]+)\s*=\s*(\d{1,12})\s*$/.exec(text) ?? [];
    if (name !== undefined && digits !== undefined) found.set(name, Number(digits));
  }
  return found;
}

const HTTP_DATE = /^[A-Za-z]{3,9},? [A-Za-z0-9: -]+?(?: GMT)?$/;

/**
 * Parses a `Retry-After` header: seconds, or an HTTP date in any of its three formats. Accepts fractions of a second,
 * as some APIs send them. [inf]
 *
 * @returns milliseconds from `nowMs`, 0 for the past, at most 2^31 - 1; undefined if invalid
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,20}(?:\.\d{1,20})?$/.test(text)) return clamp(Number(text) * 1000);
  if (text.length > 40 || !HTTP_DATE.test(text)) return undefined;
  // The asctime format has no zone and means GMT.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : clamp(at - nowMs);
}

function clamp(delayMs: number): number {
  return Math.ceil(Math.min(Math.max(delayMs, 0), LONGEST_TIMER_MS));
}
