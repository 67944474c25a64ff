import type { Warning } from '../../document/reading/document.js';
import type { Place } from '../../errors/source-location.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { ParameterType } from './parameter-type.js';

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
  readonly place: Place;
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
  readonly place: Place;
}

/** What a form lists: a field, or an address that stands for fields. */
export type ParameterElement = ParameterSpec | ParameterReference;

/** A form specification as it was read. */
export interface ParameterList {
  readonly elements: readonly ParameterElement[];
  readonly warnings: readonly Warning[];
}
