import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  CompletionItem,
  Hover,
  Location,
  SignatureHelp,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver-protocol/node.js';
import { builtCli } from '../cli/build-cli.js';
import { type Editor, startEditor } from './editor.js';

const start = builtCli();

const MANIFEST = JSON.stringify(
  {
    fileVersion: 1,
    generalCodeFiles: { base: 'base.iml.json' },
    components: {
      connection: {
        account: {
          connectionType: 'basic',
          codeFiles: { communication: 'account.iml.json', params: 'account.params.iml.json' },
        },
      },
      module: {
        getUser: {
          moduleType: 'action',
          connection: 'account',
          codeFiles: { communication: 'get-user.iml.json', mappableParams: 'get-user.params.iml.json' },
        },
      },
      rpc: { listTeams: { codeFiles: { communication: 'list-teams.iml.json' } } },
      function: { twice: { codeFiles: { code: 'twice.js' } } },
    },
  },
  null,
  2,
);

const FILES = {
  'makecomapp.json': MANIFEST,
  'base.iml.json':
    '{ "baseUrl": "https://api.example.com", "headers": { "x-key": "{{connection.apiKey}}" }, "log": { "sanitize": ["request.headers.x-key"] } }',
  'account.iml.json':
    '{ "url": "https://api.example.com/me", "response": { "data": { "region": "{{body.region}}" } } }',
  'account.params.iml.json': '[{ "name": "apiKey", "type": "password", "label": "API key" }]',
  'get-user.iml.json':
    '{ "url": "/users/{{parameters.userId}}/{{twice(2)}}", "temp": { "token": "x" }, "qs": { "t": "{{temp.token}}" } }',
  'get-user.params.iml.json':
    '[{ "name": "userId", "type": "text", "required": true, "label": "User", "help": "Whom to get." },\n { "name": "team", "type": "select", "options": "rpc://listTeams" }]',
  'list-teams.iml.json': '{ "url": "/teams" }',
  'twice.js': 'function twice(n) { return n * 2 }',
};

let folder: string;
let editor: Editor;
let file: string;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml-lsp-'));
  mkdirSync(path.join(folder, '.git'));
  writeFileSync(path.join(folder, '.git/HEAD'), 'ref');
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(folder, name), text);
  editor = await startEditor(start(['lsp', '--stdio'], 'open'));
  file = path.join(folder, 'get-user.iml.json');
  await editor.open(file, FILES['get-user.iml.json']);
});
afterEach(async () => {
  await editor.close();
  rmSync(folder, { recursive: true, force: true });
});

const labels = (items: readonly CompletionItem[]): readonly string[] => items.map(({ label }) => label);

describe('the language server', () => {
  it('tells what is wrong while a text is typed, and that it is right again', async () => {
    await editor.diagnostics(file, (found) => found.length === 0);
    await editor.change('{ "url": "/{{shout(1)}}" }');
    const [wrong] = await editor.diagnostics(file, (found) => found.length === 1);
    expect(wrong).toMatchObject({
      code: 'unknown-function',
      source: 'iml',
      severity: 1,
      range: { start: { line: 0, character: 13 }, end: { line: 0, character: 18 } },
    });
    await editor.change('{ "url": ');
    expect(await editor.diagnostics(file, ([first]) => first?.code === 'cannot-load')).toHaveLength(1);
    await editor.change(FILES['get-user.iml.json']);
    await editor.diagnostics(file, (found) => found.length === 0);
  });

  it('answers while the text is typed character by character', async () => {
    const text = '{ "url": "/{{ifempty(parameters.userId; 1)}}", "response": { "output": "{{body.id}}" } }';
    for (let length = 1; length <= text.length; length++) {
      const items = await editor.at<CompletionItem[]>('textDocument/completion', `${text.slice(0, length)}|`);
      expect(Array.isArray(items)).toBe(true);
    }
    await editor.diagnostics(file, (found) => found.every(({ code }) => code !== 'cannot-load'));
  });

  it.each([
    [
      '{ "url": "/{{|}}" }',
      ['parameters', 'connection', 'temp', 'now', 'formatDate', 'twice', 'emptystring'],
      ['item', 'body'],
    ],
    ['{ "url": "/{{par|', ['parameters'], ['item']],
    ['{ "url": "/{{parameters.|}}" }', ['userId', 'team'], ['parameters', 'formatDate']],
    ['{ "headers": { "x": "{{connection.|', ['apiKey', 'region'], ['userId']],
    ['{ "url": "/a", "response": { "output": "{{bo|', ['body', 'statusCode'], ['output']],
    ['{ "url": "/a", "qs": { "t": "{{temp.|', ['token'], []],
    ['{ "url": "/a", "response": { "iterate": "bo|', ['body'], []],
    ['{ "url": "{{replace(\'par|', [], ['parameters']],
  ])('completes %s', async (marked, wanted, unwanted) => {
    const found = labels(await editor.at<CompletionItem[]>('textDocument/completion', marked));
    expect(found).toEqual(expect.arrayContaining(wanted));
    for (const name of unwanted) expect(found).not.toContain(name);
  });

  it('replaces what is typed of a name', async () => {
    const items = await editor.at<CompletionItem[]>('textDocument/completion', '{ "url": "/{{format|" }');
    expect(items.find(({ label }) => label === 'formatDate')).toMatchObject({
      textEdit: { newText: 'formatDate($0)', range: { start: { character: 13 }, end: { character: 19 } } },
      detail: 'formatDate(date; [format]; [timezone])',
    });
  });

  it('helps with the arguments of a function', async () => {
    const help = await editor.at<SignatureHelp>(
      'textDocument/signatureHelp',
      '{ "url": "{{formatDate(addDays(now; 1); \'YYYY|',
    );
    expect(help).toMatchObject({
      activeParameter: 1,
      signatures: [{ label: 'formatDate(date; [format]; [timezone])' }],
    });
  });

  it.each([
    ['/users/{{para|meters.userId}}', 'What the user filled in.'],
    ['/users/{{parameters.user|Id}}', 'Whom to get.'],
    ['{{twi|ce(2)}}', 'function of the app'],
  ])('explains %s', async (piece, text) => {
    const whole = FILES['get-user.iml.json'];
    const plain = piece.replace('|', '');
    const hover = await editor.at<Hover>('textDocument/hover', whole.replace(plain, piece));
    expect(JSON.stringify(hover.contents)).toContain(text);
  });

  it.each([
    ['parameters.user|Id', 'get-user.params.iml.json'],
    ['twi|ce(2)', 'makecomapp.json'],
    ['temp.tok|en', 'get-user.iml.json'],
  ])('goes from %s to where it is declared', async (piece, target) => {
    const whole = FILES['get-user.iml.json'];
    const found = await editor.at<Location[]>(
      'textDocument/definition',
      whole.replace(piece.replace('|', ''), piece),
    );
    expect(found.map(({ uri }) => path.basename(uri))).toContain(target);
  });

  it('renames a parameter in its form and in expressions', async () => {
    const marked = FILES['get-user.iml.json'].replace('parameters.userId', 'parameters.user|Id');
    const edit = await editor.at<WorkspaceEdit>('textDocument/rename', marked, { newName: 'personId' });
    const files = Object.entries(edit.changes ?? {}).map(([uri, edits]) => [
      path.basename(uri),
      edits.length,
    ]);
    expect(Object.fromEntries(files)).toEqual({ 'get-user.iml.json': 1, 'get-user.params.iml.json': 1 });
  });

  it('renames an RPC in the manifest and in addresses, and finds both', async () => {
    const params = path.join(folder, 'get-user.params.iml.json');
    await editor.open(params, FILES['get-user.params.iml.json']);
    const marked = FILES['get-user.params.iml.json'].replace('listTeams', 'list|Teams');
    const found = await editor.at<Location[]>('textDocument/references', marked, {
      context: { includeDeclaration: true },
    });
    expect(found.map(({ uri }) => path.basename(uri)).sort()).toEqual([
      'get-user.params.iml.json',
      'makecomapp.json',
    ]);
    const edit = await editor.at<WorkspaceEdit>('textDocument/rename', marked, { newName: 'listGroups' });
    expect(Object.keys(edit.changes ?? {})).toHaveLength(2);
  });

  it('mends by a quick fix', async () => {
    await editor.change('{ "url": "/{{formatdate(now)}}" }');
    const [wrong] = await editor.diagnostics(file, (found) =>
      found.some(({ code }) => code === 'unknown-function'),
    );
    const actions = await editor.request<{ title: string; edit: WorkspaceEdit }[]>(
      'textDocument/codeAction',
      {
        range: wrong?.range,
        context: { diagnostics: [wrong] },
      },
    );
    expect(actions).toMatchObject([{ title: 'Replace "formatdate" by "formatDate"' }]);
    expect(Object.values(actions[0]?.edit.changes ?? {})[0]).toMatchObject([{ newText: 'formatDate' }]);
  });

  it('formats expressions and outlines a file', async () => {
    const text = '{ "url": "/{{ifempty( parameters.userId ;1+2)}}" }';
    await editor.change(text);
    await editor.diagnostics(file, (found) => found.length === 0);
    const edits = await editor.request<TextEdit[]>('textDocument/formatting', {
      options: { tabSize: 2, insertSpaces: true },
    });
    expect(edits.map(({ newText }) => newText)).toEqual(['ifempty(parameters.userId, 1 + 2)']);
    const symbols = await editor.request<{ name: string }[]>('textDocument/documentSymbol', {});
    expect(symbols.map(({ name }) => name)).toEqual(['url']);
  });
});
