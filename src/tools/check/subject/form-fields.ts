import type { Document } from '../../../engine/document/document.js';
import { readForm } from '../../../engine/parameters/form.js';
import type { ParameterList } from '../../../engine/parameters/parameter-spec.js';
import { SpecError } from '../../../shared/errors/engine-error.js';
import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';
import type { CheckedDocument } from './checked-document.js';
import type { Subject } from './subject.js';

/** A field of a form. */
export interface WrittenField {
  readonly in: CheckedDocument;
  readonly document: Document;
  readonly value: PlainObject;
  readonly pointer: string;
  /** Pointer of the list of the field. */
  readonly list: string;
}

/** The fields of all forms and interfaces, including nested fields, fields of options and of collections. */
export function listFields(subject: Subject): readonly WrittenField[] {
  return subject.documents
    .filter(({ kind }) => kind === 'parameters')
    .flatMap((checked) => {
      const found: WrittenField[] = [];
      visitList(checked, checked.document.value, '', found);
      return found;
    });
}

/** Whether the document is a form. Interfaces and outputs describe data. */
export function isForm({ part }: CheckedDocument): boolean {
  return part !== 'interface' && part !== 'output';
}

function visitList(checked: CheckedDocument, value: unknown, list: string, found: WrittenField[]): void {
  if (!Array.isArray(value)) return;
  value.forEach((field: unknown, index) => {
    if (isPlainObject(field)) visitField(checked, field, { pointer: childPointer(list, index), list }, found);
  });
}

function visitField(
  checked: CheckedDocument,
  value: PlainObject,
  { pointer, list }: Pick<WrittenField, 'pointer' | 'list'>,
  found: WrittenField[],
): void {
  found.push({ in: checked, document: checked.document, value, pointer, list });
  const specPointer = childPointer(pointer, 'spec');
  const spec = ownMember(value, 'spec');
  if (isPlainObject(spec)) visitField(checked, spec, { pointer: specPointer, list: specPointer }, found);
  else visitList(checked, spec, specPointer, found);
  visitNested(checked, value, pointer, found);
}

/** Fields in `nested`, options, option groups and placeholders. */
function visitNested(
  checked: CheckedDocument,
  owner: PlainObject,
  pointer: string,
  found: WrittenField[],
): void {
  for (const key of ['nested', 'reversedNested', 'options', 'store', 'placeholder']) {
    const value = ownMember(owner, key);
    const at = childPointer(pointer, key);
    if (isPlainObject(value)) visitNested(checked, value, at, found);
    else if (key === 'nested' || key === 'reversedNested') visitList(checked, value, at, found);
    else if (Array.isArray(value)) {
      value.forEach((option: unknown, index) => {
        if (isPlainObject(option)) visitNested(checked, option, childPointer(at, index), found);
      });
    }
  }
}

const NO_FIELDS: ParameterList = { elements: [], warnings: [] };

/** A form; empty if it is invalid, which the dry run reports. */
export function readableForm(document: Document | undefined): ParameterList {
  try {
    return readForm(document);
  } catch (error) {
    if (error instanceof SpecError) return NO_FIELDS;
    throw error;
  }
}
