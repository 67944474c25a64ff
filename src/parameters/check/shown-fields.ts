import {
  findFamily,
  isListType,
  type Option,
  type ParameterElement,
  type ParameterSpec,
} from '../form/parameter-spec.js';
import { copyItems } from '../values/copy-value.js';
import { type ChoiceIndex, findOption } from './check-choice.js';

type Fields = readonly ParameterElement[];

/**
 * The lists of fields that the value of a field shows beside it: a boolean those of its value, a select those of the
 * chosen options, any other field its own while it is set. Its own come before those of its `options`. An empty list is
 * what a list becomes that was erased or, in apps of version 1, left empty, so it is not set.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/parameters (boolean, select, text). [doc]
 *
 * @param readChoices The options of a select; asked for only where one is chosen.
 */
export function listShownFields(
  spec: ParameterSpec,
  value: unknown,
  readChoices: () => ChoiceIndex,
): readonly Fields[] {
  const { nested, nestedWhenFalse, choices, multiple } = spec;
  const isSet = value !== undefined && value !== null && value !== '';
  const forAll = nested ?? choices?.nested;
  switch (findFamily(spec.type)) {
    case 'boolean':
      return present([value === true ? forAll : value === false ? nestedWhenFalse : undefined]);
    case 'select': {
      const values = !isSet ? [] : multiple ? (copyItems(value) ?? []) : [value];
      const index = values.length === 0 ? undefined : readChoices();
      return listChosenFields(
        spec,
        values.map((item) => index && findOption(index, item)),
      );
    }
    default:
      return isSet && forAll !== undefined && !isEmptyList(spec, value) ? [forAll] : [];
  }
}

function isEmptyList({ type }: ParameterSpec, value: unknown): boolean {
  return isListType(type) && copyItems(value)?.length === 0;
}

/**
 * What an option brings replaces what the field has for all of them. A chosen value that is no option, such as a mapped
 * one, counts as one that brings nothing. Where nothing is chosen, the placeholder's are shown, unless something has to be. [src]
 */
function listChosenFields(
  { type, nested, choices, required }: ParameterSpec,
  chosen: readonly (Option | undefined)[],
): readonly Fields[] {
  // Only a select has something in the place of a choice.
  if (chosen.length === 0) return required || type !== 'select' ? [] : present([choices?.placeholderNested]);
  const forAll = nested ?? choices?.nested;
  return [...new Set(present(chosen.map((option) => option?.nested ?? forAll)))];
}

function present(lists: readonly (Fields | undefined)[]): readonly Fields[] {
  return lists.filter((list) => list !== undefined);
}
