import { editJson, type JsonEdit } from '../../../engine/document/edit-json.js';
import { readDocument } from '../../../engine/document/jsonc.js';
import { isPlainObject, ownMember, type PlainObject, readAt } from '../../../shared/plain-object.js';
import { isTemplateInterface, isTemplateSample, TEMPLATE_FIELDS } from '../templates.js';
import type { InferredField, InferredItem } from './infer-fields.js';

/** A changed text of a file. */
export interface MergedText {
  readonly text: string;
  /** Paths of the added fields or members: `address.city`. */
  readonly added: readonly string[];
  /** Paths of the fields or members that no value has. Those of an untouched template are removed. */
  readonly unseen: readonly string[];
  /** Fields whose declared type differs from the values. They stay as they are. */
  readonly conflicts: readonly TypeConflict[];
}

/** A field whose declared type differs. */
export interface TypeConflict {
  readonly name: string;
  readonly declared: string;
  readonly found: string;
}

type Path = readonly (string | number)[];

interface Merge {
  readonly edits: JsonEdit[];
  readonly added: string[];
  readonly unseen: string[];
  readonly conflicts: TypeConflict[];
}

/**
 * Adds inferred fields to a list of fields, or replaces those of a template. What a person wrote stays: order, labels, help, types and comments. A field
 * without a type, or of type `any`, gets the inferred one.
 *
 * @param text JSON with comments; empty text is an empty list
 * @throws SpecError (SPEC_JSON)
 */
export function mergeFields(text: string, file: string, fields: readonly InferredField[]): MergedText {
  return applyMerge(text, file, '[]', (value, merge) => {
    if (isTemplateInterface(value)) {
      const known = fields.filter(({ name, type }) => type !== 'any' || !TEMPLATE_FIELDS.includes(name));
      replaceTemplate(
        merge,
        known,
        known.map(({ name }) => name),
        [],
      );
    } else if (Array.isArray(value)) mergeList(merge, value, fields, { path: [], prefix: '' });
    else merge.edits.push({ path: [], value: fields });
  });
}

/**
 * Adds the members of a sample that are not there yet, or replaces the sample of a template.
 *
 * @param text see `mergeFields`; a list of samples has the members in its first item
 * @throws SpecError (SPEC_JSON)
 */
export function mergeSample(text: string, file: string, sample: PlainObject): MergedText {
  return applyMerge(text, file, '{}', (value, merge) => {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    const path = Array.isArray(value) ? [0] : [];
    if (isTemplateSample(first)) {
      const known = Object.fromEntries(
        Object.entries(sample).filter(([name, member]) => member !== null || !TEMPLATE_FIELDS.includes(name)),
      );
      replaceTemplate(merge, known, Object.keys(known), path);
    } else if (isPlainObject(first)) mergeMembers(merge, first, sample, { path, prefix: '' });
    else merge.edits.push({ path: Array.isArray(value) ? [-1] : [], value: sample });
  });
}

function replaceTemplate(merge: Merge, value: unknown, names: readonly string[], path: Path): void {
  merge.edits.push({ path, value });
  merge.added.push(...names);
  merge.unseen.push(...TEMPLATE_FIELDS.filter((name) => !names.includes(name)));
}

function applyMerge(
  written: string,
  file: string,
  empty: string,
  collect: (value: unknown, merge: Merge) => void,
): MergedText {
  const mark = written.startsWith('\uFEFF') ? '\uFEFF' : '';
  const text = written.slice(mark.length).trim() === '' ? `${empty}\n` : written.slice(mark.length);
  const merge: Merge = { edits: [], added: [], unseen: [], conflicts: [] };
  collect(readDocument(text, file).value, merge);
  const { edits, ...found } = merge;
  return { text: edits.length === 0 ? written : mark + editJson(text, edits), ...found };
}

interface At {
  readonly path: Path;
  /** Names of the parents, with dots. */
  readonly prefix: string;
}

function mergeList(
  merge: Merge,
  list: readonly unknown[],
  fields: readonly InferredField[],
  { path, prefix }: At,
): void {
  const added: InferredField[] = [];
  for (const field of fields) {
    const index = list.findIndex((item) => isPlainObject(item) && ownMember(item, 'name') === field.name);
    const name = prefix + field.name;
    const declared = list[index];
    if (isPlainObject(declared)) mergeField(merge, declared, field, { path: [...path, index], prefix: name });
    else {
      added.push(field);
      merge.added.push(name);
    }
  }
  for (const field of added) merge.edits.push({ path: [...path, -1], value: field });
  for (const item of list) {
    const name = readAt(item, 'name');
    if (typeof name === 'string' && !fields.some((field) => field.name === name))
      merge.unseen.push(prefix + name);
  }
}

function mergeField(
  merge: Merge,
  declared: PlainObject,
  field: InferredField | InferredItem,
  { path, prefix }: At,
): void {
  const type = ownMember(declared, 'type');
  const found = field.type;
  if (type === undefined || (type === 'any' && found !== 'any')) {
    merge.edits.push({ path: [...path, 'type'], value: found });
  } else if (type !== found) {
    if (!isCompatible(String(type), found)) {
      merge.conflicts.push({ name: prefix, declared: String(type), found });
    }
    return;
  }
  if (field.spec === undefined) return;
  const spec = ownMember(declared, 'spec');
  const at = { path: [...path, 'spec'], prefix: `${prefix}.` };
  if (spec === undefined || (Array.isArray(spec) && spec.length === 0)) {
    merge.edits.push({ path: at.path, value: field.spec });
    merge.added.push(...listNames(field.spec, at.prefix));
  } else if (Array.isArray(spec)) {
    if (isFieldList(field.spec)) mergeList(merge, spec, field.spec, at);
  } else if (isPlainObject(spec)) {
    // The items of an array can be written as one collection.
    const item = isFieldList(field.spec)
      ? { type: 'collection', name: '', label: '', spec: field.spec }
      : field.spec;
    mergeField(merge, spec, item, { path: at.path, prefix });
  }
}

function isFieldList(spec: NonNullable<InferredField['spec']>): spec is readonly InferredField[] {
  return Array.isArray(spec);
}

function listNames(spec: NonNullable<InferredField['spec']>, prefix: string): readonly string[] {
  return isFieldList(spec) ? spec.map(({ name }) => prefix + name) : [];
}

/** Types that a person may have chosen for the same values. */
const COMPATIBLE: Readonly<Record<string, readonly string[]>> = {
  text: 'date email url select password hidden time uuid filename json color timezone buffer'.split(' '),
  number: ['integer', 'uinteger', 'port', 'timestamp', 'select', 'date'],
  uinteger: ['number', 'integer', 'text', 'select'],
  uuid: ['text', 'select'],
  email: ['text'],
  url: ['text'],
  date: ['text', 'time', 'timestamp'],
  boolean: ['checkbox', 'select'],
  collection: ['any', 'json'],
  array: ['any', 'json', 'select'],
};

/** Type `any` means that no response has a value. */
function isCompatible(declared: string, found: string): boolean {
  return found === 'any' || COMPATIBLE[found]?.includes(declared) === true;
}

function mergeMembers(merge: Merge, declared: PlainObject, sample: PlainObject, { path, prefix }: At): void {
  for (const [name, value] of Object.entries(sample)) {
    const own = ownMember(declared, name);
    const at = { path: [...path, name], prefix: `${prefix}${name}.` };
    if (own === undefined) {
      merge.edits.push({ path: at.path, value });
      merge.added.push(prefix + name);
    } else if (isPlainObject(own) && isPlainObject(value)) mergeMembers(merge, own, value, at);
  }
  for (const name of Object.keys(declared))
    if (!Object.hasOwn(sample, name)) merge.unseen.push(prefix + name);
}
