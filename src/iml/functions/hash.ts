import type { DigestAlgorithm, FunctionTable, ImlFunction } from '../environment/environment.js';
import type { BytesEncoding } from '../values/bytes.js';
import { isBuffer, isEmpty, isMissing, toText } from '../values/coerce.js';
import { asEncoding, decode, encode, toBytes } from './encoded-bytes.js';

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
