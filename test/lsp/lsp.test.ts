import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type {
  CompletionItem,
  Hover,
  Location,
  SignatureHelp,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver-protocol/node.js';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { builtCli } from '../cli/build-cli.js';
import { type Editor, startEditor } from './editor.js';

const start = builtCli();

const MANIFEST = JSON.stringify(
  {
    fileVersion: 1,
    generalCodeFiles: { base: 'base.iml.json', groups: 'groups.json' },
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
      function: {
        twice: { codeFiles: { code: 'twice.js' } },
        fourTimes: { codeFiles: { code: 'four-times.js' } },
      },
      endpoint: { teams: { codeFiles: { communication: 'teams.iml.json' } } },
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
  'list-teams.iml.json': '{ "endpoint": "teams", "response": { "limit": "{{parameters.userId}}" } }',
  'teams.iml.json': '{ "url": "/teams" }',
  'groups.json': '[{ "label": "All", "modules": ["getUser"] }]',
  'twice.js': 'function twice(n) { return n * 2 }',
  'four-times.js': 'function fourTimes(n) { return iml.twice(iml.twice(n)) }',
};

let folder: string;
let editor: Editor;
let file: string;
beforeAll(async () => {
  editor = await startEditor(start(['lsp', '--stdio'], 'open'));
});
afterAll(() => editor.close());
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml-lsp-'));
  mkdirSync(path.join(folder, '.git'));
  writeFileSync(path.join(folder, '.git/HEAD'), 'ref');
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(folder, name), text);
  file = path.join(folder, 'get-user.iml.json');
  await editor.open(file, FILES['get-user.iml.json']);
});
afterEach(async () => {
  await editor.closeFiles();
  rmSync(folder, { recursive: true, force: true });
});

const labels = (items: readonly CompletionItem[]): readonly string[] => items.map(({ label }) => label);

describe('the language server', () => {
  it('publishes diagnostics while a text is edited, and removes them', async () => {
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

  it('responds while the text is typed character by character', async () => {
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

  it.each([
    ['{ "url": "/a", "|" }', ['response', 'method', 'pagination', 'headers'], ['url', 'baseUrl']],
    ['{ "url": "/a", "respon|', ['response'], []],
    ['{ "url": "/a", "response": { "|" } }', ['output', 'iterate', 'trigger'], ['pagination']],
    ['{ "url": "/a", "method": | }', ['"POST"', '"DELETE"'], []],
    ['{ "url": "/a", "response": { "error": { "type": "|" } } }', ['"RateLimitError"'], ['"listTeams"']],
  ])('completes %s from the schema of the file', async (marked, wanted, unwanted) => {
    const found = labels(await editor.at<CompletionItem[]>('textDocument/completion', marked));
    expect(found).toEqual(expect.arrayContaining(wanted));
    for (const name of unwanted) expect(found).not.toContain(name);
  });

  it('documents the keys that it completes', async () => {
    const items = await editor.at<CompletionItem[]>('textDocument/completion', '{ "url": "/a", "|" }');
    const documentation = items.find(({ label }) => label === 'repeat')?.documentation;
    expect(JSON.stringify(documentation)).toContain('Repeats the request while a condition holds');
  });

  it.each([
    ['makecomapp.json', '{ "components": { "module": { "a": { "moduleType": "|" } } } }', '"responder"'],
    ['iml.config.json', '{ "check": { "rules": { "|" } } }', 'dead-branch'],
    ['scenarios.json', '{ "scenarios": [{ "|" }] }', 'everyMinutes'],
    ['modules/new/new.mappable-params.iml.json', '[{ "name": "a", "type": "|" }]', '"uinteger"'],
    [
      'get-user.params.iml.json',
      '[{ "name": "a", "type": "select", "options": "rpc://li|" }]',
      'rpc://listTeams',
    ],
  ])('completes in %s', async (name, marked, wanted) => {
    const other = path.join(folder, name);
    await editor.open(other, '{}');
    const items = await editor.at<CompletionItem[]>('textDocument/completion', marked);
    expect(labels(items)).toContain(wanted);
  });

  it('replaces the typed part of an address', async () => {
    await editor.open(path.join(folder, 'get-user.params.iml.json'), '[]');
    const marked = '[{ "name": "a", "type": "select", "options": "rpc://li|" }]';
    const items = await editor.at<CompletionItem[]>('textDocument/completion', marked);
    expect(items.find(({ label }) => label === 'rpc://listTeams')?.textEdit).toMatchObject({
      newText: 'rpc://listTeams',
      range: { start: { character: marked.indexOf('rpc:') }, end: { character: marked.indexOf('|') } },
    });
  });

  it('documents a key of a file on hover', async () => {
    const hover = await editor.at<Hover>(
      'textDocument/hover',
      FILES['get-user.iml.json'].replace('"qs"', '"q|s"'),
    );
    expect(JSON.stringify(hover.contents)).toContain('Query of the request by name');
  });

  it('publishes diagnostics of the settings file', async () => {
    const config = path.join(folder, 'iml.config.json');
    await editor.open(config, '{ "check": { "rules": { "dead-brnch": "off" } } }');
    expect(await editor.diagnostics(config, (found) => found.length > 0)).toMatchObject([
      { code: 'unusable-settings', range: { start: { line: 0, character: 24 } } },
    ]);
    await editor.change('{ "check": { "rules": { "dead-branch": "off" } } }');
    await editor.diagnostics(config, (found) => found.length === 0);
  });

  it.runIf(process.platform === 'linux')('waits for no settings that are a pipe', async () => {
    const config = path.join(folder, 'iml.config.json');
    execFileSync('mkfifo', [config]);
    await editor.change('{ "url": "/users" }');
    expect(await editor.diagnostics(config, (found) => found.length > 0)).toMatchObject([
      { code: 'unusable-settings', range: { start: { line: 0, character: 0 } } },
    ]);
  });

  it('replaces the typed part of a name', async () => {
    const items = await editor.at<CompletionItem[]>('textDocument/completion', '{ "url": "/{{format|" }');
    expect(items.find(({ label }) => label === 'formatDate')).toMatchObject({
      textEdit: { newText: 'formatDate($0)', range: { start: { character: 13 }, end: { character: 19 } } },
      detail: 'formatDate(date; [format]; [timezone])',
    });
  });

  it('provides signature help for a built-in function', async () => {
    const help = await editor.at<SignatureHelp>(
      'textDocument/signatureHelp',
      '{ "url": "{{formatDate(addDays(now; 1); \'YYYY|',
    );
    expect(help).toMatchObject({
      activeParameter: 1,
      signatures: [{ label: 'formatDate(date; [format]; [timezone])' }],
    });
  });

  it('provides signature help for a custom function', async () => {
    const help = await editor.at<SignatureHelp>('textDocument/signatureHelp', '{ "url": "{{twice(|');
    expect(help).toMatchObject({
      activeParameter: 0,
      signatures: [{ label: 'twice(n)', parameters: [{ label: 'n' }] }],
    });
  });

  it('completes in an RPC the arguments of the forms that call it', async () => {
    await editor.open(path.join(folder, 'list-teams.iml.json'), FILES['list-teams.iml.json']);
    const marked = '{ "endpoint": "teams", "input": { "a": "{{parameters.|';
    const items = await editor.at<CompletionItem[]>('textDocument/completion', marked);
    expect(labels(items)).toEqual(expect.arrayContaining(['userId', 'team']));
  });

  it.each([
    ['/users/{{para|meters.userId}}', 'What the user filled in.'],
    ['/users/{{parameters.user|Id}}', 'Whom to get.'],
    ['/users/{{parameters.user|Id}}', 'From `get-user.params.iml.json:1`'],
    ['{{temp.tok|en}}', 'From `get-user.iml.json:1`'],
    ['{{twi|ce(2)}}', 'function of the app'],
    ['{{twi|ce(2)}}', 'twice(n)'],
  ])('shows documentation of %s on hover', async (piece, text) => {
    const whole = FILES['get-user.iml.json'];
    const plain = piece.replace('|', '');
    const hover = await editor.at<Hover>('textDocument/hover', whole.replace(plain, piece));
    expect(JSON.stringify(hover.contents)).toContain(text);
  });

  it.each([
    ['parameters.user|Id', 'get-user.params.iml.json'],
    ['twi|ce(2)', 'makecomapp.json'],
    ['temp.tok|en', 'get-user.iml.json'],
  ])('goes from %s to its declaration', async (piece, target) => {
    const whole = FILES['get-user.iml.json'];
    const found = await editor.at<Location[]>(
      'textDocument/definition',
      whole.replace(piece.replace('|', ''), piece),
    );
    expect(found.map(({ uri }) => path.basename(uri))).toContain(target);
  });

  it.each([
    ['apiKey', 'account.params.iml.json', 'API key'],
    ['region', 'account.iml.json', 'kept by response.data'],
  ])('shows the origin of connection.%s and goes to it', async (name, target, about) => {
    const marked = `{ "url": "/a/{{connection.${name}|}}" }`;
    const hover = await editor.at<Hover>('textDocument/hover', marked);
    expect(JSON.stringify(hover.contents)).toContain(about);
    expect(JSON.stringify(hover.contents)).toContain(`From \`${target}:1\``);
    const found = await editor.at<Location[]>('textDocument/definition', marked);
    expect(found.map(({ uri }) => path.basename(uri))).toEqual([target]);
  });

  it('renames a parameter in its form and in expressions', async () => {
    const marked = FILES['get-user.iml.json'].replace('parameters.userId', 'parameters.user|Id');
    const edit = await editor.at<WorkspaceEdit>('textDocument/rename', marked, { newName: 'personId' });
    const files = Object.entries(edit.changes ?? {}).map(([uri, edits]) => [
      path.basename(uri),
      edits.length,
    ]);
    expect(Object.fromEntries(files)).toEqual({
      'get-user.iml.json': 1,
      'get-user.params.iml.json': 1,
      'list-teams.iml.json': 1,
    });
  });

  it('renames an RPC in the manifest and in addresses, and finds both references', async () => {
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

  it.each([
    ['connection "account"', 'makecomapp.json', '"connection": "acc|ount"', ['makecomapp.json']],
    ['endpoint "teams"', 'list-teams.iml.json', '"endpoint": "te|ams"', ['makecomapp.json']],
    ['module of a group', 'groups.json', '["get|User"]', ['makecomapp.json']],
  ])('goes from a %s to its declaration', async (_, name, piece, targets) => {
    const text = FILES[name as keyof typeof FILES];
    await editor.open(path.join(folder, name), text);
    const marked = text.replace(piece.replace('|', ''), piece);
    const found = await editor.at<Location[]>('textDocument/definition', marked);
    expect(found.map(({ uri }) => path.basename(uri))).toEqual(targets);
  });

  it('finds all references of a connection and of a module', async () => {
    await editor.open(path.join(folder, 'makecomapp.json'), MANIFEST);
    const references = async (piece: string): Promise<number> => {
      const marked = MANIFEST.replace(piece.replace('|', ''), piece);
      const context = { includeDeclaration: true };
      return (await editor.at<Location[]>('textDocument/references', marked, { context })).length;
    };
    expect(await references('"acc|ount"')).toBe(2);
    expect(await references('"get|User"')).toBe(2);
  });

  /** Text of each file after a rename. */
  const renamed = async (name: string, piece: string, newName: string): Promise<Record<string, string>> => {
    const text = FILES[name as keyof typeof FILES];
    await editor.open(path.join(folder, name), text);
    const marked = text.replace(piece.replace('|', ''), piece);
    const edit = await editor.at<WorkspaceEdit>('textDocument/rename', marked, { newName });
    const changed = Object.entries(edit.changes ?? {}).map(([uri, edits]) => {
      const file = path.basename(uri);
      const document = TextDocument.create(uri, 'jsonc', 1, FILES[file as keyof typeof FILES]);
      return [file, TextDocument.applyEdits(document, edits)];
    });
    return Object.fromEntries(changed);
  };

  it('renames a function in its code, other functions, expressions and the manifest', async () => {
    const changed = await renamed('get-user.iml.json', 'twi|ce(2)', 'double');
    expect(Object.keys(changed).sort()).toEqual([
      'four-times.js',
      'get-user.iml.json',
      'makecomapp.json',
      'twice.js',
    ]);
    expect(changed['twice.js']).toBe('function double(n) { return n * 2 }');
    expect(changed['four-times.js']).toBe('function fourTimes(n) { return iml.double(iml.double(n)) }');
    expect(changed['get-user.iml.json']).toContain('{{double(2)}}');
    expect(JSON.parse(changed['makecomapp.json'] ?? '').components.function).toHaveProperty('double');
  });

  it('renames a stored member of a connection and its references', async () => {
    const field = await renamed('account.params.iml.json', '"api|Key"', 'token');
    expect(field['account.params.iml.json']).toContain('"name": "token"');
    expect(field['base.iml.json']).toContain('{{connection.token}}');
    const data = await renamed('account.iml.json', '"reg|ion"', 'zone');
    expect(data['account.iml.json']).toContain('"zone": "{{body.region}}"');
  });

  it('renames a parameter also in an RPC that only its form calls', async () => {
    const changed = await renamed('get-user.params.iml.json', '"user|Id"', 'personId');
    expect(changed['list-teams.iml.json']).toContain('{{parameters.personId}}');
    expect(changed['get-user.iml.json']).toContain('{{parameters.personId}}');
    expect(changed['get-user.params.iml.json']).toContain('"name": "personId"');
  });

  it.each([
    ['get-user.iml.json', 'twi|ce(2)', 'fourTimes', 'A function "fourTimes" already exists.'],
    ['get-user.iml.json', 'twi|ce(2)', 'four times', 'is not a valid name of a function'],
    ['makecomapp.json', '"acc|ount": {', 'other', 'A connection cannot be renamed'],
  ])('refuses in %s to rename %s to %s', async (name, piece, newName, message) => {
    await expect(renamed(name, piece, newName)).rejects.toThrow(message);
  });

  it('renames text that is not saved yet', async () => {
    const typed = '{ "url": "/{{parameters.user|Id}}/{{parameters.userId}}", "temp": {} }';
    const edit = await editor.at<WorkspaceEdit>('textDocument/rename', typed, { newName: 'id' });
    const [, edits] =
      Object.entries(edit.changes ?? {}).find(([uri]) => uri.endsWith('get-user.iml.json')) ?? [];
    const text = typed.replace('|', '');
    expect(edits?.map(({ range }) => range.start.character).sort((a, b) => a - b)).toEqual([
      text.indexOf('userId'),
      text.lastIndexOf('userId'),
    ]);
  });

  it('offers a quick fix for a finding', async () => {
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

  it.each([
    ['{ "url": "/{{fromatDate(now)}}" }', 'unknown-function', 'formatDate'],
    ['{ "url": "/{{paramters.userId}}" }', 'unknown-name', 'parameters'],
    ['{ "url": "/a", "metod": "POST" }', 'unknown-directive', 'method'],
    ['{ "url": "/a", "method": "PTCH" }', 'unknown-method', 'PATCH'],
  ])('offers the suggestion of %s as a quick fix, with the page of its rule', async (text, rule, meant) => {
    await editor.change(text);
    const [wrong] = await editor.diagnostics(file, (found) => found.some(({ code }) => code === rule));
    expect(wrong?.codeDescription?.href).toMatch(new RegExp(`/rules/${rule}\\.html$`));
    const actions = await editor.request<{ title: string; edit: WorkspaceEdit }[]>(
      'textDocument/codeAction',
      { range: wrong?.range, context: { diagnostics: [wrong] } },
    );
    expect(Object.values(actions[0]?.edit.changes ?? {})[0]).toMatchObject([{ newText: meant }]);
  });

  it('infers an interface from the test cases by a quick fix, and omits a field that no run outputs', async () => {
    const name = path.join(folder, 'get-user.interface.iml.json');
    const manifest = JSON.parse(FILES['makecomapp.json']);
    manifest.components.module.getUser.codeFiles.interface = 'get-user.interface.iml.json';
    writeFileSync(path.join(folder, 'makecomapp.json'), JSON.stringify(manifest));
    writeFileSync(
      path.join(folder, 'get-user.iml.json'),
      '{ "url": "/users/{{parameters.userId}}", "response": { "output": { "id": "{{body.id}}" } } }',
    );
    const text = '[\n  { "name": "gone", "type": "text", "label": "Gone" }\n]\n';
    writeFileSync(name, text);
    await editor.closeFiles();
    await editor.open(name, text);
    const found = (diagnostics: readonly { readonly code?: unknown }[]): boolean =>
      diagnostics.some(({ code }) => code === 'unfilled-interface');
    const [wrong] = await editor.diagnostics(name, found);
    const ask = async (): Promise<{ title: string; edit: WorkspaceEdit } | undefined> => {
      const actions = await editor.request<{ title: string; edit: WorkspaceEdit }[]>(
        'textDocument/codeAction',
        { range: wrong?.range, context: { diagnostics: [wrong] } },
      );
      return actions[0];
    };
    expect((await ask())?.title).toBe('Remove the field');
    mkdirSync(path.join(folder, 'tests'));
    const exchanges = [{ response: { body: { id: 7, name: 'Ann' } } }];
    const input = { parameters: { userId: '7' }, checkParameters: false };
    const written = { component: 'module:getUser', input, exchanges, expect: { bundleCount: 1 } };
    writeFileSync(path.join(folder, 'tests/user.test.json'), JSON.stringify(written));
    const action = await ask();
    expect(action?.title).toBe('Infer the interface of "getUser" from its test cases');
    const [edit] = Object.values(action?.edit.changes ?? {})[0] ?? [];
    expect(JSON.parse(edit?.newText ?? '')).toEqual([{ name: 'id', type: 'uinteger', label: 'ID' }]);
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
