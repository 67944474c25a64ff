import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from './fake-io.js';

const MANIFEST = {
  fileVersion: 1,
  generalCodeFiles: { base: 'general/base.iml.json' },
  components: {
    connection: {
      account: {
        connectionType: 'oauth',
        codeFiles: { communication: 'connections/account/account.communication.iml.json' },
      },
    },
    module: {
      answer: {
        moduleType: 'responder',
        codeFiles: { communication: 'modules/answer/answer.communication.iml.json' },
      },
      odd: { moduleType: 'action', codeFiles: { communication: 'odd/api.json' } },
    },
  },
};

const FILES = {
  'app/makecomapp.json': JSON.stringify(MANIFEST),
  'app/general/base.iml.json': '{}',
  'app/connections/account/account.communication.iml.json': '{ "token": { "url": "https://a.example/" } }',
  'app/modules/answer/answer.communication.iml.json': '{}',
  'app/odd/api.json': '{}',
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml-schemas-'));
  for (const [name, text] of Object.entries(FILES)) write(name, text);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SETTINGS = '.vscode/settings.json';

function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
}

const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

interface Settings {
  readonly 'json.schemas': readonly { readonly fileMatch: readonly string[]; readonly url: string }[];
  readonly 'files.associations': Readonly<Record<string, string>>;
}

const patternsOf = (name: string): readonly string[] =>
  (parse(read(SETTINGS)) as Settings)['json.schemas'].find(({ url }) => url.endsWith(`/${name}.schema.json`))
    ?.fileMatch ?? [];

describe('iml schemas', () => {
  it('lists the schemas and prints one', async () => {
    expect((await cli(['schemas'])).out).toMatch(/^manifest\s+Manifest of an app$/m);
    const { out } = await cli(['schemas', '--print', 'epoch']);
    expect(JSON.parse(out)).toMatchObject({ title: 'Epoch of a polling trigger' });
    expect(await cli(['schemas', '--print', 'epochs'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no schema "epochs". Did you mean "epoch"?') as unknown,
    });
  });

  it('configures the workspace: files of the app by role, others by name', async () => {
    const { code, out } = await cli(['schemas', 'app', '--write'], { cwd: folder });
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('.vscode/settings.json') as unknown,
    });
    expect(patternsOf('responder')).toEqual(['/app/modules/answer/answer.communication.iml.json']);
    expect(patternsOf('oauth-connection')).toContain(
      '/app/connections/account/account.communication.iml.json',
    );
    expect(patternsOf('communication')).toEqual(
      expect.arrayContaining([
        '/app/odd/api.json',
        '/app/modules/*/*.communication.iml.json',
        '!/app/modules/answer/answer.communication.iml.json',
        '!/app/connections/account/account.communication.iml.json',
      ]),
    );
    expect(JSON.parse(read('.vscode/iml-schemas/base.schema.json'))).toMatchObject({ title: 'Base' });
    expect((parse(read(SETTINGS)) as Settings)['files.associations']['*.imljson']).toBe('jsonc');
  });

  it('keeps other settings, and changes nothing the second time', async () => {
    const own =
      '{\n  // two spaces\n  "editor.tabSize": 2,\n  "files.associations": { "*.imljson": "json5" },\n  "json.schemas": [\n    /* mine */ { "fileMatch": ["/x.json"], "url": "./x.json" },\n  ],\n}\n';
    write(SETTINGS, own);
    await cli(['schemas', 'app', '--write'], { cwd: folder });
    const first = read(SETTINGS);
    expect(first).toContain('// two spaces');
    expect(first).toContain('/* mine */');
    expect(parse(first)).toMatchObject({
      'editor.tabSize': 2,
      'files.associations': { '*.imljson': 'json5' },
    });
    expect((parse(first) as Settings)['json.schemas'][0]).toEqual({
      fileMatch: ['/x.json'],
      url: './x.json',
    });
    await cli(['schemas', 'app', '--write'], { cwd: folder });
    expect(read(SETTINGS)).toBe(first);
  });

  it('adds a second app to the same workspace', async () => {
    for (const [name, text] of Object.entries(FILES)) write(name.replace('app/', 'other/'), text);
    await cli(['schemas', 'app', '--write'], { cwd: folder });
    await cli(['schemas', 'other', '--write'], { cwd: folder });
    expect(patternsOf('manifest')).toEqual(['/app/makecomapp.json', '/other/makecomapp.json']);
  });

  it.each(['{ "json.schemas": {} }', '[]', '{ "editor": '])(
    'writes nothing if the settings are %s',
    async (text) => {
      write(SETTINGS, text);
      const { code, err } = await cli(['schemas', 'app', '--write'], { cwd: folder });
      expect(code).toBe(2);
      expect(err).toContain('was left as it is');
      expect(read(SETTINGS)).toBe(text);
      expect(existsSync(path.join(folder, '.vscode/iml-schemas'))).toBe(false);
    },
  );
});
