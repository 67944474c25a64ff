import { isSecretName } from '../../../engine/redaction/secret-names.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { TOKEN } from '../../check/subject/token-formats.js';
import { inferSample } from '../infer/infer-fields.js';
import { isShown, labelOf } from './fields.js';
import { isUsableName } from './plain-text.js';
import type { References } from './references.js';
import { exampleOf, type SchemaView, textKeyword, viewSchema } from './schemas.js';

/** Levels of a sample below its members. */
const MAX_DEPTH = 4;
/** Values of a sample, nested ones included. */
const MAX_VALUES = 300;

/**
 * A sample of an object: values of the example, of the examples of its properties, else made up by type. It has the
 * members of the schema only, no secrets and no addresses of persons.
 *
 * @param example of the whole object, if the document has one
 */
export function sampleOf(view: SchemaView, references: References, example: unknown): PlainObject {
  const budget = { left: MAX_VALUES };
  const value = sampleValue('', view, example, { references, depth: MAX_DEPTH, budget });
  return cleanSample(isPlainObject(value) ? value : {});
}

/** A sample without secrets and addresses of persons. */
export function cleanSample(value: PlainObject): PlainObject {
  return inferSample([withoutTokens(value)], (name) => isSecretName(name, 'body'));
}

function withoutTokens(value: PlainObject): PlainObject {
  const clean = (item: unknown): unknown => {
    if (typeof item === 'string') return TOKEN.test(item) ? 'secret' : item;
    if (Array.isArray(item)) return item.map(clean);
    return isPlainObject(item) ? withoutTokens(item) : item;
  };
  const cleaned: PlainObject = {};
  for (const [name, item] of Object.entries(value)) setMember(cleaned, name, clean(item));
  return cleaned;
}

interface Context {
  readonly references: References;
  readonly depth: number;
  readonly budget: { left: number };
}

function sampleValue(name: string, view: SchemaView, given: unknown, context: Context): unknown {
  context.budget.left--;
  const written = given ?? exampleOf(view);
  const example = fits(written, view) ? written : undefined;
  switch (view.kind) {
    case 'object':
      return objectOf(view, isPlainObject(example) ? example : {}, context);
    case 'array': {
      const items = viewSchema(view.items, context.references, view.path);
      const first: unknown = Array.isArray(example) ? example[0] : undefined;
      if (items === undefined || context.depth === 0) return [];
      return [sampleValue(name, items, first, { ...context, depth: context.depth - 1 })];
    }
    case 'string':
      return example ?? textOf(name, textKeyword(view, 'format'));
    case 'integer':
    case 'number':
      return example ?? Math.max(1, Number(ownMember(view.keywords, 'minimum') ?? 1) || 1);
    case 'boolean':
      return example ?? true;
    default:
      return example ?? 'Example';
  }
}

/** Examples may contradict their schema. */
function fits(example: unknown, { kind }: SchemaView): boolean {
  switch (kind) {
    case 'object':
      return isPlainObject(example);
    case 'array':
      return Array.isArray(example);
    case 'integer':
    case 'number':
      return typeof example === 'number';
    case 'string':
    case 'boolean':
      return typeof example === kind;
    default:
      return example !== undefined && example !== null;
  }
}

function objectOf(view: SchemaView, example: PlainObject, context: Context): PlainObject {
  const sample: PlainObject = {};
  if (context.depth === 0) return sample;
  for (const { name, schema } of view.properties) {
    if (!isUsableName(name) || context.budget.left <= 0) continue;
    const inner = viewSchema(schema, context.references, view.path);
    if (inner === undefined || !isShown(inner, 'interface')) continue;
    setMember(
      sample,
      name,
      sampleValue(name, inner, ownMember(example, name), { ...context, depth: context.depth - 1 }),
    );
  }
  return sample;
}

function textOf(name: string, format: string): string {
  switch (format) {
    case 'date-time':
      return '2026-01-31T12:00:00.000Z';
    case 'date':
      return '2026-01-31';
    case 'time':
      return '12:00:00Z';
    case 'email':
    case 'idn-email':
      return 'name@example.com';
    case 'uri':
    case 'url':
      return 'https://www.example.com/';
    case 'uuid':
      return '00000000-0000-4000-8000-000000000001';
    case 'byte':
      return 'ZXhhbXBsZQ==';
    default:
      return name === '' ? 'Example' : `Example ${labelOf(name).toLowerCase()}`;
  }
}
