import { spend } from '../../iml/values/work.js';
import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';
import { atMember } from '../message/field-text.js';
import { requestInvalid } from '../message/request-invalid.js';

/** Deeper than any API nests, shallow enough for every reader of JSON. */
const MAX_DEPTH = 1000;

/**
 * A value as JSON text. Undefined members are left out, null stays; in a list both are `null`.
 * Dates are ISO text, binary data is base64 [inf]. Functions are left out and never called, `toJSON` members included.
 * [app]
 *
 * @returns undefined if the value itself is left out
 * @throws REQUEST_INVALID for data that holds itself or is nested deeper than 1000 levels; IML_LIMIT where it is too much work
 */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(toJson(value, []));
}

/** To copy a value and to write it. */
const STEPS_OF_VALUE = 8;
const STEPS_OF_CHARACTER = 0.15;

/** A copy of plain data only, so that `JSON.stringify` finds nothing it would call. */
function toJson(value: unknown, ancestors: object[]): unknown {
  spend(STEPS_OF_VALUE + (typeof value === 'string' ? STEPS_OF_CHARACTER * value.length : 0));
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return bytesToBase64(value);
  if (value instanceof ArrayBuffer) return bytesToBase64(new Uint8Array(value));

  if (ancestors.includes(value)) throw requestInvalid('The body holds itself and has no JSON text.');
  if (ancestors.length >= MAX_DEPTH) {
    throw requestInvalid(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  ancestors.push(value);
  const copy = Array.isArray(value)
    ? Array.from(value, (item: unknown) => toJson(item, ancestors) ?? null)
    : membersToJson(isPlainObject(value) ? value : { ...value }, ancestors);
  ancestors.pop();
  return copy;
}

function membersToJson(value: PlainObject, ancestors: object[]): PlainObject {
  const copy: PlainObject = {};
  for (const name of Object.keys(value)) {
    const isOutermost = ancestors.length === 1;
    const member = isOutermost
      ? atMember(name, () => toJson(value[name], ancestors))
      : toJson(value[name], ancestors);
    if (member !== undefined) setMember(copy, name, member);
  }
  return copy;
}

/** Bytes as base64 text, whatever kind of view they come in. */
export function bytesToBase64(bytes: Uint8Array): string {
  spend(0.05 * bytes.byteLength);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
