import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';
import { DATE_NAME } from '../../check/rules/review/forms.js';
import { toLabel } from '../names.js';
import { firstSentences, isUsableName, wordsOf } from './plain-text.js';
import type { References } from './references.js';
import { exampleOf, type SchemaView, textKeyword, viewSchema } from './schemas.js';

/** Use of fields: a form has no read-only ones, an interface no write-only ones. */
export type FieldUse = 'form' | 'interface';

export interface FieldOptions {
  readonly use: FieldUse;
  readonly references: References;
  /** Values of the described schema in examples of the document. Default: none. */
  readonly examples?: readonly unknown[];
}

/** Levels of nested fields that are tried, from the most detailed. */
const DEPTHS = [6, 4, 3, 2, 1, 0];

/** Fields of one form or interface, nested ones included, before the nesting is reduced. [choice] */
const MAX_FIELDS = 300;

interface Context extends FieldOptions {
  /** Levels below this one. */
  readonly depth: number;
  readonly budget: { left: number };
}

/** The fields of an object, nested as deep as a bounded number of fields allows. */
export function describeFields(view: SchemaView, options: FieldOptions): readonly PlainObject[] {
  for (const depth of DEPTHS) {
    const budget = { left: MAX_FIELDS };
    const fields = listFields(view, { ...options, depth, budget });
    if (budget.left >= 0) return fields;
  }
  return listFields(view, { ...options, depth: 0, budget: { left: Number.POSITIVE_INFINITY } });
}

/** The context of a member, or of the items of a list. */
function inside(view: SchemaView, member: string | undefined, context: Context): Context {
  const own = exampleOf(view);
  const examples = [...(context.examples ?? []), ...(own === undefined ? [] : [own])].flatMap((example) => {
    if (member === undefined) return Array.isArray(example) ? example : [];
    return isPlainObject(example) && Object.hasOwn(example, member) ? [example[member]] : [];
  });
  return { ...context, examples };
}

/** One field; see `describeFields`. */
export function describeField(
  {
    name,
    schema,
    isRequired,
  }: { readonly name: string; readonly schema: unknown; readonly isRequired: boolean },
  options: FieldOptions,
  path: readonly object[] = [],
): PlainObject {
  for (const depth of DEPTHS) {
    const context = { ...options, depth, budget: { left: MAX_FIELDS } };
    const view = viewSchema(schema, options.references, path) ?? closeCycle(schema, options.references);
    const field = fieldOf(name, view, { isRequired, isNested: false }, context);
    if (context.budget.left >= 0) return field;
  }
  return { name, label: labelOf(name), type: 'any' };
}

/** Required fields first in a form, as users fill them in. */
function listFields(view: SchemaView, context: Context, isNested = false): readonly PlainObject[] {
  const fields: PlainObject[] = [];
  for (const { name, schema, isRequired } of view.properties) {
    if (!isUsableName(name)) continue;
    const inner = viewSchema(schema, context.references, view.path) ?? closeCycle(schema, context.references);
    if (inner !== undefined && !isShown(inner, context.use)) continue;
    if (--context.budget.left < 0) break;
    fields.push(fieldOf(name, inner, { isRequired, isNested }, inside(view, name, context)));
  }
  if (context.use === 'interface') return fields;
  const isRequired = (field: PlainObject): boolean => field['required'] === true;
  return [...fields.filter(isRequired), ...fields.filter((field) => !isRequired(field))];
}

/** A schema that contains itself ends as an object or a list without fields. */
function closeCycle(schema: unknown, references: References): SchemaView | undefined {
  const view = viewSchema(schema, references);
  return view && { ...view, properties: [], items: undefined, values: [] };
}

/** Whether a property belongs into a form or an interface. */
export function isShown({ keywords }: SchemaView, use: FieldUse): boolean {
  return ownMember(keywords, use === 'form' ? 'readOnly' : 'writeOnly') !== true;
}

/** A label of at most six words, which is what the review accepts. */
export function labelOf(name: string): string {
  const label = toLabel(wordsOf(name).slice(0, 6));
  return label === '' ? name : label;
}

const MAX_HELP = 250;

/** The form of a date without a time. */
const DAY_FORMAT = /YYYY|\d{4}-\d{2}-\d{2}(?!T)/;

function fieldOf(
  name: string,
  view: SchemaView | undefined,
  { isRequired, isNested }: { readonly isRequired: boolean; readonly isNested: boolean },
  context: Context,
): PlainObject {
  const label = labelOf(name);
  if (view === undefined)
    return { name, label, type: 'any', ...(context.use === 'form' && isRequired && { required: true }) };
  const type = typeOf(name, view, context, isNested);
  if (context.use === 'interface') return { name, label, ...type };
  const help = helpOf(name, view, String(type['type']));
  const fallback = defaultOf(view);
  return {
    name,
    label,
    ...type,
    ...(isRequired && { required: true }),
    ...(isRequired && fallback !== undefined && { default: fallback }),
    ...(help !== '' && { help }),
  };
}

function helpOf(name: string, view: SchemaView, type: string): string {
  const text = firstSentences(textKeyword(view, 'description'), MAX_HELP)
    .replace(/\(?\be\.g\.,?\s/gi, (found) => (found.startsWith('(') ? '(for example, ' : 'for example, '))
    .replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  const help = sameWords(text, labelOf(name)) ? '' : text;
  const isDay = textKeyword(view, 'format') === 'date' || DATE_NAME.test(name);
  if (type !== 'text' || !isDay || DAY_FORMAT.test(help)) return help;
  return `${help}${help === '' || /[.!?…]$/.test(help) ? '' : '.'} For example, \`2026-01-31\`.`.trim();
}

function sameWords(text: string, label: string): boolean {
  const plain = (words: string): string => words.toLowerCase().replace(/^the |[^\p{L}\p{N}]/gu, '');
  return plain(text) === plain(label);
}

/** The default of a required field, and the only value that it may have. */
function defaultOf(view: SchemaView): unknown {
  const value =
    ownMember(view.keywords, 'default') ?? (view.values.length === 1 ? view.values[0] : undefined);
  if (typeof value === 'string') {
    const isFree = view.kind === 'string' && textKeyword(view, 'format') === '';
    const isOption = view.values.includes(value);
    return value.includes('{{') || !(isFree || isOption) ? undefined : value;
  }
  if (typeof value === 'boolean') return view.kind === 'boolean' ? value : undefined;
  return typeof value === 'number' && (view.kind === 'integer' || view.kind === 'number') ? value : undefined;
}

function typeOf(name: string, view: SchemaView, context: Context, isNested = true): PlainObject {
  const options = context.use === 'form' ? optionsOf(view) : [];
  if (options.length > 0) return { type: 'select', options };
  switch (view.kind) {
    case 'object':
      return collectionOf(view, context);
    case 'array':
      return arrayOf(name, view, context);
    case 'string':
      return textType(name, view, context, isNested);
    case 'integer':
      return { type: isPositive(view) ? 'uinteger' : 'integer' };
    case 'number':
    case 'boolean':
      return { type: view.kind };
    default:
      return { type: 'any' };
  }
}

function isPositive({ keywords }: SchemaView): boolean {
  const minimum = ownMember(keywords, 'minimum') ?? ownMember(keywords, 'exclusiveMinimum');
  return typeof minimum === 'number' && minimum >= 0;
}

function optionsOf({ values }: SchemaView): readonly PlainObject[] {
  const scalars = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  if (scalars.length !== values.length) return [];
  const known = new Set<string>();
  return scalars
    .filter((value) => value !== '' && !String(value).includes('{{'))
    .map((value) => {
      // Codes of countries and currencies stay as they are.
      const isCode = typeof value === 'number' || /^[A-Z\d]{1,4}$/.test(value);
      const label = isCode ? String(value) : labelOf(value);
      const shown = known.has(label) ? String(value) : label;
      known.add(shown);
      return { label: shown, value };
    });
}

function collectionOf(view: SchemaView, context: Context): PlainObject {
  if (context.depth === 0) return { type: 'collection' };
  const spec = listFields(view, { ...context, depth: context.depth - 1 }, true);
  return { type: 'collection', ...(spec.length > 0 && { spec }) };
}

function arrayOf(name: string, view: SchemaView, context: Context): PlainObject {
  const items = viewSchema(view.items, context.references, view.path);
  if (items === undefined || items.kind === 'any') return { type: 'array' };
  const options = context.use === 'form' ? optionsOf(items) : [];
  if (options.length > 0) return { type: 'select', multiple: true, options };
  const { type, spec, ...others } = typeOf(name, items, inside(view, undefined, context));
  if (type === 'collection') return { type: 'array', ...(spec !== undefined && { spec }) };
  return { type: 'array', spec: { type, ...(spec !== undefined && { spec }), ...others } };
}

/** Types of fields by format, and the values that the platform accepts for them. */
const FORMATS: Readonly<Record<string, readonly [type: string, accepts: RegExp]>> = {
  'date-time': ['date', /^/],
  email: ['email', /@/],
  'idn-email': ['email', /@/],
  uri: ['url', /^https?:\/\//i],
  url: ['url', /^https?:\/\//i],
  uuid: ['uuid', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i],
};

const FILE = { type: 'buffer', semantic: 'file:data' } as const;

function textType(
  name: string,
  view: SchemaView,
  { use, examples = [] }: Context,
  isNested: boolean,
): PlainObject {
  const format = textKeyword(view, 'format');
  if (format === 'binary' && use === 'interface') return FILE;
  if (format === 'password' && use === 'form') return { type: 'password' };
  const [known, accepts] = (Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined) ?? [];
  // A URI may be `urn:...` or `data:...`, which a URL field refuses: the examples of the document decide.
  const shown = [...examples, exampleOf(view), ownMember(view.keywords, 'default')];
  const isAccepted = shown.every((value) => typeof value !== 'string' || accepts?.test(value));
  if (known !== undefined && isAccepted) return { type: known };
  // A nested date would be sent with its time, so it stays a text.
  if (format === 'date' && use === 'form' && !isNested) return { type: 'date', time: false };
  if (format === '' && use === 'form' && isDateByName(name, view)) return { type: 'date' };
  return { type: 'text' };
}

/** Whether a text without a format is a date and time by its name, unless the document shows a date alone. [inf] */
function isDateByName(name: string, view: SchemaView): boolean {
  const example = exampleOf(view);
  const isDay = typeof example === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(example);
  return DATE_NAME.test(name) && !isDay && !DAY_FORMAT.test(textKeyword(view, 'description'));
}
