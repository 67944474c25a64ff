import { isOurs, TransportError } from '../../errors/engine-error.js';
import { describeType } from '../../iml/values/value-kind.js';
import { requestInvalid } from './request-invalid.js';

/**
 * A value as text in a query, a header or a form; undefined for what is left out (undefined and null).
 * Dates become ISO 8601 text.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [app]; dates and numbers [inf].
 *
 * @param what gives the name of the field for a message, such as `Header "X-A"`; its value is never printed
 * @throws REQUEST_INVALID for what has no text: objects, lists, binary data, functions
 */
export function fieldText(value: unknown, what: () => string): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'undefined':
      return undefined;
    case 'object':
      break;
    default:
      throw requestInvalid(`${what()} is a ${typeof value}, which has no text.`);
  }
  if (value === null) return undefined;
  if (value instanceof Date) return dateText(value, what);
  throw requestInvalid(
    `${what()} is ${Array.isArray(value) ? 'a list inside a list' : describeType(value)}; it must be text, a number, a boolean or a date.`,
  );
}

/**
 * The texts of a field that may be a list; a list gives one text an item, and items without a value are left out.
 * @throws REQUEST_INVALID as `fieldText`
 */
export function fieldTexts(value: unknown, what: () => string): string[] {
  const texts: string[] = [];
  for (const item of Array.isArray(value) ? value : [value]) {
    const text = fieldText(item, what);
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

/** A date as ISO 8601 text. @throws REQUEST_INVALID for a date that is none */
function dateText(date: Date, what: () => string): string {
  if (Number.isNaN(date.getTime())) throw requestInvalid(`${what()} is a date that does not exist.`);
  return date.toISOString();
}

/** Runs a step that builds on one member of `qs`, `headers` or `body`; its failure names that member. */
export function atMember<T>(name: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw ofMember(name, error);
  }
}

function ofMember(name: string, error: unknown): unknown {
  if (isOurs(error, TransportError)) error.member ??= name;
  return error;
}
