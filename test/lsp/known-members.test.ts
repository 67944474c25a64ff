import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CompletionItem, Hover } from 'vscode-languageserver-protocol/node.js';
import { builtCli } from '../cli/build-cli.js';
import { type Editor, startEditor } from './editor.js';

const start = builtCli();
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'iml-members-')));
const RESPONSE = { status: 200, body: { items: [{ id: 1, 'first name': 'Ada', team: { name: 'A' } }] } };
const OTHER = { body: { items: [{ no: 1 }] } };

let editor: Editor;
beforeAll(async () => {
  const files = {
    'modules/list/api.imljson': '{ "url": "/x" }',
    'tests/list/one.test.json': { component: 'module:list', exchanges: [{ response: RESPONSE }] },
    'tests/other/one.test.json': { component: 'module:other', exchanges: [{ response: OTHER }] },
    'tests/broken.test.json': '{',
  };
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
  editor = await startEditor(start(['lsp', '--stdio'], 'open'));
  await editor.open(path.join(folder, 'modules/list/api.imljson'), files['modules/list/api.imljson']);
});
afterAll(async () => {
  await editor.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A communication whose output has an expression, with the cursor after it. */
const withCursor = (expression: string): string =>
  `{"url":"/x","response":{"iterate":"{{body.items}}","output":{"a":"{{${expression}|}}"}}}`;

async function complete(expression: string): Promise<readonly string[]> {
  const found = await editor.at<readonly CompletionItem[] | null>(
    'textDocument/completion',
    withCursor(expression),
  );
  return (found ?? []).map(({ label }) => label);
}

async function explain(expression: string): Promise<unknown> {
  return (await editor.at<Hover | null>('textDocument/hover', withCursor(expression)))?.contents;
}

it('offers no members for names that every object inherits', async () => {
  for (const name of ['constructor', '__proto__', 'toString']) expect(await complete(`${name}.`)).toEqual([]);
  expect(await complete('iterate.')).toEqual(['container']);
  expect(await complete('iterate.container.')).toEqual(['first', 'last']);
});

it('completes and explains members of item and body from the recorded cases of the module', async () => {
  expect(await complete('item.')).toEqual(['id', 'first name', 'team']);
  expect(await complete('item.team.')).toEqual(['name']);
  expect(await complete('body.')).toEqual(['items']);
  expect(await explain('item.team.name')).toMatchObject({ value: '**item.team.name**: recorded' });
  expect(JSON.stringify((await explain('item.team.nope')) ?? '')).not.toContain('recorded');
});
