import { functionError } from '../../errors/iml-error.js';
import type { DigestAlgorithm, Environment, FunctionTable, ImlFunction } from '../environment/environment.js';
import type { BytesEncoding } from '../values/bytes.js';
import { isBuffer, isEmpty, isMissing, toText } from '../values/coerce.js';
import { isCollection } from '../values/collection.js';
import { asEncoding, decode, encode, quoted, toBytes } from './arguments.js';

/** Source: https://help.make.com/text-and-binary-functions. */
export const BINARY_FUNCTIONS: FunctionTable = {
  base64: (_, value) => (isMissing(value) ? value : encode(toBytes(value), 'base64')),

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

/** Source: https://help.make.com/text-and-binary-functions. */
export const HASH_FUNCTIONS: FunctionTable = {
  md5: hash('md5'),
  sha1: hash('sha1'),
  sha256: hash('sha256'),
  sha512: hash('sha512'),
};

/** `(text; [encoding]; [key]; [keyEncoding])`: the digest, or with a key its HMAC; `md5` has the text only. */
function hash(algorithm: DigestAlgorithm): ImlFunction {
  if (algorithm === 'md5') {
    return (environment, value) =>
      isMissing(value) ? value : encode(environment.digest(algorithm, toBytes(value)), 'hex');
  }
  return (environment, value, encoding, key, keyEncoding) => {
    if (isMissing(value)) return value;
    const form = asEncoding(encoding, 'hex');
    const secret = isEmpty(key) ? undefined : keyBytes(key, asEncoding(keyEncoding, 'utf8'));
    return encode(environment.digest(algorithm, toBytes(value), secret), form);
  };
}

function keyBytes(key: unknown, encoding: BytesEncoding): Uint8Array {
  return isBuffer(key) ? key : decode(toText(key), encoding);
}
