import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { Make } from '@makehq/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addToken } from '../../src/rest/resources/api-tokens.js';
import { addUser } from '../../src/rest/resources/users.js';
import { startTestServer, type TestServer } from './test-server.js';

let stage: TestServer;
let make: Make;
let app = '';
let number = 0;

beforeAll(async () => {
  stage = await startTestServer();
  make = client(stage.token);
});
afterAll(() => stage.close());
beforeEach(async () => {
  ({ name: app } = await make.sdk.apps.create({
    name: `acme-${++number}`,
    label: 'Acme',
    audience: 'global',
  }));
});

function client(token: string): Make {
  const made = new Make(token, stage.zone);
  made.protocol = 'http';
  return made;
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** A PNG image of the given size, without pixels. */
function png(size: number): Uint8Array {
  const bytes = Buffer.alloc(33);
  bytes.write('89504e470d0a1a0a0000000d49484452', 'hex');
  bytes.writeUInt32BE(size, 16);
  bytes.writeUInt32BE(size, 20);
  return bytes;
}

const MODULE = {
  name: 'listThings',
  typeId: 9,
  label: 'List things',
  description: 'Returns things.',
  moduleInitMode: 'blank',
} as const;

describe('the development of custom apps with the unchanged @makehq/sdk', () => {
  it('creates, lists, changes, publishes and deletes an app', async () => {
    expect(await make.sdk.apps.get(app, 1, { cols: ['*'] })).toMatchObject({
      name: app,
      version: 1,
      public: false,
      approved: false,
      changes: [],
    });
    expect(await make.sdk.apps.list()).toContainEqual(expect.objectContaining({ name: app, label: 'Acme' }));
    expect(await make.sdk.apps.update(app, 1, { label: 'Acme 2' })).toMatchObject({ label: 'Acme 2' });
    await make.sdk.apps.makePublic(app, 1);
    expect(await make.sdk.apps.get(app, 1)).toMatchObject({ label: 'Acme 2', public: true });
    await make.sdk.apps.makePrivate(app, 1);
    await make.sdk.apps.delete(app, 1);
    await expect(make.sdk.apps.get(app, 1)).rejects.toMatchObject({ statusCode: 404 });
  });

  it('gives a private app a name with six more characters, and needs no audience', async () => {
    const create = async (body: object): Promise<{ app: { name: string } }> => {
      const sent = JSON.stringify(body);
      return JSON.parse(await (await send('POST', '', sent, 'application/json', '/sdk/apps')).text());
    };
    const about = { label: 'CRM', description: 'd', theme: '#000000', language: 'en' };
    const { app: made } = await create({ name: `crm-${number}`, ...about });
    expect(made.name).toMatch(new RegExp(`^crm-${number}-[0-9a-z]{6}$`));
    const { app: long } = await create({ name: 'a'.repeat(30), ...about });
    expect(long.name).toMatch(/^a{23}-[0-9a-z]{6}$/);
    expect(await make.sdk.apps.get(long.name, 1)).toMatchObject({ label: 'CRM' });
    expect((await create({ name: `open-${number}`, ...about, private: false })).app.name).toBe(
      `open-${number}`,
    );
  });

  it('stores no member that the schema of a body does not name', async () => {
    const more = { approved: true, public: true, created: '1999-01-01', version: 9, unknown: 'x', userId: 7 };
    const json = 'application/json';
    const call = async (method: string, at: string, body: object, path?: string): Promise<number> =>
      (await send(method, at, JSON.stringify({ ...more, ...body }), json, path)).status;
    const connection = await make.sdk.connections.create(app, { type: 'basic', label: 'One' });
    await make.sdk.webhooks.create(app, { type: 'web', label: 'Hook' });
    await make.sdk.modules.create(app, 1, MODULE);
    const rows = async (): Promise<readonly unknown[]> => [
      await make.sdk.apps.get(app, 1, { cols: ['*'] }),
      await make.sdk.modules.get(app, 1, 'listThings'),
      await make.sdk.connections.get(connection.name),
      await make.sdk.webhooks.get(app),
    ];
    const before = await rows();
    expect(await call('PATCH', '', {}, `/sdk/apps/${app}/1`)).toBe(200);
    expect(await call('PATCH', 'modules/listThings', { name: 'other' })).toBe(200);
    expect(await call('PATCH', '', { name: 'other' }, `/sdk/apps/connections/${connection.name}`)).toBe(200);
    expect(await call('PATCH', '', { name: 'other' }, `/sdk/apps/webhooks/${app}`)).toBe(200);
    expect(await rows()).toEqual(before);
    expect(await call('POST', 'modules', { ...MODULE, name: 'madeNow' })).toBe(200);
    expect(await make.sdk.modules.get(app, 1, 'madeNow')).toMatchObject({ approved: false, public: false });
    const made = await send(
      'POST',
      '',
      JSON.stringify({ ...more, name: 'mal-app', label: 'M' }),
      json,
      '/sdk/apps',
    );
    const { app: row }: { app: { name: string } } = JSON.parse(await made.text());
    expect(await make.sdk.apps.get(row.name, 1, { cols: ['*'] })).toMatchObject({
      approved: false,
      public: false,
      version: 1,
    });
  });

  it.each([
    ['comments and trailing commas', '{\n  // A comment.\n  "a": 1,\n}\n'],
    ['a byte order mark, tabs and line ends of Windows', '\uFEFF{\r\n\t"a": "ä"\r\n}'],
    ['text that is no JSON', 'not JSON'],
    ['white space alone', ' \n'],
  ])('keeps %s of a section byte by byte', async (_, text) => {
    await make.sdk.modules.create(app, 1, MODULE);
    await make.sdk.apps.setSection(app, 1, 'base', text);
    await make.sdk.modules.setSection(app, 1, 'listThings', 'api', text);
    // The client drops a byte order mark when it decodes a text.
    const bytes = async (address: string): Promise<string> => {
      const headers = { authorization: `Token ${stage.token}` };
      const response = await fetch(`http://${stage.zone}/api/v2/sdk/apps/${app}/1/${address}`, { headers });
      return Buffer.from(await response.arrayBuffer()).toString('utf8');
    };
    expect(await bytes('base')).toBe(text);
    expect(await bytes('modules/listThings/api')).toBe(text);
    const { checksum } = await readChecksum('modules', 'listThings');
    expect(checksum).toMatchObject({ api: md5(text), api_jsonc: md5(text), expect: null });
  });

  it('returns an empty text for a section that was never set', async () => {
    await make.sdk.modules.create(app, 1, MODULE);
    expect(await make.sdk.modules.getSection(app, 1, 'listThings', 'expect')).toBe('[]');
    expect(await make.sdk.modules.getSection(app, 1, 'listThings', 'samples')).toBe('{}');
    expect(await make.sdk.apps.getDocs(app, 1)).toBe('');
    expect(await make.sdk.apps.getCommon(app, 1)).toEqual({});
    await expect(make.sdk.apps.getIcon(app, 1)).rejects.toMatchObject({ statusCode: 404 });
  });

  it('stores readme, common data and icon', async () => {
    expect(await make.sdk.apps.setDocs(app, 1, '# Acme\n')).toBe(true);
    expect(await make.sdk.apps.setDocs(app, 1, '# Acme\n')).toBe(false);
    expect(await make.sdk.apps.getDocs(app, 1)).toBe('# Acme\n');
    expect(await make.sdk.apps.setCommon(app, 1, { key: 'x' })).toBe(true);
    expect(await make.sdk.apps.getCommon(app, 1)).toEqual({ key: 'x' });
    expect(await make.sdk.apps.setIcon(app, 1, png(512))).toBe(true);
    expect(new Uint8Array(await make.sdk.apps.getIcon(app, 1))).toEqual(new Uint8Array(png(512)));
    const response = await send('PUT', 'icon', png(16), 'image/png');
    expect(response.status).toBe(400);
  });

  it('changes members of the base, and keeps the others', async () => {
    const change = async (body: string, type = 'application/json'): Promise<unknown> => {
      const response = await send('PATCH', 'base', body, type);
      return response.status === 200 ? response.json() : response.status;
    };
    expect(await change('{"baseUrl": "https://a.example"}')).toEqual({ changed: true });
    expect(await change('{"baseUrl": "https://a.example"}')).toEqual({ changed: false });
    const text = '{\n  // A comment.\n  "baseUrl": "https://a.example",\n  "headers": { "a": "1" },\n}';
    await make.sdk.apps.setSection(app, 1, 'base', text);
    const jsonc = '{ "headers": { "b": "2" }, /* c */ }';
    expect(await change(jsonc, 'application/jsonc')).toEqual({ changed: true });
    expect(JSON.parse(await make.sdk.apps.getSection(app, 1, 'base'))).toEqual({
      baseUrl: 'https://a.example',
      headers: { b: '2' },
    });
    for (const refused of ['[]', 'text', '', '['.repeat(200_000)]) expect(await change(refused)).toBe(400);
    await make.sdk.apps.setSection(app, 1, 'base', 'not JSON');
    expect(await change('{}')).toBe(400);
    expect(await make.sdk.apps.getSection(app, 1, 'base')).toBe('not JSON');
  });

  it.each([
    ['POST', 'connections', 404],
    ['POST', 'webhooks', 404],
    ['GET', 'sections', 404],
    ['GET', 'modules/listThings/nothing', 404],
    ['POST', 'modules/listThings/api', 405],
    ['DELETE', 'base', 405],
    ['PATCH', 'groups', 405],
  ])('responds to %s of %s in a version with %i', async (method, at, status) => {
    const body = method === 'GET' ? undefined : '{"type":"basic","label":"One"}';
    const response = await send(method, at, body, 'application/json');
    expect(response.status).toBe(status);
    if (at === 'base') expect(response.headers.get('allow')).toBe('PATCH, GET, PUT');
  });

  it('derives the names of connections and webhooks from the name of the app', async () => {
    const first = await make.sdk.connections.create(app, { type: 'basic', label: 'One' });
    const second = await make.sdk.connections.create(app, { type: 'oauth', label: 'Two' });
    expect([first.name, second.name]).toEqual([app, `${app}2`]);
    expect(await make.sdk.connections.list(app)).toEqual([first, second]);
    expect(await make.sdk.connections.update(app, { label: 'Uno' })).toMatchObject({ label: 'Uno' });
    await make.sdk.connections.setCommon(app, { clientId: 'x' });
    expect(await make.sdk.connections.getCommon(app)).toEqual({ clientId: 'x' });
    await make.sdk.webhooks.create(app, { type: 'web', label: 'Hook' });
    expect(await make.sdk.webhooks.get(app)).toMatchObject({ type: 'web', label: 'Hook', connection: null });
    await make.sdk.webhooks.setSection(app, 'attach', '{}');
    expect(await make.sdk.webhooks.getSection(app, 'attach')).toBe('{}');
  });

  it('clears references to a deleted connection', async () => {
    const connection = await make.sdk.connections.create(app, { type: 'basic', label: 'One' });
    await make.sdk.modules.create(app, 1, MODULE);
    await make.sdk.modules.update(app, 1, 'listThings', { connection: connection.name });
    expect(await make.sdk.modules.get(app, 1, 'listThings')).toMatchObject({ connection: app });
    await make.sdk.connections.delete(connection.name);
    expect(await make.sdk.modules.get(app, 1, 'listThings')).toMatchObject({ connection: null });
  });

  it('stores functions, RPCs and endpoints', async () => {
    await make.sdk.functions.create(app, 1, { name: 'fullName' });
    await make.sdk.functions.setCode(app, 1, 'fullName', 'function fullName(a, b) { return a + b; }');
    expect(await make.sdk.functions.list(app, 1)).toEqual([{ name: 'fullName', args: '(a, b)' }]);
    await expect(
      make.sdk.functions.setCode(app, 1, 'fullName', `//${'x'.repeat(5000)}`),
    ).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('at most 5000 characters'),
    });
    await make.sdk.rpcs.create(app, 1, { name: 'listUsers', label: 'Users' });
    expect(await make.sdk.rpcs.get(app, 1, 'listUsers')).toMatchObject({ label: 'Users', connection: null });
    await make.sdk.endpoints.create(app, 1, { name: 'getUser', label: 'User' });
    await make.sdk.endpoints.update(app, 1, 'getUser', {
      context: 'Use it.',
      annotations: { readOnlyHint: true },
    });
    await make.sdk.endpoints.makePublic(app, 1, 'getUser');
    expect(await make.sdk.endpoints.get(app, 1, 'getUser')).toMatchObject({
      context: 'Use it.',
      annotations: { readOnlyHint: true },
      public: true,
    });
    await make.sdk.endpoints.delete(app, 1, 'getUser');
    expect(await make.sdk.endpoints.list(app, 1)).toEqual([]);
  });

  it.each([
    ['a taken name', () => make.sdk.modules.create(app, 1, MODULE)],
    [
      'no moduleInitMode',
      () =>
        make.sdk.modules.create(app, 1, { ...MODULE, name: 'another', moduleInitMode: undefined as never }),
    ],
    ['an unknown connection', () => make.sdk.modules.update(app, 1, 'listThings', { connection: 'nobody' })],
    ['an unknown type', () => make.sdk.modules.create(app, 1, { ...MODULE, name: 'another', typeId: 2 })],
    ['a name with a dash', () => make.sdk.modules.create(app, 1, { ...MODULE, name: 'an-other' })],
  ])('refuses a module with %s', async (_, call) => {
    await make.sdk.modules.create(app, 1, MODULE);
    await expect(call()).rejects.toMatchObject({ statusCode: 400 });
    expect(await make.sdk.modules.list(app, 1)).toHaveLength(1);
  });

  it('keeps changes of an approved app pending until they are committed or rolled back', async () => {
    await make.sdk.modules.create(app, 1, MODULE);
    await make.sdk.modules.setSection(app, 1, 'listThings', 'api', '{"url":"/1"}');
    expect((await send('POST', '', '', undefined, `/admin/sdk/apps/${app}/1/approve`)).status).toBe(200);
    await make.sdk.modules.setSection(app, 1, 'listThings', 'api', '{"url":"/2"}');
    expect(await make.sdk.modules.getSection(app, 1, 'listThings', 'api')).toBe('{"url":"/2"}');
    const { changes = [] } = await make.sdk.apps.get(app, 1, { cols: ['changes'] });
    expect(changes).toEqual([{ id: expect.any(Number), group: 'module', item: 'listThings', code: 'api' }]);
    const shown = await send('GET', `changes/${changes[0]?.['id']}`);
    expect(await shown.json()).toEqual({ oldValue: '{"url":"/1"}', newValue: '{"url":"/2"}' });
    await expect(make.sdk.apps.setCommon(app, 1, { key: 'x' })).rejects.toMatchObject({ statusCode: 400 });

    expect((await send('POST', 'rollback')).status).toBe(200);
    expect(await make.sdk.modules.getSection(app, 1, 'listThings', 'api')).toBe('{"url":"/1"}');
    await make.sdk.modules.setSection(app, 1, 'listThings', 'api', '{"url":"/3"}');
    const commit = JSON.stringify({ message: 'Third', notify: false });
    expect((await send('POST', 'commit', commit, 'application/json')).status).toBe(200);
    expect(await make.sdk.apps.get(app, 1, { cols: ['changes'] })).toEqual({ changes: [] });
    expect(await make.sdk.modules.getSection(app, 1, 'listThings', 'api')).toBe('{"url":"/3"}');
    await expect(make.sdk.apps.delete(app, 1)).rejects.toMatchObject({ statusCode: 400 });
  });

  it('shows apps to their owner only, and to administrators', async () => {
    const { services } = stage.rest;
    const token = services.uuid();
    await services.store.transaction(async (writer) => {
      const bob = { name: 'Bob', email: `bob${number}@example.com`, usersAdminsRoleId: null };
      const { id: userId } = await addUser(writer, bob, 1);
      const scopes = ['sdk-apps:read', 'sdk-apps:write'] as const;
      await addToken(writer, { userId, label: 'x', scopes, token, nowMs: number });
    });
    const bob = client(token);
    const connection = await make.sdk.connections.create(app, { type: 'basic', label: 'One' });
    for (const call of [
      () => bob.sdk.apps.get(app, 1),
      () => bob.sdk.apps.setSection(app, 1, 'base', '{}'),
      () => bob.sdk.modules.list(app, 1),
      () => bob.sdk.connections.get(connection.name),
      () => bob.sdk.connections.setSection(connection.name, 'api', '{}'),
      () => bob.sdk.apps.delete(app, 1),
    ]) {
      await expect(call()).rejects.toMatchObject({ statusCode: 404 });
    }
    const own = await bob.sdk.apps.create({ name: `bob-${number}`, label: 'Bob', audience: 'global' });
    expect(await bob.sdk.apps.list({ all: true })).toHaveLength(1);
    expect(await make.sdk.apps.list({ all: true })).toContainEqual(
      expect.objectContaining({ name: own.name }),
    );
  });
});

async function send(
  method: string,
  at: string,
  body?: string | Uint8Array,
  type?: string,
  address = `/sdk/apps/${app}/1/${at}`,
): Promise<Response> {
  return fetch(`http://${stage.zone}/api/v2${address}`, {
    method,
    headers: { authorization: `Token ${stage.token}`, ...(type !== undefined && { 'content-type': type }) },
    ...(body !== undefined &&
      body.length > 0 && { body: typeof body === 'string' ? body : Buffer.from(body) }),
  });
}

async function readChecksum(kind: string, name: string): Promise<{ readonly checksum: unknown }> {
  const response = await send('GET', 'checksum');
  const lists: Record<string, { readonly name: string; readonly checksum: unknown }[]> = JSON.parse(
    await response.text(),
  );
  const found = lists[kind]?.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`The checksum has no ${kind} ${name}.`);
  return found;
}

const CLI = path.join(import.meta.dirname, '../../node_modules/@makehq/cli/dist/index.js');

describe('the development of custom apps with the unchanged @makehq/cli', { timeout: 120_000 }, () => {
  it('creates an app with a module and sets a section', async () => {
    const secured = await startTestServer({ tls: true });
    try {
      const cli = async (...args: readonly string[]): Promise<string> => {
        const env = {
          PATH: process.env['PATH'] ?? '',
          MAKE_API_KEY: secured.token,
          MAKE_ZONE: secured.zone,
          NODE_EXTRA_CA_CERTS: secured.certificate,
        };
        const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], { env });
        return stdout;
      };
      const options = { name: 'acme', label: 'Acme', audience: 'global', theme: '#336699', language: 'en' };
      const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
      const created = await cli('sdk-apps', 'create', ...flags);
      const [name = ''] = /acme-[0-9a-z]{6}/.exec(created) ?? [];
      const own = ['--app-name', name, '--app-version', '1'];
      const about = ['--type-id', '4', '--label', 'Get a thing', '--description', 'Returns a thing.'];
      await cli(
        'sdk-modules',
        'create',
        ...own,
        '--name',
        'getThing',
        ...about,
        '--module-init-mode',
        'blank',
      );
      const at = [...own, '--module-name', 'getThing', '--section', 'api'];
      await cli('sdk-modules', 'set-section', ...at, '--body', '{"url":"/things"} // Get.');
      expect(await cli('sdk-modules', 'get-section', ...at)).toContain('// Get.');
    } finally {
      await secured.close();
    }
  });
});
