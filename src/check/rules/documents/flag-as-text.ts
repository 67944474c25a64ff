import { childPointer } from '../../../errors/source-location.js';
import { ownMember } from '../../../util/plain-object.js';
import type { Rule } from '../../rule.js';
import { listFields } from '../../subject/form-fields.js';

export const flagAsText: Rule = {
  id: 'flag-as-text',
  level: 'warning',
  summary: 'A flag of a field is the text `"true"` or `"false"` instead of a boolean.',
  why: 'Only the boolean counts: a field with `"required": "true"` is not required.',
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
};

const FLAGS = [
  ...['required', 'advanced', 'multiple', 'multiline', 'editable', 'disabled', 'readonly', 'time'],
  ...['sequence', 'grouped', 'dynamic', 'mappable', 'validate', 'sort'],
];
