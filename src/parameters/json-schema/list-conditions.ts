import { type PlainObject, setMember } from '../../util/plain-object.js';
import type { ParameterElement, ParameterSpec } from '../form/parameter-spec.js';
import { findFamily, isListType } from '../form/parameter-type.js';

/** Fields that are shown while a condition on the values holds. */
export interface Condition {
  /** A schema of the values of the form. */
  readonly when: PlainObject;
  readonly shown: readonly ParameterElement[];
}

const EMPTY: readonly unknown[] = ['', null];

/** When a field shows which nested fields, as `listShownFields` decides it for a value. */
export function listConditions(field: ParameterSpec, name: string): readonly Condition[] {
  const { nested, nestedWhenFalse, choices } = field;
  const forAll = nested ?? choices?.nested;
  switch (findFamily(field.type)) {
    case 'boolean':
      return present([
        { when: has(name, { const: true }), shown: forAll },
        { when: has(name, { const: false }), shown: nestedWhenFalse },
      ]);
    case 'select':
      return listChoices(field, name, forAll);
    default: {
      const empty = isListType(field.type) ? [...EMPTY, []] : EMPTY;
      return present([{ when: has(name, { not: { enum: empty } }), shown: forAll }]);
    }
  }
}

function listChoices(
  { type, choices, multiple, required }: ParameterSpec,
  name: string,
  forAll: readonly ParameterElement[] | undefined,
): readonly Condition[] {
  const options = choices?.options ?? [];
  const withNested = options.filter((option) => option.nested !== undefined);
  const chosen = (schema: PlainObject): PlainObject => has(name, multiple ? { contains: schema } : schema);
  const others = { not: { enum: [...EMPTY, ...withNested.map(({ value }) => value)] } };
  const nothing: PlainObject = { anyOf: [{ not: has(name, {}) }, has(name, { enum: EMPTY })] };
  return present([
    ...withNested.map(({ value, nested }) => ({ when: chosen({ const: value }), shown: nested })),
    { when: chosen(others), shown: forAll },
    { when: nothing, shown: required || type !== 'select' ? undefined : choices?.placeholderNested },
  ]);
}

function has(name: string, schema: PlainObject): PlainObject {
  const properties: PlainObject = {};
  setMember(properties, name, schema);
  return { properties, required: [name] };
}

function present(
  conditions: readonly { readonly when: PlainObject; readonly shown: Condition['shown'] | undefined }[],
): readonly Condition[] {
  return conditions.flatMap(({ when, shown }) => (shown === undefined ? [] : [{ when, shown }]));
}
