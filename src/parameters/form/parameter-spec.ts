import type { Warning } from '../../document/reading/document.js';
import { EngineError } from '../../errors/engine-error.js';
import type { SourceLocation } from '../../errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../util/plain-object.js';

/** RPCs that one check of a form calls for its fields and options, where its caller does not say. */
export const DEFAULT_MAX_RPC_CALLS = 100;

/** RPC calls for one form whose fields are listed. */
export const MAX_CALLS = 100;

/** Problems kept with their words; further ones are only counted. */
export const MAX_PROBLEMS = 1000;

/** Texts that may use up their time before patterns are no longer tried in a check. */
export const PATTERN_EXHAUSTIONS = 3;

/** Worst case up to which a pattern of a field is tried by the host: its engine is as safe as ours there, and faster. */
export const MAX_HOST_STEPS = 1_000_000;

/** Steps of patterns for all values of one check. */
export const MAX_HOST_STEPS_PER_CHECK = 1_000_000_000;

/** Steps of our own engine for one text: a sixth of what a replacement may take, as a form has many fields. */
export const MAX_MATCH_STEPS = 5_000_000;

/**
 * Every type a parameter can have, as the platform knows them: those of the documentation, those its own validator adds
 * (`checkbox`, `radio`, `list`, `editor`, `upload`, ...), and those that name something of the platform (`account`, `hook`, ...).
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/parameters [doc]; the field types of
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

/** The type of a parameter, one of `PARAMETER_TYPES`. */
export type ParameterType = (typeof PARAMETER_TYPES)[number];

/** What a form treats alike, for the types that are more than one value in a box. */
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

/** `decoration` has no value, `reference` holds the id of something on the platform; undefined for all other types. */
export function findFamily(type: ParameterType): TypeFamily | undefined {
  return FAMILIES.get(type);
}

/** Whether the value is always a list: not so of a select, which holds one where several can be chosen. */
export function isListType(type: ParameterType): boolean {
  return findFamily(type) === 'list' || type === 'filter';
}

const TYPES: ReadonlySet<unknown> = new Set(PARAMETER_TYPES);

/** `account:slack` says which accounts may be chosen; the type is what stands before the colon. [src] */
const QUALIFIED = /^(account|device|hook|keychain|udt):/;

/** The type that is written in a form; undefined for a value that is none. */
export function readParameterType(value: unknown): ParameterType | undefined {
  const name = typeof value === 'string' ? (QUALIFIED.exec(value)?.[1] ?? value) : undefined;
  return TYPES.has(name) ? (name as ParameterType) : undefined; // a member of PARAMETER_TYPES, as just checked
}

/** Levels of fields in fields that are followed: in a form specification and, through RPCs, in a check. */
export const MAX_PARAMETER_DEPTH = 64;

/** One field of a form. Keys that only matter to a form on screen stand in `source`. */
export interface ParameterSpec {
  readonly kind: 'parameter';
  /** The key in `parameters`; undefined for decoration and for the items of an array. */
  readonly name: string | undefined;
  readonly label: string | undefined;
  readonly type: ParameterType;
  readonly required: boolean;
  /** undefined (or null in the file) where there is none. */
  readonly default: unknown;
  /** A condition in IML; true where the file has none. */
  readonly visible: string | boolean;
  readonly multiple: boolean;
  /** False where a date has no time of day. */
  readonly time: boolean;
  /** Whether members of a collection follow the order of `spec`. */
  readonly sequence: boolean;
  readonly codepage: string | undefined;
  readonly tags: TagTreatment | undefined;
  /** False switches off every check but required and type. */
  readonly validate: Constraints | false;
  /** What an array or collection holds. */
  readonly spec: ItemSpec | undefined;
  readonly choices: Choices | undefined;
  /** Fields shown beside this one while it has a value, beside a boolean while it is true. */
  readonly nested: readonly ParameterElement[] | undefined;
  /** Fields shown beside a boolean while it is false. */
  readonly nestedWhenFalse: readonly ParameterElement[] | undefined;
  readonly place: SourceLocation;
  /** The field as it is written, all keys. */
  readonly source: PlainObject;
}

/** What becomes of HTML tags in a text: taken out, those that are never closed too, or written as entities. */
export type TagTreatment = 'strip' | 'stripall' | 'escape';

/** Limits on a value: `min` and `max` are a length for text and bytes, a value for numbers, items for arrays. */
export interface Constraints {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  /** A regular expression the text has to contain a match of. */
  readonly pattern: string | undefined;
  /** The values allowed, also for each item of an array. */
  readonly enum: readonly unknown[] | undefined;
  /** Whether a date before now is refused. */
  readonly refusesPast: boolean;
  /** Whether the items of a list have to differ: as a whole (true), or in the member of this name. */
  readonly unique: true | string | undefined;
}

/** `fields`: every item is a collection of these; `item`: every item has the type of this one. */
export type ItemSpec =
  | { readonly kind: 'fields'; readonly fields: readonly ParameterElement[] }
  | { readonly kind: 'item'; readonly item: ParameterSpec };

/** What a select or a filter offers; for fields of other types their `options` may bring nested fields. */
export interface Choices {
  /** Written in place; undefined where an RPC gives them. */
  readonly options: readonly Option[] | undefined;
  readonly reference: ParameterReference | undefined;
  /** Member of an RPC's result that holds the value of an option. */
  readonly valueKey: string;
  /** Member of an RPC's result that holds what an option is called. */
  readonly labelKey: string;
  /** Fields shown with an option that brings none of its own, unless the field itself has nested ones. */
  readonly nested: readonly ParameterElement[] | undefined;
  /** Fields shown while nothing is chosen. */
  readonly placeholderNested: readonly ParameterElement[] | undefined;
  /** Operators of a filter; undefined where the platform's own are meant. */
  readonly operators: readonly Option[] | undefined;
  /** Whether a filter has `and` only, `or` only, or both (undefined). */
  readonly logic: 'and' | 'or' | undefined;
}

/** One value a select, or an operator a filter, may have. */
export interface Option {
  readonly value: unknown;
  /** What the form shows for it. */
  readonly label: string | undefined;
  /** Whether it is chosen where nothing else is. */
  readonly isDefault: boolean;
  /** Fields shown while it is chosen. */
  readonly nested: readonly ParameterElement[] | undefined;
}

/** Text in the place of fields or options: an address such as `rpc://listFields?table={{parameters.table}}`. */
export interface ParameterReference {
  readonly kind: 'reference';
  readonly text: string;
  readonly place: SourceLocation;
}

/** What a form lists: a field, or an address that stands for fields. */
export type ParameterElement = ParameterSpec | ParameterReference;

/** A form specification as it was read. */
export interface ParameterList {
  readonly elements: readonly ParameterElement[];
  readonly warnings: readonly Warning[];
}

/** Every field that may be shown beside a field, whatever its value. */
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

type FieldIndex = ReadonlyMap<string, readonly ParameterSpec[]>;

const NO_FIELDS: readonly ParameterElement[] = [];

/** A form is read once and answered often. */
const INDEXES = new WeakMap<readonly ParameterElement[], FieldIndex>();

/** All fields whose values stand beside each other, also those that only show for some value of another. */
export function fieldsByName(elements: readonly ParameterElement[]): FieldIndex {
  const known = INDEXES.get(elements);
  if (known !== undefined) return known;
  const fields = new Map<string, ParameterSpec[]>();
  const waiting: ParameterElement[] = [...elements];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (element.kind === 'reference') continue;
    const { name } = element;
    if (name !== undefined) {
      const same = fields.get(name);
      if (same === undefined) fields.set(name, [element]);
      else same.push(element);
    }
    for (const nested of listNestedFields(element)) waiting.push(nested);
  }
  INDEXES.set(elements, fields);
  return fields;
}

/** The fields of the items of an array, however deep arrays stand in arrays, or of the members of a collection. */
export function itemFields(spec: ParameterSpec['spec']): readonly ParameterElement[] {
  if (spec === undefined) return NO_FIELDS;
  return spec.kind === 'fields' ? spec.fields : itemFields(spec.item.spec);
}

/**
 * The field that gives a name of `parameters` its value, wherever it is nested; the outermost one where several have the name.
 * Fields inside of arrays and collections have names of their own and are not looked at.
 */
export function findParameter(list: ParameterList, name: string): ParameterSpec | undefined {
  let elements: readonly ParameterElement[] = list.elements;
  while (elements.length > 0) {
    const found = elements.find(
      (element): element is ParameterSpec => element.kind === 'parameter' && element.name === name,
    );
    if (found !== undefined) return found;
    elements = elements.flatMap((element) => (element.kind === 'parameter' ? listNestedFields(element) : []));
  }
  return undefined;
}

/** A form as it was read: whole, or as the list of its fields. */
export type ReadForm = ParameterList | readonly ParameterElement[];

/**
 * The elements of a form that was read.
 *
 * @param what the function the form was given to, as the message names it
 * @throws EngineError (USAGE) for anything else, such as a specification as the app writes it
 */
export function listFormElements(form: ReadForm, what: string): readonly ParameterElement[] {
  const elements: unknown = isPlainObject(form) ? ownMember(form, 'elements') : form;
  if (Array.isArray(elements) && elements.every(isElement)) return elements;
  throw new EngineError(
    'USAGE',
    `${what} takes a form that was read: what readParameters gives of a specification, or lists of module.parameters().`,
  );
}

function isElement(value: unknown): value is ParameterElement {
  if (typeof value !== 'object' || value === null) return false;
  const kind = ownMember(value, 'kind');
  return kind === 'parameter' || kind === 'reference';
}
