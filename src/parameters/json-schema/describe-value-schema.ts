import { isPlainObject, ownMember, type PlainObject } from '../../util/plain-object.js';
import type { ItemSpec, Option, ParameterElement, ParameterSpec } from '../form/parameter-spec.js';
import { findFamily, type ParameterType } from '../form/parameter-type.js';

/** How the fields of a collection, or of the items of an array, are described. */
export interface ItemSchemas {
  readonly describeFields: (fields: readonly ParameterElement[]) => PlainObject;
}

/** Types whose schema hangs on nothing but the type; all others are text. */
const PLAIN: ReadonlyMap<ParameterType, PlainObject> = new Map<ParameterType, PlainObject>([
  ['any', {}],
  ['boolean', { type: 'boolean' }],
  ['checkbox', { type: 'boolean' }],
  ['email', { type: 'string', format: 'email' }],
  ['integer', { type: 'integer' }],
  ['number', { type: 'number' }],
  ['password', { type: 'string', writeOnly: true }],
  ['port', { type: 'integer', minimum: 0, maximum: 65_535 }],
  ['timestamp', { type: ['string', 'number'] }],
  ['udt', {}],
  ['udttype', {}],
  ['uinteger', { type: 'integer', minimum: 0 }],
  ['url', { type: 'string', format: 'uri' }],
  ['uuid', { type: 'string', format: 'uuid' }],
]);

/** The schema of the value of one field, without the fields that are shown beside it. */
export function describeValueSchema(field: ParameterSpec, items: ItemSchemas): PlainObject {
  return { ...describeType(field, items), ...describeNotes(field) };
}

function describeType(field: ParameterSpec, items: ItemSchemas): PlainObject {
  const { type } = field;
  switch (type) {
    case 'collection':
      return { type: 'object', ...describeMembers(field.spec, items) };
    case 'date':
      return { type: 'string', format: field.time ? 'date-time' : 'date' };
    case 'filter':
      return describeFilter(field);
    case 'json':
      return { ...readSchema(field), 'x-json': true };
    default:
      break;
  }
  switch (findFamily(type)) {
    case 'list':
      return { type: 'array', ...describeItems(field.spec, items), ...itemLimits(field) };
    case 'select':
      return describeSelect(field);
    case 'reference':
      return { type: ['number', 'string'], 'x-reference': type };
    case 'path':
      return { type: 'string', 'x-path': describePath(field), ...describeSource(field) };
    default: {
      const schema = PLAIN.get(type) ?? { type: 'string' };
      return { ...schema, ...limitsFor(field, schema) };
    }
  }
}

/** What a form shows of a field, and the marks of its type. */
function describeNotes({ label, source, default: given, type, visible }: ParameterSpec): PlainObject {
  const help = ownMember(source, 'help');
  const language = ownMember(source, 'language');
  return {
    ...(label !== undefined && { title: label }),
    ...(typeof help === 'string' && help !== '' && { description: help }),
    ...(given !== undefined && given !== '' && { default: given }),
    ...(source['advanced'] === true && { 'x-advanced': true }),
    ...(source['multiline'] === true && { 'x-multiline': true }),
    ...(type === 'editor' && { 'x-editor': true }),
    ...(type === 'editor' && typeof language === 'string' && { 'x-language': language }),
    ...(typeof visible === 'string' && { 'x-visible': visible }),
  };
}

/** A json field may say what its value looks like in a schema of its own. [src] */
function readSchema({ source }: ParameterSpec): PlainObject {
  const schema = ownMember(source, 'schema');
  return isPlainObject(schema) ? schema : {};
}

function describeMembers(spec: ItemSpec | undefined, items: ItemSchemas): PlainObject {
  if (spec === undefined) return {};
  return items.describeFields(spec.kind === 'fields' ? spec.fields : [spec.item]);
}

function describeItems(spec: ItemSpec | undefined, items: ItemSchemas): PlainObject {
  if (spec === undefined) return {};
  return {
    items: spec.kind === 'fields' ? items.describeFields(spec.fields) : describeValueSchema(spec.item, items),
  };
}

function describeSelect(field: ParameterSpec): PlainObject {
  const { choices, multiple, validate } = field;
  const options = choices?.options;
  const isFree = validate === false || validate.enum !== undefined;
  const choice = {
    ...(options !== undefined && !isFree && describeOptions(options)),
    ...(validate !== false && validate.enum !== undefined && { enum: validate.enum }),
    ...describeSource(field),
  };
  if (!multiple) return choice;
  return { type: 'array', items: choice, ...itemLimits(field), ...(field.required && { minItems: 1 }) };
}

function describeOptions(options: readonly Option[]): PlainObject {
  if (options.every(({ label }) => label === undefined)) return { enum: options.map(({ value }) => value) };
  // Several options may have one value, which `oneOf` would refuse.
  return {
    anyOf: options.map(({ value, label }) => ({
      ...(label !== undefined && { title: label }),
      const: value,
    })),
  };
}

function describeSource({ choices }: ParameterSpec): PlainObject {
  return choices?.reference === undefined ? {} : { 'x-fetch': choices.reference.text };
}

function describeFilter({ choices }: ParameterSpec): PlainObject {
  const condition = {
    type: 'object',
    properties: {
      a: choices?.reference === undefined ? {} : { 'x-fetch': choices.reference.text },
      o: choices?.operators === undefined ? { type: 'string' } : { ...describeOptions(choices.operators) },
      b: {},
    },
    required: ['a', 'o'],
  };
  const group = { type: 'array', items: condition };
  const logic = choices?.logic;
  return logic === undefined
    ? { type: 'array', items: group, 'x-filter': 'default' }
    : { ...group, 'x-filter': logic };
}

/** Source: the `options` of file and folder fields: https://www.npmjs.com/package/@makehq/forman-schema. [src] */
function describePath({ type, source }: ParameterSpec): PlainObject {
  const options = ownMember(source, 'options');
  const given = isPlainObject(options) ? options : {};
  const flags = ['ids', 'showRoot', 'singleLevel'].flatMap((name) => {
    const value = ownMember(given, name);
    return typeof value === 'boolean' ? [[name, value] as const] : [];
  });
  return { type, ...Object.fromEntries(flags) };
}

function itemLimits({ validate, required }: ParameterSpec): PlainObject {
  if (validate === false) return {};
  const { min, max, minItems = min, maxItems = max } = validate;
  // A minimum is not asked of a list that may be empty.
  const isMeasured = minItems !== undefined && required;
  return { ...(isMeasured && { minItems }), ...(maxItems !== undefined && { maxItems }) };
}

function limitsFor({ validate, required }: ParameterSpec, schema: PlainObject): PlainObject {
  if (schema['type'] === 'integer' || schema['type'] === 'number') return numberLimits(validate, schema);
  if (schema['type'] !== 'string') return {};
  const { min, max, pattern, enum: allowed } = validate === false ? NO_LIMITS : validate;
  const least = Math.max(min ?? 0, required ? 1 : 0);
  return {
    ...(least > 0 && { minLength: least }),
    ...(max !== undefined && { maxLength: max }),
    ...(pattern !== undefined && (isPortable(pattern) ? { pattern } : { 'x-pattern': pattern })),
    ...(allowed !== undefined && { enum: allowed }),
  };
}

const NO_LIMITS = { min: undefined, max: undefined, pattern: undefined, enum: undefined };

function numberLimits(validate: ParameterSpec['validate'], schema: PlainObject): PlainObject {
  const { min, max, enum: allowed } = validate === false ? NO_LIMITS : validate;
  const least = Math.max(
    min ?? Number.NEGATIVE_INFINITY,
    Number(schema['minimum'] ?? Number.NEGATIVE_INFINITY),
  );
  const most = Math.min(
    max ?? Number.POSITIVE_INFINITY,
    Number(schema['maximum'] ?? Number.POSITIVE_INFINITY),
  );
  return {
    ...(Number.isFinite(least) && { minimum: least }),
    ...(Number.isFinite(most) && { maximum: most }),
    ...(allowed !== undefined && { enum: allowed }),
  };
}

/** JSON Schema reads patterns with the flag `u`, which refuses some that forms take. */
function isPortable(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}
