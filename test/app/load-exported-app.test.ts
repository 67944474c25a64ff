import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadApp } from '../../src/index.js';
import { type Files, specErrorOf, warningsOf, writeApp } from './temp-app.js';

const EXPORT: Files = {
  'metadata.json': { name: 'my-app', label: 'My app', version: 1 },
  'base.imljson': '{\n  // all of it\n  "baseUrl": "https://x.test"\n}',
  'readme.md': '# My app',
  'connection/my-app/metadata.json': { name: 'my-app', label: 'Mine', type: 'oauth' },
  'connection/my-app/api.imljson': {
    token: { url: 'https://x.test/token' },
    authorize: { url: 'https://x.test/authorize' },
  },
  'connection/my-app/scope.imljson': ['read'],
  'connection/my-app/scopes.imljson': { read: 'Read' },
  'connection/my-app/parameters.imljson': [],
  'connection/my-app/common.json': { clientId: 'x' },
  'rpc/listThings/metadata.json': { name: 'listThings', label: 'List', connection: 'my-app' },
  'rpc/listThings/api.imljson': { url: 'https://x.test/things' },
  'rpc/listThings/parameters.imljson': [],
  'webhook/my-app-hook/metadata.json': { name: 'my-app-hook', type: 'web', connection: 'my-app' },
  'webhook/my-app-hook/api.imljson': { output: '{{body}}' },
  'webhook/my-app-hook/attach.imljson': { url: 'https://x.test/hooks' },
  'webhook/my-app-hook/detach.imljson': {},
  'webhook/my-app-hook/update.imljson': {},
  'webhook/my-app-hook/scope.imljson': ['hooks'],
  'module/watchThings/metadata.json': {
    name: 'watchThings',
    label: 'Watch',
    type: 'trigger',
    connection: 'my-app',
  },
  'module/watchThings/api.imljson': { url: 'https://x.test/things' },
  'module/watchThings/epoch.imljson': { response: { output: { label: 'x', date: 'y' } } },
  'module/watchThings/parameters.imljson': [{ name: 'folder', type: 'text' }],
  'module/watchThings/interface.imljson': [{ name: 'id', type: 'text' }],
  'module/watchThings/samples.imljson': { id: 1 },
  'module/watchThings/scope.imljson': ['read'],
  'module/makeCall/metadata.json': { name: 'makeCall', type_id: 12, crud: null },
  'module/makeCall/api.imljson': { url: 'https://x.test/{{parameters.url}}' },
  'module/makeCall/expect.imljson': [{ name: 'url', type: 'text' }],
  'function/up/code.js': 'function up() {}',
  'function/up/test.js': '',
  'assets/icon.png': 'x',
};

describe('loadApp without a manifest', () => {
  it('reads the output of the exporter', async () => {
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
      attach: { value: { url: 'https://x.test/hooks' } },
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
        'src/general/base.iml.json': { baseUrl: 'https://x.test' },
        'src/general/common.json': { a: 1 },
        'src/modules/groups.json': [{ label: 'All', modules: ['get-thing'] }],
        'src/modules/get-thing/get-thing.communication.iml.json': { url: 'https://x.test/' },
        'src/modules/get-thing/get-thing.mappable-params.iml.json': [],
        'src/modules/get-thing/get-thing.static-params.iml.json': [],
        'src/modules/get-thing/metadata.json': { type: 'action' },
        'src/connections/c/oauth-communication.iml.json': { token: { url: 'https://x.test' } },
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
      communication: { value: { token: { url: 'https://x.test' } } },
    });
    expect(app.functions.get('up')?.code).toBe('x');
  });

  it('reports missing, inferred and unknown parts', async () => {
    const app = await loadApp(
      writeApp({
        'modules/a/api.imljson': { url: 'https://x.test/', response: { iterate: '{{body}}' } },
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
      'missing-communication modules/b/metadata.json#:1:1',
      'unknown-key modules/c/api.imljson#/a:1:2',
      'syntax modules/c/api.imljson#/a:1:12',
    ]);
  });

  it('is not confused by a folder of other modules', async () => {
    const root = writeApp({ 'modules/x/package.json': {}, 'module/readme.md': 'x' });
    expect((await specErrorOf(() => loadApp(root))).code).toBe('SPEC_MISSING');
  });

  it.each([['modules/createContact.imljson'], ['module/createContact.iml.json']])(
    'refuses an app of single files such as %s, and shows the layout',
    async (file) => {
      const content = { parameters: [], communication: { url: 'https://x.test/' } };
      const root = writeApp({ 'base.imljson': {}, [file]: content, 'modules/other.imljson': content });
      for (const files of [{}, { 'makecomapp.json': { fileVersion: 1 } }]) {
        for (const [name, text] of Object.entries(files))
          writeFileSync(path.join(root, name), JSON.stringify(text));
        const error = await specErrorOf(() => loadApp(root));
        expect(error.code).toBe('SPEC_INVALID');
        expect(error.message).toContain('is written in one file, with parameters, communication.');
        expect(error.message).toMatch(/\/api\.imljson {2,}its communication/);
        expect(error.message).toContain('makecomapp.json');
      }
    },
  );
});

describe('exported trees of other tools', () => {
  const url = 'https://x.test/a';

  it('reads files that end with .json', async () => {
    const app = await loadApp(
      writeApp({
        'base.json': { baseUrl: 'https://x.test' },
        'connections/account/api.json': { url },
        'connections/account/parameters.json': [{ name: 'key', type: 'text' }],
        'modules/getThing/communication.json': { url: '/things' },
        'modules/getThing/expect.json': [],
      }),
    );
    expect(app.base?.value).toEqual({ baseUrl: 'https://x.test' });
    expect(app.modules.get('getThing')).toMatchObject({
      connection: 'account',
      communication: { value: { url: '/things' } },
      mappableParams: { value: [] },
    });
    expect(app.connections.get('account')?.params?.value).toHaveLength(1);
  });

  it('reads a connection and a webhook without a folder', async () => {
    const root = writeApp({
      'base/base.iml.json': { baseUrl: 'https://x.test' },
      'connection/api.imljson': { url },
      'connection/parameters.imljson': [],
      'webhook/webhook.communication.iml.json': { output: '{{body}}' },
      'webhook/attach.json': { url: '/hooks' },
      'modules/getThing/api.imljson': { url: '/things' },
    });
    const app = await loadApp(root);
    const name = path.basename(root);
    expect(app.base?.file).toBe('base/base.iml.json');
    expect(app.connections.get(name)).toMatchObject({ communication: { value: { url } } });
    expect(app.webhooks.get(name)).toMatchObject({
      communication: { value: { output: '{{body}}' } },
      attach: { value: { url: '/hooks' } },
      connection: name,
    });
    expect(app.modules.get('getThing')?.connection).toBe(name);
    expect(warningsOf(app).filter((line) => line.startsWith('undeclared-file'))).toEqual([]);
  });

  it('reads a flat connection beside a folder of modules', async () => {
    const app = await loadApp(
      writeApp({
        'base.imljson': {},
        'connection.communication.json': { url },
        'connection.params.json': [],
        'modules/getThing/api.imljson': { url },
      }),
    );
    expect(app.connections.get('connection')?.communication?.value).toEqual({ url });
    expect(app.modules.get('getThing')?.connection).toBe('connection');
  });

  it('reads types, labels and connections from the metadata.json of the app', async () => {
    const app = await loadApp(
      writeApp({
        'metadata.json': {
          modules: [{ name: 'watchThings', label: 'Watch', typeId: 1, connection: 'account' }],
          connections: [{ name: 'account', label: 'Account', type: 'apikey' }],
          rpcs: [{ name: 'listThings', connection: 'account' }],
          endpoints: [{ name: 'findThing', label: 'Find a thing' }],
        },
        'base.imljson': {},
        'connections/account/api.imljson': { url },
        'modules/watchThings/api.imljson': { url },
        'rpcs/listThings/api.imljson': { url },
        'endpoints/findThing/api.imljson': { url },
        'endpoints/findThing/input_parameters.imljson': [{ name: 'id', type: 'text' }],
        'endpoints/findThing/output_parameters.imljson': [],
        'endpoints/findThing/scope.imljson': ['read'],
        'endpoints/findThing/context.md': '# Context',
      }),
    );
    expect(warningsOf(app)).toEqual([]);
    expect(app.modules.get('watchThings')).toMatchObject({
      type: 'trigger',
      label: 'Watch',
      connection: 'account',
    });
    expect(app.connections.get('account')).toMatchObject({ type: 'basic', label: 'Account' });
    expect(app.rpcs.get('listThings')?.connection).toBe('account');
    expect(app.endpoints.get('findThing')).toMatchObject({
      label: 'Find a thing',
      input: { value: [{ name: 'id', type: 'text' }] },
      output: { value: [] },
      requiredScope: { value: ['read'] },
    });
  });

  it('reports every file that looks like a specification and is not read', async () => {
    const app = await loadApp(
      writeApp({
        'base.imljson': {},
        'other.imljson': {},
        'parts/deep/api.imljson': {},
        'modules/getThing/api.imljson': { url },
        'modules/getThing/old/api.imljson': { url },
      }),
    );
    expect(warningsOf(app).filter((line) => line.startsWith('undeclared-file'))).toEqual([
      'undeclared-file other.imljson',
      'undeclared-file modules/getThing/old/api.imljson',
      'undeclared-file parts/deep/api.imljson',
    ]);
  });

  it.each([['apikey'], ['other'], ['basicauth'], ['digest'], ['oauth2']])(
    'accepts the connection type %s of the API',
    async (type) => {
      const api = type === 'oauth2' ? { token: { url } } : { url };
      const app = await loadApp(
        writeApp({
          'makecomapp.json': {
            fileVersion: 1,
            generalCodeFiles: {},
            components: {
              connection: {
                account: { label: 'A', connectionType: type, codeFiles: { communication: 'a.json' } },
              },
            },
          },
          'a.json': api,
        }),
      );
      expect(warningsOf(app)).toEqual([]);
      expect(app.connections.get('account')?.type).toBe(type === 'oauth2' ? 'oauth' : 'basic');
    },
  );
});

describe('loadApp with an incomplete manifest', () => {
  const names = async (files: Files) => {
    const app = await loadApp(writeApp(files));
    const lists = [app.modules, app.connections, app.rpcs, app.webhooks, app.functions];
    const codes = warningsOf(app).map((warning) => warning.split(' ')[0]);
    return { names: lists.flatMap((list) => [...list.keys()]), base: app.base?.file, codes };
  };
  const ALL = ['makeCall', 'watchThings', 'my-app', 'listThings', 'my-app-hook', 'up'];

  it.each<[string, object]>([
    ['names nothing', { fileVersion: 1, generalCodeFiles: {}, components: {} }],
    ['is empty', {}],
    [
      'has lists where maps are expected',
      { components: { module: [{ name: 'makeCall' }], rpc: [], connection: ['my-app'] } },
    ],
    ['is itself a list of components', { components: ['makeCall'] }],
  ])('loads existing files if the manifest %s', async (_title, makecomapp) => {
    const found = await names({ ...EXPORT, 'makecomapp.json': makecomapp });
    expect(found.names.sort()).toEqual([...ALL].sort());
    expect(found.base).toBe('base.imljson');
    expect(found.codes.filter((code) => code === 'undeclared-component')).toHaveLength(ALL.length + 1);
  });

  it('keeps the entries of the manifest, and adds other modules by their ids', async () => {
    const files = {
      'makecomapp.json': {
        fileVersion: 1,
        generalCodeFiles: { base: null },
        components: {
          module: {
            known: { moduleType: 'action', codeFiles: { communication: 'modules/known/a.json' } },
            gone: null,
          },
        },
      },
      'general/base.iml.json': {},
      'modules/known/a.json': { url: 'https://a.example' },
      'modules/gone/gone.communication.iml.json': { url: 'https://a.example' },
      'modules/get-new-thing/get-new-thing.communication.iml.json': { url: 'https://a.example' },
      'modules/broken/broken.communication.iml.json': '{',
      'modules/notes/readme.md': '',
    };
    const app = await loadApp(writeApp(files));
    expect([...app.modules.keys()]).toEqual(['known', 'getNewThing']);
    expect(app.base).toBeUndefined();
    expect(warningsOf(app)).toEqual([
      'null-component makecomapp.json#/components/module/gone:14:15',
      'undeclared-component modules/broken/broken.communication.iml.json:1:2',
      'undeclared-component modules/get-new-thing/get-new-thing.communication.iml.json',
      'undeclared-file general/base.iml.json',
      'undeclared-file modules/broken/broken.communication.iml.json',
      'undeclared-file modules/gone/gone.communication.iml.json',
    ]);
  });

  it('loads endpoints (a closed beta in the editor) like all other components', async () => {
    const endpoint = {
      'endpoints/list-things/list-things.communication.iml.json': { url: 'https://a.example' },
    };
    const app = await loadApp(writeApp({ ...EXPORT, ...endpoint, 'makecomapp.json': {} }));
    expect([...app.endpoints.keys()]).toEqual(['listThings']);
  });
});

const FLAT: Files = {
  'base.imljson': { baseUrl: 'https://x.test' },
  'connection.api.imljson': { url: 'https://x.test/me' },
  'connection.parameters.imljson': [{ name: 'key', type: 'text' }],
  'module.getThing.api.imljson': { url: '/thing', response: { output: '{{body}}' } },
  'module.getThing.expect.imljson': [{ name: 'id', type: 'text' }],
  'module.watchThings.interface.imljson': [{ name: 'id', type: 'text' }],
  'rpc.listThings.api.iml.json': { url: '/things' },
  'webhook.events.api.imljson': { output: '{{body}}' },
  'package.json': { name: 'no-part-of-it' },
};

describe('an app with all files in one folder', () => {
  it('is recognized by the file names, with a warning', async () => {
    const app = await loadApp(writeApp(FLAT));
    expect(warningsOf(app)).toEqual(['undeclared-component connection.api.imljson']);
    expect(app.connections.get('connection')?.params?.file).toBe('connection.parameters.imljson');
    expect(app.modules.get('getThing')).toMatchObject({ type: 'action', connection: 'connection' });
    expect(app.modules.get('getThing')?.mappableParams?.file).toBe('module.getThing.expect.imljson');
    expect(app.modules.get('watchThings')).toMatchObject({ type: 'instant_trigger', webhook: 'events' });
    expect(app.rpcs.get('listThings')).toMatchObject({ connection: 'connection' });
  });

  it('may be in a subfolder, and is ambiguous if there are two', async () => {
    const below = Object.entries({ ...FLAT, 'connection.other.api.imljson': { url: 'https://x.test/me' } });
    const app = await loadApp(
      writeApp(Object.fromEntries(below.map(([file, content]) => [`app/${file}`, content]))),
    );
    expect([...app.connections.keys()].sort()).toEqual(['connection', 'other']);
    expect(app.modules.get('getThing')?.connection).toBeUndefined();
  });

  it('is read beside an export, and a manifest takes precedence', async () => {
    const both = await loadApp(writeApp({ ...FLAT, ...EXPORT }));
    expect(both.modules.has('getThing')).toBe(true);
    expect(both.modules.get('watchThings')?.label).toBe('Watch');
    const manifest = { fileVersion: 1, generalCodeFiles: {}, components: {} };
    const declared = await loadApp(writeApp({ ...FLAT, 'makecomapp.json': manifest }));
    expect(declared.modules.size).toBe(0);
  });
});

describe('layouts of published apps', () => {
  const url = 'https://x.test/a';

  it('reads metadata.imljson, app/base.imljson and functions/NAME.js', async () => {
    const app = await loadApp(
      writeApp({
        'app/metadata.imljson': { name: 'forms', label: 'Forms' },
        'app/base.imljson': { baseUrl: 'https://x.test' },
        'connections/forms/metadata.imljson': { name: 'forms', type: 'oauth2' },
        'connections/forms/communication.imljson': { token: { url } },
        'rpcs/list_forms/metadata.imljson': { name: 'listForms', connection: 'forms' },
        'rpcs/list_forms/api.imljson': { url: '/forms' },
        'webhooks/submissions/metadata.imljson': { name: 'submissions', type: 'web', connection: 'forms' },
        'webhooks/submissions/api.imljson': { output: '{{body}}' },
        'modules/watch_forms/metadata.imljson': {
          name: 'watchForms',
          type: 'instant_trigger',
          webhook: 'webhooks/submissions',
        },
        'modules/watch_forms/interface.imljson': ['rpc://listForms'],
        'functions/joinNames.js': 'function joinNames(list) { return list.join(); }',
        'functions/joinNames.test.js': "it('joins', () => {});",
      }),
    );
    expect(warningsOf(app)).toEqual([]);
    expect(app.base?.file).toBe('app/base.imljson');
    expect([...app.rpcs.keys()]).toEqual(['listForms']);
    expect(app.connections.get('forms')?.type).toBe('oauth');
    expect(app.modules.get('watchForms')).toMatchObject({ type: 'instant_trigger', webhook: 'submissions' });
    expect(app.functions.get('joinNames')).toMatchObject({
      file: 'functions/joinNames.js',
      testFile: 'functions/joinNames.test.js',
    });
  });

  it('reads the synchronized layout: attachedAccounts, and tests in a folder of their own', async () => {
    const root = writeApp({
      'base.imljson': { baseUrl: 'https://x.test' },
      'metadata.json': { label: 'Shop' },
      'connections/shop/metadata.json': { $id: '0', label: 'Shop', type: 'basic' },
      'connections/shop/communication.imljson': { url },
      'modules/getThing/metadata.json': {
        typeId: 4,
        crud: 'read',
        attachedAccounts: ['acme-shop-x1y2z31'],
      },
      'modules/getThing/communication.imljson': { url: '/thing' },
      'rpcs/listThings/metadata.json': { label: 'List', attachedAccounts: ['connections/shop'] },
      'rpcs/listThings/communication.imljson': { url: '/things' },
      'functions/up/code.js': 'function up() {}',
      'functions/up/test/test.js': "it('is', () => {});",
    });
    expect(warningsOf(await loadApp(root))).toEqual([]);
    for (const manifest of [undefined, { fileVersion: 1, components: {}, origins: [] }]) {
      if (manifest) writeFileSync(path.join(root, 'makecomapp.json'), JSON.stringify(manifest));
      const app = await loadApp(root);
      expect(app.modules.get('getThing')).toMatchObject({ type: 'action', connection: 'shop' });
      expect(app.rpcs.get('listThings')).toMatchObject({ connection: 'shop' });
      expect(app.functions.get('up')?.testFile).toBe('functions/up/test/test.js');
    }
  });

  it('reports an attached account that could be any of two connections', async () => {
    const app = await loadApp(
      writeApp({
        'base.imljson': {},
        'connections/one/metadata.json': { type: 'basic' },
        'connections/one/api.imljson': { url },
        'connections/two/metadata.json': { type: 'basic' },
        'connections/two/api.imljson': { url },
        'modules/getThing/metadata.json': { typeId: 4, attachedAccounts: ['two', 'acme1'] },
        'modules/getThing/api.imljson': { url },
      }),
    );
    expect(app.modules.get('getThing')).toMatchObject({ connection: 'two', altConnection: 'acme1' });
    expect(warningsOf(app)).toContain(
      'unknown-reference modules/getThing/metadata.json#/attachedAccounts:3:23',
    );
  });

  it('reads files that name their component, in the folders of their kinds', async () => {
    const app = await loadApp(
      writeApp({
        'plugin/base.json': { baseUrl: 'https://x.test' },
        'plugin/connections/guard.communication.json': { url },
        'plugin/connections/guard.parameters.json': [{ name: 'key', type: 'password' }],
        'plugin/modules/scan_text.communication.json': { url: '/scan', response: { output: '{{body}}' } },
        'plugin/modules/scan_text.interface.json': [{ name: 'id', type: 'text' }],
        'plugin/modules/list_scans.communication.json': { url: '/scans', response: { iterate: '{{body}}' } },
      }),
    );
    expect(app.connections.get('guard')?.params?.value).toHaveLength(1);
    expect(app.modules.get('scan_text')).toMatchObject({ type: 'action', connection: 'guard' });
    expect(app.modules.get('list_scans')).toMatchObject({ type: 'search', connection: 'guard' });
  });

  it('finds the app in the folder around an unpacked export', async () => {
    const around = Object.entries(EXPORT).map(([file, content]) => [
      `my-app.v1/my-app-x1y2z3/${file}`,
      content,
    ]);
    const app = await loadApp(writeApp(Object.fromEntries(around)));
    expect(app.name).toBe('my-app-x1y2z3');
    expect(app.modules.get('watchThings')?.type).toBe('trigger');
  });

  it.each([
    [
      'an export that is still packed',
      { 'app.v1.zip': 'PK' },
      'app.v1.zip',
      '" is a ZIP archive. Unpack it, and name the folder.',
    ],
    [
      'a folder with a packed export',
      { 'app.v1.zip': 'PK' },
      '',
      'If "app.v1.zip" is an exported app, unpack it.',
    ],
    [
      'a whole app in one file',
      { 'make/app.json': { name: 'x', modules: [{ name: 'getThing', request: { url } }] } },
      '',
      '"make/app.json" holds a whole app in one file',
    ],
    [
      'a whole app in one file with modules by name',
      { 'app.json': { modules: { getThing: { type: 'action', communication: { url } } } } },
      '',
      '"app.json" holds a whole app in one file',
    ],
    [
      'a file per module',
      { 'actions/add-tag.json': { label: 'Add', communication: { url }, parameters: [] } },
      '',
      '"actions/add-tag.json" holds a whole component in one file',
    ],
    [
      'files that do not say their kind',
      { 'make/place-call.communication.json': { url }, 'make/place-call.parameters.json': [] },
      '',
      'The name of "make/place-call.communication.json" does not say what kind of component it is',
    ],
    ['other JSON', { 'package.json': { modules: ['a'] } }, '', 'Expected makecomapp.json, or the folders'],
  ])('refuses %s with the reason', async (_title, files, target, message) => {
    const root = writeApp(files);
    const error = await specErrorOf(() => loadApp(path.join(root, target)));
    expect(error.code).toBe('SPEC_MISSING');
    expect(error.message).toContain(message);
    if (message.includes(' holds '))
      expect(error.message).toContain('"iml migrate" writes the makecomapp.json');
  });
});
