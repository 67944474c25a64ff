import { functionError } from '../../shared/errors/iml-error.js';
import type { DigestAlgorithm, Environment, ImlFunction } from '../environment.js';
import type { BytesEncoding } from '../values/bytes.js';
import { isBuffer, isCollection, isEmpty, isMissing, toText } from '../values/value.js';
import { asEncoding, decode, encode, quoted, toBytes } from './arguments.js';
import type { FunctionsIn } from './signatures.js';

/** Source: https://help.make.com/text-and-binary-functions. */
export const BINARY_FUNCTIONS: FunctionsIn<'binary'> = {
  base64: (_, value) => (isMissing(value) ? value : encode(toBytes(value), 'base64')),

  toBinary: (_, value, encoding) => {
    if (isMissing(value)) return value;
    if (isBuffer(value)) return value;
    if (Array.isArray(value) || isCollection(value)) {
      throw functionError(`${quoted(value)} cannot be converted to a buffer.`);
    }
    return decode(toText(value), asEncoding(encoding, 'utf8'));
  },

  toString: textForm,

  md5: hash('md5'),
  sha1: hash('sha1'),
  sha256: hash('sha256'),
  sha512: hash('sha512'),
};

// A separate function, because TypeScript types a method `toString` in the table like `Object.prototype.toString`.
function textForm(_: Environment, value: unknown, encoding: unknown): string | null | undefined {
  if (isMissing(value)) return value;
  return isBuffer(value) ? encode(value, asEncoding(encoding, 'utf8')) : toText(value);
}

/** Creates `(text; [encoding]; [key]; [keyEncoding])`: a digest, or an HMAC if there is a key. `md5` has one parameter. */
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
