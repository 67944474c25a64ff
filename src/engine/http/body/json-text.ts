import { requestInvalid } from '../../../shared/errors/engine-error.js';
import { isPlainObject, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { jsonProblem } from '../../../shared/text.js';
import { atMember } from '../headers.js';

/** Deeper than known APIs nest, shallow enough for all JSON parsers. */
const MAX_DEPTH = 1000;

/**
 * Converts a value to JSON text. Drops undefined members, keeps null; in arrays both become `null`. Dates become ISO
 * text, binary data base64 [inf]. Functions, including `toJSON` members, are dropped and never called. [app]
 *
 * @returns undefined if the value itself is dropped
 * @throws REQUEST_INVALID for a circular reference or more than 1000 levels
 */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(toJson(value, []));
}

/** Copies plain data only, so that `JSON.stringify` calls no code of the value. */
function toJson(value: unknown, ancestors: object[]): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return bytesToBase64(value);
  if (value instanceof ArrayBuffer) return bytesToBase64(new Uint8Array(value));

  if (ancestors.includes(value)) throw requestInvalid('The body contains a circular reference.');
  assertDepth(ancestors.length);
  ancestors.push(value);
  const copy = Array.isArray(value)
    ? Array.from(value, (item: unknown) => toJson(item, ancestors) ?? null)
    : membersToJson(isPlainObject(value) ? value : { ...value }, ancestors);
  ancestors.pop();
  return copy;
}

function membersToJson(value: PlainObject, ancestors: object[]): PlainObject {
  const copy: PlainObject = {};
  const names = Object.keys(value);
  for (const name of names) {
    const isOutermost = ancestors.length === 1;
    const member = isOutermost
      ? atMember(name, () => toJson(value[name], ancestors))
      : toJson(value[name], ancestors);
    if (member !== undefined) setMember(copy, name, member);
  }
  return copy;
}

function assertDepth(depth: number): void {
  if (depth >= MAX_DEPTH) throw requestInvalid(`The body is nested deeper than ${MAX_DEPTH} levels.`);
}

/** Same as `jsonText`, in UTF-8. */
export function jsonBytes(value: unknown): Uint8Array | undefined {
  const text = jsonText(value);
  return text === undefined ? undefined : Buffer.from(text, 'utf8');
}

/** Encodes bytes as base64 text. */
export function bytesToBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

export type ParseResult<T = unknown> =
  | { readonly ok: true; readonly value: T }
  /** `message` describes the problem without any text that may be secret. */
  | { readonly ok: false; readonly message: string };

const EXCERPT_LENGTH = 40;

/** Parses JSON text. Whitespace alone parses to undefined. */
export function parseJson(text: string): ParseResult {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    if (text.trim() === '') return { ok: true, value: undefined };
    const reason = error instanceof SyntaxError ? jsonProblem(error) : 'the text is too large';
    return { ok: false, message: `${reason}${excerpt(text)}` };
  }
}

/**
 * Returns the start of a text that is not meant to be JSON, such as an HTML page. Text that starts like JSON is
 * omitted, as it may contain tokens; so are long runs without a space.
 */
function excerpt(text: string): string {
  const start = text.slice(0, EXCERPT_LENGTH * 4).trimStart();
  if (start === '' || /^["[{]/.test(start)) return '';
  const shown = start
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/[\w+/=.~-]{12,}/g, '…')
    .slice(0, EXCERPT_LENGTH);
  return ` (the body starts with ${JSON.stringify(shown)})`;
}
