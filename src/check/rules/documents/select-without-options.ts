import { childPointer } from '../../../errors/source-location.js';
import { isPlainObject, ownMember } from '../../../util/plain-object.js';
import type { Rule } from '../../rule.js';
import { isForm, listFields } from '../../subject/form-fields.js';

export const selectWithoutOptions: Rule = {
  id: 'select-without-options',
  level: 'error',
  summary: 'A select has no options.',
  why: 'The form offers nothing to choose.',
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
