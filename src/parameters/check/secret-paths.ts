import { childPointer } from '../../errors/source-location.js';
import { isSecretName } from '../../redaction/secret-names.js';
import { isPlainObject } from '../../util/plain-object.js';
import { fieldsByName, itemFields } from '../form/fields-by-name.js';
import type { ParameterElement, ParameterSpec } from '../form/parameter-spec.js';
import type { ParameterType } from '../form/parameter-type.js';
import { isSecretField } from './secret-field.js';

/** Deeper values are not looked at, and count as secret. */
const MAX_DEPTH = 64;

/** Types whose values have a form of their own, which may be an RPC's. What other types hold is plain data. */
const NESTING_TYPES: ReadonlySet<ParameterType> = new Set(['array', 'collection', 'udt']);

/**
 * Where in the values of a form something stands that must not be shown, as JSON pointers (RFC 6901): what is in fields of
 * a secret type or under a name that says secret, and what no field of the form describes, at any depth. The fields of
 * an RPC are known to nobody before it is asked, and one of them may be a password.
 *
 * @param values plain JSON data
 */
export function listSecretPaths(elements: readonly ParameterElement[], values: unknown): readonly string[] {
  const paths: string[] = [];
  visitMembers(elements, values, { path: '', depth: 0, paths });
  return paths;
}

interface Visit {
  readonly path: string;
  readonly depth: number;
  readonly paths: string[];
}

function visitMembers(elements: readonly ParameterElement[], value: unknown, visit: Visit): void {
  if (visit.depth > MAX_DEPTH || !isPlainObject(value)) {
    visit.paths.push(visit.path);
    return;
  }
  const fields = fieldsByName(elements);
  for (const [name, member] of Object.entries(value)) {
    const specs = fields.get(name) ?? [];
    const inner = stepInto(visit, name);
    if (specs.length === 0 || specs.some(isSecretField) || isSecretName(name, 'body')) {
      visit.paths.push(inner.path);
    } else if (specs.some(({ type }) => NESTING_TYPES.has(type))) visitNested(specs, member, inner);
    else visitData(member, inner);
  }
}

/** The value of an array or a collection; each item of an array is looked at as one. */
function visitNested(specs: readonly ParameterSpec[], value: unknown, visit: Visit): void {
  if (Array.isArray(value) && visit.depth <= MAX_DEPTH) {
    for (const [index, item] of value.entries()) visitNested(specs, item, stepInto(visit, index));
    return;
  }
  const hasPlainItems = specs.some(({ spec }) => spec?.kind === 'item' && !NESTING_TYPES.has(spec.item.type));
  if (hasPlainItems && !isPlainObject(value)) return;
  visitMembers(
    specs.flatMap(({ spec }) => itemFields(spec)),
    value,
    visit,
  );
}

/** What is no form: only names tell of secrets. */
function visitData(value: unknown, visit: Visit): void {
  if (visit.depth > MAX_DEPTH) visit.paths.push(visit.path);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visitData(item, stepInto(visit, index));
  } else if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const inner = stepInto(visit, name);
      if (isSecretName(name, 'body')) visit.paths.push(inner.path);
      else visitData(member, inner);
    }
  }
}

function stepInto({ path, depth, paths }: Visit, key: string | number): Visit {
  return { path: childPointer(path, key), depth: depth + 1, paths };
}
