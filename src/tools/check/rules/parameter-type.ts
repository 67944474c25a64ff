import type { Rule } from '../rule.js';
import { readableForm } from '../subject/form-fields.js';

export const parameterType: Rule = {
  id: 'parameter-type',
  level: 'warning',
  summary: 'A field of a form has a type that does not exist, or is no field.',
  why: 'It is read as `any`: nothing is converted or checked. `string` is a word of JSON, the type is called `text`.',
  bad: '{ "name": "id", "type": "string" }',
  good: '{ "name": "id", "type": "text" }',
  check: (subject, report) => {
    for (const { kind, document } of subject.documents) {
      if (kind !== 'parameters') continue;
      for (const { message, place } of readableForm(document).warnings) report({ message, place });
    }
  },
};
