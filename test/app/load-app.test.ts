import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES, openAppFolder } from '../../src/engine/loading/app-folder.js';
import { loadApp } from '../../src/index.js';
import { type Files, link, specErrorOf, warningsOf, writeApp } from './temp-app.js';

interface ManifestOptions {
  readonly general?: unknown;
  readonly components?: unknown;
  readonly more?: object;
}

function manifest({ general, components, more }: ManifestOptions): object {
  return {
    fileVersion: 1,
    generalCodeFiles: general ?? {},
    components: components ?? {},
    origins: [],
    ...more,
  };
}

function moduleManifest(record: object, more: object = {}): object {
  return manifest({ components: { module: { getThing: record }, ...more } });
}

const ACTION = { label: 'Get', moduleType: 'action', codeFiles: { communication: 'm/api.imljson' } };
const SPEC: Files = { 'm/api.imljson': { url: 'https://x.test/x' } };

describe('loadApp with a manifest', () => {
  it('loads every file from the path in the manifest', async () => {
    const app = await loadApp(
      writeApp({
        'makecomapp.json': manifest({
          general: { base: 'g/base.imljson', common: null, groups: 'groups.json', readme: null },
          components: {
            connection: {
              key: {
                label: 'Key',
                connectionType: 'basic',
                codeFiles: { communication: 'c.json', params: 'p.json' },
              },
            },
            webhook: {
              hook: {
                webhookType: 'web-shared',
                connection: 'key',
                codeFiles: { communication: 'w.json', attach: 'a.json' },
              },
            },
            module: {
              watch: { moduleType: 'instant_trigger', webhook: 'hook', connection: 'key', codeFiles: {} },
              getThing: {
                ...ACTION,
                description: 'Gets.',
                actionCrud: 'read',
                connection: 'key',
                altConnection: null,
              },
            },
            rpc: { list: { connection: 'key', codeFiles: { communication: 'r.json' } } },
            function: { up: { codeFiles: { code: 'f/up.js', test: 'f/up.test.js' } } },
            endpoint: { end: { codeFiles: { communication: 'e.json', context: 'e.md' }, annotations: {} } },
          },
        }),
        ...SPEC,
        'g/base.imljson': '// shared\n{"baseUrl": "https://x.test",}',
        'groups.json': [{ label: 'All', modules: ['getThing', 'watch'] }],
        'c.json': { url: 'https://x.test/me', response: { uid: '{{body.id}}' } },
        'p.json': [{ name: 'apiKey', type: 'text' }],
        'w.json': { uid: '{{body.user}}' },
        'a.json': { url: 'https://x.test/hooks' },
        'r.json': { url: 'https://x.test/list' },
        'f/up.js': '\uFEFFfunction up(x) { return x; }',
        'f/up.test.js': 'it("x", () => {});',
        'e.json': { url: 'https://x.test/e' },
        'e.md': '# E',
      }),
    );
    expect(warningsOf(app)).toEqual([]);
    expect(app.base).toMatchObject({ value: { baseUrl: 'https://x.test' }, file: 'g/base.imljson' });
    expect(app.common).toBeUndefined();
    expect([...app.modules.keys()]).toEqual(['watch', 'getThing']);
    expect(app.modules.get('getThing')).toMatchObject({
      name: 'getThing',
      label: 'Get',
      description: 'Gets.',
      type: 'action',
      crud: 'read',
      connection: 'key',
      altConnection: undefined,
      communication: { value: { url: 'https://x.test/x' }, file: 'm/api.imljson' },
      samples: undefined,
    });
    expect(app.modules.get('watch')).toMatchObject({ type: 'instant_trigger', webhook: 'hook' });
    expect(app.connections.get('key')).toMatchObject({ type: 'basic', params: { file: 'p.json' } });
    expect(app.webhooks.get('hook')).toMatchObject({
      type: 'web-shared',
      attach: { value: { url: 'https://x.test/hooks' } },
    });
    expect(app.rpcs.get('list')).toMatchObject({ connection: 'key' });
    expect(app.functions.get('up')).toEqual({
      name: 'up',
      label: undefined,
      code: 'function up(x) { return x; }',
      test: 'it("x", () => {});',
      testFile: 'f/up.test.js',
      file: 'f/up.js',
    });
    expect(app.endpoints.get('end')).toMatchObject({ communication: { value: { url: 'https://x.test/e' } } });
  });

  it.each([['.'], ['src'], ['src/makecomapp.json']])('finds the manifest from %s', async (from) => {
    const root = writeApp({ 'src/makecomapp.json': moduleManifest(ACTION), 'src/m/api.imljson': {} });
    const app = await loadApp(path.join(root, from));
    expect(app.name).toBe(path.basename(root));
    expect(app.modules.size).toBe(1);
  });

  it('finds a manifest in a subfolder if it is the only one, ignoring dependencies', async () => {
    const root = writeApp({
      'apps/one/makecomapp.json': moduleManifest(ACTION),
      'apps/one/m/api.imljson': {},
      'node_modules/x/makecomapp.json': {},
    });
    expect((await loadApp(root)).name).toBe('one');
  });

  it('lists the apps if there are several', async () => {
    const root = writeApp({ 'src/b/makecomapp.json': manifest({}), 'src/a/makecomapp.json': manifest({}) });
    const error = await specErrorOf(() => loadApp(root));
    expect(error.code).toBe('SPEC_MISSING');
    expect(error.message).toContain(`2 apps`);
    expect(error.message).toContain(`  ${path.join(root, 'src/a')}\n  ${path.join(root, 'src/b')}`);
  });

  it.each([['none'], ['x.txt'], ['nul\0']])('reports that there is no app in %j', async (name) => {
    const root = writeApp({ 'x.txt': 'x' });
    expect((await specErrorOf(() => loadApp(path.join(root, name)))).code).toBe('SPEC_MISSING');
    expect((await specErrorOf(() => loadApp(root))).message).toContain('There is no app');
  });

  it('reads old manifests', async () => {
    const { moduleType: _, ...old } = ACTION;
    const files = { 'makecomapp.json': moduleManifest({ ...old, moduleSubtype: 'search' }), ...SPEC };
    const app = await loadApp(writeApp(files));
    expect(app.modules.get('getThing')?.type).toBe('search');
    expect(app.endpoints.size).toBe(0);
    expect(warningsOf(app)).toEqual([
      'upgraded makecomapp.json#/components/module/getThing/moduleSubtype:11:26',
    ]);
  });

  it.each([
    [{ codeFiles: { communication: 'm/api.imljson', epoch: 'm/epoch.json' } }, 'trigger'],
    [{ codeFiles: { communication: 'm/iterate.json' } }, 'search'],
    [{ codeFiles: { communication: 'm/api.imljson' }, webhook: 'w' }, 'instant_trigger'],
    [{ codeFiles: { communication: 'm/api.imljson' } }, 'action'],
  ])('infers the type of a module %j', async (record, type) => {
    const app = await loadApp(
      writeApp({
        'makecomapp.json': moduleManifest(record),
        ...SPEC,
        'm/iterate.json': [{ url: 'https://x.test/' }, { response: { iterate: '{{body}}' } }],
        'm/epoch.json': {},
      }),
    );
    expect(app.modules.get('getThing')?.type).toBe(type);
  });
});

describe('defects that become warnings', () => {
  it.each<[string, object, Files, string[]]>([
    [
      'a component that is null',
      manifest({ components: { module: { a: null } } }),
      {},
      ['null-component makecomapp.json#/components/module/a:6:12'],
    ],
    [
      'components that are arrays',
      manifest({ components: { module: [], rpc: { a: [] }, webhook: [{}] } }),
      {},
      [
        'component-is-array makecomapp.json#/components/webhook:9:16',
        'component-is-array makecomapp.json#/components/module:5:15',
        'component-is-array makecomapp.json#/components/rpc/a:7:12',
      ],
    ],
    [
      'an unknown version of the manifest',
      manifest({ more: { fileVersion: 2 } }),
      {},
      ['wrong-type makecomapp.json#/fileVersion:2:18'],
    ],
    [
      'components that are not an object',
      manifest({ components: 'x' }),
      {},
      ['wrong-type makecomapp.json#/components:4:17'],
    ],
    [
      'a component that is not an object',
      manifest({ components: { rpc: { a: 7 } } }),
      {},
      ['wrong-type makecomapp.json#/components/rpc/a:6:12'],
    ],
    [
      'unknown keys of the manifest',
      manifest({ general: { bas: 'x' }, components: { modul: {} }, more: { version: 1 } }),
      {},
      [
        'unknown-key makecomapp.json#/version:10:3',
        'unknown-key makecomapp.json#/generalCodeFiles/bas:4:5',
        'unknown-key makecomapp.json#/components/modul:7:5',
      ],
    ],
    [
      'a path that is not a string',
      moduleManifest({ ...ACTION, codeFiles: { ...ACTION.codeFiles, scope: 5, samples: '' } }),
      SPEC,
      [
        'wrong-type makecomapp.json#/components/module/getThing/codeFiles/samples:12:22',
        'wrong-type makecomapp.json#/components/module/getThing/codeFiles/scope:11:20',
      ],
    ],
    [
      'a component without codeFiles',
      manifest({ components: { rpc: { a: {} } } }),
      {},
      [
        'wrong-type makecomapp.json#/components/rpc/a/codeFiles:6:12',
        'missing-communication makecomapp.json#/components/rpc/a:6:7',
      ],
    ],
    [
      'an unknown type',
      moduleManifest({ ...ACTION, moduleType: 'serach' }),
      SPEC,
      ['wrong-type makecomapp.json#/components/module/getThing/moduleType:8:23'],
    ],
    [
      'a label that is not a string',
      moduleManifest({ ...ACTION, label: 5 }),
      SPEC,
      ['wrong-type makecomapp.json#/components/module/getThing/label:7:18'],
    ],
    [
      'missing optional files',
      manifest({
        general: { readme: 'README.md' },
        components: { function: { f: { codeFiles: { code: 'f.js' } } } },
      }),
      {},
      ['missing-file makecomapp.json#/components/function/f/codeFiles/code:10:19'],
    ],
    [
      'an empty file',
      moduleManifest(ACTION),
      { 'm/api.imljson': ' \n' },
      ['missing-file m/api.imljson', 'missing-communication makecomapp.json#/components/module/getThing:6:7'],
    ],
    [
      'unnamed files',
      moduleManifest(ACTION),
      {
        ...SPEC,
        'm/old.json': '{}',
        'm/notes.md': 'x',
        'x/y/z.iml.json': '{}',
        'package.json': '{}',
        'other/makecomapp.json': '{}',
        'other/base.imljson': '{}',
        '.hidden/a.imljson': '{}',
      },
      ['undeclared-file m/old.json', 'undeclared-file x/y/z.iml.json'],
    ],
    [
      'names of unknown components',
      moduleManifest(
        { ...ACTION, connection: 'kee', codeFiles: { ...ACTION.codeFiles, mappableParams: 'm/p.json' } },
        { connection: { key: { codeFiles: { communication: 'm/api.imljson' } } } },
      ),
      { ...SPEC, 'm/p.json': [{ name: 'x', type: 'select', options: 'rpc://nothing?a={{b}}' }] },
      [
        'unknown-reference makecomapp.json#/components/module/getThing/connection:13:23',
        'unknown-reference m/p.json#/0/options:5:16',
      ],
    ],
    [
      'groups with unknown members',
      manifest({ general: { groups: 'g.json' } }),
      { 'g.json': [{ label: 'x', modules: ['a', 1] }, 'b'] },
      [
        'unknown-reference g.json#/0/modules/0:5:7',
        'unknown-reference g.json#/0/modules/1:6:7',
        'wrong-type g.json#/1:9:3',
      ],
    ],
    [
      'an instant trigger without a webhook',
      moduleManifest({ ...ACTION, moduleType: 'instant_trigger' }),
      SPEC,
      ['unknown-reference makecomapp.json#/components/module/getThing:6:7'],
    ],
    [
      'a template with a syntax error',
      moduleManifest(ACTION),
      { 'm/api.imljson': '{\n  "url": "{{a b}}"\n}' },
      ['syntax m/api.imljson#/url:2:15'],
    ],
    [
      'an unknown key of a request, and a duplicate one',
      moduleManifest(ACTION),
      { 'm/api.imljson': '{"url": "/",\n "url": "a:x", "qss": {}}' },
      ['duplicate-key m/api.imljson#/url:2:2', 'unknown-key m/api.imljson#/qss:2:16'],
    ],
  ])('%s', async (_title, makecomapp, files, expected) => {
    const app = await loadApp(writeApp({ 'makecomapp.json': makecomapp, ...files }));
    expect(warningsOf(app)).toEqual(expected);
  });

  it('does not warn about a connection that another app owns', async () => {
    const origins = [{ idMapping: { connection: [{ local: 'theirs', remote: 'x', nonOwnedByApp: true }] } }];
    const makecomapp = { ...moduleManifest({ ...ACTION, connection: 'theirs' }), origins };
    expect(warningsOf(await loadApp(writeApp({ 'makecomapp.json': makecomapp, ...SPEC })))).toEqual([]);
  });

  it('warns once about a file that two components share', async () => {
    const components = { module: { a: ACTION, b: ACTION } };
    const files = { 'makecomapp.json': manifest({ components }), 'm/api.imljson': '{"urll": 1}' };
    expect(warningsOf(await loadApp(writeApp(files)))).toEqual(['unknown-key m/api.imljson#/urll:1:2']);
  });
});

describe('apps that cannot be loaded', () => {
  it('reports the manifest location and the path of a missing spec file', async () => {
    const error = await specErrorOf(() => loadApp(writeApp({ 'makecomapp.json': moduleManifest(ACTION) })));
    expect(error).toMatchObject({
      code: 'SPEC_MISSING',
      place: {
        file: 'makecomapp.json',
        pointer: '/components/module/getThing/codeFiles/communication',
        line: 10,
        column: 28,
      },
    });
    expect(error.message).toContain('"m/api.imljson"');
  });

  it.each([
    ['makecomapp.json', '{"components": }', 'SPEC_JSON', 1],
    ['makecomapp.json', '[]', 'SPEC_INVALID', 1],
    ['m/api.imljson', '{\n"a": 1', 'SPEC_JSON', 2],
    ['m/api.imljson', '['.repeat(100_000), 'SPEC_JSON', 1],
  ])('refuses %s with %.20s', async (file, text, code, line) => {
    const files = { 'makecomapp.json': moduleManifest(ACTION), ...SPEC, [file]: text };
    expect(await specErrorOf(() => loadApp(writeApp(files)))).toMatchObject({ code, place: { file, line } });
  });

  it.each([
    ['../outside.imljson'],
    ['../../outside.imljson'],
    ['.env'],
    ['m/.hidden/api.imljson'],
    ['../../../../../../../../etc/passwd'],
    ['m/../../../outside.imljson'],
    ['..\\..\\outside.imljson'],
    ['/etc/passwd'],
    ['C:\\secret.json'],
    ['.secrets/apikey'],
    ['m/../.SECRETS/apikey'],
    ['m'],
    ['a\u0000b'],
    ['m/link.imljson'],
    ['m/secret-link.imljson'],
    ['m/latin.imljson'],
  ])('refuses to read %j', async (file) => {
    const root = writeApp({
      'outside.imljson': '{"outside": 1}',
      'repo/src/makecomapp.json': moduleManifest({ ...ACTION, codeFiles: { communication: file } }),
      'repo/src/m/api.imljson': {},
      'repo/src/.secrets/apikey': 'canary',
    });
    const folder = path.join(root, 'repo/src/m');
    link(path.join(root, 'outside.imljson'), path.join(folder, 'link.imljson'));
    link('../.secrets/apikey', path.join(folder, 'secret-link.imljson'));
    writeFileSync(path.join(folder, 'latin.imljson'), Buffer.from([0x22, 0xe9, 0x22]));
    const error = await specErrorOf(() => loadApp(path.join(root, 'repo')));
    expect(error).toMatchObject({
      code: 'SPEC_READ',
      place: { file: 'makecomapp.json', pointer: '/components/module/getThing/codeFiles/communication' },
    });
    expect(error.message).not.toContain('canary');
  });

  it.each([
    [MAX_FILE_BYTES - 1, undefined],
    [MAX_FILE_BYTES, undefined],
    [MAX_FILE_BYTES + 1, 'SPEC_READ'],
  ])('limits the size of files: %i bytes', async (size, code) => {
    const files = { 'makecomapp.json': moduleManifest(ACTION), 'm/api.imljson': `{}${' '.repeat(size - 2)}` };
    const folder = writeApp(files);
    if (code === undefined) expect((await loadApp(folder)).modules.size).toBe(1);
    else expect(await specErrorOf(() => loadApp(folder))).toMatchObject({ code });
  });

  it('reads another folder only if it is named, and no hidden files in it', async () => {
    const makecomapp = manifest({
      general: { base: '../shared/base.imljson', common: '../.docker/config.json' },
    });
    const root = writeApp({
      'shared/base.imljson': { baseUrl: 'https://x.example' },
      '.docker/config.json': { auths: 'canary' },
      'src/makecomapp.json': makecomapp,
    });
    expect((await specErrorOf(() => loadApp(root))).code).toBe('SPEC_READ');
    for (const include of [['..'], ['../shared'], ['../shared', '../nowhere']]) {
      const app = await loadApp(root, { include });
      expect(app.base?.file).toBe('../shared/base.imljson');
      expect(app.common).toBeUndefined();
      expect(warningsOf(app)).toEqual([expect.stringMatching(/^unread-file makecomapp.json/)]);
    }
  });

  it('ignores a readme above the app', async () => {
    const makecomapp = manifest({ general: { readme: '../README' } });
    const app = await loadApp(writeApp({ 'README.md': '# Hi', 'src/makecomapp.json': makecomapp }));
    expect(app.warnings).toEqual([]);
  });

  it('follows links that stay inside, and accepts backslashes of Windows', async () => {
    const root = writeApp({
      'makecomapp.json': moduleManifest({ ...ACTION, codeFiles: { communication: 'm\\alias.imljson' } }),
      ...SPEC,
    });
    link('api.imljson', path.join(root, 'm/alias.imljson'));
    expect((await loadApp(root)).modules.get('getThing')?.communication?.value).toEqual({
      url: 'https://x.test/x',
    });
  });
});

it('reads nothing outside if a folder becomes a link between two of its files', async () => {
  const root = writeApp({
    'app/m/first.imljson': {},
    'app/m/second.imljson': { url: 'inside' },
    'outside/second.imljson': { url: 'canary' },
  });
  const folder = openAppFolder(path.join(root, 'app'));
  const place = () => ({ file: 'makecomapp.json' });
  expect(await folder.read('m/first.imljson', place)).toBe('{}');
  renameSync(path.join(root, 'app/m'), path.join(root, 'app/n'));
  link('../outside', path.join(root, 'app/m'));
  const error = await specErrorOf(() => folder.read('m/second.imljson', place));
  expect(error.message).toContain("is outside the app's folder");
});

it('reads texts of an editor by the path with which the folder was opened', async () => {
  const root = writeApp({ 'app/first.imljson': 'saved' });
  link('app', path.join(root, 'linked'));
  const opened = path.join(root, 'linked');
  const overlay = new Map([[path.join(opened, 'first.imljson'), 'edited']]);
  const place = () => ({ file: 'makecomapp.json' });
  expect(await openAppFolder(opened, { overlay }).read('first.imljson', place)).toBe('edited');
  expect(await openAppFolder(path.join(root, 'app'), { overlay }).read('first.imljson', place)).toBe('saved');
});

it('keeps names with a meaning in JavaScript as plain names', async () => {
  const text = JSON.stringify(manifest({ components: { module: { NAME: ACTION } } })).replace(
    'NAME',
    '__proto__',
  );
  const app = await loadApp(writeApp({ 'makecomapp.json': `\uFEFF${text}`, ...SPEC }));
  expect([...app.modules.keys()]).toEqual(['__proto__']);
  expect(app.modules.get('__proto__')?.communication?.value).toEqual({ url: 'https://x.test/x' });
});
