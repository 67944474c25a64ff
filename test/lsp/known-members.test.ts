import { expect, it } from 'vitest';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { listDocuments } from '../../src/check/subject/checked-document.js';
import { createSubject } from '../../src/check/subject/subject.js';
import { listMembers } from '../../src/lsp/known-members.js';

it('names that every object inherits have no members', async () => {
  const app = defineApp({ name: 'a', modules: { m: { type: 'action', communication: { url: '/x' } } } });
  const subject = createSubject(app);
  const [checked] = listDocuments(app);
  if (checked === undefined) throw new Error('The app has no document.');
  const namesOf = (...parents: string[]): unknown =>
    listMembers(subject, checked, parents).map(({ name }) => name);
  for (const name of ['constructor', '__proto__', 'toString']) expect(namesOf(name)).toEqual([]);
  expect(namesOf('iterate')).toEqual(['container']);
  expect(namesOf('iterate', 'container')).toEqual(['first', 'last']);
});
