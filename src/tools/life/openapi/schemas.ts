import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import type { References } from './references.js';

export type SchemaKind = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'any';

/** A property of an object schema. */
export interface Property {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
}

/** A schema without references, `allOf`, `oneOf`, `anyOf` and null. Its inner schemas are read on demand. */
export interface SchemaView {
  readonly kind: SchemaKind;
  /** Keywords of the schema and of the schemas merged into it. */
  readonly keywords: PlainObject;
  readonly properties: readonly Property[];
  /** Schema of the items, or of the values of a map. */
  readonly items: unknown;
  /** Allowed values without null; empty if any value is. */
  readonly values: readonly unknown[];
  /** Number of alternatives whose fields were merged; 0 without alternatives. */
  readonly alternatives: number;
  /** Schemas that contain this one, to end cycles. */
  readonly path: readonly object[];
}

/** The text of a keyword; empty without one. */
export function textKeyword({ keywords }: Pick<SchemaView, 'keywords'>, name: string): string {
  const value = ownMember(keywords, name);
  return typeof value === 'string' ? value : '';
}

/** The example of a schema, or its first one; undefined without any. */
export function exampleOf({ keywords, values }: SchemaView): unknown {
  const examples = ownMember(keywords, 'examples');
  const first: unknown = Array.isArray(examples) ? examples[0] : undefined;
  return ownMember(keywords, 'example') ?? first ?? values[0];
}

/**
 * Schemas read for one view, alternatives of alternatives included. Bounds the work for documents whose schemas refer to
 * each other. [choice]
 */
const MAX_PARTS = 500;

interface Merge {
  readonly keywords: PlainObject;
  readonly properties: Map<string, unknown>;
  readonly required: Set<string>;
  readonly visited: object[];
  values: readonly unknown[] | undefined;
  types: readonly string[] | undefined;
  alternatives: number;
}

/**
 * Merges what a schema consists of. Alternatives become one schema with the fields of all; a field is required if all
 * require it.
 *
 * @param path schemas that contain it
 * @returns undefined for no schema, for a reference that leads nowhere, and where a cycle closes
 */
export function viewSchema(
  schema: unknown,
  references: References,
  path: readonly object[] = [],
): SchemaView | undefined {
  return mergeSchema(schema, { references, path, budget: { left: MAX_PARTS } });
}

interface ViewContext {
  readonly references: References;
  readonly path: readonly object[];
  readonly budget: { left: number };
}

function mergeSchema(schema: unknown, context: ViewContext): SchemaView | undefined {
  const merge = startMerge();
  if (!addSchema(schema, { ...context, merge })) return undefined;
  const { keywords, properties, required, values, alternatives } = merge;
  return {
    kind: kindOf(merge),
    keywords,
    properties: [...properties].map(([name, inner]) => ({
      name,
      schema: inner,
      isRequired: required.has(name),
    })),
    items: ownMember(keywords, 'items') ?? ownMember(keywords, 'additionalProperties'),
    values: (values ?? []).filter((value) => value !== null),
    alternatives,
    path: [...context.path, ...containersOf(merge.visited)],
  };
}

/**
 * The schemas in which a cycle closes. A schema that only wraps others stands for them. A schema that others extend may
 * occur below them.
 */
function containersOf(visited: readonly object[]): readonly object[] {
  const [first] = visited;
  return first !== undefined && Object.hasOwn(first, 'properties') ? [first] : visited;
}

function startMerge(): Merge {
  return {
    keywords: {},
    properties: new Map(),
    required: new Set(),
    visited: [],
    values: undefined,
    types: undefined,
    alternatives: 0,
  };
}

interface MergeContext extends ViewContext {
  readonly merge: Merge;
}

/** @returns false if nothing was added */
function addSchema(schema: unknown, context: MergeContext): boolean {
  const { merge, references, path, budget } = context;
  const target = references.follow(schema);
  if (target === undefined || path.includes(target) || merge.visited.includes(target)) return false;
  if (--budget.left < 0) return false;
  merge.visited.push(target);
  for (const part of listOf(target, 'allOf')) addSchema(part, context);
  addKeywords(target, merge);
  // OpenAPI 3.1 allows keywords beside $ref, such as a description of its own.
  if (isPlainObject(schema) && schema !== target) addKeywords(schema, merge);
  for (const name of ['oneOf', 'anyOf']) addAlternatives(listOf(target, name), context);
  return true;
}

function listOf(schema: PlainObject, name: string): readonly unknown[] {
  const list = ownMember(schema, name);
  return Array.isArray(list) ? list : [];
}

function addKeywords(schema: PlainObject, merge: Merge): void {
  for (const [name, value] of Object.entries(schema)) {
    if (!STRUCTURE.has(name)) setMember(merge.keywords, name, value);
  }
  const properties = ownMember(schema, 'properties');
  if (isPlainObject(properties)) {
    for (const [name, inner] of Object.entries(properties)) {
      const known = merge.properties.get(name);
      merge.properties.set(name, known === undefined || known === inner ? inner : { allOf: [known, inner] });
    }
  }
  for (const name of listOf(schema, 'required')) if (typeof name === 'string') merge.required.add(name);
  const values = Object.hasOwn(schema, 'const') ? [schema['const']] : ownMember(schema, 'enum');
  if (Array.isArray(values)) merge.values = values;
  const type = ownMember(schema, 'type');
  const types = (Array.isArray(type) ? type : [type]).filter((one): one is string => typeof one === 'string');
  if (types.length > 0) merge.types = types;
}

const STRUCTURE: ReadonlySet<string> = new Set(
  '$ref allOf oneOf anyOf properties required enum const type'.split(' '),
);

/** Adds the fields of all alternatives. Of `null` and one other, the other counts. */
function addAlternatives(schemas: readonly unknown[], { merge, path, ...context }: MergeContext): void {
  const inner = { ...context, path: [...path, ...merge.visited] };
  const views = schemas
    .map((schema) => mergeSchema(schema, inner))
    .filter((view): view is SchemaView => view !== undefined && view.kind !== 'null');
  const [first] = views;
  if (first === undefined) return;
  if (views.length > 1) merge.alternatives += views.length;
  else for (const [name, value] of Object.entries(first.keywords)) setMember(merge.keywords, name, value);
  addKinds(views, merge);
  for (const name of new Set(
    views.flatMap(({ properties }) => properties.map((property) => property.name)),
  )) {
    const found = views.map((view) => view.properties.find((property) => property.name === name));
    if (found.every((property) => property?.isRequired === true)) merge.required.add(name);
    if (merge.properties.has(name)) continue;
    const schemasOfName = [...new Set(found.flatMap((property) => (property ? [property.schema] : [])))];
    const [only] = schemasOfName;
    merge.properties.set(name, schemasOfName.length === 1 ? only : { anyOf: schemasOfName });
  }
}

function addKinds(views: readonly SchemaView[], merge: Merge): void {
  const kinds = new Set(views.map(({ kind }) => kind));
  const [only] = kinds;
  const isNumeric = [...kinds].every((kind) => kind === 'integer' || kind === 'number');
  const kind = kinds.size === 1 ? only : isNumeric ? 'number' : 'any';
  // Alternatives that only add rules, such as which fields are required, have no type.
  if (kind !== undefined && (kind !== 'any' || (kinds.size > 1 && merge.types === undefined)))
    merge.types = [kind];
  if (merge.values === undefined && views.every(({ values }) => values.length > 0)) {
    merge.values = [...new Set(views.flatMap(({ values }) => values))];
  }
  const items = [...new Set(views.flatMap((view) => (view.items === undefined ? [] : [view.items])))];
  if (kind === 'array' && items.length > 0) {
    merge.keywords['items'] = items.length === 1 ? items[0] : { anyOf: items };
  }
}

function kindOf({ types, properties, keywords, values }: Merge): SchemaKind {
  const named = (types ?? []).filter((type) => type !== 'null');
  const [type] = named;
  if (type !== undefined) {
    if (named.length === 1) return KINDS.has(type) ? (type as SchemaKind) : 'any';
    return named.every((one) => one === 'integer' || one === 'number') ? 'number' : 'any';
  }
  const isNull = values !== undefined && values.length > 0 && values.every((value) => value === null);
  if (types !== undefined || isNull) return 'null';
  if (properties.size > 0 || isPlainObject(ownMember(keywords, 'additionalProperties'))) return 'object';
  if (ownMember(keywords, 'items') !== undefined) return 'array';
  const kinds = new Set((values ?? []).filter((value) => value !== null).map((value) => typeof value));
  const [only] = kinds;
  if (kinds.size === 1 && (only === 'string' || only === 'number' || only === 'boolean')) return only;
  return typeof ownMember(keywords, 'format') === 'string' ? 'string' : 'any';
}

const KINDS: ReadonlySet<string> = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean']);
