import { REQUEST_TYPES } from '../../document/shapes/directive-values.js';
import { describeType } from '../../iml/values/value-kind.js';
import { assertNever } from '../../util/plain-object.js';
import { didYouMean } from '../../util/suggest.js';
import { fieldText } from '../message/field-text.js';
import { requestInvalid } from '../message/request-invalid.js';
import { encodeForm } from './encode-form.js';
import { encodeMultipart } from './encode-multipart.js';
import type { EncodedBody } from './encoded-body.js';
import { jsonBytes } from './json-text.js';

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
 * An evaluated body as bytes. An undefined body is none; null
 * is JSON's `null` and no body for all other types. Whether a method sends a body at all is the caller's to decide (GET does not).
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests.
 *
 * @param random gives numbers from 0 to 1 for the boundary of a multipart body
 * @throws REQUEST_INVALID for a value the type cannot hold
 */
export function encodeBody(type: RequestType, value: unknown, random: () => number): EncodedBody {
  if (value === undefined || (value === null && type !== 'json')) return NO_BODY;
  switch (type) {
    case 'json':
      return ofBytes(jsonBytes(value), JSON_TYPE);
    case 'urlencoded':
      return ofBytes(encodeForm(value), 'application/x-www-form-urlencoded');
    case 'multipart/form-data':
      return encodeMultipart(value, random);
    case 'text':
    case 'string':
    case 'raw':
      return ofBytes(plainBytes(value));
    case 'binary':
      return ofBytes(value instanceof Uint8Array ? value : writeText(binaryText(value)));
    default:
      return assertNever(type);
  }
}

const JSON_TYPE = 'application/json';

function ofBytes(body: Uint8Array | undefined, contentType?: string): EncodedBody {
  return body === undefined ? NO_BODY : { body, contentType };
}

/** Lists and collections become JSON text. [inf] */
function plainBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  const isNested = typeof value === 'object' && value !== null && !(value instanceof Date);
  return isNested ? jsonBytes(value) : writeText(fieldText(value, () => 'The body'));
}

function writeText(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : Buffer.from(text, 'utf8');
}

function binaryText(value: unknown): string | undefined {
  if (typeof value === 'object') {
    throw requestInvalid('A body of type binary must be binary data or text.');
  }
  return fieldText(value, () => 'The body');
}
