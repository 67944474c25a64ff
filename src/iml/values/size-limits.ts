import { limitError } from '../../errors/iml-error.js';

/** UTF-16 units a text made by one function may have: 64 Mi. */
export const MAX_TEXT_LENGTH: number = 64 * 1024 * 1024;

/** Items an array made or walked by one function may have. */
export const MAX_LIST_LENGTH = 5_000_000;

/** @throws ImlError `IML_LIMIT` */
export function assertTextLength(length: number): void {
  if (length > MAX_TEXT_LENGTH) {
    throw limitError(`Text is longer than the ${MAX_TEXT_LENGTH} characters it may have.`);
  }
}

/**
 * The text itself, if it may be so long.
 *
 * @throws ImlError `IML_LIMIT`
 */
export function limitedText(text: string): string {
  assertTextLength(text.length);
  return text;
}

/** @throws ImlError `IML_LIMIT` */
export function assertListLength(length: number): void {
  if (length > MAX_LIST_LENGTH) {
    throw limitError(`Array is longer than the ${MAX_LIST_LENGTH} items it may have.`);
  }
}

/**
 * Replaces every match of a global pattern and stops as soon as the result is too long,
 * where `String.prototype.replace` would first build all of it.
 *
 * @throws ImlError `IML_LIMIT`
 */
export function rewrite(text: string, pattern: RegExp, replace: (match: string) => string): string {
  let result = '';
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    result += text.slice(end, match.index) + replace(match[0]);
    assertTextLength(result.length);
    end = match.index + match[0].length;
  }
  if (end === 0) return text;
  assertTextLength(result.length + text.length - end);
  return result + text.slice(end);
}

const CHUNK_LENGTH = 65_536;

/** The pieces of a text in order, of so many characters at most. None ends inside a surrogate pair. */
function* textChunks(text: string, length: number = CHUNK_LENGTH): Generator<string, undefined, undefined> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = Math.min(start + length, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    yield text.slice(start, end);
  }
}

/**
 * Rewrites a text in chunks and stops as soon as the result is too long. Each code point must be rewritten on its own.
 *
 * @throws ImlError `IML_LIMIT`
 */
export function rewriteInChunks(text: string, rewriteChunk: (chunk: string) => string): string {
  const parts: string[] = [];
  let length = 0;
  for (const chunk of textChunks(text)) {
    const part = rewriteChunk(chunk);
    length += part.length;
    assertTextLength(length);
    parts.push(part);
  }
  return parts.join('');
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** Names a collection from outside may have, such as one of a body or of parameters. [choice] */
export const MAX_NAMES = 50_000;

/** The problem with a collection of more than `MAX_NAMES`, for an error message. */
export function tooManyNames(): string {
  return `more than ${MAX_NAMES} names in a collection`;
}
