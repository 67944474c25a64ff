import { functionError } from '../../shared/errors/iml-error.js';
import type { PlainObject } from '../../shared/plain-object.js';
import type { ImlFunction } from '../environment.js';
import {
  type BytesEncoding,
  bytesOfText,
  computeTextLength,
  findEncoding,
  textOfBytes,
} from '../values/bytes.js';
import { assertListLength, assertTextLength } from '../values/size-limits.js';
import { isBuffer, isCollection, isEmpty, isMissing, toNumber, toText } from '../values/value.js';

const MAX_QUOTED_LENGTH = 80;

/** Quotes the text of a value for a message. Long text is truncated. */
export function quoted(value: unknown): string {
  const text = toText(value);
  return text.length > MAX_QUOTED_LENGTH ? `'${text.slice(0, MAX_QUOTED_LENGTH)}...'` : `'${text}'`;
}

/** Reads an array argument. A missing one is empty. The message is Make's for `add` and `first` [app], others [inf]. */
export function asList(value: unknown): readonly unknown[] {
  if (isMissing(value)) return [];
  if (!Array.isArray(value)) throw functionError(`${quoted(value)} is not a valid array.`);
  assertListLength(value.length);
  return value;
}

/** Reads a collection argument. A missing one is empty, like a missing array. [inf] */
export function asCollection(value: unknown): PlainObject {
  if (isMissing(value)) return {};
  if (!isCollection(value)) throw functionError('Invalid collection');
  return value;
}

/** Reads a number argument. Text must be entirely numeric. */
export function asNumber(value: unknown): number {
  const number = toNumber(value);
  if (number === undefined) throw functionError(`${quoted(value)} is not a valid number.`);
  return number;
}

/** Reads an optional number argument and drops the fraction. An empty argument returns the fallback. */
export function asInteger<Fallback>(value: unknown, fallback: Fallback): number | Fallback {
  return isEmpty(value) ? fallback : Math.trunc(asNumber(value));
}

type TextFunction = (text: string, args: readonly unknown[]) => unknown;

/**
 * Creates a function whose first argument is converted to text. Null and undefined are returned unchanged, so that a
 * member computed from an empty input is omitted. [choice] Text that is too long throws before `run` is called.
 */
export function onText(run: TextFunction): ImlFunction {
  return (_, value, ...args) => {
    if (isMissing(value)) return value;
    const text = toText(value);
    assertTextLength(text.length);
    return run(text, args);
  };
}

/** Returns a buffer unchanged, the UTF-8 bytes of the text of any other value. */
export function toBytes(value: unknown): Uint8Array {
  return isBuffer(value) ? value : decode(toText(value), 'utf8');
}

/** @throws ImlError `IML_FUNCTION` for text that is invalid in the encoding */
export function decode(text: string, encoding: BytesEncoding): Uint8Array {
  const bytes = bytesOfText(text, encoding);
  if (bytes === undefined) throw functionError(`The text is not valid ${encoding}.`);
  return bytes;
}

/** @throws ImlError `IML_LIMIT` for a result that is too long */
export function encode(bytes: Uint8Array, encoding: BytesEncoding): string {
  assertTextLength(computeTextLength(bytes.length, encoding));
  return textOfBytes(bytes, encoding);
}

/** Reads an encoding argument. @throws ImlError `IML_FUNCTION` for an unknown encoding */
export function asEncoding(value: unknown, fallback: BytesEncoding): BytesEncoding {
  const encoding = isEmpty(value) ? fallback : findEncoding(toText(value));
  if (encoding === undefined) throw functionError(`${quoted(value)} is not a known encoding.`);
  return encoding;
}
