import { collectSecrets } from '../../redaction/collect-secrets.js';
import { isSecretName } from '../../redaction/secret-names.js';
import { listNestedFields } from '../form/nested-fields.js';
import type { ParameterElement, ParameterSpec } from '../form/parameter-spec.js';
import type { ParameterType } from '../form/parameter-type.js';
import { copyItems, copyMembers } from '../values/value-kind.js';

/** Types whose values are credentials. Values of `hidden` fields mostly are ids, which a log needs. [choice] */
const SECRET_TYPES: ReadonlySet<ParameterType> = new Set(['password', 'cert', 'pkey']);

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

/** The names of all fields of a secret type in a form, wherever they are nested, also in arrays and collections. */
export function listSecretFields(elements: readonly ParameterElement[]): string[] {
  const names = new Set<string>();
  for (const [name, specs] of fieldsByName(elements)) {
    for (const { type, spec } of specs) {
      const isSecretItem = spec?.kind === 'item' && SECRET_TYPES.has(spec.item.type);
      if (SECRET_TYPES.has(type) || isSecretItem) names.add(name);
      for (const inner of listSecretFields(itemFields(spec))) names.add(inner);
    }
  }
  return [...names];
}

function collect(
  elements: readonly ParameterElement[],
  values: unknown,
  found: unknown[],
  depth: number,
): void {
  if (depth > MAX_DEPTH) return;
  const members = copyMembers(values) ?? {};
  const fields = fieldsByName(elements);
  for (const [name, value] of Object.entries(members)) {
    const specs = fields.get(name) ?? [];
    if (isSecretName(name, 'body') || specs.some(({ type }) => SECRET_TYPES.has(type))) found.push(value);
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
  const isSecretItem = specs.some(({ spec }) => spec?.kind === 'item' && SECRET_TYPES.has(spec.item.type));
  if (isSecretItem) {
    found.push(value);
    return;
  }
  const inner = specs.flatMap(({ spec }) => itemFields(spec));
  for (const item of items ?? [value]) collect(inner, item, found, depth + 1);
}

function itemFields(spec: ParameterSpec['spec']): readonly ParameterElement[] {
  if (spec === undefined) return [];
  return spec.kind === 'fields' ? spec.fields : itemFields(spec.item.spec);
}

type FieldIndex = ReadonlyMap<string, readonly ParameterSpec[]>;

/** A form is read once and answered often. */
const INDEXES = new WeakMap<readonly ParameterElement[], FieldIndex>();

/** All fields whose values stand beside each other, also those that only show for some value of another. */
function fieldsByName(elements: readonly ParameterElement[]): FieldIndex {
  const known = INDEXES.get(elements);
  if (known !== undefined) return known;
  const fields = new Map<string, ParameterSpec[]>();
  const waiting: ParameterElement[] = [...elements];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (element.kind === 'reference') continue;
    const { name } = element;
    if (name !== undefined) fields.set(name, [...(fields.get(name) ?? []), element]);
    waiting.push(...listNestedFields(element));
  }
  INDEXES.set(elements, fields);
  return fields;
}
