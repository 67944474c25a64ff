import { createHmac } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadApp } from '../../src/index.js';
import { identifyOwner, openConnectionFiles } from '../../src/tools/cli/connections/connection-store.js';
import { configFolder } from '../../src/tools/cli/connections/private-file.js';
import { writeCaseFiles } from '../../src/tools/cli/recording/write-case-files.js';
import { readBodyFile } from '../../src/tools/testing/cases/body-files.js';
import { fixtureOfCase } from '../../src/tools/testing/cases/case-fixture.js';
import { readCase } from '../../src/tools/testing/cases/read-case.js';
import { playFixture } from '../../src/tools/testing/fixtures/play-fixture.js';
import { writeApp } from '../app/temp-app.js';
import { CLIENT, startOidcServer } from '../connection/oidc-server.js';
import { httpServer, type Loopback, readBody } from '../http/loopback.js';
import { writeConnectApp } from './connect-app.js';
import { cli, startCli } from './fake-io.js';

const KEY = 'k-9sd8f7sd9f8s7df-us7';

/** Under names that say nothing, in forms that keys have, or long and without pattern. */
const SUSPECTS = {
  ref: ['sk', 'live', '51Hx0aZq9LmN'].join('_'),
  note: `see ${['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2'].join('_')} there`,
  blob: 'Zx81Kq07Vn4Rw92Tb6Yp3Lm5Hd0Sf',
  at: '2026-01-02T03:04:05.000Z',
  uuid: '0b7d5a52-6d0e-4a8e-9a53-0e7d5a52d0e4',
  word: 'internationalization-of-everything',
};

/** Orders in pages of two, behind a key and a signature of the path; `/gone` is not there, `/cut` breaks off. */
async function startOrders(): Promise<Loopback> {
  return httpServer((request, response) => {
    void readBody(request).then(() => {
      const url = new URL(request.url ?? '', 'http://orders');
      const signature = createHmac('sha256', KEY).update(url.pathname).digest('hex');
      response.setHeader('connection', 'close');
      if (url.pathname === '/cut') return void response.destroy();
      if (url.pathname === '/slow') return;
      if (request.headers['x-signature'] !== signature) {
        return void response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"no"}');
      }
      const page = Number(url.searchParams.get('page') ?? 1);
      const items = [1, 2].map((at) => ({ id: (page - 1) * 2 + at, note: `for ${KEY}` }));
      const next = page < 3 ? `http://${request.headers.host}/orders?page=${page + 1}` : null;
      if (url.pathname === '/gone') {
        return void response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"gone"}');
      }
      if (url.pathname === '/odd') {
        response.writeHead(200, { 'content-type': 'application/json' });
        return void response.end(JSON.stringify({ total: 1, plain: 'a text of several words', ...SUSPECTS }));
      }
      const large = url.pathname === '/large' ? 'x'.repeat(9000) : undefined;
      response.writeHead(200, { 'content-type': 'application/json', 'x-total': '6' });
      response.end(JSON.stringify({ items, next, seen: signature, large }));
    });
  });
}

let service: Loopback;
beforeAll(async () => {
  service = await startOrders();
});
afterAll(() => service.close());

const PAGED = {
  url: '/orders',
  response: {
    iterate: '{{body.items}}',
    output: { id: '{{item.id}}', note: '{{item.note}}', at: '{{now}}', by: '{{formatDate(now; "HH:mm")}}' },
    error: { message: '{{body.message}}' },
  },
  pagination: { url: '{{body.next}}', condition: '{{body.next}}' },
};

const ORDERS = {
  'base.json': {
    baseUrl: 'https://api.orders.example',
    headers: { 'X-Signature': '{{sha256(temp.path; "hex"; connection.apiKey)}}', 'X-Nonce': '{{uuid}}' },
    response: { error: { message: '{{body.message}}' } },
  },
  'list.json': { ...PAGED, temp: { path: '/orders' } },
  'gone.json': { url: '/gone', temp: { path: '/gone' }, response: { output: '{{body}}' } },
  'cut.json': { url: '/cut', temp: { path: '/cut' }, response: { output: '{{body}}' } },
  'large.json': {
    url: '/large',
    temp: { path: '/large' },
    response: { output: { length: '{{length(body.large)}}' } },
  },
  'slow.json': { url: '/slow', temp: { path: '/slow' }, response: { output: '{{body}}' } },
  'odd.json': { url: '/odd', temp: { path: '/odd' }, response: { output: { total: '{{body.total}}' } } },
  'region.json': {
    url: 'https://{{last(split(connection.apiKey; "-"))}}.orders.example/orders',
    temp: { path: '/orders' },
    condition: '{{length(connection.apiKey) = 21}}',
    response: { output: { id: '{{body.items[1].id}}' } },
  },
};

function ordersApp(): string {
  const module = (type: string, file: string): unknown => ({
    moduleType: type,
    connection: 'key',
    codeFiles: { communication: file },
  });
  return writeApp({
    ...ORDERS,
    'makecomapp.json': {
      generalCodeFiles: { base: 'base.json' },
      components: {
        connection: { key: { connectionType: 'basic', codeFiles: {} } },
        module: {
          list: module('search', 'list.json'),
          gone: module('action', 'gone.json'),
          cut: module('action', 'cut.json'),
          large: module('action', 'large.json'),
          region: module('action', 'region.json'),
          slow: module('action', 'slow.json'),
          odd: module('action', 'odd.json'),
        },
      },
    },
  });
}

interface Recorded {
  readonly code: number;
  readonly err: string;
  readonly file: string;
  readonly text: string;
  readonly folder: string;
}

async function record(
  module: string,
  more: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Recorded> {
  const folder = ordersApp();
  const file = path.join(folder, 'tests', module, 'one.test.json');
  const to = [
    '--map',
    `https://api.orders.example=${service.origin}`,
    '--map',
    `*.orders.example=${service.origin}`,
  ];
  const given = ['--connection', JSON.stringify({ apiKey: KEY })];
  const args = ['run', folder, module, ...to, ...given, '--record', file, ...more];
  const { code, err } = await cli(args, { env });
  return { code, err, file, folder, text: existsSync(file) ? readFileSync(file, 'utf8') : '' };
}

/** Failures of a case on disk; empty if it passes. */
async function play({ file, folder }: Pick<Recorded, 'file' | 'folder'>): Promise<readonly unknown[]> {
  const reading = await readCase(readFileSync(file, 'utf8'), {
    file,
    name: 'recorded',
    readBody: (name) => readBodyFile(file, name),
  });
  if (!reading.ok) return reading.errors;
  const app = await loadApp(folder);
  const { differences, exchanges } = await playFixture(fixtureOfCase(reading.case, app), {
    app,
    isStrict: true,
  });
  return [...differences, ...exchanges];
}

describe('iml run --record', () => {
  it('writes a passing case without the secrets of the run', async () => {
    const recorded = await record('list');
    expect([recorded.code, recorded.err]).toEqual([
      0,
      expect.stringContaining('one.test.json: 3 exchanges. Secrets replaced: apiKey.'),
    ]);
    expect(recorded.text).not.toContain(KEY);
    expect(recorded.text).toContain('"apiKey": "{{secret:apiKey}}"');
    expect(recorded.text).toContain('"url": "https://api.orders.example/orders"');
    const real = createHmac('sha256', KEY).update('/orders').digest('hex');
    expect(recorded.text).not.toContain(real);
    expect(await play(recorded)).toEqual([]);
  });

  it.each(['gone', 'cut'])('records a failure: %s', async (module) => {
    const recorded = await record(module);
    expect([recorded.code, recorded.err]).toEqual([1, expect.stringContaining('1 exchange.')]);
    expect(JSON.parse(recorded.text)).toMatchObject({ expect: { error: { type: expect.any(String) } } });
    expect(await play(recorded)).toEqual([]);
  });

  it('reports values that look like keys, abbreviated', async () => {
    const recorded = await record('odd');
    expect(recorded.code).toBe(0);
    const [, listed = ''] = recorded.err.split('Check them before you share the file:\n');
    expect(listed.trim().split('\n')).toEqual([
      expect.stringMatching(/^exchanges\[0\]\.response\.body\.ref {2}sk_l… \(20 characters\)$/),
      expect.stringMatching(/^ *exchanges\[0\]\.response\.body\.note {2}ghp_… \(28 characters\)$/),
      expect.stringMatching(/^ *exchanges\[0\]\.response\.body\.blob {2}Zx81… \(29 characters\)$/),
    ]);
    for (const value of [SUSPECTS.ref, SUSPECTS.blob]) expect(recorded.err).not.toContain(value);
  });

  it('records a timeout and replays it without waiting', async () => {
    const recorded = await record('slow', [], { IML_TIMEOUT_MS: '200' });
    expect(recorded.code).toBe(1);
    const written = JSON.parse(recorded.text) as {
      exchanges: readonly { response: object }[];
      expect: object;
    };
    expect(written.exchanges[0]?.response).toEqual({ delayMs: 600_000 });
    expect(written.expect).toMatchObject({ error: { type: expect.any(String) } });
    expect(await play(recorded)).toEqual([]);
  });

  it('writes long bodies to separate files', async () => {
    const recorded = await record('large');
    expect(readdirSync(path.join(path.dirname(recorded.file), 'one.bodies'))).toEqual(['01-response.json']);
    expect(await play(recorded)).toEqual([]);
  });

  it('neither writes nor reads bodies through a link of the app', async () => {
    const elsewhere = ordersApp();
    const first = await record('large');
    const bodies = path.join(path.dirname(first.file), 'one.bodies');
    renameSync(bodies, path.join(elsewhere, 'bodies'));
    symlinkSync(path.join(elsewhere, 'bodies'), bodies);
    expect(await readBodyFile(first.file, '01-response.json')).toEqual({
      ok: false,
      problem: 'is outside one.bodies/',
    });
    await expect(
      writeCaseFiles(
        { path: first.file, shown: 'one.test.json', root: path.dirname(first.file) },
        { text: '{}', bodies: new Map([['02.json', Buffer.from('1')]]), placeholders: [], suspects: [] },
      ),
    ).rejects.toThrow('leads through a symbolic link');
    expect(readdirSync(path.join(elsewhere, 'bodies'))).toEqual(['01-response.json']);
  });

  it('replaces a key that the app parses with one of the same form', async () => {
    const recorded = await record('region');
    const { secrets } = JSON.parse(recorded.text) as { secrets: { apiKey: string } };
    expect(secrets.apiKey).toMatch(/^[a-z]-\d[a-z]{2}\d[a-z]\d[a-z]{2}\d[a-z]\d[a-z]\d[a-z]{2}-[a-z]{2}\d$/);
    expect(recorded.text).not.toContain(KEY);
    expect(await play(recorded)).toEqual([]);
  });

  it.each(['--record', '--har'])(
    'completes the run with %s if the reader of the output closes',
    async (option) => {
      const folder = ordersApp();
      const file = path.join(folder, 'tests', 'list', 'one.test.json');
      const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
      const args = ['run', folder, 'list', '--map', `https://api.orders.example=${service.origin}`];
      const given = ['--connection', JSON.stringify({ apiKey: KEY }), option, file];
      const { code, err } = await cli([...args, ...given], {
        onOut: () => {
          throw closed;
        },
      });
      expect([code, err]).toEqual([0, expect.stringMatching(/3 (?:exchanges|calls)/)]);
      expect(readFileSync(file, 'utf8')).toMatch(/page(?:=3|": "3")/);
      if (option === '--record') expect(await play({ file, folder })).toEqual([]);
    },
  );

  it('refuses to overwrite a file before it sends a request', async () => {
    const folder = ordersApp();
    mkdirSync(path.join(folder, 'tests'));
    writeFileSync(path.join(folder, 'tests', 'a.test.json'), '{}');
    const { code, err } = await cli(['run', folder, 'list', '--record', path.join(folder, 'tests', 'a')]);
    expect([code, err]).toEqual([2, expect.stringContaining('already exists')]);
    expect(readFileSync(path.join(folder, 'tests', 'a.test.json'), 'utf8')).toBe('{}');
  });

  it.each([
    [['--record', 'a.json'], 'does not end in .test.json'],
    [['--record', 'a', '--limit', '1'], '--limit and --record or --har exclude each other'],
  ])('refuses %s', async (options, message) => {
    const { code, err } = await cli(['run', ordersApp(), 'list', ...options]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('refuses a secret that is part of its placeholder, with advice', async () => {
    const folder = ordersApp();
    const file = path.join(folder, 'tests', 'one.test.json');
    const { code, err } = await cli([
      ...['run', folder, 'list', '--map', `https://api.orders.example=${service.origin}`],
      ...['--connection', JSON.stringify({ apiKey: 'secret' }), '--record', file],
    ]);
    expect(code).not.toBe(0);
    expect(err).toContain('its value is part of a placeholder such as {{secret:apiKey}}. Use another value');
    expect(existsSync(file)).toBe(false);
  });

  it('writes a HAR without secrets', async () => {
    const folder = ordersApp();
    const har = path.join(folder, 'run.har');
    const { code, err } = await cli([
      ...['run', folder, 'list', '--map', `https://api.orders.example=${service.origin}`],
      ...['--connection', JSON.stringify({ apiKey: KEY }), '--har', har],
    ]);
    expect([code, err]).toEqual([0, expect.stringContaining('3 calls in ')]);
    const text = readFileSync(har, 'utf8');
    expect(text).not.toContain(KEY);
    const { log } = JSON.parse(text) as { log: { version: string; entries: { request: { url: string } }[] } };
    expect(log.version).toBe('1.2');
    expect(log.entries.map(({ request }) => request.url)).toEqual([
      'https://api.orders.example/orders',
      'https://api.orders.example/orders?page=2',
      'https://api.orders.example/orders?page=3',
    ]);
  });
});

/** An app with an RPC, a trigger with an epoch, and a webhook that verifies a signature. */
function eventsApp(hookFiles: object = { attach: 'attach.json' }): string {
  const communication = (file: string, more: object = {}): object => ({
    ...more,
    connection: 'key',
    codeFiles: { communication: file },
  });
  return writeApp({
    ...ORDERS,
    'options.json': {
      url: '/orders',
      qs: { page: '{{parameters.page}}' },
      temp: { path: '/orders' },
      response: { iterate: '{{body.items}}', output: { label: '{{item.note}}', value: '{{item.id}}' } },
    },
    'watch.json': {
      ...PAGED,
      temp: { path: '/orders' },
      response: { ...PAGED.response, trigger: { id: '{{item.id}}', type: 'id', order: 'asc' } },
    },
    'epoch.json': {
      response: { output: { label: '{{item.note}}' } },
    },
    'hook.json': {
      condition: '{{sha256(body.id + "." + body.at; "hex"; webhook.secret) = headers.`x-signature`}}',
      output: { id: '{{body.id}}' },
      respond: { status: 202, type: 'json', body: { seen: '{{sha256(body.id; "hex"; webhook.secret)}}' } },
    },
    'attach.json': {
      url: '/orders',
      temp: { path: '/orders' },
      response: { data: { externalId: '{{body.items[1].id}}', secret: '{{body.seen}}' } },
    },
    'makecomapp.json': {
      generalCodeFiles: { base: 'base.json' },
      components: {
        connection: { key: { connectionType: 'basic', codeFiles: {} } },
        rpc: { options: communication('options.json') },
        module: {
          watch: {
            moduleType: 'trigger',
            connection: 'key',
            codeFiles: { communication: 'watch.json', epoch: 'epoch.json' },
          },
        },
        webhook: {
          events: {
            webhookType: 'web',
            connection: 'key',
            codeFiles: { communication: 'hook.json', ...hookFiles },
          },
        },
      },
    },
  });
}

describe('--record of other commands', () => {
  const given = ['--connection', JSON.stringify({ apiKey: KEY })];
  const to = (): readonly string[] => ['--map', `https://api.orders.example=${service.origin}`];

  async function recordWith(args: readonly string[]): Promise<Recorded> {
    const folder = eventsApp();
    const file = path.join(folder, 'tests', 'one.test.json');
    const [command = '', ...rest] = args;
    const { code, err } = await cli([command, folder, ...rest, '--record', file]);
    return { code, err, file, folder, text: existsSync(file) ? readFileSync(file, 'utf8') : '' };
  }

  it.each([
    ['an RPC with arguments', 'rpc', ['rpc://options?page=2']],
    ['an epoch', 'epoch', ['watch']],
    ['a trigger with a start', 'run', ['watch', '--start', 'all']],
    ['a trigger with a state', 'run', ['watch', '--state', '{"lastId":"3"}']],
    [
      'the attachment of a webhook',
      'webhook',
      ['events', 'attach', '--hook-data', '{"url":"https://h.example/1"}'],
    ],
  ])('writes a case of %s that passes', async (_what, command, rest) => {
    const recorded = await recordWith([command, ...rest, ...given, ...to()]);
    expect([recorded.code, recorded.err]).toEqual([0, expect.stringContaining('Recorded ')]);
    expect(recorded.text).not.toContain(KEY);
    expect(await play(recorded)).toEqual([]);
  });

  it('signs the call of a webhook with the placeholder of the secret', async () => {
    const secret = 'whsec-5d8f7s6d5f';
    const signature = createHmac('sha256', secret).update('7.noon').digest('hex');
    const recorded = await recordWith([
      ...['webhook', 'events', '--hook-data', JSON.stringify({ secret })],
      ...['--body', '{"id":"7","at":"noon"}', '--header', `X-Signature: ${signature}`],
    ]);
    expect([recorded.code, recorded.err]).toEqual([0, expect.stringContaining('Recorded ')]);
    expect(recorded.text).not.toContain(secret);
    expect(recorded.text).not.toContain(signature);
    expect(JSON.parse(recorded.text)).toMatchObject({ expect: { bundles: [{ id: '7' }] } });
    expect(await play(recorded)).toEqual([]);
  });

  it('records an authorization without its secrets', async () => {
    const provider = await startOidcServer();
    try {
      const folder = writeConnectApp(provider.issuer);
      const file = path.join(folder, 'tests', 'one.test.json');
      const home = writeApp({});
      const { code, err } = await cli(
        ['connect', folder, 'account', '--allow-local', '--port', '0', '--record', file],
        {
          env: { XDG_CONFIG_HOME: home },
          onErr: (text) => {
            const page = /Open this address in a browser:\s+(\S+)/.exec(text)?.[1];
            if (page !== undefined) void provider.login(page).then((callback) => fetch(callback));
          },
        },
      );
      expect([code, err]).toEqual([0, expect.stringContaining('Recorded ')]);
      const text = readFileSync(file, 'utf8');
      expect(text).not.toContain(CLIENT.client_secret);
      expect(text).toContain('"access_token": "{{secret:access_token}}"');
      expect(await play({ file, folder })).toEqual([]);
    } finally {
      await provider.close();
    }
  });
});

describe('iml serve --record-calls', () => {
  it('writes inside its folder only, also if the folder of a webhook is a link', async () => {
    const home = writeApp({ 'other/kept.txt': 'x' });
    mkdirSync(path.join(home, 'calls'));
    symlinkSync('../other', path.join(home, 'calls/events'));
    const places = ['--data', path.join(home, 'data'), '--record-calls', path.join(home, 'calls')];
    const env = { XDG_CONFIG_HOME: home };
    const serving = startCli(['serve', eventsApp({}), '--port', '0', ...places], { env });
    const addressOf = (): string | undefined => /events +(http:\S+)/.exec(serving.errors())?.[1];
    await expect.poll(addressOf, { timeout: 30_000 }).toBeDefined();
    const call = { method: 'POST', headers: { connection: 'close' }, body: 'id=9' };
    expect((await fetch(addressOf() ?? '', call)).status).toBe(202);
    await expect.poll(() => serving.errors(), { timeout: 30_000 }).toContain('symbolic link');
    serving.stop();
    expect(await serving.code).toBe(0);
    expect(readdirSync(path.join(home, 'other'))).toEqual(['kept.txt']);
  });

  it('writes each call as a passing case without the address of the hook', async () => {
    const folder = eventsApp({});
    const home = writeApp({});
    const serving = startCli(
      [
        'serve',
        folder,
        '--port',
        '0',
        '--data',
        path.join(home, 'data'),
        '--record-calls',
        path.join(home, 'calls'),
      ],
      { env: { XDG_CONFIG_HOME: home } },
    );
    const addressOf = (): string | undefined => /events +(http:\S+)/.exec(serving.errors())?.[1];
    await expect.poll(addressOf, { timeout: 30_000 }).toBeDefined();
    const call = (body: string): Promise<Response> =>
      fetch(addressOf() ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body,
      });
    // More than one time slice of the search for secrets.
    expect((await call(JSON.stringify({ id: '8', text: 'x'.repeat(128 * 1024) }))).status).toBe(202);
    await expect.poll(() => serving.errors(), { timeout: 30_000 }).toContain('more than 131072 bytes');
    expect((await call('{"id":"9","at":"dawn"}')).status).toBe(202);
    await expect.poll(() => serving.errors(), { timeout: 30_000 }).toContain('Recorded ');
    serving.stop();
    expect(await serving.code).toBe(0);
    const [name = '', ...others] = readdirSync(path.join(home, 'calls', 'events'));
    expect(others).toEqual([]);
    const file = path.join(home, 'calls', 'events', name);
    expect(readFileSync(file, 'utf8')).not.toContain(addressOf()?.split('/').at(-1));
    const modes = [path.join(home, 'calls'), path.dirname(file), file].map((at) => statSync(at).mode & 0o777);
    if (process.getuid !== undefined) expect(modes).toEqual([0o700, 0o700, 0o600]);
    expect(await play({ file, folder })).toEqual([]);
  });

  it('writes no data of the connection of a hook, regardless of the sender', async () => {
    const communication = (file: string): object => ({ codeFiles: { communication: file } });
    const folder = writeApp({
      'key.json': { url: 'https://api.orders.example/me' },
      'hook.json': { output: '{{body}}' },
      'makecomapp.json': {
        generalCodeFiles: {},
        components: {
          connection: { key: { connectionType: 'basic', ...communication('key.json') } },
          webhook: { events: { webhookType: 'web', connection: 'key', ...communication('hook.json') } },
        },
      },
    });
    const home = writeApp({});
    const env = { XDG_CONFIG_HOME: home };
    const app = await loadApp(folder);
    await openConnectionFiles(configFolder(env)).write(
      'work',
      {
        component: 'key',
        connection: { value: KEY },
        parameters: {},
        ...{ metadata: undefined, uid: undefined, expires: undefined, oauth: undefined, common: undefined },
      },
      identifyOwner(app),
    );
    const webhook = { app: app.name, webhook: 'events', connection: 'work' };
    const scenarios = path.join(home, 'scenarios.json');
    writeFileSync(scenarios, JSON.stringify({ scenarios: [{ name: 'kept', webhook, modules: [] }] }));
    const places = ['--data', path.join(home, 'data'), '--record-calls', path.join(home, 'calls')];
    const serving = startCli(['serve', folder, '-s', scenarios, '--port', '0', ...places], { env });
    const addressOf = (): string | undefined => /kept +(http:\S+)/.exec(serving.errors())?.[1];
    await expect.poll(addressOf, { timeout: 30_000 }).toBeDefined();
    const headers = { 'content-type': 'application/json', connection: 'close', 'x-note': KEY };
    const body = `{ "id": "9", "at": "dawn", "note": "has ${KEY}" }`;
    expect((await fetch(addressOf() ?? '', { method: 'POST', headers, body })).status).toBe(200);
    // Pending cases are written before the store is closed.
    serving.stop();
    expect(await serving.code).toBe(0);
    expect(serving.errors()).toContain('Recorded ');
    const [name = ''] = readdirSync(path.join(home, 'calls', 'events'));
    const file = path.join(home, 'calls', 'events', name);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(KEY);
    expect(text).toContain('has {{secret:value}}');
    expect(await play({ file, folder })).toEqual([]);
  });
});

describe('iml test --from-har', () => {
  const entry = (url: string, more: object = {}): object => ({
    startedDateTime: '2026-11-21T10:00:00.000Z',
    time: 12,
    request: {
      method: 'GET',
      url,
      headers: [
        { name: ':authority', value: 'api.orders.example' },
        { name: 'Authorization', value: 'Bearer tok-canary-8f7d6s5a4f' },
        { name: 'Sec-Fetch-Mode', value: 'cors' },
      ],
    },
    response: {
      status: 200,
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      content: { text: '{"items":[{"id":1,"token":"tok-canary-8f7d6s5a4f"}]}' },
    },
    ...more,
  });

  async function convert(content: unknown): Promise<{ code: number; out: string; err: string }> {
    const folder = ordersApp();
    writeFileSync(
      path.join(folder, 'a.har'),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
    return cli(['test', folder, '--from-har', path.join(folder, 'a.har')]);
  }

  it('prints exchanges with the calls of the app, without secrets', async () => {
    const entries = [
      entry('https://api.orders.example/orders?page=1'),
      entry('https://cdn.example/logo.png', { _resourceType: 'image' }),
      entry('https://stats.example/hit'),
      entry('https://api.orders.example/late', {
        response: { status: 0 },
        _error: 'net::ERR_CONNECTION_REFUSED',
      }),
    ];
    const { code, out, err } = await convert({ log: { version: '1.2', entries } });
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(
        '2 exchanges, 2 left out: entries for resources of a page (1), to hosts that the app does not name (1).',
      ),
    ]);
    expect(out + err).not.toContain('canary');
    const [first, second] = (JSON.parse(out) as { exchanges: unknown[] }).exchanges;
    expect(first).toMatchObject({
      request: {
        method: 'GET',
        url: 'https://api.orders.example/orders',
        query: { page: '1' },
        headers: { authorization: expect.stringMatching(/^Bearer \{\{secret:/) },
      },
      response: { status: 200, body: { items: [{ id: 1, token: expect.stringMatching(/^\{\{secret:/) }] } },
    });
    expect(second).toMatchObject({ response: { networkError: 'ECONNREFUSED' } });
  });

  it('reads a HAR of a browser: HTTP/2 names, decoded bodies, Base64, cookies, redirects, forms', async () => {
    const headers = (pairs: Readonly<Record<string, string>>): object[] =>
      Object.entries(pairs).map(([name, value]) => ({ name, value }));
    const call = (url: string, request: object, response: object): object => ({
      _initiator: { type: 'script' },
      _priority: 'High',
      _resourceType: 'fetch',
      cache: {},
      connection: '443',
      pageref: 'page_1',
      serverIPAddress: '192.0.2.1',
      startedDateTime: '2026-11-21T10:00:00.123Z',
      time: 31.4,
      timings: { blocked: 1, dns: -1, ssl: -1, connect: -1, send: 0.1, wait: 30, receive: 0.3 },
      request: {
        method: 'GET',
        url,
        httpVersion: 'h2',
        headersSize: -1,
        bodySize: 0,
        queryString: [],
        cookies: [],
        ...request,
      },
      response: {
        status: 200,
        statusText: '',
        httpVersion: 'h2',
        headersSize: -1,
        bodySize: -1,
        redirectURL: '',
        _transferSize: 321,
        _error: null,
        cookies: [],
        content: { size: 0, mimeType: '' },
        ...response,
      },
    });
    const sent = headers({
      ':authority': 'api.orders.example',
      ':method': 'POST',
      ':path': '/login',
      ':scheme': 'https',
      'accept-encoding': 'gzip, br, zstd',
      cookie: 'sid=ses-canary-11aa22bb33',
      'user-agent': 'Mozilla/5.0',
      'content-length': '38',
      'content-type': 'application/x-www-form-urlencoded',
      'sec-ch-ua-mobile': '?0',
    });
    const pdf = Buffer.from([0x25, 0x50, 0x44, 0x46, 0, 1, 2, 255]).toString('base64');
    const entries = [
      call(
        'https://api.orders.example/login',
        {
          method: 'POST',
          headers: sent,
          bodySize: 38,
          cookies: [{ name: 'sid', value: 'ses-canary-11aa22bb33', httpOnly: true, secure: true }],
          postData: {
            mimeType: 'application/x-www-form-urlencoded',
            text: 'user=ann&password=pw-canary-0f9e8d7c',
            params: [
              { name: 'user', value: 'ann' },
              { name: 'password', value: 'pw-canary-0f9e8d7c' },
            ],
          },
        },
        {
          status: 302,
          redirectURL: '/orders?page=1',
          headers: headers({
            location: '/orders?page=1',
            'set-cookie': 'sid=ses-canary-44cc55dd66; Path=/\ntheme=dark',
          }),
        },
      ),
      call(
        'https://api.orders.example/orders?page=1',
        { headers: sent.slice(0, 4) },
        {
          headers: headers({ 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'br' }),
          content: {
            size: 40,
            compression: 12,
            mimeType: 'application/json',
            text: Buffer.from('{"items":[{"id":1,"note":"é"}]}').toString('base64'),
            encoding: 'base64',
          },
        },
      ),
      call(
        'https://api.orders.example/file',
        { headers: [] },
        {
          headers: headers({ 'content-type': 'application/pdf' }),
          content: { size: 8, mimeType: 'application/pdf', text: pdf, encoding: 'base64' },
        },
      ),
      call('data:image/png;base64,iVBORw0KGgo=', {}, {}),
      call('https://api.orders.example/orders', { method: 'OPTIONS', headers: [] }, { status: 204 }),
    ];
    const pages = [{ id: 'page_1', title: 'https://api.orders.example/', pageTimings: {} }];
    const har = {
      log: { version: '1.2', creator: { name: 'WebInspector', version: '537.36' }, pages, entries },
    };
    // Some write a mark in front of the file.
    const { code, out, err } = await convert(`\uFEFF${JSON.stringify(har)}`);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('3 exchanges, 2 left out: entries without a valid HTTP URL (1)'),
    ]);
    expect(out + err).not.toContain('canary');
    const { exchanges } = JSON.parse(out) as { exchanges: readonly object[] };
    expect(exchanges).toMatchObject([
      {
        request: {
          method: 'POST',
          url: 'https://api.orders.example/login',
          form: { user: 'ann', password: '{{secret:password}}' },
        },
        response: { status: 302, headers: { location: '/orders?page=1' } },
      },
      {
        request: { method: 'GET', url: 'https://api.orders.example/orders', query: { page: '1' } },
        response: { status: 200, body: { items: [{ id: 1, note: 'é' }] } },
      },
      { response: { status: 200, bodyBase64: pdf } },
    ]);
    expect(exchanges[0]).not.toHaveProperty('request.headers.cookie');
    expect(exchanges[1]).not.toHaveProperty('request.headers');
    expect(exchanges[1]).not.toHaveProperty('response.headers.content-encoding');
  });

  it('reads a HAR of --har and keeps its placeholders', async () => {
    const folder = ordersApp();
    const har = path.join(folder, 'run.har');
    const map = ['--map', `https://api.orders.example=${service.origin}`];
    await cli(['run', folder, 'list', ...map, '--connection', JSON.stringify({ apiKey: KEY }), '--har', har]);
    const { code, out, err } = await cli(['test', folder, '--from-har', har]);
    expect([code, err]).toEqual([0, expect.stringContaining('3 exchanges.')]);
    const { exchanges } = JSON.parse(out) as { exchanges: readonly object[] };
    expect(exchanges[2]).toMatchObject({
      request: { url: 'https://api.orders.example/orders', query: { page: '3' } },
      response: { body: { items: [{ id: 5, note: 'for {{secret:apiKey}}' }, {}] } },
    });
  });

  it.each([
    ['no JSON', '{', 'it is not JSON'],
    ['no log', '{}', 'log is not an object'],
    ['no entries', '{"log":{}}', 'log.entries is not a list'],
    ['no calls', '{"log":{"entries":[]}}', 'has no API calls: it has no entries.'],
    [
      'only an entry that is no call',
      JSON.stringify({
        log: { entries: [{ request: { method: 'GET', url: 'nowhere' }, response: { status: 200 } }] },
      }),
      'it has only entries without a valid HTTP URL (1).',
    ],
    ['an entry without a request', '{"log":{"entries":[{}]}}', 'log.entries[0].request is not an object'],
  ])('refuses %s', async (_what, text, message) => {
    const { code, err } = await convert(text);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
