import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadApp } from '../../src/index.js';
import { checkRun, type RunCheck } from '../../src/tools/check/check-run.js';
import { checkFolder } from './check-folder.js';

type ComponentName = Parameters<typeof checkRun>[2][number];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml-check-run-'));
  mkdirSync(path.join(folder, '.git'));
  writeFileSync(path.join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const FILES: Readonly<Record<string, unknown>> = {
  'makecomapp.json': {
    fileVersion: 1,
    generalCodeFiles: { base: 'base.json', readme: 'readme.md' },
    components: {
      connection: {
        key: { connectionType: 'basic', codeFiles: { communication: 'key.json', params: 'key-form.json' } },
        other: { connectionType: 'basic', codeFiles: { communication: 'other.json' } },
      },
      webhook: {
        events: { webhookType: 'web', connection: 'key', codeFiles: { communication: 'events.json' } },
      },
      module: {
        get: {
          moduleType: 'action',
          connection: 'key',
          codeFiles: { communication: 'get.json', mappableParams: 'get-form.json' },
        },
        watch: {
          moduleType: 'instant_trigger',
          webhook: 'events',
          codeFiles: { communication: 'watch.json' },
        },
        list: { moduleType: 'serach', connection: 'other', codeFiles: { communication: 'list.json' } },
        plain: { moduleType: 'action', codeFiles: { communication: 'plain.json' } },
      },
      rpc: {
        tables: { connection: 'key', codeFiles: { communication: 'tables.json' } },
        unused: { connection: 'key', codeFiles: { communication: 'unused.json' } },
      },
      function: {
        outer: { codeFiles: { code: 'outer.js' } },
        inner: { codeFiles: { code: 'inner.js' } },
        alone: { codeFiles: { code: 'alone.js' } },
      },
      endpoint: { find: { codeFiles: { communication: 'find.json' } } },
    },
  },
  'base.json': { baseUrl: 'https://api.example.com', headers: { a: '{{temp.a}}' } },
  'key.json': { url: 'https://api.example.com/{{temp.b}}' },
  'key-form.json': [{ name: 'c', type: 'string' }],
  'other.json': { url: 'https://api.example.com/{{temp.d}}' },
  'events.json': { output: '{{shout(body)}}' },
  'get.json': { url: '/{{temp.e}}', qs: { q: '{{outer(1)}}' } },
  'get-form.json': [{ name: 'table', type: 'select', options: 'rpc://tables' }],
  'watch.json': {},
  'list.json': { endpoint: 'find', response: { output: '{{item}' } },
  'plain.json': { response: { temp: { a: 1 } } },
  'tables.json': { url: '/{{temp.f}}' },
  'unused.json': { url: '/{{temp.g}}' },
  'find.json': { url: '/{{temp.h}}' },
  'outer.js': '// first\nfunction outer(x) { return iml.inner(x) }',
  'inner.js': '/* first */ function inner(x) { return x }',
  'alone.js': '/* first */ function alone(x) { return x }',
};

function write(files: Readonly<Record<string, unknown>>): void {
  for (const [file, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    writeFileSync(path.join(folder, file), text);
  }
}

async function check(...started: readonly ComponentName[]): Promise<RunCheck> {
  return checkRun(await loadApp(folder), folder, started);
}

const filesOf = ({ findings }: RunCheck): readonly string[] => [
  ...new Set(findings.map(({ place }) => place.file ?? '')),
];

it.each<[ComponentName, readonly string[]]>([
  [
    { kind: 'module', name: 'get' },
    ['get.json', 'inner.js', 'key-form.json', 'key.json', 'outer.js', 'tables.json'],
  ],
  [{ kind: 'module', name: 'watch' }, ['events.json', 'key-form.json', 'key.json']],
  [{ kind: 'module', name: 'list' }, ['find.json', 'list.json', 'makecomapp.json', 'other.json']],
  [{ kind: 'connection', name: 'other' }, ['other.json']],
  [{ kind: 'function', name: 'outer' }, ['inner.js', 'outer.js']],
  [{ kind: 'module', name: 'plain' }, []],
])('reports only the files that $kind $name uses', async (component, files) => {
  write(FILES);
  const found = await check(component);
  expect(filesOf(found)).toEqual(files);
  expect(found.elsewhere).toBeGreaterThan(0);
});

it('reports the same for its files as the check of the whole app', async () => {
  write(FILES);
  const { findings } = await check({ kind: 'module', name: 'get' });
  const files = new Set(findings.map(({ place }) => place.file));
  const whole = (await checkFolder(folder)).findings.filter(
    ({ level, place }) => level !== 'info' && files.has(place.file),
  );
  expect(findings).toEqual(whole);
});

it.runIf(process.platform === 'linux')(
  'loads no app whose settings are a pipe, and does not wait for it',
  async () => {
    write(FILES);
    execFileSync('mkfifo', [path.join(folder, 'iml.config.json')]);
    await expect(check({ kind: 'module', name: 'get' })).rejects.toMatchObject({
      code: 'SPEC_READ',
      place: { file: 'iml.config.json' },
    });
  },
);

it('applies no rule of the review', async () => {
  write(FILES);
  const { findings } = await check({ kind: 'module', name: 'get' });
  write({ 'iml.config.json': '{ "check": { "profile": "review" } }' });
  expect((await check({ kind: 'module', name: 'get' })).findings).toEqual(findings);
});

it('applies settings and comments', async () => {
  write({
    ...FILES,
    'get.json': '{ "url": "/{{temp.e}}" } // iml-ignore unwritten-temp',
    'iml.config.json':
      '{ "check": { "rules": { "parameter-type": "info" }, "ignore": ["key.json", "tables.json"] } }',
  });
  expect((await check({ kind: 'module', name: 'get' })).findings).toEqual([]);
  write({ 'iml.config.json': '{ "chek": {} }' });
  expect((await check({ kind: 'module', name: 'get' })).findings).toMatchObject([
    { rule: 'unusable-settings', place: { file: 'iml.config.json' } },
  ]);
});
