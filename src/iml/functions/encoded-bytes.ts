import { functionError } from '../../errors/iml-error.js';
import {
  type BytesEncoding,
  bytesOfText,
  computeTextLength,
  findEncoding,
  textOfBytes,
} from '../values/bytes.js';
import { isBuffer, isEmpty, toText } from '../values/coerce.js';
import { assertTextLength } from '../values/size-limits.js';
import { quoted } from './arguments.js';

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
