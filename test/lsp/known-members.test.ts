import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { defineApp, loadApp } from '../../src/index.js';
import { listDocuments } from '../../src/tools/check/subject/checked-document.js';
import { createSubject } from '../../src/tools/check/subject/subject.js';
import { readCursor } from '../../src/tools/lsp/cursor.js';
import { explainExpression } from '../../src/tools/lsp/hover.js';
import { listMembers } from '../../src/tools/lsp/known-members.js';
import { readRecordedBodies } from '../../src/tools/lsp/recorded-bodies.js';
import { listSuggestions } from '../../src/tools/lsp/suggestions.js';

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

it('completes and explains members of item and body from the recorded cases of the module', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'iml-members-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const response = { status: 200, body: { items: [{ id: 1, 'first name': 'Ada', team: { name: 'A' } }] } };
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  write('tests/list/one.test.json', JSON.stringify({ component: 'module:list', exchanges: [{ response }] }));
  write(
    'tests/other/one.test.json',
    JSON.stringify({
      component: 'module:other',
      exchanges: [{ response: { body: { items: [{ no: 1 }] } } }],
    }),
  );
  write('tests/broken.test.json', '{');
  const open = async (expression: string) => {
    const output = { a: `{{${expression}}}` };
    const text = JSON.stringify({ url: '/x', response: { iterate: '{{body.items}}', output } });
    write('modules/list/api.imljson', text);
    const subject = createSubject(await loadApp(folder));
    const offset = text.indexOf(expression) + expression.length;
    const cursor = readCursor(subject, 'modules/list/api.imljson', text, offset);
    if (cursor.checked === undefined) throw new Error('The file is no part of the app.');
    return { subject, cursor, offset, bodies: await readRecordedBodies(folder, cursor.checked) };
  };
  const complete = async (expression: string): Promise<readonly string[]> => {
    const { subject, cursor, bodies } = await open(expression);
    return listSuggestions(subject, cursor, bodies).map(({ label }) => label);
  };
  const explain = async (expression: string): Promise<string | undefined> => {
    const { subject, offset, bodies } = await open(expression);
    return explainExpression(subject, 'modules/list/api.imljson', offset, bodies)?.text;
  };
  expect(await complete('item.')).toEqual(['id', 'first name', 'team']);
  expect(await complete('item.team.')).toEqual(['name']);
  expect(await complete('body.')).toEqual(['items']);
  expect(await explain('item.team.name')).toBe('**item.team.name**: recorded');
  expect(await explain('item.team.nope')).toBeUndefined();
});
