import { functionError } from '../../errors/iml-error.js';
import type { DigestAlgorithm, Environment, FunctionTable, ImlFunction } from '../environment/environment.js';
import {
  type BytesEncoding,
  bytesOfText,
  computeTextLength,
  findEncoding,
  textOfBytes,
} from '../values/bytes.js';
import { isBuffer, isEmpty, isMissing, toText } from '../values/coerce.js';
import { isCollection } from '../values/collection.js';
import { assertTextLength } from '../values/size-limits.js';
import { spend } from '../values/work.js';
import { quoted } from './arguments.js';

/** Source: https://help.make.com/text-and-binary-functions. */
export const BINARY_FUNCTIONS: FunctionTable = {
  base64: (_, value) => (isMissing(value) ? value : encode(toBytes(value), 'base64')),

  md5: hash('md5'),
  sha1: hash('sha1'),
  sha256: hash('sha256'),
  sha512: hash('sha512'),

  toBinary: (_, value, encoding) => {
    if (isMissing(value)) return value;
    if (isBuffer(value)) return value;
    if (Array.isArray(value) || isCollection(value)) {
      throw functionError(`${quoted(value)} cannot be turned into a buffer.`);
    }
    return decode(toText(value), asEncoding(encoding, 'utf8'));
  },

  toString: textForm,
};

// Not written in the table: there the name alone would give it the type of `Object.prototype.toString`.
function textForm(_: Environment, value: unknown, encoding: unknown): string | null | undefined {
  if (isMissing(value)) return value;
  return isBuffer(value) ? encode(value, asEncoding(encoding, 'utf8')) : toText(value);
}

/** `(text; [encoding]; [key]; [keyEncoding])`: the digest, or with a key its HMAC; `md5` has the text only. */
function hash(algorithm: DigestAlgorithm): ImlFunction {
  if (algorithm === 'md5') {
    return (environment, value) =>
      isMissing(value) ? value : encode(hashBytes(environment, algorithm, toBytes(value)), 'hex');
  }
  return (environment, value, encoding, key, keyEncoding) => {
    if (isMissing(value)) return value;
    const form = asEncoding(encoding, 'hex');
    const secret = isEmpty(key) ? undefined : keyBytes(key, asEncoding(keyEncoding, 'utf8'));
    return encode(hashBytes(environment, algorithm, toBytes(value), secret), form);
  };
}

/** For each character that is read, and each byte that is written. */
const STEPS_OF_READING: Readonly<Record<BytesEncoding, number>> = {
  utf8: 0.05,
  hex: 0.2,
  base64: 0.3,
  latin1: 0.2,
  ascii: 0.2,
};
const STEPS_OF_WRITING: Readonly<Record<BytesEncoding, number>> = {
  utf8: 0.1,
  hex: 0.05,
  base64: 0.05,
  latin1: 0.1,
  ascii: 0.2,
};

/** For each byte that is hashed. */
const STEPS_OF_HASH = 0.12;

function hashBytes(
  environment: Environment,
  algorithm: DigestAlgorithm,
  data: Uint8Array,
  key?: Uint8Array,
): Uint8Array {
  spend(STEPS_OF_HASH * data.length);
  return environment.digest(algorithm, data, key);
}

function keyBytes(key: unknown, encoding: BytesEncoding): Uint8Array {
  return isBuffer(key) ? key : decode(toText(key), encoding);
}

function toBytes(value: unknown): Uint8Array {
  return isBuffer(value) ? value : decode(toText(value), 'utf8');
}

function decode(text: string, encoding: BytesEncoding): Uint8Array {
  spend(STEPS_OF_READING[encoding] * text.length);
  const bytes = bytesOfText(text, encoding);
  if (bytes === undefined) throw functionError(`The text is not valid ${encoding}.`);
  return bytes;
}

function encode(bytes: Uint8Array, encoding: BytesEncoding): string {
  assertTextLength(computeTextLength(bytes.length, encoding));
  spend(STEPS_OF_WRITING[encoding] * bytes.length);
  return textOfBytes(bytes, encoding);
}

function asEncoding(value: unknown, fallback: BytesEncoding): BytesEncoding {
  const encoding = isEmpty(value) ? fallback : findEncoding(toText(value));
  if (encoding === undefined) throw functionError(`${quoted(value)} is not a known encoding.`);
  return encoding;
}
