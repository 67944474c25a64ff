import type { PlainObject } from '../../shared/plain-object.js';
import { flag, integer, list, named, object, oneOf, type Schema, text } from '../../shared/schema/build.js';
import type { PageRecord } from './lists.js';
import { type Shape, shapeSchema } from './shapes.js';

/** An id of the store. */
export function id(description?: string): Schema<number> {
  return integer({ minimum: 1, ...(description !== undefined && { description }) });
}

/** Letters, digits and these marks; blanks only inside. Source: https://developers.make.com/api-documentation (Organization). [seed] */
const NAME_PATTERN =
  "^[\\p{L}\\p{M}\\p{Nd}'.()*+,@_/\\-](?:[\\p{L}\\p{M}\\p{Nd} '.()*+,@_/\\-]*[\\p{L}\\p{M}\\p{Nd}'.()*+,@_/\\-])?$";
const NAME_RULE =
  "must contain only letters, digits, spaces and ' - . ( ) * + , @ _ / and not start or end with a space";

/** The name of an organization or team. Its maximum length is [inf]. */
export function properName(): Schema<string> {
  return text({ minLength: 1, maxLength: 250, pattern: NAME_PATTERN, description: NAME_RULE });
}

/** The name of a key. Source: https://developers.make.com/api-documentation (keys, 128 characters). [inf] */
export function keyName(): Schema<string> {
  return text({ minLength: 1, maxLength: 128, pattern: '\\S', description: 'must not be blank' });
}

/** Free text, stored unchanged. */
export function freeText(maxLength = 255): Schema<string> {
  return text({ maxLength });
}

/**
 * The member `pg` of a list response. Source: https://developers.make.com/api-documentation (Pagination object).
 * [seed]
 */
const PAGE_SCHEMA: Schema<unknown> = named(
  'Pagination',
  object({
    last: text(),
    showLast: flag(),
    sortBy: text(),
    sortDir: oneOf(['asc', 'desc']),
    limit: integer(),
    offset: integer(),
  }),
);

/** The schema of a response with a page of a list: `{ teams: [...], pg: {...} }`. */
export function listed<N extends string, T>(
  member: N,
  items: Schema<T>,
): Schema<{ readonly [K in N]: readonly T[] } & { readonly pg: PageRecord }> {
  const schema: Schema<object> = object({ [member]: list(items), pg: PAGE_SCHEMA });
  return schema as PlainObject;
}

/** The schema of a response with one member: `{ team: {...} }`. */
export function wrapped<N extends string, T>(member: N, schema: Schema<T>): Schema<{ readonly [K in N]: T }> {
  const whole: Schema<object> = object({ [member]: schema });
  return whole as PlainObject;
}

/** `{ ok: 1 }`. */
export const OK_SCHEMA: Schema<Shape<'Ok'>> = shapeSchema('Ok');
export const OK: { readonly ok: number } = Object.freeze({ ok: 1 });

/** Names a list of keys can be filtered by. Source: https://developers.make.com/api-documentation (keys). [doc] */
export const KEY_TYPE_NAMES = [
  'aes-key',
  'apikeyauth',
  'apn',
  'basicauth',
  'clientcertauth',
  'eet',
  'gpg-private',
  'gpg-public',
  'webpay',
] as const;
