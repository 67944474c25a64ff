import { MAX_NAMES, tooManyNames } from '../../../language/values/size-limits.js';

/** Limits against bodies made to exhaust a reader: number of values and nesting depth. [choice] */
export const MAX_VALUES = 3_000_000;
const MAX_DEPTH = 10_000;

/** Shorter texts cannot exceed a limit. */
const MIN_CHECKED_LENGTH: number = 2 * MAX_DEPTH;

export const TOO_MANY_VALUES: string = `more than ${MAX_VALUES.toLocaleString('en')} values`;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Returns which limit a JSON text exceeds. Counts its separators, because decoding and parsing take many times as long and
 * cannot be interrupted. The text need not be valid.
 *
 * @param bytes the text in UTF-8
 */
export function findJsonExcess(bytes: Uint8Array): string | undefined {
  if (bytes.length < MIN_CHECKED_LENGTH) return undefined;
  return findExcess(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** @param bytes a buffer, whose search is faster than that of other arrays of bytes */
function findExcess(bytes: Buffer): string | undefined {
  /** Members of the open objects by depth; -1 for lists. */
  const members = new Int32Array(MAX_DEPTH + 1);
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at);
        break;
      case COMMA: {
        if (++values > MAX_VALUES) return TOO_MANY_VALUES;
        const count = members[depth] ?? -1;
        if (count === -1) break;
        if (count >= MAX_NAMES) return tooManyNames();
        members[depth] = count + 1;
        break;
      }
      case OPEN_LIST:
      case OPEN_OBJECT: {
        if (++depth > MAX_DEPTH) return `more than ${MAX_DEPTH.toLocaleString('en')} levels`;
        members[depth] = bytes[at] === OPEN_LIST ? -1 : 1;
        while ((bytes[at + 1] ?? QUOTE) <= SPACE) at++;
        const next = bytes[at + 1];
        if (next !== CLOSE_LIST && next !== CLOSE_OBJECT && ++values > MAX_VALUES) return TOO_MANY_VALUES;
        break;
      }
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        if (depth > 0) depth--;
        break;
      default:
    }
  }
  return undefined;
}

/** Bytes of a string after which a native search is faster than a loop. */
const SHORT = 64;

/** The position of the quote that ends a string, or the end of the text. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (const end = Math.min(at + SHORT, bytes.length); at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  for (let end = bytes.indexOf(QUOTE, at); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let last = end - 1;
    while (last >= at && bytes[last] === BACKSLASH) last--;
    if ((end - last) % 2 === 1) return end;
  }
  return bytes.length;
}
