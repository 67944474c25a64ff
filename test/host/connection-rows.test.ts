import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { type HostStore, openHostPostgres } from '../../src/host/index.js';
import { createEngine, defineApp } from '../../src/index.js';
import {
  type ConnectionFiles,
  identifyOwner,
  storeForApp,
} from '../../src/tools/cli/connections/connection-store.js';
import { openConnectionRows } from '../../src/tools/cli/input/host-store-options.js';
import { writeApp } from '../app/temp-app.js';
import { writeConnectApp } from '../cli/connect-app.js';
import { type CliResult, cli } from '../cli/fake-io.js';
import { listen } from '../http/loopback.js';
import { createHostDatabase, dropTemplate, hasPostgres, POSTGRES_MISSING } from './test-database.js';

afterAll(dropTemplate);

const KEY = randomBytes(32);

async function openNode(
  url: string,
  key: Uint8Array = KEY,
): Promise<{ store: HostStore; rows: ConnectionFiles }> {
  const store = await openHostPostgres({ url, sealKey: key });
  onTestFinished(() => store.close());
  return { store, rows: openConnectionRows(store, key) };
}

async function openDatabase(): Promise<string> {
  const database = await createHostDatabase();
  onTestFinished(database.drop);
  return database.at;
}

const stored = (token: string) => ({
  component: 'account',
  connection: { token },
  parameters: {},
  metadata: undefined,
  uid: undefined,
  expires: undefined,
  oauth: undefined,
  common: undefined,
});
const OWNER = { app: 'crm', folder: '/apps/crm', appIds: [] };

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
it.skipIf(!hasPostgres)(
  `stores connections sealed, and reads the others if one cannot be opened${POSTGRES_MISSING}`,
  async () => {
    const url = await openDatabase();
    const { store, rows } = await openNode(url);
    await rows.write('work', stored('secret-1'), OWNER);
    await rows.write('home', stored('secret-2'), OWNER);
    expect((await rows.read('work'))?.stored.connection).toEqual({ token: 'secret-1' });
    expect(JSON.stringify(await store.find('connections'))).not.toContain('secret');
    // Sealed content is bound to its name.
    const { sealed = '' } = (await store.get('connections', { name: 'home' })) ?? {};
    await store.transaction((writer) => writer.update('connections', { name: 'work' }, { sealed }));
    await expect(rows.read('work')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    const { entries, unreadable } = await rows.list();
    expect([entries.map(({ name }) => name), unreadable.length]).toEqual([['home'], 1]);
    await expect(openNode(url, randomBytes(32))).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await rows.remove('home')).toBe(true);
    expect(await rows.remove('home')).toBe(false);
  },
);

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
it.skipIf(!hasPostgres)(
  `renews a token once on two nodes, and both nodes use the renewed token${POSTGRES_MISSING}`,
  async () => {
    let refreshes = 0;
    const api = await listen(
      createServer((request, response) => {
        response.setHeader('content-type', 'application/json');
        if (request.url !== '/token') return void response.end('{}');
        refreshes++;
        setTimeout(() => response.end(`{"token":"token-${refreshes}"}`), 300);
      }),
    );
    onTestFinished(api.close);
    const app = defineApp({
      name: 'crm',
      connections: {
        account: {
          type: 'oauth',
          communication: {
            refresh: {
              condition: '{{connection.expires < addMinutes(now, 15)}}',
              url: `${api.origin}/token`,
              method: 'POST',
              response: {
                data: { token: '{{body.token}}', expires: '{{addMinutes(now, 60)}}' },
              },
            },
            info: { url: `${api.origin}/me`, response: {} },
          },
        },
      },
      modules: {
        list: {
          type: 'search',
          connection: 'account',
          communication: {
            url: `${api.origin}/items`,
            response: { output: { token: '{{connection.token}}' } },
          },
        },
      },
    });
    const url = await openDatabase();
    const nodes = await Promise.all([openNode(url), openNode(url)]);
    const expired = { ...stored('token-0'), connection: { token: 'token-0', expires: new Date(0) } };
    await nodes[0].rows.write('work', expired, OWNER);
    const engines = nodes.map(({ rows }) =>
      createEngine({
        app,
        connections: storeForApp(rows, identifyOwner(app)),
        http: { allow: ['loopback'] },
      }),
    );
    onTestFinished(async () => void (await Promise.all(engines.map((engine) => engine.close()))));
    const reports = await Promise.all(
      engines.map((engine) => engine.module('list').run({ connection: 'work' }).orThrow()),
    );
    expect(reports.map(({ bundles }) => bundles)).toEqual([[{ token: 'token-1' }], [{ token: 'token-1' }]]);
    expect(refreshes).toBe(1);
  },
);

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
it.skipIf(!hasPostgres)(
  `iml connect --database stores a connection in the database, and import and export copy it${POSTGRES_MISSING}`,
  async () => {
    const api = await listen(
      createServer((_request, response) => {
        response.setHeader('content-type', 'application/json').end('{}');
      }),
    );
    onTestFinished(api.close);
    const app = writeConnectApp(api.origin);
    const url = await openDatabase();
    const home = writeApp({ 'empty.txt': '' });
    const env = { XDG_CONFIG_HOME: home, IML_HOST_KEY: KEY.toString('base64') };
    const iml = (...args: string[]): Promise<CliResult> => cli(args, { env });
    const key = ['-p', 'apiKey=abc', '-p', 'region=eu', '--allow-local'];
    expect((await iml('connect', app, 'key', '--name', 'shared', ...key, '--database', url)).code).toBe(0);
    expect((await iml('connect', app, 'key', '--name', 'own', ...key)).code).toBe(0);
    const namesIn = async (...options: string[]): Promise<unknown> =>
      JSON.parse((await iml('connections', 'list', '--json', ...options)).out).map(
        ({ name }: { name: string }) => name,
      );
    expect([await namesIn(), await namesIn('--database', url)]).toEqual([['own'], ['shared']]);
    const imported = await iml('connections', 'import', 'own', '--database', url);
    expect([imported.code, imported.out]).toEqual([0, 'The connection "own" is copied.\n']);
    expect((await iml('connections', 'export', 'shared', '--database', url, '--app', app)).code).toBe(0);
    expect([await namesIn(), await namesIn('--database', url)]).toEqual([
      ['own', 'shared'],
      ['own', 'shared'],
    ]);
    const tested = await iml('connections', 'test', 'own', '--database', url, '--app', app, '--allow-local');
    expect([tested.code, tested.err]).toEqual([0, '']);
    expect((await iml('connections', 'import', 'own')).err).toContain('Missing --database URL');
  },
);
