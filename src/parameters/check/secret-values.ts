import { collectNamedSecrets, collectSecrets } from '../../redaction/collect-secrets.js';
import { isSecretName } from '../../redaction/secret-names.js';
import { fieldsByName, itemFields } from '../form/fields-by-name.js';
import type { ParameterElement, ParameterSpec } from '../form/parameter-spec.js';
import { copyItems, copyMembers } from '../values/copy-value.js';
import { isSecretField } from './secret-field.js';

/** Deeper values are data, no fields: only their names tell of them. */
const MAX_DEPTH = 20;

/**
 * The texts in the values of a form that nothing may show: those in fields of a secret type, and those under a name
 * that says secret, wherever the fields are nested.
 */
export function secretValues(elements: readonly ParameterElement[], values: unknown): string[] {
  const found: Found = { secret: [], deep: [] };
  collect(elements, values, found, 0);
  const named = found.deep.length === 0 ? [] : collectNamedSecrets(found.deep);
  // The name keeps all of them: none of these values says openly where or how to call.
  return [...collectSecrets({ secret: found.secret }), ...named];
}

interface Found {
  readonly secret: unknown[];
  readonly deep: unknown[];
}

function collect(elements: readonly ParameterElement[], values: unknown, found: Found, depth: number): void {
  // Only what holds something holds a secret.
  if (typeof values !== 'object' || values === null) return;
  if (depth > MAX_DEPTH) {
    found.deep.push(values);
    return;
  }
  const members = copyMembers(values) ?? {};
  const fields = fieldsByName(elements);
  // Not by its entries: a pair for each of very many members takes longer than all the rest.
  for (const name of Object.keys(members)) {
    const value = members[name];
    const specs = fields.get(name) ?? [];
    if (isSecretName(name, 'body') || specs.some(isSecretField)) found.secret.push(value);
    else collectInside(specs, value, found, depth);
  }
}

function collectInside(specs: readonly ParameterSpec[], value: unknown, found: Found, depth: number): void {
  const items = copyItems(value);
  const [only] = specs;
  // The list of the form itself, where there is one: what is known of it is kept by it.
  const inner = specs.length <= 1 ? itemFields(only?.spec) : specs.flatMap(({ spec }) => itemFields(spec));
  for (const item of items ?? [value]) collect(inner, item, found, depth + 1);
}
