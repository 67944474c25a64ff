import { isPlainObject, ownMember, type PlainObject, setMember } from '../../shared/plain-object.js';
import {
  findFamily,
  type ItemSpec,
  isListType,
  listFormElements,
  type Option,
  type ParameterElement,
  type ParameterSpec,
  type ParameterType,
  type ReadForm,
} from './parameter-spec.js';

/** A JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = Readonly<PlainObject>;

interface Form extends ItemSchemas {
  /** Definition names of nested field lists. Each list is defined once. */
  readonly names: Map<readonly ParameterElement[], string>;
  readonly definitions: PlainObject;
}

/**
 * Converts a form to a JSON Schema (draft 2020-12), for user interfaces and assistants. Uses standard keywords for
 * required fields, types, limits, options and nested fields. The schema describes converted values, while
 * `validateParameters` also accepts values it can convert. Extensions start with `x-`, named as in the platform's own
 * schemas:
 *
 * - `x-fetch`: the `rpc://` address of the options; `x-nested`: the schema of nested fields (`$ref`), or their
 * `rpc://` address;
 *   `x-path`: a file or folder, with `type`, `ids`, `showRoot` and `singleLevel`;
 * - `x-filter` (`default`, `and`, `or`), `x-json`, `x-editor`, `x-language`, `x-multiline`, `x-advanced`;
 * - ours: `x-visible` (an IML condition), `x-pattern` (a pattern JSON Schema cannot express), `x-reference`
 * (`account`, `hook`, ...).
 *
 * Omits decoration and fields that are never shown. Calls no RPC: use `parameters({ resolve: true })` to include RPC
 * results.
 *
 * @param form result of `readParameters`, or a list of fields such as those of a module
 * @returns a copy that shares nothing with the form and can be serialized
 * @throws EngineError (USAGE) for a form that was not read
 * @example
 * const { static: fixed, mappable } = await engine.module('createContact').parameters({ resolve: true });
 * const schema = toJsonSchema([...fixed, ...mappable]);
 * @see https://www.npmjs.com/package/@makehq/forman-schema
 */
export function toJsonSchema(form: ReadForm): JsonSchema {
  const definitions: PlainObject = {};
  const context: Form = {
    names: new Map(),
    definitions,
    describeFields: (fields) => describeFields(context, fields),
  };
  const schema = describeFields(context, listFormElements(form, 'toJsonSchema'));
  const $defs = Object.keys(definitions).length > 0 ? { $defs: definitions } : {};
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  return JSON.parse(JSON.stringify({ $schema, ...schema, ...$defs })) as JsonSchema;
}

function describeFields(form: Form, fields: readonly ParameterElement[]): PlainObject {
  const properties: PlainObject = {};
  const required: string[] = [];
  const allOf: PlainObject[] = [];
  for (const field of fields) {
    if (field.kind === 'reference') {
      allOf.push({ 'x-nested': { $ref: field.text } });
      continue;
    }
    const { name } = field;
    if (name === undefined || findFamily(field.type) === 'decoration' || field.visible === false) continue;
    const { schema, conditions } = describeField(form, field, name);
    setMember(properties, name, schema);
    for (const condition of conditions) allOf.push(condition);
    // Only an evaluation shows whether a field with a condition is required.
    if (field.required && field.visible === true && !required.includes(name)) required.push(name);
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(allOf.length > 0 && { allOf }),
  };
}

function describeField(
  form: Form,
  field: ParameterSpec,
  name: string,
): { readonly schema: PlainObject; readonly conditions: readonly PlainObject[] } {
  const schema = describeValueSchema(field, form);
  const forAll = field.nested ?? field.choices?.nested;
  const marker = forAll && { 'x-nested': markNested(form, forAll) };
  const conditions = listConditions(field, name).map(({ when, shown }: Condition) => ({
    if: when,
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: isRemote(shown) ? { 'x-nested': markNested(form, shown) } : referTo(form, shown),
  }));
  return { schema: { ...schema, ...marker }, conditions };
}

/** Whether all nested fields come from one RPC, whose address no validator can follow. */
function isRemote(fields: readonly ParameterElement[]): boolean {
  return fields.length === 1 && fields[0]?.kind === 'reference';
}

function markNested(form: Form, fields: readonly ParameterElement[]): PlainObject {
  const [first] = fields;
  return isRemote(fields) && first?.kind === 'reference' ? { $ref: first.text } : referTo(form, fields);
}

/** Returns a reference to the definition of a nested field list. */
function referTo(form: Form, fields: readonly ParameterElement[]): PlainObject {
  const known = form.names.get(fields);
  const name = known ?? `nested-${form.names.size + 1}`;
  if (known === undefined) {
    form.names.set(fields, name);
    setMember(form.definitions, name, {});
    setMember(form.definitions, name, describeFields(form, fields));
  }
  return { $ref: `#/$defs/${name}` };
}

/** Describes the fields of collections and array items. */
interface ItemSchemas {
  readonly describeFields: (fields: readonly ParameterElement[]) => PlainObject;
}

/** Types whose schema depends on the type only. Other types are text. */
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

/** Describes the value of a field, without nested fields. */
function describeValueSchema(field: ParameterSpec, items: ItemSchemas): PlainObject {
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

/** Describes label, help, default and display hints of a field. */
function describeNotes({ label, source, default: initial, type, visible }: ParameterSpec): PlainObject {
  const help = ownMember(source, 'help');
  const language = ownMember(source, 'language');
  return {
    ...(label !== undefined && { title: label }),
    ...(typeof help === 'string' && help !== '' && { description: help }),
    ...(initial !== undefined && initial !== '' && { default: initial }),
    ...(source['advanced'] === true && { 'x-advanced': true }),
    ...(source['multiline'] === true && { 'x-multiline': true }),
    ...(type === 'editor' && { 'x-editor': true }),
    ...(type === 'editor' && typeof language === 'string' && { 'x-language': language }),
    ...(typeof visible === 'string' && { 'x-visible': visible }),
  };
}

/** A json field may define a schema of its value. [src] */
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
  // Uses `anyOf`, as several options may have the same value, which `oneOf` rejects.
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
  const settings = isPlainObject(options) ? options : {};
  const flags = ['ids', 'showRoot', 'singleLevel'].flatMap((name) => {
    const value = ownMember(settings, name);
    return typeof value === 'boolean' ? [[name, value] as const] : [];
  });
  return { type, ...Object.fromEntries(flags) };
}

function itemLimits({ validate, required }: ParameterSpec): PlainObject {
  if (validate === false) return {};
  const { min, max, minItems = min, maxItems = max } = validate;
  // A minimum applies to required lists only.
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

/** JSON Schema uses the flag `u`, which rejects some patterns that forms accept. */
function isPortable(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Nested fields that are shown if a condition holds. */
interface Condition {
  /** A schema of the form's values. */
  readonly when: PlainObject;
  readonly shown: readonly ParameterElement[];
}

const EMPTY: readonly unknown[] = ['', null];

/** Lists the conditions of nested fields, equivalent to `listShownFields`. */
function listConditions(field: ParameterSpec, name: string): readonly Condition[] {
  const { nested, nestedWhenFalse, choices } = field;
  const forAll = nested ?? choices?.nested;
  switch (findFamily(field.type)) {
    case 'boolean':
      return present([
        { when: has(name, { const: true }), shown: forAll },
        { when: has(name, { const: false }), shown: nestedWhenFalse },
      ]);
    case 'select':
      return listChoices(field, name, forAll);
    default: {
      const empty = isListType(field.type) ? [...EMPTY, []] : EMPTY;
      return present([{ when: has(name, { not: { enum: empty } }), shown: forAll }]);
    }
  }
}

function listChoices(
  { type, choices, multiple, required }: ParameterSpec,
  name: string,
  forAll: readonly ParameterElement[] | undefined,
): readonly Condition[] {
  const options = choices?.options ?? [];
  const withNested = options.filter((option) => option.nested !== undefined);
  const chosen = (schema: PlainObject): PlainObject => has(name, multiple ? { contains: schema } : schema);
  const others = { not: { enum: [...EMPTY, ...withNested.map(({ value }) => value)] } };
  const nothing: PlainObject = { anyOf: [{ not: has(name, {}) }, has(name, { enum: EMPTY })] };
  return present([
    ...withNested.map(({ value, nested }) => ({ when: chosen({ const: value }), shown: nested })),
    { when: chosen(others), shown: forAll },
    { when: nothing, shown: required || type !== 'select' ? undefined : choices?.placeholderNested },
  ]);
}

function has(name: string, schema: PlainObject): PlainObject {
  const properties: PlainObject = {};
  setMember(properties, name, schema);
  return { properties, required: [name] };
}

function present(
  conditions: readonly { readonly when: PlainObject; readonly shown: Condition['shown'] | undefined }[],
): readonly Condition[] {
  return conditions.flatMap(({ when, shown }) => (shown === undefined ? [] : [{ when, shown }]));
}
