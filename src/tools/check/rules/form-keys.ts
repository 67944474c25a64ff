import type { KeyShape, Shape } from '../../../engine/document/shape.js';
import { FORM_RULE } from '../../../engine/parameters/field-shape.js';
import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';
import { findTypo } from '../../../shared/suggest.js';
import type { Rule } from '../rule.js';
import { isForm, listFields } from '../subject/form-fields.js';
import { optionLists } from '../subject/option-lists.js';

export const FORM_KEY_RULES: readonly Rule[] = [
  {
    id: 'unknown-field-key',
    area: 'forms',
    level: 'warning',
    summary: 'A key of a field, an option or a constraint is misspelt.',
    why: 'Nothing reads the key: a field with `"requierd": true` is not required. Keys that resemble no known key are not reported, because the platform has keys that affect display only.',
    bad: '{ "name": "id", "type": "text", "requierd": true }',
    good: '{ "name": "id", "type": "text", "required": true }',
    check: ({ documents }, report) => {
      for (const { kind, document } of documents) {
        if (kind !== 'parameters') continue;
        visitKeys(FORM_RULE, document.value, '', (key, meant, pointer) => {
          const message = `Unknown key "${key}". Did you mean "${meant}"?`;
          report({ message, place: document.locationOf(pointer, undefined, 'key') });
        });
      }
    },
  },
  {
    id: 'duplicate-option',
    area: 'forms',
    level: 'warning',
    summary: 'Two options of a select have the same value.',
    why: 'The module cannot tell which of them was chosen, and the form shows the label of the first one.',
    bad: '"options": [{ "label": "Open", "value": "o" }, { "label": "Other", "value": "o" }]',
    good: '"options": [{ "label": "Open", "value": "o" }, { "label": "Other", "value": "x" }]',
    check: (subject, report) => {
      for (const field of listFields(subject).filter((one) => isForm(one.in))) {
        for (const { options } of optionLists(field)) {
          const seen = new Set<string>();
          for (const { option, pointer } of options) {
            const value = ownMember(option, 'value');
            if (value === undefined || typeof value === 'object') continue;
            const key = JSON.stringify(value);
            if (seen.has(key)) {
              const message = `Another option has the value ${key}.`;
              report({ message, place: field.document.locationOf(childPointer(pointer, 'value')) });
            }
            seen.add(key);
          }
        }
      }
    },
  },
];

type VisitKey = (key: string, meant: string, pointer: string) => void;

/** Calls `visit` for each misspelt key of a value and its members. */
function visitKeys(rule: KeyShape, value: unknown, pointer: string, visit: VisitKey): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visitKeys(rule, item, childPointer(pointer, index), visit);
  }
  if (rule.shape === undefined || !isPlainObject(value)) return;
  for (const [key, member] of Object.entries(value)) {
    const at = childPointer(pointer, key);
    const known = Object.hasOwn(rule.shape.keys, key) ? rule.shape.keys[key] : undefined;
    if (known !== undefined) visitKeys(known, member, at, visit);
    else reportTypo(rule.shape, value, key, (meant) => visit(key, meant, at));
  }
}

/** Keys that the platform or its editor has beside those of the shape. */
const OTHER_KEYS: ReadonlySet<string> = new Set([
  ...['mode', 'text', 'convert', 'schema', 'dynamic', 'readonly', 'theme', 'tag', 'title', 'data', 'id'],
  ...['hidden', 'minimum', 'maximum', 'separator', 'placeholder', 'width', 'ui', 'rows', 'names'],
]);

function reportTypo({ keys }: Shape, owner: PlainObject, key: string, report: (meant: string) => void): void {
  if (OTHER_KEYS.has(key)) return;
  const meant = findTypo(key, Object.keys(keys));
  // With the known key beside it, the other one is meant.
  if (meant !== undefined && ownMember(owner, meant) === undefined) report(meant);
}
