import { REQUEST_TYPES } from '../../document/shapes/directive-values.js';
import { describeType } from '../../iml/values/value-kind.js';
import { assertNever } from '../../util/assert-never.js';
import { didYouMean } from '../../util/suggest.js';
import { fieldText } from '../message/field-text.js';
import { requestInvalid } from '../message/request-invalid.js';
import { encodeMultipart } from './encode-multipart.js';
import type { EncodedBody } from './encoded-body.js';
import { formText } from './form-text.js';
import { jsonText } from './json-text.js';

export type RequestType = (typeof REQUEST_TYPES)[number];

const NO_BODY: EncodedBody = { body: undefined, contentType: undefined };

/**
 * An evaluated `type` as one of the request types. Undefined, null and empty text are `json`.
 * @throws REQUEST_INVALID for any other value
 */
export function readRequestType(type: unknown): RequestType {
  if (type === undefined || type === null || type === '') return 'json';
  const found = REQUEST_TYPES.find((name) => name === type);
  if (found !== undefined) return found;
  const shown = typeof type === 'string' ? JSON.stringify(type.slice(0, 80)) : describeType(type);
  const hint = typeof type === 'string' ? didYouMean(type, REQUEST_TYPES) : '';
  throw requestInvalid(`The request type is ${shown}; it must be one of ${REQUEST_TYPES.join(', ')}.${hint}`);
}

/**
 * An evaluated body as bytes. An undefined body is none; null is JSON's `null` and no body for all other types.
 * Whether a method sends a body at all is the caller's to decide (GET does not).
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests.
 *
 * @param random gives numbers from 0 to 1 for the boundary of a multipart body
 * @throws REQUEST_INVALID for a value the type cannot hold
 */
export function encodeBody(type: RequestType, value: unknown, random: () => number): EncodedBody {
  if (value === undefined || (value === null && type !== 'json')) return NO_BODY;
  switch (type) {
    case 'json':
      return ofText(jsonText(value), 'application/json');
    case 'urlencoded':
      return ofText(formText(value), 'application/x-www-form-urlencoded');
    case 'multipart/form-data':
      return encodeMultipart(value, random);
    case 'text':
    case 'string':
    case 'raw':
      return value instanceof Uint8Array ? ofBytes(value) : ofText(plainText(value), undefined);
    case 'binary':
      return value instanceof Uint8Array ? ofBytes(value) : ofText(binaryText(value), undefined);
    default:
      return assertNever(type);
  }
}

function ofBytes(bytes: Uint8Array): EncodedBody {
  return { body: bytes, contentType: undefined };
}

function ofText(text: string | undefined, contentType: string | undefined): EncodedBody {
  return text === undefined ? NO_BODY : { body: Buffer.from(text, 'utf8'), contentType };
}

/** Lists and collections become JSON text. [inf] */
function plainText(value: unknown): string | undefined {
  const isNested = typeof value === 'object' && value !== null && !(value instanceof Date);
  return isNested ? jsonText(value) : fieldText(value, () => 'The body');
}

function binaryText(value: unknown): string | undefined {
  if (typeof value === 'object') {
    throw requestInvalid('A body of type binary must be binary data or text.');
  }
  return fieldText(value, () => 'The body');
}
