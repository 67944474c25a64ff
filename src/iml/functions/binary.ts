import { functionError } from '../../errors/iml-error.js';
import type { Environment, FunctionTable } from '../environment/environment.js';
import { isBuffer, isMissing, toText } from '../values/coerce.js';
import { isCollection } from '../values/collection.js';
import { quoted } from './arguments.js';
import { asEncoding, decode, encode, toBytes } from './encoded-bytes.js';

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
