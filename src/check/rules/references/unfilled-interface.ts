import type { Document } from '../../../document/reading/document.js';
import { childPointer } from '../../../errors/source-location.js';
import { isPlainObject, ownMember } from '../../../util/plain-object.js';
import type { Rule } from '../../rule.js';
import { findOutputMembers } from '../../subject/output-members.js';

export const unfilledInterface: Rule = {
  id: 'unfilled-interface',
  level: 'warning',
  summary: 'The interface declares a field that `output` cannot give.',
  why: 'Where `output` writes its members one by one, a field that is none of them is always empty in the mapper.',
  bad: 'output: { "id": "{{item.id}}" }; interface: [{ "name": "title" }]',
  good: 'output: { "id": "{{item.id}}" }; interface: [{ "name": "id" }]',
  check: (subject, report) => {
    for (const { name, interface: fields } of subject.app.modules.values()) {
      if (fields === undefined || subject.part?.has('module', name) === false) continue;
      const given = findOutputMembers(subject, name);
      if (given === undefined || !Array.isArray(fields.value)) continue;
      fields.value.forEach((field: unknown, index) => {
        const member = isPlainObject(field) ? ownMember(field, 'name') : undefined;
        if (typeof member !== 'string' || given.has(member)) return;
        report({ message: `The output of "${name}" has no "${member}".`, place: placeOfName(fields, index) });
      });
    }
  },
};

function placeOfName(fields: Document, index: number): ReturnType<Document['locationOf']> {
  return fields.locationOf(childPointer(childPointer('', index), 'name'));
}
