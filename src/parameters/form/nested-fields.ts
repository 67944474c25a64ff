import type { ParameterElement, ParameterSpec } from './parameter-spec.js';

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
