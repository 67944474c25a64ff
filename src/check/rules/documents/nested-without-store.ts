import { childPointer } from '../../../errors/source-location.js';
import { isPlainObject, ownMember } from '../../../util/plain-object.js';
import type { ReportFinding, Rule } from '../../rule.js';
import type { CheckedDocument } from '../../subject/checked-document.js';

export const nestedWithoutStore: Rule = {
  id: 'nested-without-store',
  level: 'warning',
  summary: '`options` has nested fields and no `store`.',
  why: 'In the form with nested fields the options themselves stand in `store`. Without it the select offers nothing.',
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
