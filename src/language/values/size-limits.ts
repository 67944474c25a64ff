import { limitError } from '../../shared/errors/iml-error.js';

/** Maximum length of a text that one function creates, in UTF-16 units: 64 Mi. */
export const MAX_TEXT_LENGTH: number = 64 * 1024 * 1024;

/** Maximum number of items of an array that one function creates or visits. */
export const MAX_LIST_LENGTH = 5_000_000;

/** @throws ImlError `IML_LIMIT` */
export function assertTextLength(length: number): void {
  if (length > MAX_TEXT_LENGTH) {
    throw limitError(`Text is too long: expected at most ${MAX_TEXT_LENGTH} characters.`);
  }
}

/**
 * Returns the text after a check of its length.
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
    throw limitError(`Array is too long: expected at most ${MAX_LIST_LENGTH} items.`);
  }
}

/**
 * Replaces every match of a global pattern. Throws as soon as the result is too long, while `String.prototype.replace`
 * would first build all of it.
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

/** Splits a text into chunks of limited length. No chunk ends inside a surrogate pair. */
function* textChunks(text: string): Generator<string, undefined, undefined> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = Math.min(start + CHUNK_LENGTH, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    yield text.slice(start, end);
  }
}

/**
 * Rewrites a text in chunks. Throws as soon as the result is too long. The result for a code point must not depend on
 * its neighbors.
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

/** Maximum number of names in a collection that comes from outside, such as a body or parameters. [choice] */
export const MAX_NAMES = 50_000;

/** Describes a collection of more than `MAX_NAMES` for an error message. */
export function tooManyNames(): string {
  return `more than ${MAX_NAMES} names in a collection`;
}
