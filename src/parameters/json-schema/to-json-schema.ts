import { type PlainObject, setMember } from '../../util/plain-object.js';
import { listFormElements, type ReadForm } from '../form/list-form-elements.js';
import type { ParameterElement, ParameterSpec } from '../form/parameter-spec.js';
import { findFamily } from '../form/parameter-type.js';
import { describeValueSchema, type ItemSchemas } from './describe-value-schema.js';
import { type Condition, listConditions } from './list-conditions.js';

/** A JSON Schema of draft 2020-12, as plain data. */
export type JsonSchema = Readonly<PlainObject>;

interface Form extends ItemSchemas {
  /** Lists of nested fields by the name of their definition: a list stands once, wherever it is shown. */
  readonly names: Map<readonly ParameterElement[], string>;
  readonly definitions: PlainObject;
}

/**
 * Describes the values of a form as a JSON Schema (draft 2020-12): for forms on screen, and for assistants that fill them in.
 * Required fields, types, limits, options and nested fields are keywords any validator knows; the schema asks for values in
 * the types of the fields, where `validateParameters` also converts. What JSON Schema cannot say stands in members that
 * start with `x-`, named as in the platform's own schemas:
 *
 * - `x-fetch`: the `rpc://` address the options come from; `x-nested`: the schema of the fields shown beside this one
 *   (`$ref`), or the `rpc://` addresses they come from; `x-path`: a file or folder, with `type`, `ids`, `showRoot` and `singleLevel`;
 * - `x-filter` (`default`, `and`, `or`), `x-json`, `x-editor`, `x-language`, `x-multiline`, `x-advanced`;
 * - ours: `x-visible` (the condition in IML), `x-pattern` (a pattern JSON Schema cannot hold), `x-reference` (`account`, `hook`, ...).
 *
 * Fields that never show and decoration are left out. RPCs are not asked: list the fields of a module with
 * `resolve: true` for a schema with their answers in it.
 *
 * @param form What `readParameters` gave, or a list of fields such as those of a module.
 * @returns A copy: it shares nothing with the form, and can be written as JSON.
 * @throws EngineError (USAGE) for what is no form that was read
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
    // Of a field with a condition only an evaluation tells whether it is demanded.
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

/** Whether nested fields are nothing but what an RPC gives: no validator can follow its address. */
function isRemote(fields: readonly ParameterElement[]): boolean {
  return fields.length === 1 && fields[0]?.kind === 'reference';
}

function markNested(form: Form, fields: readonly ParameterElement[]): PlainObject {
  const [first] = fields;
  return isRemote(fields) && first?.kind === 'reference' ? { $ref: first.text } : referTo(form, fields);
}

/** A reference to the definition of a list of nested fields. */
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
