import { isOurs } from '../../errors/engine-error.js';
import { ImlError } from '../../errors/iml-error.js';
import {
  giveTree,
  LONG_TEXT,
  listCountedNames,
  MAX_PLACES,
  quotedPieces,
  quotedText,
  type TreeStyle,
} from '../../iml/values/tree-text.js';
import { type Parts, spend } from '../../iml/values/work.js';
import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';
import { atMember } from '../message/field-text.js';
import { requestInvalid } from '../message/request-invalid.js';
import { joinBytes, textBytes } from './text-bytes.js';

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
/** To copy a member of a large collection, whose names are looked up. */
const STEPS_OF_LARGE_MEMBER = 24;
/** Of a text whose every character is escaped, and to write it in UTF-8. */
const STEPS_OF_CHARACTER = 0.4;

/** A copy of plain data only, so that `JSON.stringify` finds nothing it would call. */
function toJson(value: unknown, ancestors: object[]): unknown {
  spend(STEPS_OF_VALUE + (typeof value === 'string' ? STEPS_OF_CHARACTER * value.length : 0));
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return bytesToBase64(value);
  if (value instanceof ArrayBuffer) return bytesToBase64(new Uint8Array(value));

  if (ancestors.includes(value)) throw holdsItself();
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
  if (names.length > MAX_PLACES) spend(STEPS_OF_LARGE_MEMBER * names.length);
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

function holdsItself(): Error {
  return requestInvalid('The body holds itself and has no JSON text.');
}

/** As `jsonText` in UTF-8, a part at a time: slower, and however much it is. */
export function* jsonBytesInParts(value: unknown): Parts<Uint8Array | undefined> {
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return undefined;
  const pieces: Uint8Array[] = [];
  yield* giveJson(value, (piece) => void pieces.push(textBytes(piece)));
  return yield* joinBytes(pieces);
}

/** The text of `jsonText`, of a value that is not left out itself, a piece at a time. */
export function* giveJson(value: unknown, take: (piece: string) => void): Parts<void> {
  try {
    yield* giveTree(value, BODY_STYLE, take);
  } catch (error) {
    throw isOurs(error, ImlError) && error.code === 'IML_FUNCTION' ? holdsItself() : error;
  }
}

const BODY_STYLE: TreeStyle = {
  listNames: listWrittenNames,
  stepsOfPart: 20,
  leaf: (value) => (typeof value === 'string' ? quotedText(value) : (jsonText(value) ?? 'null')),
  longLeaf: (value) => {
    if (typeof value === 'string') return value.length > LONG_TEXT ? quotedPieces(value) : undefined;
    return value instanceof Uint8Array && value.byteLength > LONG_TEXT ? base64Pieces(value) : undefined;
  },
  onEnter: assertDepth,
};

function listWrittenNames(collection: PlainObject): readonly string[] {
  const names = listCountedNames(collection);
  return names.filter((name) => !['undefined', 'function', 'symbol'].includes(typeof collection[name]));
}

/** A multiple of three: each piece is base64 by itself. */
const PIECE_BYTES = 48 * 1024;

function* base64Pieces(bytes: Uint8Array): Generator<string, undefined, undefined> {
  yield '"';
  for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES) {
    yield bytesToBase64(bytes.subarray(start, start + PIECE_BYTES));
  }
  yield '"';
}

/** Bytes as base64 text, whatever kind of view they come in. */
export function bytesToBase64(bytes: Uint8Array): string {
  spend(0.05 * bytes.byteLength);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
