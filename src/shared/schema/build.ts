import type { PlainObject } from '../plain-object.js';

declare const TYPE: unique symbol;

/** A JSON Schema as plain data. The TypeScript type of its values exists at compile time only. */
export type Schema<T> = PlainObject & { readonly [TYPE]?: T };

/** The type of the values a schema accepts. */
export type Static<S> = S extends Schema<infer T> ? T : never;

export type SchemaMap = Readonly<Record<string, Schema<unknown>>>;

type Members<R extends SchemaMap, O extends SchemaMap> = { readonly [K in keyof R]: Static<R[K]> } & {
  readonly [K in keyof O]?: Static<O[K]>;
};

/** Additional JSON Schema keywords, such as `maxLength` or `description`. */
export type Keywords = PlainObject;

export function text(keywords: Keywords = {}): Schema<string> {
  return { type: 'string', ...keywords };
}

/** A safe integer. */
export function integer(keywords: Keywords = {}): Schema<number> {
  return { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, ...keywords };
}

export function number(keywords: Keywords = {}): Schema<number> {
  return { type: 'number', ...keywords };
}

export function flag(keywords: Keywords = {}): Schema<boolean> {
  return { type: 'boolean', ...keywords };
}

/** Text such as `2026-01-31T12:00:00.000Z`. */
export function dateTime(keywords: Keywords = {}): Schema<string> {
  return { type: 'string', format: 'date-time', ...keywords };
}

export function oneOf<const V extends string | number>(
  values: readonly V[],
  keywords: Keywords = {},
): Schema<V> {
  return { type: typeof values[0] === 'number' ? 'integer' : 'string', enum: values, ...keywords };
}

export function list<T>(items: Schema<T>, keywords: Keywords = {}): Schema<readonly T[]> {
  return { type: 'array', items, ...keywords };
}

/** An object with any members. */
export function freeForm(keywords: Keywords = {}): Schema<Readonly<PlainObject>> {
  return { type: 'object', ...keywords };
}

export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  const { type, enum: values } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) };
}

/** An object with required and optional members; unknown members are allowed. */
export function object<R extends SchemaMap, O extends SchemaMap = Record<never, never>>(
  required: R,
  optional?: O,
  keywords: Keywords = {},
): Schema<Members<R, O>> {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
    ...keywords,
  };
}

/** Sets the name of a schema in a document of several schemas. */
export function named<T>(title: string, schema: Schema<T>): Schema<T> {
  return { title, ...schema };
}
