import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';
import { jsonProblem } from '../../util/text.js';
import { atMember } from '../message/headers.js';
import { requestInvalid } from '../message/http-url.js';

/** Deeper than any API nests, shallow enough for every reader of JSON. */
const MAX_DEPTH = 1000;

/**
 * A value as JSON text. Undefined members are left out, null stays; in a list both are `null`.
 * Dates are ISO text, binary data is base64 [inf]. Functions are left out and never called, `toJSON` members included.
 * [app]
 *
 * @returns undefined if the value itself is left out
 * @throws REQUEST_INVALID for data that holds itself or is nested deeper than 1000 levels
 */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(toJson(value, []));
}

/** A copy of plain data only, so that `JSON.stringify` finds nothing it would call. */
function toJson(value: unknown, ancestors: object[]): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return bytesToBase64(value);
  if (value instanceof ArrayBuffer) return bytesToBase64(new Uint8Array(value));

  if (ancestors.includes(value)) throw requestInvalid('The body holds itself and has no JSON text.');
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

/** `jsonText` in UTF-8. */
export function jsonBytes(value: unknown): Uint8Array | undefined {
  const text = jsonText(value);
  return text === undefined ? undefined : Buffer.from(text, 'utf8');
}

/** Bytes as base64 text, whatever kind of view they come in. */
export function bytesToBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

export type ParseResult<T = unknown> =
  | { readonly ok: true; readonly value: T }
  /** `message` says what is wrong, without any part of the text that may be secret. */
  | { readonly ok: false; readonly message: string };

const EXCERPT_LENGTH = 40;

/** Reads JSON text. Text of white space only is no value: undefined. */
export function parseJson(text: string): ParseResult {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    if (text.trim() === '') return { ok: true, value: undefined };
    const reason = error instanceof SyntaxError ? jsonProblem(error) : 'it is too large to be read';
    return { ok: false, message: `${reason}${excerpt(text)}` };
  }
}

/**
 * The start of a text that was never meant as JSON, such as a page of HTML. Text that starts like JSON is not shown:
 * its members may hold tokens. Long runs without a space, which a token could be, are cut out.
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
