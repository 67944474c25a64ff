import type { JsonType, KeyShape, Shape } from '../../../engine/document/shape.js';
import type { PlainObject } from '../../../shared/plain-object.js';

/** Title and description of a schema. */
interface SchemaHead {
  /** Name of the file kind: `Communication of an OAuth connection`. */
  readonly title: string;
  /** Purpose of the file. */
  readonly description?: string | undefined;
}

const DRAFT = 'http://json-schema.org/draft-07/schema#';

/**
 * Converts a rule to a JSON Schema (draft 7). Each shape becomes a definition, as shapes can be recursive. `null` is
 * always allowed and means "not set".
 */
export function writeJsonSchema(
  rule: KeyShape,
  { title, description = rule.about }: SchemaHead,
): PlainObject {
  const definitions = new Map<Shape, { readonly name: string; readonly schema: PlainObject }>();
  const refer = (shape: Shape): string => {
    const known = definitions.get(shape);
    if (known !== undefined) return known.name;
    const name = freeName(shape.title, definitions);
    const schema: PlainObject = {};
    // Registered before its members are read, as they may refer to it.
    definitions.set(shape, { name, schema });
    Object.assign(
      schema,
      describeShape(shape, (inner) => chooseSchema(inner, refer)),
    );
    return name;
  };
  const { description: _, ...own } = chooseSchema(rule, refer);
  const named = [...definitions.values()].map(({ name, schema }) => [name, schema]);
  return {
    $schema: DRAFT,
    title,
    ...(description !== undefined && { description }),
    // Keywords of VS Code: app files contain comments and trailing commas.
    allowComments: true,
    allowTrailingCommas: true,
    ...own,
    ...(named.length > 0 && { definitions: Object.fromEntries(named) }),
  };
}

function freeName(title: string, definitions: ReadonlyMap<Shape, { readonly name: string }>): string {
  const plain = title.replace(/^an? /, '').replaceAll(/[^A-Za-z0-9]+/g, '-');
  const taken = new Set([...definitions.values()].map(({ name }) => name));
  for (let count = 1; ; count++) {
    const name = count === 1 ? plain : `${plain}-${count}`;
    if (!taken.has(name)) return name;
  }
}

type Refer = (shape: Shape) => string;

function chooseSchema(rule: KeyShape, refer: Refer): PlainObject {
  const { about, words, types, shape, each = false, orTexts = false } = rule;
  const description = about === undefined ? {} : { description: about, markdownDescription: about };
  if (types === undefined) return description;
  // Examples only, as an expression may produce other texts.
  const offered = words === undefined ? {} : { examples: words };
  if (shape === undefined) return { ...description, type: listTypes(types), ...offered };
  const reference = { $ref: `#/definitions/${refer(shape)}` };
  const others = types.filter((type) => type !== 'object' && !(each && type === 'array'));
  const variants: PlainObject[] = [];
  if (types.includes('object')) variants.push(reference);
  if (each && types.includes('array'))
    variants.push({ type: 'array', items: { anyOf: [reference, orTexts ? TEXT_OR_NULL : NULL] } });
  variants.push({ type: listTypes(others), ...offered });
  return { ...description, anyOf: variants };
}

const NULL: PlainObject = { type: 'null' };
const TEXT_OR_NULL: PlainObject = { type: ['string', 'null'] };

function listTypes(types: readonly JsonType[]): string | readonly string[] {
  return types.length === 0 ? 'null' : [...types, 'null'];
}

function describeShape(shape: Shape, schemaOfRule: (rule: KeyShape) => PlainObject): PlainObject {
  const { keys, pattern, isOpen = false, required = [] } = shape;
  const properties = Object.entries(keys).map(([key, rule]) => [key, schemaOfRule(rule)]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(pattern && { patternProperties: { [pattern.key.source]: schemaOfRule(pattern.rule) } }),
    ...(required.length > 0 && { required }),
    ...(!isOpen && { additionalProperties: false }),
  };
}
