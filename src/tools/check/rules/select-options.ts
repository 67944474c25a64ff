import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember } from '../../../shared/plain-object.js';
import type { ReportFinding, Rule } from '../rule.js';
import { listRpcNames } from '../subject/calls.js';
import type { CheckedDocument } from '../subject/checked-document.js';
import { writtenMembers } from '../subject/declared-names.js';
import { isForm, listFields } from '../subject/form-fields.js';
import { listRequests, pointerTo, readAt } from '../subject/walk-requests.js';

export const selectWithoutOptions: Rule = {
  id: 'select-without-options',
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
};

/** `nested-without-store` reports an object instead of a list. */
function hasOptions(field: object): boolean {
  const options = ownMember(field, 'options');
  if (typeof options === 'string') return options !== '';
  return isPlainObject(options) || (Array.isArray(options) && options.length > 0);
}

export const optionWithoutValue: Rule = {
  id: 'option-without-value',
  level: 'error',
  summary: 'An RPC returns options without a `value`.',
  why: 'The form shows the options, but choosing one has no effect.',
  bad: '"output": { "label": "{{item.name}}", "id": "{{item.id}}" }',
  good: '"output": { "label": "{{item.name}}", "value": "{{item.id}}" }',
  check: (subject, report) => {
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
        place: request.document.locationOf(pointerTo(request, 'response', 'output'), undefined, 'key'),
      });
    }
  },
};

/** RPCs of the options of a field. If `options` renames `value`, the output uses that name. */
function listOptionRpcs(field: object): readonly string[] {
  const options = ownMember(field, 'options');
  if (typeof options === 'string') return listRpcNames(options);
  if (!isPlainObject(options) || Object.hasOwn(options, 'value')) return [];
  const store = ownMember(options, 'store');
  return typeof store === 'string' ? listRpcNames(store) : [];
}

export const nestedWithoutStore: Rule = {
  id: 'nested-without-store',
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
};

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
