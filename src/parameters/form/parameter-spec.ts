import type { Place } from '../../errors/place.js';
import type { Warning } from '../../document/reading/document.js';
import type { PlainObject } from '../../util/plain-object.js';

/** Every type a parameter can have. Source: reference/connections-modules-rpcs.md (Parameters). [src] */
export const PARAMETER_TYPES = [
  'any',
  'array',
  'banner',
  'boolean',
  'buffer',
  'cert',
  'collection',
  'color',
  'date',
  'email',
  'file',
  'filename',
  'filter',
  'folder',
  'hidden',
  'integer',
  'json',
  'number',
  'password',
  'path',
  'pkey',
  'port',
  'select',
  'text',
  'time',
  'timestamp',
  'timezone',
  'udt',
  'uinteger',
  'url',
  'uuid',
] as const;

export type ParameterType = (typeof PARAMETER_TYPES)[number];

/** Levels of fields in fields that are followed: in a form specification and, through RPCs, in a check. */
export const MAX_PARAMETER_DEPTH = 64;

/** One field of a form. Keys that only matter to a form on screen stand in `source`. */
export interface ParameterSpec {
  readonly kind: 'parameter';
  /** The key in `parameters`; undefined for banners and for the items of an array. */
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
  /** Fields shown beside this one while it has a value. */
  readonly nested: readonly ParameterElement[] | undefined;
  readonly place: Place;
  /** The field as it is written, all keys. */
  readonly source: PlainObject;
}

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
}

/** `fields`: every item is a collection of these; `item`: every item has the type of this one. */
export type ItemSpec =
  | { readonly kind: 'fields'; readonly fields: readonly ParameterElement[] }
  | { readonly kind: 'item'; readonly item: ParameterSpec };

/** What a select or a filter offers. */
export interface Choices {
  /** Written in place; undefined where an RPC gives them. */
  readonly options: readonly Option[] | undefined;
  readonly reference: ParameterReference | undefined;
  /** Member of an RPC's result that holds the value of an option. */
  readonly valueKey: string;
  /** Fields shown with every option. */
  readonly nested: readonly ParameterElement[] | undefined;
  /** Fields shown while nothing is chosen. */
  readonly placeholderNested: readonly ParameterElement[] | undefined;
  /** Operators of a filter; undefined where the platform's own are meant. */
  readonly operators: readonly Option[] | undefined;
  /** Whether a filter has `and` only, `or` only, or both (undefined). */
  readonly logic: 'and' | 'or' | undefined;
}

export interface Option {
  readonly value: unknown;
  readonly isDefault: boolean;
  readonly nested: readonly ParameterElement[] | undefined;
}

/** Text in the place of fields or options: an address such as `rpc://listFields?table={{parameters.table}}`. */
export interface ParameterReference {
  readonly kind: 'reference';
  readonly text: string;
  readonly place: Place;
}

export type ParameterElement = ParameterSpec | ParameterReference;

/** A form specification as it was read. */
export interface ParameterList {
  readonly elements: readonly ParameterElement[];
  readonly warnings: readonly Warning[];
}
