import { functionError } from '../../errors/iml-error.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { ImlFunction } from '../environment/environment.js';
import {
  type BytesEncoding,
  bytesOfText,
  computeTextLength,
  findEncoding,
  textOfBytes,
} from '../values/bytes.js';
import { isBuffer, isEmpty, isMissing, toNumber, toText } from '../values/coerce.js';
import { isCollection } from '../values/collection.js';
import { assertListLength, assertTextLength } from '../values/size-limits.js';

const MAX_QUOTED_LENGTH = 80;

/** The text form of a value in quotes, cut where it is long, to stand in a message. */
export function quoted(value: unknown): string {
  const text = toText(value);
  return text.length > MAX_QUOTED_LENGTH ? `'${text.slice(0, MAX_QUOTED_LENGTH)}...'` : `'${text}'`;
}

/**
 * The array a function works on; a missing one counts as empty.
 * The message is the platform's. [app]
 */
export function asList(value: unknown): readonly unknown[] {
  if (isMissing(value)) return [];
  if (!Array.isArray(value)) throw functionError('Invalid array');
  assertListLength(value.length);
  return value;
}

/** The collection a function works on; a missing one counts as empty, as a missing array does. [inf] */
export function asCollection(value: unknown): PlainObject {
  if (isMissing(value)) return {};
  if (!isCollection(value)) throw functionError('Invalid collection');
  return value;
}

/** A number or a text that reads fully as one. */
export function asNumber(value: unknown): number {
  const number = toNumber(value);
  if (number === undefined) throw functionError(`${quoted(value)} is not a valid number.`);
  return number;
}

/** An optional number without its fraction; an empty argument gives the fallback. */
export function asInteger<Fallback>(value: unknown, fallback: Fallback): number | Fallback {
  return isEmpty(value) ? fallback : Math.trunc(asNumber(value));
}

type TextFunction = (text: string, args: readonly unknown[]) => unknown;

/**
 * A function of one text, given in its text form: null in, null out, and undefined stays undefined, so that a member
 * made from an input left empty is left out. [choice]
 * A text longer than a function may make is refused before any of it is worked on.
 */
export function onText(run: TextFunction): ImlFunction {
  return (_, value, ...args) => {
    if (isMissing(value)) return value;
    const text = toText(value);
    assertTextLength(text.length);
    return run(text, args);
  };
}

/** A buffer as it is, anything else as its text in UTF-8. */
export function toBytes(value: unknown): Uint8Array {
  return isBuffer(value) ? value : decode(toText(value), 'utf8');
}

/** @throws ImlError `IML_FUNCTION` for a text that is none of the encoding */
export function decode(text: string, encoding: BytesEncoding): Uint8Array {
  const bytes = bytesOfText(text, encoding);
  if (bytes === undefined) throw functionError(`The text is not valid ${encoding}.`);
  return bytes;
}

/** @throws ImlError `IML_LIMIT` for a text that would be too long */
export function encode(bytes: Uint8Array, encoding: BytesEncoding): string {
  assertTextLength(computeTextLength(bytes.length, encoding));
  return textOfBytes(bytes, encoding);
}

/** The encoding that an argument names. @throws ImlError `IML_FUNCTION` for one that is not known */
export function asEncoding(value: unknown, fallback: BytesEncoding): BytesEncoding {
  const encoding = isEmpty(value) ? fallback : findEncoding(toText(value));
  if (encoding === undefined) throw functionError(`${quoted(value)} is not a known encoding.`);
  return encoding;
}
