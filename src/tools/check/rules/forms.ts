import type { Document } from '../../../engine/document/document.js';
import { toNumber } from '../../../language/values/value.js';
import { childPointer, type SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject, readAt } from '../../../shared/plain-object.js';
import type { ReportFinding, Rule } from '../rule.js';
import { listRpcNames } from '../subject/calls.js';
import type { CheckedDocument } from '../subject/checked-document.js';
import { declaredFields, writtenMembers } from '../subject/declared-names.js';
import { isForm, listFields, readableForm, type WrittenField } from '../subject/form-fields.js';
import { optionLists } from '../subject/option-lists.js';
import type { Subject } from '../subject/subject.js';
import { listRequests, locate, locateKey } from '../subject/walk-requests.js';

export const FORM_RULES: readonly Rule[] = [
  {
    id: 'duplicate-field',
    area: 'forms',
    level: 'error',
    summary: 'Two fields of one form have the same name.',
    why: 'A form stores one value per name, so one of the two values is lost. Fields below different options may share a name, because the form shows only one of them.',
    bad: '[{ "name": "id", "type": "text" }, { "name": "id", "type": "number" }]',
    good: '[{ "name": "userId", "type": "text" }, { "name": "count", "type": "number" }]',
    check: (subject, report) => {
      const seen = new Set<string>();
      for (const field of listFields(subject)) {
        const name = ownMember(field.value, 'name');
        // Fields with conditions can be alternatives.
        if (typeof name !== 'string' || name === '' || hasCondition(field)) continue;
        const key = JSON.stringify([listKey(field), name]);
        if (seen.has(key)) {
          report({
            message: `The form has two fields named "${name}". Rename one of them.`,
            place: locate(field, 'name'),
          });
        }
        seen.add(key);
      }
    },
  },
  {
    id: 'reserved-parameter',
    area: 'connections',
    level: 'error',
    summary: 'A parameter of a connection has a reserved name.',
    why: 'Make stores its own values `teamID` and `accountName` in each connection.',
    bad: '[{ "name": "accountName", "type": "text" }]',
    good: '[{ "name": "account", "type": "text" }]',
    check: (subject, report) => {
      for (const { in: checked, document, value, pointer } of listFields(subject)) {
        const name = ownMember(value, 'name');
        if (checked.owner?.kind !== 'connection' || (name !== 'teamID' && name !== 'accountName')) continue;
        report({
          message: `"${name}" is reserved by the platform. Choose another name.`,
          place: document.locationOf(childPointer(pointer, 'name')),
        });
      }
    },
  },
  {
    id: 'missing-label',
    area: 'forms',
    level: 'warning',
    summary: 'A module has no label, but other modules of the app have one.',
    why: 'Users see the label in the list of modules. Make requires it.',
    bad: '"getUser": { "moduleType": "action", "connection": "account" }',
    good: '"getUser": { "label": "Get a user", "moduleType": "action", "connection": "account" }',
    check: ({ app, part, documentsOf }, report) => {
      // An app without labels is a draft or in a layout without labels.
      if (![...app.modules.values()].some(({ label }) => label !== undefined)) return;
      for (const { name, label } of app.modules.values()) {
        if (label !== undefined || part?.has('module', name) === false) continue;
        const place = documentsOf('module', name)[0]?.document.locationOf('') ?? {};
        report({ message: `The module "${name}" has no label.`, place });
      }
    },
  },
  {
    id: 'default-type',
    area: 'forms',
    level: 'warning',
    summary: 'The default of a field is not a valid value of the field.',
    why: 'The form shows an empty field or rejects its own default. A number field cannot contain `"many"`, and a select only contains its options.',
    bad: '{ "name": "limit", "type": "uinteger", "default": "many" }',
    good: '{ "name": "limit", "type": "uinteger", "default": 10 }',
    check: (subject, report) => {
      for (const { in: checked, document, value, pointer } of listFields(subject)) {
        const problem = isForm(checked) ? describeMisfit(value) : undefined;
        if (problem === undefined) continue;
        report({ message: problem, place: document.locationOf(childPointer(pointer, 'default')) });
      }
    },
  },
  {
    id: 'flag-as-text',
    area: 'forms',
    level: 'warning',
    summary: 'A flag of a field is the text `"true"` or `"false"` instead of a boolean.',
    why: 'Only a boolean has an effect: a field with `"required": "true"` is not required.',
    bad: '{ "name": "id", "type": "text", "required": "true" }',
    good: '{ "name": "id", "type": "text", "required": true }',
    check: (subject, report) => {
      for (const { document, value, pointer } of listFields(subject)) {
        for (const flag of FLAGS) {
          const written = ownMember(value, flag);
          if (written !== 'true' && written !== 'false') continue;
          report({
            message: `"${flag}" is a text. Write ${written} without quotes.`,
            place: document.locationOf(childPointer(pointer, flag)),
          });
        }
      }
    },
  },
  {
    id: 'select-without-options',
    area: 'forms',
    level: 'error',
    summary: 'A select has no options.',
    why: 'The form shows an empty list.',
    bad: '{ "name": "color", "type": "select" }',
    good: '{ "name": "color", "type": "select", "options": [{ "label": "Red", "value": "red" }] }',
    check: (subject, report) => {
      for (const { in: checked, document, value, pointer } of listFields(subject)) {
        if (!isForm(checked) || ownMember(value, 'type') !== 'select' || hasOptions(value)) continue;
        const name = ownMember(value, 'name');
        report({
          message: `The select${typeof name === 'string' ? ` "${name}"` : ''} has no options.`,
          place: document.locationOf(childPointer(pointer, 'type')),
        });
      }
    },
  },
  {
    id: 'option-without-value',
    area: 'forms',
    level: 'error',
    summary: 'An option, or those that an RPC returns, have no `value`.',
    why: 'The form shows the options, but choosing one has no effect.',
    bad: '"output": { "label": "{{item.name}}", "id": "{{item.id}}" }',
    good: '"output": { "label": "{{item.name}}", "value": "{{item.id}}" }',
    check: (subject, report) => {
      for (const field of listFields(subject)) {
        for (const { option, pointer } of optionLists(field).flatMap(({ options }) => options)) {
          if (Object.hasOwn(option, 'value')) continue;
          report({ message: 'This option has no "value".', place: field.document.locationOf(pointer) });
        }
      }
      const names = new Set(listFields(subject).flatMap(({ value }) => listOptionRpcs(value)));
      for (const name of names) {
        const communication = subject
          .documentsOf('rpc', name)
          .find((checked) => checked.part === 'communication' && subject.documents.includes(checked));
        const request = communication && listRequests(communication).at(-1);
        if (request === undefined || readAt(request.value, 'response', 'wrapper') !== undefined) continue;
        const output = readAt(request.value, 'response', 'output');
        const written = writtenMembers([output]);
        if (!isPlainObject(output) || written.isOpen || written.names.has('value')) continue;
        report({
          message: `The RPC "${name}" returns options without a "value".`,
          place: locateKey(request, 'response', 'output'),
        });
      }
    },
  },
  {
    id: 'nested-without-store',
    area: 'forms',
    level: 'warning',
    summary: '`options` has nested fields and no `store`.',
    why: 'In this form, `store` contains the options. Without it, the select is empty.',
    bad: '"options": { "nested": [{ "name": "size", "type": "text" }] }',
    good: '"options": { "store": "rpc://listTables", "nested": [{ "name": "size", "type": "text" }] }',
    check: (subject, report) => {
      for (const checked of subject.documents) {
        if (checked.kind === 'parameters') visitFields(checked, checked.document.value, '', report);
      }
    },
  },
  {
    id: 'parameter-type',
    area: 'forms',
    level: 'warning',
    summary: 'A field of a form has an unknown type, or is not a field.',
    why: 'The field is read as `any`: nothing is converted or checked. `string` is a type of JSON; in forms the type is `text`.',
    bad: '{ "name": "id", "type": "string" }',
    good: '{ "name": "id", "type": "text" }',
    check: (subject, report) => {
      for (const { kind, document } of subject.documents) {
        if (kind !== 'parameters') continue;
        for (const { message, place } of readableForm(document).warnings) report({ message, place });
      }
    },
  },
  {
    id: 'samples-outside-interface',
    area: 'modules',
    level: 'info',
    summary: 'A sample has a member that the interface does not declare.',
    why: 'The mapper shows samples beside the fields of the interface. A member without a field is probably misspelt.',
    bad: 'interface: [{ "name": "id" }]; samples: { "ID": 7 }',
    good: 'interface: [{ "name": "id" }]; samples: { "id": 7 }',
    check: ({ app }, report) => {
      for (const { interface: fields, samples } of app.modules.values()) {
        const sample = readSample(samples);
        if (fields === undefined || sample === undefined) continue;
        const declared = declaredFields(fields);
        if (declared.isOpen || declared.names.size === 0) continue;
        for (const { key, place } of sample.filter((member) => !declared.names.has(member.key)))
          report({ message: `The interface declares no "${key}".`, place: place() });
      }
    },
  },
  {
    id: 'samples-outside-output',
    area: 'modules',
    level: 'info',
    summary: 'A sample has a member that `output` does not write, and there is no interface.',
    why: 'If `output` lists its members, the mapper shows a value that no run returns.',
    bad: 'output: { "id": "{{item.id}}" }; samples: { "ID": 7 }',
    good: 'output: { "id": "{{item.id}}" }; samples: { "id": 7 }',
    check: (subject, report) => {
      for (const { name, interface: fields, samples } of subject.app.modules.values()) {
        if (subject.part?.has('module', name) === false) continue;
        // Interfaces have their own rules.
        if (fields !== undefined && (!Array.isArray(fields.value) || fields.value.length > 0)) continue;
        const sample = readSample(samples);
        const given = sample === undefined ? undefined : findOutputMembers(subject, name);
        if (sample === undefined || given === undefined) continue;
        for (const { key, place } of sample.filter((member) => !given.has(member.key)))
          report({ message: `The output of "${name}" has no "${key}".`, place: place() });
      }
    },
  },
  {
    id: 'unfilled-interface',
    area: 'modules',
    level: 'warning',
    summary: 'The interface declares a field that `output` does not write.',
    why: 'If `output` lists its members, other fields are always empty in the mapper.',
    bad: 'output: { "id": "{{item.id}}" }; interface: [{ "name": "title" }]',
    good: 'output: { "id": "{{item.id}}" }; interface: [{ "name": "id" }]',
    check: (subject, report) => {
      for (const { name, interface: fields } of subject.app.modules.values()) {
        if (fields === undefined || subject.part?.has('module', name) === false) continue;
        const given = findOutputMembers(subject, name);
        if (given === undefined || !Array.isArray(fields.value)) continue;
        fields.value.forEach((field: unknown, index) => {
          const member = readAt(field, 'name');
          if (typeof member !== 'string' || given.has(member)) return;
          report({
            message: `The output of "${name}" has no "${member}".`,
            place: placeOfName(fields, index),
          });
        });
      }
    },
  },
];

function hasCondition({ value }: WrittenField): boolean {
  return ['visible', 'condition'].some((key) => typeof ownMember(value, key) === 'string');
}

/** Static and mappable parameters are one form. */
function listKey({ in: { owner, part }, list }: WrittenField): readonly (string | undefined)[] {
  const isModuleForm = part === 'staticParams' || part === 'mappableParams';
  return [owner?.kind, owner?.name, isModuleForm && list === '' ? 'params' : part, list];
}

const NUMBERS: ReadonlySet<unknown> = new Set(['number', 'integer', 'uinteger', 'port']);
const TEXTS: ReadonlySet<unknown> = new Set([
  'text',
  'email',
  'password',
  'url',
  'filename',
  'uuid',
  'color',
]);

/** The problem of a default; undefined if it fits or is an expression. */
function describeMisfit(field: PlainObject): string | undefined {
  const value = ownMember(field, 'default');
  const type = ownMember(field, 'type');
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' && value.includes('{{')) return undefined;
  const expected = (what: string): string =>
    `The default ${JSON.stringify(value).slice(0, 80)} does not fit the type ${String(type)}: expected ${what}.`;
  if (NUMBERS.has(type)) return toNumber(value) === undefined ? expected('a number') : undefined;
  if (type === 'boolean' || type === 'checkbox') {
    return typeof value === 'boolean' ? undefined : expected('true or false');
  }
  if (TEXTS.has(type)) return typeof value === 'object' ? expected('a text') : undefined;
  if (type === 'array') return Array.isArray(value) ? undefined : expected('a list');
  if (type === 'collection') return isPlainObject(value) ? undefined : expected('an object');
  if (type === 'date' && typeof value === 'string' && !/\d/.test(value) && value !== 'now') {
    return expected('a date');
  }
  return type === 'select' ? describeMissingOption(field, value) : undefined;
}

/** A default that is not among literal options. */
function describeMissingOption(field: PlainObject, value: unknown): string | undefined {
  const options = ownMember(field, 'options');
  const written = isPlainObject(options) ? ownMember(options, 'store') : options;
  if (!Array.isArray(written) || written.length === 0) return undefined;
  const values: unknown[] = [];
  for (const option of written as readonly unknown[]) {
    // Texts are RPC URLs or values; groups contain options.
    if (!isPlainObject(option) || Object.hasOwn(option, 'options')) return undefined;
    values.push(ownMember(option, 'value'));
  }
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [value];
  const missing = chosen.find((one) => !values.some((known) => String(known) === String(one)));
  return missing === undefined
    ? undefined
    : `The default ${JSON.stringify(missing)} is not one of the options.`;
}

const FLAGS = [
  ...['required', 'advanced', 'multiple', 'multiline', 'editable', 'disabled', 'readonly', 'time'],
  ...['sequence', 'grouped', 'dynamic', 'mappable', 'validate', 'sort'],
];

/** `nested-without-store` reports an object instead of a list. */
function hasOptions(field: object): boolean {
  const options = ownMember(field, 'options');
  if (typeof options === 'string') return options !== '';
  return isPlainObject(options) || (Array.isArray(options) && options.length > 0);
}

/** RPCs of the options of a field. If `options` renames `value`, the output uses that name. */
function listOptionRpcs(field: object): readonly string[] {
  const options = ownMember(field, 'options');
  if (typeof options === 'string') return listRpcNames(options);
  if (!isPlainObject(options) || Object.hasOwn(options, 'value')) return [];
  const store = ownMember(options, 'store');
  return typeof store === 'string' ? listRpcNames(store) : [];
}

function visitFields(checked: CheckedDocument, value: unknown, pointer: string, report: ReportFinding): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      visitFields(checked, item, childPointer(pointer, index), report);
    });
  }
  if (!isPlainObject(value)) return;
  const options = ownMember(value, 'options');
  const isSelect = value['type'] === 'select';
  if (isSelect && isPlainObject(options) && 'nested' in options && !('store' in options)) {
    const place = checked.document.locationOf(childPointer(pointer, 'options'), undefined, 'key');
    report({
      message: 'These options have nested fields and no store, so there is nothing to choose.',
      place,
    });
  }
  for (const [key, member] of Object.entries(value))
    visitFields(checked, member, childPointer(pointer, key), report);
}

function placeOfName(fields: Document, index: number): ReturnType<Document['locationOf']> {
  return fields.locationOf(childPointer(childPointer('', index), 'name'));
}

/** Members of a literal output; undefined if they are not known. */
function findOutputMembers(subject: Subject, module: string): ReadonlySet<string> | undefined {
  const communication = subject.documentsOf('module', module).find(({ part }) => part === 'communication');
  const requests = communication === undefined ? [] : listRequests(communication);
  const last = requests.at(-1);
  if (last === undefined || readAt(last.value, 'response', 'wrapper') !== undefined) return undefined;
  const outputs = requests
    .map(({ value }) => readAt(value, 'response', 'output'))
    .filter((output) => output !== undefined);
  const inherited =
    readAt(subject.app.base?.value, 'response', 'output') ??
    readAt(subject.app.base?.value, 'response', 'wrapper');
  // Any element of a chain can be the last that runs, and defaults of conditions can be anything.
  if (outputs.length === 0 || inherited !== undefined || !outputs.every(isPlainObject)) return undefined;
  if (requests.some(({ value }) => readAt(value, 'condition', 'default') !== undefined)) return undefined;
  const members = writtenMembers(outputs);
  return members.isOpen ? undefined : members.names;
}

interface SampleMember {
  readonly key: string;
  readonly place: () => SourceLocation;
}

/** Members of the first sample; undefined without one. */
function readSample(samples: Document | undefined): readonly SampleMember[] | undefined {
  if (samples === undefined) return undefined;
  const isList = Array.isArray(samples.value);
  const sample: unknown = Array.isArray(samples.value) ? samples.value[0] : samples.value;
  if (!isPlainObject(sample)) return undefined;
  return Object.keys(sample).map((key) => ({
    key,
    place: () => samples.locationOf(childPointer(isList ? '/0' : '', key), undefined, 'key'),
  }));
}
