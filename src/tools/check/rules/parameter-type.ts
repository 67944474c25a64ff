import type { Rule } from '../rule.js';
import { readableForm } from '../subject/form-fields.js';

export const parameterType: Rule = {
  id: 'parameter-type',
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
};
