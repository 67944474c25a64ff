import { listNestedFields } from './nested-fields.js';
import type { ParameterElement, ParameterSpec } from './parameter-spec.js';

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
