import { isPlainObject } from '../../util/plain-object.js';
import { atMember, fieldText } from '../message/field-text.js';
import { encodeFormComponent } from '../message/percent-encoding.js';
import { requestInvalid } from '../message/request-invalid.js';
import { bytesToBase64 } from './json-text.js';

/** Deeper than any service nests form fields. */
const MAX_DEPTH = 20;

/**
 * A value as `application/x-www-form-urlencoded`. Text is taken as already encoded.
 * Undefined and null are left out, a list repeats its key [inf]. Nested collections are written in brackets,
 * `a[b]=1` and `a[0][b]=1`, as the HTTP client did whose options the platform took over [inf].
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests.
 *
 * @throws REQUEST_INVALID for what is neither text nor a collection, and for nesting deeper than 20 levels
 */
export function encodeForm(value: unknown): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  if (!isPlainObject(value)) {
    throw requestInvalid(
      'A body of type urlencoded must be a collection of fields, or text already encoded.',
    );
  }
  const fields: string[] = [];
  for (const name of Object.keys(value)) atMember(name, () => addField(fields, name, value[name], 0));
  // Encoded text is ASCII.
  return Buffer.from(fields.join('&'), 'latin1');
}

function addField(fields: string[], name: string, value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw requestInvalid(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const isNested = Array.isArray(item) || isPlainObject(item);
      addField(fields, isNested ? `${name}[${index}]` : name, item, depth + 1);
    }
  } else if (isPlainObject(value)) {
    for (const key of Object.keys(value)) addField(fields, `${name}[${key}]`, value[key], depth + 1);
  } else {
    const text =
      value instanceof Uint8Array
        ? bytesToBase64(value)
        : fieldText(value, () => `Field ${JSON.stringify(name.slice(0, 80))}`);
    if (text !== undefined) fields.push(`${encodeFormComponent(name)}=${encodeFormComponent(text)}`);
  }
}
