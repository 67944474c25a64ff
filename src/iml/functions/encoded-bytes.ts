import { functionError } from '../../errors/iml-error.js';
import {
  type BytesEncoding,
  bytesOfText,
  computeTextLength,
  findEncoding,
  textOfBytes,
} from '../values/bytes.js';
import { isBuffer, isEmpty, STEPS_OF_BYTE, toText } from '../values/coerce.js';
import { assertTextLength } from '../values/size-limits.js';
import { spend } from '../values/work.js';
import { quoted } from './arguments.js';

/** For each character that is read, and each byte that is written. */
const STEPS_OF_READING: Readonly<Record<BytesEncoding, number>> = {
  utf8: 0.15,
  hex: 0.2,
  base64: 0.3,
  latin1: 0.2,
  ascii: 0.2,
};
const STEPS_OF_WRITING: Readonly<Record<BytesEncoding, number>> = {
  utf8: STEPS_OF_BYTE,
  hex: 0.05,
  base64: 0.05,
  latin1: 0.1,
  ascii: 0.2,
};

/** A buffer as it is, anything else as its text in UTF-8. */
export function toBytes(value: unknown): Uint8Array {
  return isBuffer(value) ? value : decode(toText(value), 'utf8');
}

/** @throws ImlError `IML_FUNCTION` for a text that is none of the encoding */
export function decode(text: string, encoding: BytesEncoding): Uint8Array {
  spend(STEPS_OF_READING[encoding] * text.length);
  const bytes = bytesOfText(text, encoding);
  if (bytes === undefined) throw functionError(`The text is not valid ${encoding}.`);
  return bytes;
}

/** @throws ImlError `IML_LIMIT` for a text that would be too long */
export function encode(bytes: Uint8Array, encoding: BytesEncoding): string {
  assertTextLength(computeTextLength(bytes.length, encoding));
  spend(STEPS_OF_WRITING[encoding] * bytes.length);
  return textOfBytes(bytes, encoding);
}

/** The encoding that an argument names. @throws ImlError `IML_FUNCTION` for one that is not known */
export function asEncoding(value: unknown, fallback: BytesEncoding): BytesEncoding {
  const encoding = isEmpty(value) ? fallback : findEncoding(toText(value));
  if (encoding === undefined) throw functionError(`${quoted(value)} is not a known encoding.`);
  return encoding;
}
