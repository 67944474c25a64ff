import { collectSecrets } from '../../redaction/collect-secrets.js';
import { isSecretName } from '../../redaction/secret-names.js';
import { fieldsByName, itemFields } from '../form/fields-by-name.js';
import type { ParameterElement, ParameterSpec } from '../form/parameter-spec.js';
import { copyItems, copyMembers } from '../values/copy-value.js';
import { isSecretField } from './secret-field.js';

/** Deeper values are data, no fields. */
const MAX_DEPTH = 20;

/**
 * The texts in the values of a form that nothing may show: those in fields of a secret type, and those under a name
 * that says secret, wherever the fields are nested.
 */
export function secretValues(elements: readonly ParameterElement[], values: unknown): string[] {
  const found: unknown[] = [];
  collect(elements, values, found, 0);
  // The name keeps all of them: none of these values says openly where or how to call.
  return collectSecrets({ secret: found });
}

function collect(
  elements: readonly ParameterElement[],
  values: unknown,
  found: unknown[],
  depth: number,
): void {
  // Only what holds something holds a secret.
  if (depth > MAX_DEPTH || typeof values !== 'object' || values === null) return;
  const members = copyMembers(values) ?? {};
  const fields = fieldsByName(elements);
  // Not by its entries: a pair for each of very many members takes longer than all the rest.
  for (const name of Object.keys(members)) {
    const value = members[name];
    const specs = fields.get(name) ?? [];
    if (isSecretName(name, 'body') || specs.some(isSecretField)) found.push(value);
    else collectInside(specs, value, found, depth);
  }
}

function collectInside(
  specs: readonly ParameterSpec[],
  value: unknown,
  found: unknown[],
  depth: number,
): void {
  const items = copyItems(value);
  const [only] = specs;
  // The list of the form itself, where there is one: what is known of it is kept by it.
  const inner = specs.length <= 1 ? itemFields(only?.spec) : specs.flatMap(({ spec }) => itemFields(spec));
  for (const item of items ?? [value]) collect(inner, item, found, depth + 1);
}
