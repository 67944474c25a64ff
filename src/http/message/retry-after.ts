import { LONGEST_TIMER_MS } from '../../util/clock.js';

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
