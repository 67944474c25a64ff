import type { Document } from '../../../engine/document/document.js';
import {
  itemFields,
  listNestedFields,
  type Option,
  type ParameterElement,
  type ParameterReference,
  type ParameterSpec,
  type ParameterType,
} from '../../../engine/parameters/parameter-spec.js';
import { parseRpcReference } from '../../../engine/parameters/rpc-reference.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember } from '../../../shared/plain-object.js';
import { lowerFirst } from '../../../shared/text.js';
import { readableForm } from '../../check/subject/form-fields.js';
import { isSame, type ReportChange } from './change.js';
import type { DiffRuleId } from './diff-rules.js';

/** The rules of a form, which depend on its use. */
export type FormRules = Readonly<
  Record<'requiredAdded' | 'required' | 'removed' | 'type' | 'added', DiffRuleId> & {
    /** Rules on values that a scenario holds; undefined if it holds none. */
    readonly values: boolean;
  }
>;

/** Forms of modules and webhooks. */
export const SCENARIO_FORM: FormRules = {
  requiredAdded: 'parameter-required-added',
  required: 'parameter-required',
  removed: 'parameter-removed',
  type: 'parameter-type',
  added: 'parameter-added',
  values: true,
};

/** Forms of connections: existing connections hold the values. [rt] */
export const CONNECTION_FORM: FormRules = {
  requiredAdded: 'connection-parameter',
  required: 'connection-parameter',
  removed: 'connection-parameter',
  type: 'connection-parameter',
  added: 'parameter-added',
  values: false,
};

/** Forms of RPCs: the app itself passes the values. */
export const RPC_FORM: FormRules = {
  requiredAdded: 'rpc-parameter-required',
  required: 'rpc-parameter-required',
  removed: 'other-change',
  type: 'other-change',
  added: 'parameter-added',
  values: false,
};

/** Interfaces describe data that scenarios map. */
export const INTERFACE: FormRules = {
  requiredAdded: 'interface-added',
  required: 'other-change',
  removed: 'interface-removed',
  type: 'interface-type',
  added: 'interface-added',
  values: false,
};

interface FormPair {
  readonly rules: FormRules;
  readonly report: ReportChange;
  /** Location of the new form. */
  readonly place: () => SourceLocation | undefined;
}

/**
 * Compares two versions of a form.
 *
 * @param old its documents: both forms of a module write into `parameters`
 */
export function compareForms(
  old: readonly (Document | undefined)[],
  now: readonly (Document | undefined)[],
  rules: FormRules,
  report: ReportChange,
): void {
  const valuesOf = (form: typeof old): readonly unknown[] => form.map((document) => document?.value ?? []);
  if (isSame(valuesOf(old), valuesOf(now))) return;
  let count = 0;
  const counted: ReportChange = (...change) => {
    count++;
    report(...change);
  };
  const place = (): SourceLocation | undefined => now.findLast((form) => form !== undefined)?.locationOf('');
  const form: FormPair = { rules, report: counted, place };
  const read = (list: typeof old): readonly ParameterElement[] =>
    list.flatMap((document) => readableForm(document).elements);
  compareLevels(form, read(old), read(now), '');
  if (count === 0) report('other-change', 'Labels, help or display of fields were changed.', place());
}

/** A field with the choices that show it. */
interface FoundField {
  readonly spec: ParameterSpec;
  /** `name=value` of each choice, outermost first. */
  readonly shownBy: readonly string[];
}

interface Level {
  readonly fields: ReadonlyMap<string, readonly FoundField[]>;
  /** All choices that an existing scenario can hold. */
  readonly choices: ReadonlySet<string>;
  readonly references: readonly ParameterReference[];
}

/** Nested fields are siblings of their field in `parameters`. */
function readLevel(elements: readonly ParameterElement[]): Level {
  const fields = new Map<string, FoundField[]>();
  const choices = new Set<string>();
  const references: ParameterReference[] = [];
  const visit = (list: readonly ParameterElement[], shownBy: readonly string[]): void => {
    for (const element of list) {
      if (element.kind === 'reference') {
        references.push(element);
        continue;
      }
      const { name, choices: given } = element;
      if (name !== undefined) fields.set(name, [...(fields.get(name) ?? []), { spec: element, shownBy }]);
      const ofOptions = new Set<ParameterElement>();
      for (const { value, nested = [] } of given?.options ?? []) {
        const choice = writeChoice(name, value);
        choices.add(choice);
        for (const inner of nested) ofOptions.add(inner);
        visit(nested, [...shownBy, choice]);
      }
      const others = listNestedFields(element).filter((inner) => !ofOptions.has(inner));
      const choice = `${name}=`;
      choices.add(choice);
      visit(others, [...shownBy, choice]);
    }
  };
  visit(elements, []);
  return { fields, choices, references };
}

function writeChoice(name: string | undefined, value: unknown): string {
  return `${name}=${JSON.stringify(value)}`;
}

function compareLevels(
  form: FormPair,
  oldElements: readonly ParameterElement[],
  newElements: readonly ParameterElement[],
  path: string,
): void {
  const { rules, report } = form;
  const old = readLevel(oldElements);
  const now = readLevel(newElements);
  for (const name of old.fields.keys()) {
    if (now.fields.has(name)) continue;
    report(rules.removed, `${describe(form, path + name)} was removed.`, form.place());
  }
  for (const [name, found] of now.fields) {
    const before = old.fields.get(name);
    if (before === undefined) reportAdded(form, old, found, path + name);
    else compareFields(form, before, found, path + name);
  }
  compareReferences(form, old.references, now.references);
}

function describe({ rules }: FormPair, name: string): string {
  return `The ${rules === INTERFACE ? 'field' : 'parameter'} "${name}"`;
}

/** A field of a choice that no existing scenario holds cannot be missing in one. */
function reportAdded(form: FormPair, old: Level, found: readonly FoundField[], name: string): void {
  const { rules, report } = form;
  const required = found.find(
    ({ spec, shownBy }) => spec.required && shownBy.every((choice) => old.choices.has(choice)),
  );
  const { spec } = required ?? found[0] ?? {};
  const place = spec?.place ?? form.place();
  const rule = required === undefined ? rules.added : rules.requiredAdded;
  const what = required === undefined || rules === INTERFACE ? '' : ' and is required';
  report(rule, `${describe(form, name)} was added${what}.`, place);
}

/** Several fields have one name if options show different ones. They are compared in order. */
function compareFields(
  form: FormPair,
  before: readonly FoundField[],
  found: readonly FoundField[],
  name: string,
): void {
  for (const [index, { spec: now }] of found.entries()) {
    const { spec: old } = before[index] ?? before.at(-1) ?? {};
    if (old === undefined) continue;
    const { rules, report } = form;
    if (now.required && !before.some(({ spec }) => spec.required)) {
      report(rules.required, `${describe(form, name)} became required.`, now.place);
    }
    compareTypes(form, [old, now], describe(form, name), 'its');
    compareRpcs(form, old, now, name);
    if (rules.values) compareValues(form, old, now, name);
    const inner =
      old.spec?.kind === 'item' && now.spec?.kind === 'item' ? [old.spec.item, now.spec.item] : [];
    const [oldItem, newItem] = inner;
    if (oldItem !== undefined && newItem !== undefined) {
      compareTypes(form, [oldItem, newItem], `The items of ${lowerFirst(describe(form, name))}`, 'their');
    }
    compareLevels(form, itemFields(old.spec), itemFields(now.spec), `${name}.`);
  }
}

function compareTypes(
  { rules, report }: FormPair,
  [old, now]: readonly [old: ParameterSpec, now: ParameterSpec],
  what: string,
  whose: 'its' | 'their',
): void {
  if (showType(old) === showType(now)) return;
  const types = `from ${showType(old)} to ${showType(now)}`;
  const rule = accepts(now, old) ? 'type-widened' : rules.type;
  report(rule, `${what} changed ${whose} type ${types}.`, now.place);
}

/** Options of another RPC, or of the same one with other parameters. */
function compareRpcs(form: FormPair, old: ParameterSpec, now: ParameterSpec, name: string): void {
  const [before, after] = [old.choices?.reference?.text, now.choices?.reference?.text];
  if (before === undefined || after === undefined || before === after) return;
  const message = `The options of ${lowerFirst(describe(form, name))} come from ${after} instead of ${before}.`;
  form.report('rpc-changed', message, now.place);
}

function showType({ type, multiple }: ParameterSpec): string {
  return multiple ? `${type} (multiple)` : type;
}

/** Types whose values are one text or number. */
const SCALARS: ReadonlySet<ParameterType> = new Set<ParameterType>([
  ...(['text', 'number', 'integer', 'uinteger', 'boolean', 'checkbox', 'date', 'email', 'url'] as const),
  ...(['select', 'radio', 'list', 'password', 'hidden', 'uuid', 'time', 'timestamp', 'timezone'] as const),
  ...(['color', 'filename', 'folder', 'file', 'path', 'port', 'editor'] as const),
]);

const COERCED: Readonly<Partial<Record<ParameterType, readonly ParameterType[]>>> = {
  number: ['integer', 'uinteger'],
  integer: ['uinteger'],
  select: ['radio', 'list'],
};

/** Whether a field accepts the values of its former type. Make does not publish which types it converts. [inf] */
function accepts(now: ParameterSpec, old: ParameterSpec): boolean {
  if (now.type === 'any') return true;
  if (old.multiple && !now.multiple && now.type !== 'array') return false;
  if (now.type === old.type) return true;
  if (now.type === 'array') return SCALARS.has(old.type);
  if (now.type === 'text') return SCALARS.has(old.type);
  return COERCED[now.type]?.includes(old.type) === true;
}

function compareValues({ report }: FormPair, old: ParameterSpec, now: ParameterSpec, name: string): void {
  const title = `The parameter "${name}"`;
  compareConstraints(report, old, now, title);
  if (!isSame(old.default, now.default)) {
    report('default-changed', `${title} changed its default ${showDefaults(old, now)}.`, now.place);
  }
  if (!isSelect(now) || !isSelect(old)) return;
  if (isMappable(old) && !isMappable(now)) {
    report('select-not-mappable', `${title} is no longer mappable.`, now.place);
  }
  if (old.choices?.reference !== undefined && now.choices?.options !== undefined) {
    report(
      'select-not-dynamic',
      `The options of the parameter "${name}" no longer come from an RPC.`,
      now.place,
    );
  }
  if (now.choices?.options === undefined) return;
  const values = (options: readonly Option[] = []): ReadonlySet<string> =>
    new Set(options.map(({ value }) => JSON.stringify(value) ?? ''));
  const left = values(now.choices.options);
  const former = values(old.choices?.options);
  for (const value of former) {
    if (!left.has(value)) report('option-removed', `${title} no longer has the option ${value}.`, now.place);
  }
  const added = [...left].filter((value) => !former.has(value));
  if (added.length > 0 && old.choices?.options !== undefined) {
    report('parameter-added', `${title} has the new option ${added.join(', ')}.`, now.place);
  }
}

/** Without the values of a password. */
function showDefaults(old: ParameterSpec, now: ParameterSpec): string {
  const isSecret = old.type === 'password' || now.type === 'password';
  const show = (value: unknown): string =>
    (value === undefined ? 'none' : JSON.stringify(value)).slice(0, 60);
  return isSecret ? 'value' : `from ${show(old.default)} to ${show(now.default)}`;
}

function isSelect({ type }: ParameterSpec): boolean {
  return type === 'select' || type === 'radio' || type === 'list';
}

function isMappable({ source }: ParameterSpec): boolean {
  return ownMember(source, 'mappable') !== false;
}

function compareConstraints(
  report: ReportChange,
  old: ParameterSpec,
  now: ParameterSpec,
  title: string,
): void {
  const [before, after] = [listConstraints(old), listConstraints(now)];
  for (const [key, value] of after) {
    if (!before.has(key)) {
      report('parameter-validate', `${title} has the new constraint "${key}".`, now.place);
    } else if (!isSame(before.get(key), value)) {
      report('validate-changed', `The constraint "${key}" of ${lowerFirst(title)} was changed.`, now.place);
    }
  }
}

function listConstraints({ source, validate }: ParameterSpec): ReadonlyMap<string, unknown> {
  const written = ownMember(source, 'validate');
  const beside = ownMember(source, 'pattern');
  return new Map([
    ...(validate !== false && isPlainObject(written) ? Object.entries(written) : []),
    ...(beside === undefined ? [] : [['pattern', beside] as const]),
  ]);
}

/** Fields that an RPC returns cannot be compared; without the call they are gone. */
function compareReferences(
  { rules, report, place }: FormPair,
  old: readonly ParameterReference[],
  now: readonly ParameterReference[],
): void {
  const names = (list: readonly ParameterReference[]): readonly string[] =>
    list.map(({ text }) => parseRpcReference(text)?.name ?? text);
  const left = names(now);
  for (const name of names(old)) {
    if (left.includes(name)) continue;
    report(rules.removed, `The fields of the RPC "${name}" were removed.`, place());
  }
  for (const { text, place: at } of now) {
    const name = parseRpcReference(text)?.name ?? text;
    if (!names(old).includes(name)) report(rules.added, `Fields of the RPC "${name}" were added.`, at);
  }
}
