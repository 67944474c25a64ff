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
const NUMBERS: ReadonlySet<string> = new Set(['number', 'integer', 'uinteger', 'port']);

const TYPES = createLookup<ReadonlyMap<string, 'text' | 'number'>>();

/** Which fields of a component surely give a text, and which a number. Fields of one name and two types are left out. */
export function findFieldTypes(
  subject: Subject,
  { owner }: CheckedDocument,
): ReadonlyMap<string, 'text' | 'number'> {
  const module = owner?.kind === 'module' ? subject.app.modules.get(owner.name) : undefined;
  return module === undefined ? NONE : TYPES(subject, module.name, () => readFieldTypes(module));
}

const NONE: ReadonlyMap<string, 'text' | 'number'> = new Map();

function readFieldTypes({
  staticParams,
  mappableParams,
}: ModuleComponent): ReadonlyMap<string, 'text' | 'number'> {
  const types = new Map<string, 'text' | 'number'>();
  const mixed = new Set<string>();
  const forms = [staticParams, mappableParams].flatMap((form) => readableForm(form).elements);
  const visit = (element: ParameterElement): void => {
    if (element.kind !== 'parameter') return;
    const { name, type, nested = [], choices } = element;
    const known = TEXTS.has(type) ? 'text' : NUMBERS.has(type) ? 'number' : undefined;
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
