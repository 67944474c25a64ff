import { LONGEST_TIMER_MS } from '../../util/clock.js';
import { responseHeader } from './headers.js';
import type { ResponseHeaders } from './transport.js';

/** What a service says may still be asked of it. */
interface RateLimit {
  /** Calls that are left. */
  readonly remaining: number;
  /** Milliseconds until there are more. */
  readonly resetMs: number;
  /** Calls of a whole window; undefined where that is not told. */
  readonly limit: number | undefined;
}

const PREFIXES = ['ratelimit', 'x-ratelimit', 'x-rate-limit'] as const;

/** Headers of which one has to be there: most answers have none, and are looked at page by page. */
export const RATE_LIMIT_HEADERS: readonly string[] = [
  'ratelimit',
  ...PREFIXES.map((prefix) => `${prefix}-remaining`),
];

/** Longer texts are no counts. */
const MAX_LENGTH = 1000;

/** From here on a reset is a point in time in seconds, or in milliseconds; what is less and longer than a day is neither. */
const [DAY_S, EPOCH_S, EPOCH_MS] = [86_400, 1_000_000_000, 1_000_000_000_000] as const;

/**
 * What the rate limit headers of an answer say: the structured `RateLimit` with its policies (of several the tightest), `RateLimit-Limit`,
 * `-Remaining` and `-Reset` of the earlier drafts, or the same names with an `X-`. A point in time is taken against the `Date` of the
 * answer. What could mean two things is left alone.
 *
 * @param nowMs used for an answer without `Date`
 * @returns undefined where nothing is told, or not until when
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
    // `100, 100;w=60`: the first number is the one that counts.
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

/** Seconds from now, or a point in time: Unix seconds or milliseconds. */
function readReset(text: string, nowMs: number): number | undefined {
  if (!/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return undefined;
  const number = Number(text);
  if (number <= DAY_S) return number * 1000;
  if (number < EPOCH_S) return undefined;
  return Math.max(0, (number < EPOCH_MS ? number * 1000 : number) - nowMs);
}

/** `"burst";r=5;t=2, "daily";r=900;t=3600`, or `limit=100, remaining=50, reset=5` of draft 7. */
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
 * What a `Retry-After` header asks for: seconds, or an HTTP date in any of its three forms.
 * Fractions of a second are accepted, as some services send them. [inf]
 *
 * @returns milliseconds from `nowMs`, 0 for the past, at most 2^31 - 1; undefined for anything unreadable
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,20}(?:\.\d{1,20})?$/.test(text)) return clamp(Number(text) * 1000);
  if (text.length > 40 || !HTTP_DATE.test(text)) return undefined;
  // The asctime form names no zone and means GMT.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : clamp(at - nowMs);
}

function clamp(delayMs: number): number {
  return Math.ceil(Math.min(Math.max(delayMs, 0), LONGEST_TIMER_MS));
}
