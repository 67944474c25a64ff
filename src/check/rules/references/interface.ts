import type { Document } from '../../../document/reading/document.js';
import { childPointer } from '../../../errors/place.js';
import { isPlainObject, ownMember } from '../../../util/plain-object.js';
import type { Rule } from '../../rule.js';
import { declaredFields, writtenMembers } from '../../subject/declared-names.js';
import type { Subject } from '../../subject/subject.js';
import { listRequests, readAt } from '../../subject/walk-requests.js';

export const samplesOutsideInterface: Rule = {
  id: 'samples-outside-interface',
  level: 'info',
  summary: 'A sample has a member that the interface does not declare.',
  why: 'The mapper shows samples beside the fields of the interface; a member without a field most often has a misspelt name.',
  bad: 'interface: [{ "name": "id" }]; samples: { "ID": 7 }',
  good: 'interface: [{ "name": "id" }]; samples: { "id": 7 }',
  check: ({ app }, report) => {
    for (const { interface: fields, samples } of app.modules.values()) {
      const sample: unknown = Array.isArray(samples?.value) ? samples.value[0] : samples?.value;
      if (fields === undefined || samples === undefined || !isPlainObject(sample)) continue;
      const declared = declaredFields(fields);
      if (declared.isOpen || declared.names.size === 0) continue;
      const root = Array.isArray(samples.value) ? '/0' : '';
      for (const name of Object.keys(sample).filter((key) => !declared.names.has(key))) {
        const place = samples.placeOf(childPointer(root, name), undefined, 'key');
        report({ message: `The interface declares no "${name}".`, place });
      }
    }
  },
};

export const unfilledInterface: Rule = {
  id: 'unfilled-interface',
  level: 'warning',
  summary: 'The interface declares a field that `output` cannot give.',
  why: 'Where `output` writes its members one by one, a field that is none of them is always empty in the mapper.',
  bad: 'output: { "id": "{{item.id}}" }; interface: [{ "name": "title" }]',
  good: 'output: { "id": "{{item.id}}" }; interface: [{ "name": "id" }]',
  check: (subject, report) => {
    for (const { name, interface: fields } of subject.app.modules.values()) {
      const given = fields === undefined ? undefined : findOutputMembers(subject, name);
      if (fields === undefined || given === undefined || !Array.isArray(fields.value)) continue;
      fields.value.forEach((field: unknown, index) => {
        const member = isPlainObject(field) ? ownMember(field, 'name') : undefined;
        if (typeof member !== 'string' || given.has(member)) return;
        report({ message: `The output of "${name}" has no "${member}".`, place: placeOfName(fields, index) });
      });
    }
  },
};

function placeOfName(fields: Document, index: number): ReturnType<Document['placeOf']> {
  return fields.placeOf(childPointer(childPointer('', index), 'name'));
}

/** The members of a module's output where they are written one by one; undefined where nobody can say. */
function findOutputMembers(subject: Subject, module: string): ReadonlySet<string> | undefined {
  const communication = subject.documents.find(
    ({ owner, part }) => owner?.kind === 'module' && owner.name === module && part === 'communication',
  );
  const requests = communication === undefined ? [] : listRequests(communication);
  const last = requests.at(-1);
  if (last === undefined || readAt(last.value, 'response', 'wrapper') !== undefined) return undefined;
  const outputs = requests
    .map(({ value }) => readAt(value, 'response', 'output'))
    .filter((output) => output !== undefined);
  const inherited =
    readAt(subject.app.base?.value, 'response', 'output') ??
    readAt(subject.app.base?.value, 'response', 'wrapper');
  // Any element of a chain may turn out to be the last that runs; defaults of conditions give what they like.
  if (outputs.length === 0 || inherited !== undefined || !outputs.every(isPlainObject)) return undefined;
  if (requests.some(({ value }) => readAt(value, 'condition', 'default') !== undefined)) return undefined;
  const members = writtenMembers(outputs);
  return members.isOpen ? undefined : members.names;
}
