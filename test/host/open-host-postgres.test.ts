import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createHost, createPostgresQueue, type HostStore, openHostPostgres } from '../../src/host/index.js';
import { newEvent } from './new-rows.js';
import { eventually } from './open-parts.js';
import {
  createDatabase,
  createHostDatabase,
  dropTemplate,
  hasPostgres,
  POSTGRES_MISSING,
  type TestDatabase,
} from './test-database.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

afterAll(dropTemplate);

async function database(): Promise<TestDatabase> {
  const made = await createHostDatabase();
  onTestFinished(made.drop);
  return made;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The same database on another port. */
function atPort(url: string, port: number): string {
  const other = new URL(url);
  other.port = String(port);
  return other.href;
}

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
describe.skipIf(!hasPostgres)(`a host on PostgreSQL${POSTGRES_MISSING}`, () => {
  it('distinguishes a missing database from an unreachable server, and fails without waiting', async () => {
    const { at } = await database();
    const missing = new URL(at);
    missing.pathname = '/iml_host_nobody_made';
    await expect(openHostPostgres({ url: missing.href, waitMs: 3_600_000 })).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message:
        'The PostgreSQL server refuses the connection: database "iml_host_nobody_made" does not exist.',
    });
    const url = atPort(at, await freePort());
    await expect(openHostPostgres({ url })).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: 'The PostgreSQL server does not respond (ECONNREFUSED).',
    });
  });

  it('waits for a server that starts later, if allowed', async () => {
    const { at } = await database();
    const port = await freePort();
    const opening = openHostPostgres({ url: atPort(at, port), waitMs: 3_600_000 });
    const to = new URL(at);
    const tries: string[] = [];
    const server = createServer((client) => {
      tries.push('connected');
      const upstream = connect(Number(to.port || 5432), to.hostname);
      client.pipe(upstream).pipe(client);
      for (const socket of [client, upstream]) socket.on('error', () => {});
    });
    onTestFinished(() => void server.close());
    // By then the connection was refused, as no server listens yet.
    await new Promise((resolve) => setTimeout(resolve, 100));
    server.listen(port, '127.0.0.1');
    const store = await opening;
    expect([await store.count('events'), tries.length > 0]).toEqual([0, true]);
    await store.close();
  });

  it('names its connections in the activity view of the server', async () => {
    const { at, name } = await database();
    const store = await openHostPostgres({ url: at, applicationName: 'iml-host' });
    const queue = await createPostgresQueue({ url: at });
    await queue.start(async () => {}, { concurrency: 1, onError: () => {} });
    const client = new pg.Client({ connectionString: at, application_name: 'test' });
    await client.connect();
    const names = async (): Promise<readonly unknown[]> => {
      const text = 'select distinct application_name as name from pg_stat_activity where datname = $1';
      const { rows } = await client.query<{ name: unknown }>(text, [name]);
      return rows.map((row) => row.name).sort();
    };
    await eventually(async () => (await names()).length === 3);
    expect(await names()).toEqual(['iml-host', 'iml-host queue', 'test']);
    await client.end();
    await queue.stop();
    await queue.close();
    await store.close();
  });

  it('lets another process disable and enable a scenario while it processes a queue', async () => {
    const { at } = await database();
    const [store, admin] = [await openHostPostgres({ url: at }), await openHostPostgres({ url: at })];
    const [queue, adminQueue] = [
      await createPostgresQueue({ url: at, pollMs: 5 }),
      await createPostgresQueue({ url: at }),
    ];
    const parts = { flows: flowsOf(() => SUCCESS), receiver: receiveJson };
    const host = createHost({ store, queue, ...parts });
    const command = createHost({ store: admin, queue: adminQueue, ...parts });
    for (const name of ['a', 'b', 'c']) {
      const hook = await host.putHook({ name, app: 'a', webhook: 'w', kind: 'dedicated' });
      await host.scenarios.put({ name, plan: plan({ ordered: name === 'a' }), hookId: hook.id });
      await fillQueue(store, hook.id, 200);
    }
    await host.start();
    for (let n = 0; n < 12; n++) {
      const name = ['a', 'b', 'c'][n % 3] ?? 'a';
      expect((await command.scenarios.deactivate(name)).state).toMatchObject({ kind: 'inactive' });
      expect((await command.scenarios.activate(name)).state).toMatchObject({ kind: 'active' });
    }
    await eventually(async () => (await store.count('events', { status: 'done' })) === 600, 120_000);
    await host.stop(1000);
    for (const one of [adminQueue, store, admin]) await one.close();
  }, 150_000);

  it('sets up an empty database', async () => {
    const made = await createDatabase();
    onTestFinished(made.drop);
    const store = await openHostPostgres({ url: made.at });
    expect(await store.count('hooks')).toBe(0);
    await store.close();
  });
});

async function fillQueue(store: HostStore, hookId: number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, () => newEvent({ hookId }));
  await store.transaction((writer) => writer.insertAll('events', rows));
}
