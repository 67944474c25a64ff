import { EngineError } from '../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import type { Warning } from '../document/document.js';

/** Default limit of RPC calls per check. */
export const DEFAULT_MAX_RPC_CALLS = 100;

/** Limit of RPC calls when a form is resolved. */
export const MAX_CALLS = 100;

/** Limit of problems with a message; further ones are only counted. */
export const MAX_PROBLEMS = 1000;

/** Number of texts that may exhaust the step limit before a check skips patterns. */
export const PATTERN_EXHAUSTIONS = 3;

/** Step limit of a pattern per text: a sixth of a replacement's limit, as a form has many fields. */
export const MAX_MATCH_STEPS = 5_000_000;

/** Step limit for all patterns of a check. */
export const MAX_MATCH_STEPS_PER_CHECK = 100_000_000;

/**
 * All parameter types of the platform: documented ones, those of its own validator (`checkbox`, `radio`, `list`,
 * `editor`, `upload`, ...), and references to objects of the platform (`account`, `hook`, ...). Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/parameters [doc]; the field types of
 * https://www.npmjs.com/package/@makehq/forman-schema. [src]
 */
export const PARAMETER_TYPES = [
  'account',
  'aiagent',
  'any',
  'array',
  'banner',
  'boolean',
  'buffer',
  'cert',
  'checkbox',
  'collection',
  'color',
  'datastore',
  'date',
  'device',
  'editor',
  'email',
  'file',
  'filename',
  'filestorage',
  'filter',
  'folder',
  'hidden',
  'hook',
  'html',
  'integer',
  'json',
  'keychain',
  'list',
  'markdown',
  'number',
  'password',
  'path',
  'pkey',
  'port',
  'radio',
  'scenario',
  'select',
  'separator',
  'text',
  'time',
  'timestamp',
  'timezone',
  'udt',
  'udtspec',
  'udttype',
  'uinteger',
  'upload',
  'url',
  'uuid',
] as const;

/** A type of `PARAMETER_TYPES`. */
export type ParameterType = (typeof PARAMETER_TYPES)[number];

/** Types that a form treats alike. */
type TypeFamily = 'decoration' | 'boolean' | 'select' | 'list' | 'reference' | 'path';

const FAMILIES: ReadonlyMap<ParameterType, TypeFamily> = new Map<ParameterType, TypeFamily>([
  ['banner', 'decoration'],
  ['html', 'decoration'],
  ['markdown', 'decoration'],
  ['separator', 'decoration'],
  ['boolean', 'boolean'],
  ['checkbox', 'boolean'],
  ['list', 'select'],
  ['radio', 'select'],
  ['select', 'select'],
  ['array', 'list'],
  ['filestorage', 'list'],
  ['udtspec', 'list'],
  ['upload', 'list'],
  ['account', 'reference'],
  ['aiagent', 'reference'],
  ['datastore', 'reference'],
  ['device', 'reference'],
  ['hook', 'reference'],
  ['keychain', 'reference'],
  ['scenario', 'reference'],
  ['file', 'path'],
  ['folder', 'path'],
]);

/**
 * Returns the family of a type. `decoration` has no value, `reference` holds the id of an object of the platform;
 * undefined for scalar types.
 */
export function findFamily(type: ParameterType): TypeFamily | undefined {
  return FAMILIES.get(type);
}

/** Whether the value is always a list. Not true for selects, whose value depends on `multiple`. */
export function isListType(type: ParameterType): boolean {
  return findFamily(type) === 'list' || type === 'filter';
}

const TYPES: ReadonlySet<unknown> = new Set(PARAMETER_TYPES);

/** `account:slack` restricts the accounts; the type precedes the colon. [src] */
const QUALIFIED = /^(account|device|hook|keychain|udt):/;

/** Reads a type; undefined for an unknown one. */
export function readParameterType(value: unknown): ParameterType | undefined {
  const name = typeof value === 'string' ? (QUALIFIED.exec(value)?.[1] ?? value) : undefined;
  return TYPES.has(name) ? (name as ParameterType) : undefined; // checked by `has`
}

/** Largest nesting depth of fields, in a specification and through RPCs. */
export const MAX_PARAMETER_DEPTH = 64;

/** A field of a form. Keys that affect display only are in `source`. */
export interface ParameterSpec {
  readonly kind: 'parameter';
  /** Name in `parameters`; undefined for decoration and array items. */
  readonly name: string | undefined;
  readonly label: string | undefined;
  readonly type: ParameterType;
  readonly required: boolean;
  /** Undefined if absent or null. */
  readonly default: unknown;
  /** A condition in IML. Default: true. */
  readonly visible: string | boolean;
  readonly multiple: boolean;
  /** False if a date has no time of day. */
  readonly time: boolean;
  /** Whether members of a collection follow the order of `spec`. */
  readonly sequence: boolean;
  readonly codepage: string | undefined;
  readonly tags: TagTreatment | undefined;
  /** False disables all checks but type and required. */
  readonly validate: Constraints | false;
  /** Content of an array or collection. */
  readonly spec: ItemSpec | undefined;
  readonly choices: Choices | undefined;
  /** Fields shown if a value is set; for a boolean, if it is true. */
  readonly nested: readonly ParameterElement[] | undefined;
  /** Fields shown if a boolean is false. */
  readonly nestedWhenFalse: readonly ParameterElement[] | undefined;
  readonly place: SourceLocation;
  /** The field as written, with all keys. */
  readonly source: PlainObject;
}

/** Handling of HTML tags: remove, also remove unclosed ones, or escape. */
export type TagTreatment = 'strip' | 'stripall' | 'escape';

/**
 * Constraints of a value. `min` and `max` apply to the length of text and bytes, the value of numbers, and the number
 * of items.
 */
export interface Constraints {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  /** A regular expression that must match a part of the text. */
  readonly pattern: string | undefined;
  /** Allowed values, also of array items. */
  readonly enum: readonly unknown[] | undefined;
  /** Whether dates in the past are rejected. */
  readonly refusesPast: boolean;
  /** Whether items have to be unique: as a whole (true), or by a member. */
  readonly unique: true | string | undefined;
}

/** `fields`: each item is a collection with these fields; `item`: each item has this type. */
export type ItemSpec =
  | { readonly kind: 'fields'; readonly fields: readonly ParameterElement[] }
  | { readonly kind: 'item'; readonly item: ParameterSpec };

/** Options of a select or filter. For other types, options may hold nested fields. */
export interface Choices {
  /** Options in the specification; undefined if an RPC returns them. */
  readonly options: readonly Option[] | undefined;
  readonly reference: ParameterReference | undefined;
  /** Member of an RPC result with the value of an option. */
  readonly valueKey: string;
  /** Member of an RPC result with the label of an option. */
  readonly labelKey: string;
  /** Fields shown with options without nested fields, unless the field itself has nested ones. */
  readonly nested: readonly ParameterElement[] | undefined;
  /** Fields shown while no option is chosen. */
  readonly placeholderNested: readonly ParameterElement[] | undefined;
  /** Operators of a filter; undefined for those of the platform. */
  readonly operators: readonly Option[] | undefined;
  /** Whether a filter supports only `and`, only `or`, or both (undefined). */
  readonly logic: 'and' | 'or' | undefined;
}

/** An option of a select, or an operator of a filter. */
export interface Option {
  readonly value: unknown;
  /** Label in the form. */
  readonly label: string | undefined;
  /** Whether the option is a default. */
  readonly isDefault: boolean;
  /** Fields shown while the option is chosen. */
  readonly nested: readonly ParameterElement[] | undefined;
}

/** Text instead of fields or options: an address such as `rpc://listFields?table={{parameters.table}}`. */
export interface ParameterReference {
  readonly kind: 'reference';
  readonly text: string;
  readonly place: SourceLocation;
}

/** A field, or an RPC address that returns fields. */
export type ParameterElement = ParameterSpec | ParameterReference;

/** A parsed form specification. */
export interface ParameterList {
  readonly elements: readonly ParameterElement[];
  readonly warnings: readonly Warning[];
}

/** Lists all fields that a value of the field may show. */
export function listNestedFields({
  nested,
  nestedWhenFalse,
  choices,
}: ParameterSpec): readonly ParameterElement[] {
  const ofOptions = (choices?.options ?? []).flatMap((option) => option.nested ?? []);
  return [
    ...(nested ?? []),
    ...(nestedWhenFalse ?? []),
    ...ofOptions,
    ...(choices?.nested ?? []),
    ...(choices?.placeholderNested ?? []),
  ];
}

const NO_FIELDS: readonly ParameterElement[] = [];

/**
 * Lists the elements of a level with those nested in them, visible or not, outer ones first.
 *
 * @param expand returns the elements that an RPC adds for an element; each list at most once
 */
export function listLevel(
  elements: readonly ParameterElement[],
  expand: (element: ParameterElement) => readonly ParameterElement[] = () => NO_FIELDS,
): readonly ParameterElement[] {
  const all = [...elements];
  // Grows during the loop.
  for (const element of all) {
    if (element.kind === 'parameter') for (const nested of listNestedFields(element)) all.push(nested);
    for (const added of expand(element)) all.push(added);
  }
  return all;
}

type FieldIndex = ReadonlyMap<string, readonly ParameterSpec[]>;

/** Cached, as a form is read once and used often. */
const INDEXES = new WeakMap<readonly ParameterElement[], FieldIndex>();

/** Indexes the fields of a level by name, those of `listLevel`. */
export function fieldsByName(elements: readonly ParameterElement[]): FieldIndex {
  const known = INDEXES.get(elements);
  if (known !== undefined) return known;
  const fields = new Map<string, ParameterSpec[]>();
  for (const element of listLevel(elements)) {
    if (element.kind === 'reference' || element.name === undefined) continue;
    const same = fields.get(element.name);
    if (same === undefined) fields.set(element.name, [element]);
    else same.push(element);
  }
  INDEXES.set(elements, fields);
  return fields;
}

/** Returns the fields of array items, through nested arrays, or of a collection. */
export function itemFields(spec: ParameterSpec['spec']): readonly ParameterElement[] {
  if (spec === undefined) return NO_FIELDS;
  return spec.kind === 'fields' ? spec.fields : itemFields(spec.item.spec);
}

/**
 * Finds the field of a name in `parameters`, also if nested; the outermost of several. Ignores fields inside of arrays
 * and collections.
 */
export function findParameter(list: ParameterList, name: string): ParameterSpec | undefined {
  return fieldsByName(list.elements).get(name)?.[0];
}

/** A parsed form, or the list of its fields. */
export type ReadForm = ParameterList | readonly ParameterElement[];

/**
 * Returns the elements of a parsed form.
 *
 * @param what name of the calling function for messages
 * @throws EngineError (USAGE) for other values, such as an unparsed specification
 */
export function listFormElements(form: ReadForm, what: string): readonly ParameterElement[] {
  const elements: unknown = isPlainObject(form) ? ownMember(form, 'elements') : form;
  if (Array.isArray(elements) && elements.every(isElement)) return elements;
  throw new EngineError(
    'USAGE',
    `${what} expects a parsed form: the result of readParameters, or lists of module.parameters().`,
  );
}

function isElement(value: unknown): value is ParameterElement {
  if (typeof value !== 'object' || value === null) return false;
  const kind = ownMember(value, 'kind');
  return kind === 'parameter' || kind === 'reference';
}
