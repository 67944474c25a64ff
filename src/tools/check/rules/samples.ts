import type { Document } from '../../../engine/document/document.js';
import { childPointer, type SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import { declaredFields, writtenMembers } from '../subject/declared-names.js';
import type { Subject } from '../subject/subject.js';
import { listRequests, readAt } from '../subject/walk-requests.js';

export const samplesOutsideInterface: Rule = {
  id: 'samples-outside-interface',
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
};

export const samplesOutsideOutput: Rule = {
  id: 'samples-outside-output',
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
};

export const unfilledInterface: Rule = {
  id: 'unfilled-interface',
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
