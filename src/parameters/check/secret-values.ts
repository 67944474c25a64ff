import { spend } from '../../iml/values/work.js';
import { collectNamedSecrets, collectSecrets } from '../../redaction/collect-secrets.js';
import { isSecretName } from '../../redaction/secret-names.js';
import { fieldsByName, itemFields } from '../form/fields-by-name.js';
import type { ParameterElement, ParameterSpec } from '../form/parameter-spec.js';
import { copyItems, copyMembers } from '../values/copy-value.js';
import { isSecretField } from './secret-field.js';

/** To look into a value, at a name, at a letter of it, and at each of several fields of that name. */
const STEPS_OF_VALUE = 8;
const STEPS_OF_LETTER = 0.5;
const STEPS_OF_FIELD = 3;

/** Letters of a name that are judged. */
const JUDGED_LENGTH = 200;

/** What it takes at most to look through deeper data, which has a bound of its own. */
const STEPS_OF_DATA = 800_000;

/** Deeper values are data, no fields: only their names tell of them. */
const MAX_DEPTH = 20;

/**
 * The texts in the values of a form that nothing may show: those in fields of a secret type, and those under a name
 * that says secret, wherever the fields are nested.
 *
 * @throws ImlError `IML_LIMIT` where `withinSteps` allows less work
 */
export function secretValues(elements: readonly ParameterElement[], values: unknown): string[] {
  const found: Found = { secret: [], deep: [] };
  collect(elements, values, found, 0);
  if (found.deep.length > 0) spend(STEPS_OF_DATA);
  const named = found.deep.length === 0 ? [] : collectNamedSecrets(found.deep);
  // The name keeps all of them: none of these values says openly where or how to call.
  return [...collectSecrets({ secret: found.secret }), ...named];
}

const NO_FIELDS: readonly ParameterSpec[] = [];

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
  spend(STEPS_OF_VALUE);
  const members = copyMembers(values) ?? {};
  const fields = fieldsByName(elements);
  // Not by its entries: a pair for each of very many members takes longer than all the rest.
  for (const name of Object.keys(members)) {
    const value = members[name];
    const specs = fields.get(name) ?? NO_FIELDS;
    spend(STEPS_OF_LETTER * Math.min(name.length, JUDGED_LENGTH) + STEPS_OF_FIELD * specs.length);
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
