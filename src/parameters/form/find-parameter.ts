import { listNestedFields } from './nested-fields.js';
import type { ParameterElement, ParameterList, ParameterSpec } from './parameter-spec.js';

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
