import { describe, expect, it } from 'vitest';
import { loadApp } from '../../src/app/loading/load-app.js';
import { type Files, specErrorOf, warningsOf, writeApp } from './temp-app.js';

const EXPORT: Files = {
  'metadata.json': { name: 'my-app', label: 'My app', version: 1 },
  'base.imljson': '{\n  // all of it\n  "baseUrl": "https://x.test"\n}',
  'readme.md': '# My app',
  'connection/my-app/metadata.json': { name: 'my-app', label: 'Mine', type: 'oauth' },
  'connection/my-app/api.imljson': { token: { url: '/token' }, authorize: { url: '/authorize' } },
  'connection/my-app/scope.imljson': ['read'],
  'connection/my-app/scopes.imljson': { read: 'Read' },
  'connection/my-app/parameters.imljson': [],
  'connection/my-app/common.json': { clientId: 'x' },
  'rpc/listThings/metadata.json': { name: 'listThings', label: 'List', connection: 'my-app' },
  'rpc/listThings/api.imljson': { url: '/things' },
  'rpc/listThings/parameters.imljson': [],
  'webhook/my-app-hook/metadata.json': { name: 'my-app-hook', type: 'web', connection: 'my-app' },
  'webhook/my-app-hook/api.imljson': { output: '{{body}}' },
  'webhook/my-app-hook/attach.imljson': { url: '/hooks' },
  'webhook/my-app-hook/detach.imljson': {},
  'webhook/my-app-hook/update.imljson': {},
  'webhook/my-app-hook/scope.imljson': ['hooks'],
  'module/watchThings/metadata.json': {
    name: 'watchThings',
    label: 'Watch',
    type: 'trigger',
    connection: 'my-app',
  },
  'module/watchThings/api.imljson': { url: '/things' },
  'module/watchThings/epoch.imljson': { response: { output: { label: 'x', date: 'y' } } },
  'module/watchThings/parameters.imljson': [{ name: 'folder', type: 'text' }],
  'module/watchThings/interface.imljson': [{ name: 'id', type: 'text' }],
  'module/watchThings/samples.imljson': { id: 1 },
  'module/watchThings/scope.imljson': ['read'],
  'module/makeCall/metadata.json': { name: 'makeCall', type_id: 12, crud: null },
  'module/makeCall/api.imljson': { url: '/{{parameters.url}}' },
  'module/makeCall/expect.imljson': [{ name: 'url', type: 'text' }],
  'function/up/code.js': 'function up() {}',
  'function/up/test.js': '',
  'assets/icon.png': 'x',
};

describe('loadApp without a manifest', () => {
  it('reads what the exporter writes', async () => {
    const app = await loadApp(writeApp(EXPORT));
    expect(warningsOf(app)).toEqual([]);
    expect(app.base).toMatchObject({ file: 'base.imljson', value: { baseUrl: 'https://x.test' } });
    expect(app.connections.get('my-app')).toMatchObject({
      type: 'oauth',
      label: 'Mine',
      common: { value: { clientId: 'x' } },
      scopeList: { value: { read: 'Read' } },
      defaultScope: { value: ['read'] },
    });
    expect(app.rpcs.get('listThings')).toMatchObject({ connection: 'my-app', params: { value: [] } });
    expect(app.webhooks.get('my-app-hook')).toMatchObject({
      type: 'web',
      attach: { value: { url: '/hooks' } },
      requiredScope: { value: ['hooks'] },
    });
    expect(app.modules.get('watchThings')).toMatchObject({
      type: 'trigger',
      connection: 'my-app',
      staticParams: { file: 'module/watchThings/parameters.imljson' },
      mappableParams: undefined,
      epoch: { file: 'module/watchThings/epoch.imljson' },
      samples: { value: { id: 1 } },
    });
    expect(app.modules.get('makeCall')).toMatchObject({
      type: 'universal',
      mappableParams: { file: 'module/makeCall/expect.imljson' },
    });
    expect(app.functions.get('up')).toMatchObject({ code: 'function up() {}', test: '' });
  });

  it('reads plural folders, general/ and the names of a clone', async () => {
    const app = await loadApp(
      writeApp({
        'src/general/base.iml.json': { baseUrl: 'x' },
        'src/general/common.json': { a: 1 },
        'src/modules/groups.json': [{ label: 'All', modules: ['get-thing'] }],
        'src/modules/get-thing/get-thing.communication.iml.json': { url: '/' },
        'src/modules/get-thing/get-thing.mappable-params.iml.json': [],
        'src/modules/get-thing/get-thing.static-params.iml.json': [],
        'src/modules/get-thing/metadata.json': { type: 'action' },
        'src/connections/c/oauth-communication.iml.json': { token: {} },
        'src/connections/c/metadata.json': { type: 'oauth' },
        'src/functions/up/up.code.js': 'x',
      }),
    );
    expect(warningsOf(app)).toEqual([]);
    expect([app.base?.file, app.common?.file, app.groups?.file]).toEqual([
      'general/base.iml.json',
      'general/common.json',
      'modules/groups.json',
    ]);
    expect(app.modules.get('get-thing')).toMatchObject({
      staticParams: { value: [] },
      mappableParams: { value: [] },
    });
    expect(app.connections.get('c')).toMatchObject({
      type: 'oauth',
      communication: { value: { token: {} } },
    });
    expect(app.functions.get('up')?.code).toBe('x');
  });

  it('tells what it misses, guesses and does not understand', async () => {
    const app = await loadApp(
      writeApp({
        'modules/a/api.imljson': { url: '/', response: { iterate: '{{body}}' } },
        'modules/a/notes.imljson': {},
        'modules/b/metadata.json': { type: 'wizard', connection: 5 },
        'modules/c/metadata.json': [],
        'modules/c/api.imljson': '{"a": "{{b c}}"}',
      }),
    );
    expect(app.modules.get('a')?.type).toBe('search');
    expect(warningsOf(app)).toEqual([
      'missing-file base.imljson',
      'missing-file modules/a/metadata.json',
      'wrong-type modules/c/metadata.json#:1:1',
      'missing-file modules/c/metadata.json',
      'undeclared-file modules/a/notes.imljson',
      'wrong-type modules/b/metadata.json#/type:2:11',
      'wrong-type modules/b/metadata.json#/connection:3:17',
      'missing-file modules/b/metadata.json#:1:1',
      'unknown-key modules/c/api.imljson#/a:1:2',
      'syntax modules/c/api.imljson#/a:1:12',
    ]);
  });

  it('is not mistaken for any folder of modules', async () => {
    const root = writeApp({ 'modules/x/package.json': {}, 'module/readme.md': 'x' });
    expect((await specErrorOf(() => loadApp(root))).code).toBe('SPEC_MISSING');
  });

  it('gives way to a manifest', async () => {
    const root = writeApp({
      ...EXPORT,
      'makecomapp.json': { fileVersion: 1, generalCodeFiles: {}, components: {} },
    });
    expect((await loadApp(root)).modules.size).toBe(0);
  });
});
