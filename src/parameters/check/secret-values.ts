import { collectSecrets } from '../../redaction/collect-secrets.js';
import { isSecretName } from '../../redaction/secret-names.js';
import type { ParameterElement, ParameterSpec, ParameterType } from '../form/parameter-spec.js';
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
    const { name, nested = [], choices } = element;
    if (name !== undefined) fields.set(name, [...(fields.get(name) ?? []), element]);
    const ofOptions = (choices?.options ?? []).flatMap((option) => option.nested ?? []);
    waiting.push(...nested, ...ofOptions, ...(choices?.nested ?? []), ...(choices?.placeholderNested ?? []));
  }
  INDEXES.set(elements, fields);
  return fields;
}
