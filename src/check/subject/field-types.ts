import type { ModuleComponent } from '../../document/app.js';
import type { ParameterElement } from '../../parameters/form/parameter-spec.js';
import type { CheckedDocument } from './checked-document.js';
import { createLookup } from './lookup.js';
import { readableForm } from './readable-form.js';
import type { Subject } from './subject.js';

const TEXTS: ReadonlySet<string> = new Set([
  'text',
  'email',
  'password',
  'url',
  'filename',
  'uuid',
  'color',
  'path',
]);
const BOOLEANS: ReadonlySet<string> = new Set(['boolean', 'checkbox']);
const NUMBERS: ReadonlySet<string> = new Set(['number', 'integer', 'uinteger', 'port']);

const TYPES = createLookup<ReadonlyMap<string, FieldKind>>();

/** Type of a field. */
export type FieldKind = 'text' | 'number' | 'boolean';

/** Fields with a known type: text, number or boolean. Fields of one name with two types are skipped. */
export function findFieldTypes(subject: Subject, { owner }: CheckedDocument): ReadonlyMap<string, FieldKind> {
  const module = owner?.kind === 'module' ? subject.app.modules.get(owner.name) : undefined;
  return module === undefined ? NONE : TYPES(subject, module.name, () => readFieldTypes(module));
}

const NONE: ReadonlyMap<string, FieldKind> = new Map();

function readFieldTypes({ staticParams, mappableParams }: ModuleComponent): ReadonlyMap<string, FieldKind> {
  const types = new Map<string, FieldKind>();
  const mixed = new Set<string>();
  const forms = [staticParams, mappableParams].flatMap((form) => readableForm(form).elements);
  const visit = (element: ParameterElement): void => {
    if (element.kind !== 'parameter') return;
    const { name, type, nested = [], choices } = element;
    const known = findKind(type);
    if (name !== undefined) {
      if (known === undefined || (types.has(name) && types.get(name) !== known)) mixed.add(name);
      else types.set(name, known);
    }
    for (const inner of nested) visit(inner);
    for (const inner of choices?.nested ?? []) visit(inner);
    for (const option of choices?.options ?? []) for (const inner of option.nested ?? []) visit(inner);
  };
  for (const element of forms) visit(element);
  for (const name of mixed) types.delete(name);
  return types;
}

function findKind(type: string): FieldKind | undefined {
  if (TEXTS.has(type)) return 'text';
  if (NUMBERS.has(type)) return 'number';
  return BOOLEANS.has(type) ? 'boolean' : undefined;
}
