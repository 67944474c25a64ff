import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../temporary-folder.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SOURCE = path.join(ROOT, 'src/tools/vscode');

interface Snippet {
  readonly body: readonly string[];
}

interface Manifest {
  readonly contributes: {
    readonly problemPatterns: readonly {
      readonly name: string;
      readonly regexp: string;
      readonly file: number;
      readonly message: number;
      readonly line?: number;
    }[];
  };
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(path.join(SOURCE, name), 'utf8')) as T;
}

const SNIPPETS = readJson<Readonly<Record<string, Snippet>>>('snippets.json');

let folder = '';

beforeEach(() => {
  folder = makeTemporaryFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the files of an app, by path. */
function writeApp(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The output of `iml check` in the folder of the app. */
function check(...options: readonly string[]): string {
  const command = [path.join(ROOT, 'dist/bin/iml.js'), 'check', ...options];
  return spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' }).stdout;
}

/** The texts of a snippet: one per choice that it offers, with the defaults of the other placeholders. */
function expand(name: string): readonly string[] {
  const text = SNIPPETS[name]?.body.join('\n') ?? '';
  const most = Math.max(
    1,
    ...[...text.matchAll(/\|([^|]*)\|/g)].map(([, all = '']) => all.split(',').length),
  );
  return Array.from({ length: most }, (_, index) =>
    text
      .replace(
        /\$\{\d+\|([^|]*)\|\}/g,
        (_match, all: string) => all.split(',')[index] ?? all.split(',')[0] ?? '',
      )
      .replace(/\$\{\d+:([^}]*)\}/g, '$1'),
  );
}

describe('snippets', () => {
  it('form an app that iml check accepts, with every choice', () => {
    const communications = ['Request', 'Search', 'Polling trigger', 'Options of a field'];
    const forms = ['Text field', 'Select field', 'Array field'];
    expect([...communications, ...forms, 'Base'].sort()).toEqual(Object.keys(SNIPPETS).sort());
    const modules = [
      ...expand('Request').map((text) => ['action', text]),
      ...expand('Search').map((text) => ['search', text]),
      ...expand('Polling trigger').map((text) => ['trigger', text]),
    ].map(([moduleType = '', text = ''], index) => ({ name: `module${index}`, moduleType, text }));
    const fields = forms
      .flatMap(expand)
      .map((text, index) => ({ ...JSON.parse(text), name: `field${index}` }));
    const limit = { name: 'limit', label: 'Limit', type: 'uinteger', default: 10 };
    const form = [{ name: 'id', label: 'ID', type: 'text' }, limit, ...fields];
    writeApp({
      'makecomapp.json': JSON.stringify({
        generalCodeFiles: { base: 'base.iml.json' },
        components: {
          connection: {
            key: {
              connectionType: 'basic',
              codeFiles: { communication: 'key.iml.json', params: 'key.params.iml.json' },
            },
          },
          module: Object.fromEntries(
            modules.map(({ name, moduleType }) => [
              name,
              {
                label: name,
                moduleType,
                connection: 'key',
                codeFiles: { communication: `${name}.iml.json`, mappableParams: 'form.iml.json' },
              },
            ]),
          ),
          rpc: {
            listItems: { label: 'Items', connection: 'key', codeFiles: { communication: 'items.iml.json' } },
          },
        },
      }),
      'base.iml.json': expand('Base')[0] ?? '',
      'key.params.iml.json': '[{ "name": "apiKey", "label": "Key", "type": "password" }]',
      'key.iml.json':
        '{ "url": "https://api.example.com/me", "headers": { "Authorization": "Bearer {{parameters.apiKey}}" }, "log": { "sanitize": ["request.headers.authorization"] } }',
      'form.iml.json': JSON.stringify(form),
      'items.iml.json': expand('Options of a field')[0] ?? '',
      ...Object.fromEntries(modules.map(({ name, text }) => [`${name}.iml.json`, text])),
    });
    const out = check('--json');
    const { findings } = JSON.parse(out) as { readonly findings: readonly { readonly level: string }[] };
    expect(findings.filter(({ level }) => level !== 'info')).toEqual([]);
  });
});

describe('the problem matchers', () => {
  it('find every diagnostic that iml check prints, with file and line', () => {
    writeApp({
      'makecomapp.json': JSON.stringify({
        components: {
          module: {
            list: { label: 'List', moduleType: 'search', codeFiles: { communication: 'list.iml.json' } },
          },
          rpc: { unused: { label: 'Unused', codeFiles: { communication: 'unused.iml.json' } } },
        },
      }),
      'list.iml.json': '{\n  "url": "http://api.example.com/{{parametres.a}}",\n  "nowhere": 1\n}\n',
      'unused.iml.json': '{ "url": "https://api.example.com" }',
    });
    const { findings } = JSON.parse(check('--json')) as {
      readonly findings: readonly {
        readonly message: string;
        readonly place: { readonly file: string; readonly line?: number };
      }[];
    };
    const patterns = readJson<Manifest>('manifest.json').contributes.problemPatterns;
    const lines = check().split('\n');
    const matched = lines.flatMap((line) =>
      patterns.flatMap(({ regexp, file, message, line: at }) => {
        const match = new RegExp(regexp).exec(line);
        return match === null
          ? []
          : [
              {
                file: match[file],
                message: match[message],
                line: at === undefined ? undefined : Number(match[at]),
              },
            ];
      }),
    );
    expect(matched).toEqual(
      findings.map(({ message, place }) => ({
        file: place.file,
        message: message.split('\n')[0],
        line: place.line,
      })),
    );
    expect(new Set(findings.map(({ place }) => place.line === undefined))).toEqual(new Set([true, false]));
  });
});
