import { spend } from '../../iml/values/work.js';
import { isPlainObject } from '../../util/plain-object.js';
import { atMember, fieldText } from '../message/field-text.js';
import { encodeFormComponent } from '../message/percent-encoding.js';
import { requestInvalid } from '../message/request-invalid.js';
import { bytesToBase64 } from './json-text.js';

/** To write a field. */
const STEPS_OF_FIELD = 30;
const STEPS_OF_CHARACTER = 0.5;

/** Deeper than any service nests form fields. */
const MAX_DEPTH = 20;

/**
 * A value as `application/x-www-form-urlencoded` text. Text is taken as already encoded.
 * Undefined and null are left out, a list repeats its key [inf]. Nested collections are written in brackets,
 * `a[b]=1` and `a[0][b]=1`, as the HTTP client did whose options the platform took over [inf].
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests.
 *
 * @throws REQUEST_INVALID for what is neither text nor a collection, and for nesting deeper than 20 levels
 */
export function formText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isPlainObject(value)) {
    throw requestInvalid(
      'A body of type urlencoded must be a collection of fields, or text already encoded.',
    );
  }
  const pairs: string[] = [];
  for (const [name, member] of Object.entries(value)) atMember(name, () => addField(pairs, name, member, 0));
  return pairs.join('&');
}

function addField(pairs: string[], name: string, value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw requestInvalid(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      const isNested = Array.isArray(item) || isPlainObject(item);
      addField(pairs, isNested ? `${name}[${index}]` : name, item, depth + 1);
    });
  } else if (isPlainObject(value)) {
    for (const [key, member] of Object.entries(value)) addField(pairs, `${name}[${key}]`, member, depth + 1);
  } else {
    const text =
      value instanceof Uint8Array
        ? bytesToBase64(value)
        : fieldText(value, () => `Field ${JSON.stringify(name.slice(0, 80))}`);
    spend(STEPS_OF_FIELD + STEPS_OF_CHARACTER * (name.length + (text?.length ?? 0)));
    if (text !== undefined) pairs.push(`${encodeFormComponent(name)}=${encodeFormComponent(text)}`);
  }
}
