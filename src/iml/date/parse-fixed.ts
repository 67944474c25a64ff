import { createBoundedCache } from '../../util/bounded-cache.js';
import { type FormatToken, tokenizeFormat } from './format-tokens.js';
import { offsetToMs, readDigits, wallClockMs } from './wall-clock.js';
import { localToInstant, type Zone } from './zone.js';

/** One step over a text of fixed shape: digits of one part (0 year to 6 milliseconds), an offset, or characters that stand there as they are. */
type Step =
  | { readonly kind: 'digits'; readonly part: number; readonly width: number }
  | { readonly kind: 'offset'; readonly separator: string }
  | { readonly kind: 'literal'; readonly text: string };

/** Tokens of fixed width, in the order of the parts of a date. */
const FIXED_TOKENS: readonly string[] = ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss', 'SSS'];

const BRACKET = /[[\]\\]/;

/** The steps of a format made of tokens of fixed width, null for any other. */
type FixedShape = readonly Step[] | null;

const shapes = createBoundedCache<FixedShape>(500);

/**
 * Reads a text by a format whose tokens have fixed widths, as most have, without moment.
 *
 * @returns undefined if the format or the text does not have a fixed shape; then moment decides
 */
export function parseFixed(text: string, format: string, zone: Zone): number | undefined {
  let shape = shapes.get(format);
  if (shape === undefined) {
    shape = fixedShape(tokenizeFormat(format));
    shapes.set(format, shape);
  }
  if (shape === null) return undefined;
  const parts = [0, 1, 1, 0, 0, 0, 0];
  let offsetMs: number | undefined;
  let offset = 0;
  for (const step of shape) {
    if (step.kind === 'digits') {
      parts[step.part] = readDigits(text, offset, step.width);
      offset += step.width;
    } else if (step.kind === 'literal') {
      if (!text.startsWith(step.text, offset)) return undefined;
      offset += step.text.length;
    } else {
      offsetMs = readOffset(text, offset, step.separator);
      if (offsetMs === undefined) return undefined;
      offset = text.length;
    }
  }
  if (offset !== text.length) return undefined;
  const localMs = wallClockMs({
    year: parts[0] ?? 0,
    month: parts[1] ?? 1,
    date: parts[2] ?? 1,
    hour: parts[3] ?? 0,
    minute: parts[4] ?? 0,
    second: parts[5] ?? 0,
    millisecond: parts[6] ?? 0,
  });
  if (localMs === undefined || Number.isNaN(localMs)) return undefined;
  return offsetMs === undefined ? localToInstant(zone, localMs) : localMs - offsetMs;
}

function fixedShape(tokens: readonly FormatToken[]): FixedShape {
  const steps: Step[] = [];
  const seen = new Set<string>();
  for (const [index, { kind, text }] of tokens.entries()) {
    const part = FIXED_TOKENS.indexOf(text);
    if (kind === 'literal') {
      // moment reads brackets inside literals in another way than it writes them.
      if (BRACKET.test(text)) return null;
      steps.push({ kind, text });
      continue;
    }
    if (part >= 0 && !seen.has(text)) {
      steps.push({ kind: 'digits', part, width: text.length });
    } else if ((text === 'Z' || text === 'ZZ') && index === tokens.length - 1) {
      steps.push({ kind: 'offset', separator: text === 'Z' ? ':' : '' });
    } else {
      return null;
    }
    seen.add(text);
  }
  // Without a year the date depends on today.
  return seen.has('YYYY') ? steps : null;
}

/** Offsets moment accepts in a text: none of more than 14 hours ahead or 12 behind. */
const MAX_OFFSET_MS = 14 * 3_600_000;
const MIN_OFFSET_MS = -12 * 3_600_000;

/** The offset that ends a text: `Z`, or a sign with hours and minutes. */
function readOffset(text: string, offset: number, separator: string): number | undefined {
  const sign = text[offset];
  if (sign === 'Z' && text.length === offset + 1) return 0;
  if (sign !== '+' && sign !== '-') return undefined;
  if (text.length !== offset + 5 + separator.length || !text.startsWith(separator, offset + 3))
    return undefined;
  const minutes = readDigits(text, offset + 3 + separator.length, 2);
  const ms = offsetToMs(sign, readDigits(text, offset + 1, 2), minutes);
  if (ms === undefined || !(ms >= MIN_OFFSET_MS && ms <= MAX_OFFSET_MS)) return undefined;
  return ms;
}
