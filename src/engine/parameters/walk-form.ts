import { isTruthy } from '../../language/values/value.js';
import { type ChoiceIndex, findOption } from './check-choice.js';
import { copyItems } from './copy-value.js';
import {
  findFamily,
  isListType,
  type Option,
  type ParameterElement,
  type ParameterSpec,
} from './parameter-spec.js';

type Fields = readonly ParameterElement[];

/** A field with a value. */
export type NamedField = ParameterSpec & { readonly name: string };

/** How to read the values of a form. */
export interface ShownBy {
  /** Evaluates a condition. */
  readonly evaluate: (template: string) => unknown;
  /** Returns the nested fields that a field shows. */
  readonly shownBy: (field: NamedField) => readonly Fields[];
}

/**
 * Lists the fields that a form shows, in order. Nested fields follow their field. Reads a value after its field was
 * listed, so that the caller may set it in between.
 */
export function* walkShown(elements: Fields, form: ShownBy): Generator<NamedField> {
  for (const element of elements) {
    if (element.kind === 'reference' || !hasValue(element)) continue;
    // A condition that cannot be evaluated counts as true.
    if (isVisible(element, form.evaluate) === false) continue;
    yield element;
    for (const fields of form.shownBy(element)) yield* walkShown(fields, form);
  }
}

function hasValue(field: ParameterSpec): field is NamedField {
  return field.name !== undefined && findFamily(field.type) !== 'decoration';
}

/** Whether a field is visible; undefined if its condition cannot be evaluated. */
export function isVisible(
  { visible }: ParameterSpec,
  evaluate: ((template: string) => unknown) | undefined,
): boolean | undefined {
  if (typeof visible === 'boolean') return visible;
  try {
    return evaluate && isTruthy(evaluate(visible));
  } catch {
    return undefined;
  }
}

/** Whether a field is filled in. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/**
 * Lists the nested fields that a value shows: a boolean those of its value, a select those of the chosen options,
 * other types their own if a value is set. Own nested fields come before those of `options`. An empty list counts as
 * not set, as erased lists become empty. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/parameters (boolean, select, text). [doc]
 *
 * @param readChoices returns the options of a select; called only if a value is set
 */
export function listShownFields(
  spec: ParameterSpec,
  value: unknown,
  readChoices: () => ChoiceIndex,
): readonly Fields[] {
  const { nested, nestedWhenFalse, choices, multiple } = spec;
  const forAll = nested ?? choices?.nested;
  switch (findFamily(spec.type)) {
    case 'boolean':
      return present([value === true ? forAll : value === false ? nestedWhenFalse : undefined]);
    case 'select': {
      const values = !isSet(value) ? [] : multiple ? (copyItems(value) ?? [value]) : [value];
      const index = values.length === 0 ? undefined : readChoices();
      return listChosenFields(
        spec,
        values.map((item) => index && findOption(index, item)),
      );
    }
    default:
      return isSet(value) && forAll !== undefined && !isEmptyList(spec, value) ? [forAll] : [];
  }
}

function isEmptyList({ type }: ParameterSpec, value: unknown): boolean {
  return isListType(type) && copyItems(value)?.length === 0;
}

/**
 * Nested fields of an option replace those of the field. A value that is not an option, such as a mapped one, shows
 * those of the field. Without a value, those of the placeholder are shown, unless a value is required. [src]
 */
function listChosenFields(
  { type, nested, choices, required }: ParameterSpec,
  chosen: readonly (Option | undefined)[],
): readonly Fields[] {
  // Only type select has a placeholder.
  if (chosen.length === 0) return required || type !== 'select' ? [] : present([choices?.placeholderNested]);
  const forAll = nested ?? choices?.nested;
  return [...new Set(present(chosen.map((option) => option?.nested ?? forAll)))];
}

function present(lists: readonly (Fields | undefined)[]): readonly Fields[] {
  return lists.filter((list) => list !== undefined);
}
