import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  createHost,
  createLocalQueue,
  type Host,
  type HostStore,
  openHostPostgres,
  openHostSqlite,
} from '../../src/host/index.js';
import { toPlanColumns } from '../../src/host/queue/scenario-keys.js';
import { copyStored, fromStored, toStored } from '../../src/host/store/stored-value.js';
import { JsonText } from '../../src/shared/store/table.js';
import { newIncomplete } from './new-rows.js';
import {
  createFile,
  createHostDatabase,
  dropTemplate,
  hasPostgres,
  POSTGRES_MISSING,
} from './test-database.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

afterAll(dropTemplate);

const SECRET = 'hunter2-of-the-shop';

const ENGINES = [
  {
    name: 'sqlite',
    create: createFile,
    open: (at: string, sealKey?: Uint8Array) => openHostSqlite({ file: at, sealKey }),
    readAll: async (at: string) => {
      const files = await Promise.all(
        [at, `${at}-wal`].map((file) => readFile(file, 'latin1').catch(() => '')),
      );
      return files.join('');
    },
  },
  {
    name: 'postgres',
    create: createHostDatabase,
    open: (at: string, sealKey?: Uint8Array) => openHostPostgres({ url: at, sealKey }),
    readAll: async (at: string) => {
      const client = new pg.Client({ connectionString: at });
      await client.connect();
      try {
        const rows: unknown[] = [];
        for (const table of ['hooks', 'scenarios', 'incompletes', 'executions']) {
          rows.push((await client.query(`select * from host_${table}`)).rows);
        }
        return JSON.stringify(rows);
      } finally {
        await client.end();
      }
    },
  },
] as const;

/** One row of each table that stores secrets. */
async function write(store: HostStore, name: string): Promise<void> {
  const secret = { password: SECRET };
  await store.transaction(async (writer) => {
    await writer.insert('hooks', {
      kind: 'dedicated',
      name,
      token: name,
      app: 'a',
      webhook: 'w',
      uid: null,
      connection: null,
      parameters: secret,
      data: secret,
      attachedWith: secret,
      enabled: true,
      createdAtMs: 1,
    });
    const { id } = await writer.insert('scenarios', {
      name,
      definition: { ...plan({}), flow: secret },
      hookId: null,
      ...toPlanColumns(plan({})),
      tenant: name,
      state: { kind: 'active' },
      triggerState: null,
      scheduledMs: null,
      nextRunMs: null,
      attempts: 0,
      lastRunMs: null,
      lastError: null,
      crashes: 0,
      crashesAlone: 0,
    });
    await writer.insert('incompletes', {
      scenarioId: id,
      status: 'waiting',
      execution: { bundle: secret },
      bytes: 40,
      attempts: 0,
      error: null,
      createdAtMs: 1,
      retryAtMs: 1,
      finishedAtMs: null,
      turn: null,
      crashes: 0,
      crashesAlone: 0,
    });
  });
}

async function readSecrets(store: HostStore, name: string): Promise<unknown> {
  const hook = await store.get('hooks', { name });
  const scenario = await store.get('scenarios', { name });
  const incomplete = await store.get('incompletes', { scenarioId: scenario?.id ?? 0 });
  return [
    ...[hook?.parameters, hook?.data, hook?.attachedWith],
    ...[Reflect.get(Object(scenario?.definition), 'flow'), incomplete?.execution],
  ];
}

const secret = { password: SECRET };
const READ = [secret, secret, secret, secret, { bundle: secret }];

for (const { name, create, open, readAll } of ENGINES) {
  const isMissing = name === 'postgres' && !hasPostgres;
  // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
  describe.skipIf(isMissing)(
    `the stored data of a host on ${name}${isMissing ? POSTGRES_MISSING : ''}`,
    () => {
      it('is sealed if a key is set: hooks, flows and incomplete executions', async () => {
        const database = await create();
        onTestFinished(database.drop);
        const key = randomBytes(32);
        const store = await open(database.at, key);
        await write(store, 'one');
        expect(await readSecrets(store, 'one')).toEqual(READ);
        expect(await readAll(database.at)).not.toContain(SECRET);
        await store.close();
      });

      it('seals and opens a large value, and refuses another key', async () => {
        const database = await create();
        onTestFinished(database.drop);
        const key = randomBytes(32);
        const store = await open(database.at, key);
        const value = { bundle: { ...secret, text: 'ž😀'.repeat(400_000) } };
        const execution = toStored(value);
        const { id } = await store.transaction((writer) =>
          writer.insert('incompletes', newIncomplete({ execution })),
        );
        const [row] = await store.transaction((writer) =>
          writer.updateAndRead('incompletes', { id }, { status: 'running' }),
        );
        const read = copyStored(row?.execution);
        expect(row?.execution).toBeInstanceOf(JsonText);
        expect(read).toEqual(value);
        expect(await readAll(database.at)).not.toContain(SECRET);
        await store.close();
        await expect(open(database.at, randomBytes(32))).rejects.toThrow(
          'The key of the host ("sealKey", IML_HOST_KEY) does not open its stored data.',
        );
        await expect(open(database.at)).rejects.toThrow(
          'The key of the host ("sealKey", IML_HOST_KEY) is missing.',
        );
      });

      it('reads rows stored before a key was set, and seals them when they change', async () => {
        const database = await create();
        onTestFinished(database.drop);
        const before = await open(database.at);
        await write(before, 'old');
        await before.close();
        const store = await open(database.at, randomBytes(32));
        await write(store, 'new');
        expect(await readSecrets(store, 'old')).toEqual(READ);
        expect(await readSecrets(store, 'new')).toEqual(READ);
        await store.transaction((writer) => writer.update('hooks', { name: 'old' }, { data: { a: 1 } }));
        expect((await store.get('hooks', { name: 'old' }))?.data).toEqual({ a: 1 });
        expect(await readAll(database.at)).toContain(SECRET);
        await store.close();
      });

      it('does not open a value that was moved from another row, and opens the values of other rows', async () => {
        const database = await create();
        onTestFinished(database.drop);
        const key = randomBytes(32);
        const store = await open(database.at, key);
        await write(store, 'one');
        await write(store, 'two');
        await store.transaction(async ({ sql }) => {
          for (const [table, column] of [
            ['hooks', 'data'],
            ['scenarios', 'definition'],
            ['executions', 'execution'],
          ]) {
            const other = `select ${column} from host_${table} where id = 2`;
            await sql?.run(`update host_${table} set ${column} = (${other}) where id = 1`, []);
          }
        });
        await store.close();
        const again = await open(database.at, key);
        const [hook, otherHook] = await again.find('hooks');
        const [scenario, otherScenario] = await again.find('scenarios');
        const [incomplete, otherIncomplete] = await again.find('incompletes');
        const moved = {
          data: hook?.data,
          definition: scenario?.definition,
          execution: incomplete?.execution,
        };
        const tables = { data: 'hooks', definition: 'scenarios', execution: 'incompletes' } as const;
        for (const [column, value] of Object.entries(moved)) {
          const name = `host_${Reflect.get(tables, column)}.${column}`;
          expect(() => fromStored(value)).toThrow(
            `Cannot open the sealed value of ${name} in the row 1: the key is wrong or the value was changed.`,
          );
        }
        expect(hook).toMatchObject({ name: 'one', parameters: secret });
        expect([otherHook?.data, otherIncomplete?.execution]).toEqual([secret, { bundle: secret }]);
        expect(otherScenario?.definition).toMatchObject({ flow: secret });
        await again.close();
      });

      it('refuses another key, a missing key and an invalid key', async () => {
        const database = await create();
        onTestFinished(database.drop);
        const store = await open(database.at, randomBytes(32));
        await write(store, 'one');
        await store.close();
        const refusal = { code: 'STORE_FAILED' };
        await expect(open(database.at, randomBytes(32))).rejects.toMatchObject({
          ...refusal,
          message: expect.stringContaining('does not open its stored data'),
        });
        await expect(open(database.at)).rejects.toMatchObject({
          ...refusal,
          message: expect.stringContaining('is missing'),
        });
        await expect(open(database.at, randomBytes(16))).rejects.toMatchObject(refusal);
      });
    },
  );
}

it('starts no scenario whose flow does not open, keeps its events, and runs them once it is stored again', async () => {
  const file = await createFile();
  onTestFinished(file.drop);
  const key = randomBytes(32);
  const before = await openHostSqlite({ file: file.at, sealKey: key });
  const runs: unknown[] = [];
  const problems: unknown[] = [];
  const open = (store: HostStore): Host =>
    createHost({
      store,
      queue: createLocalQueue(),
      receiver: receiveJson,
      flows: flowsOf(({ scenario }) => {
        runs.push(scenario.name);
        return SUCCESS;
      }),
      observer: (notice) => {
        if (notice.kind === 'problem') problems.push(notice.error);
      },
    });
  const first = open(before);
  const hooks = [];
  for (const name of ['one', 'two']) {
    const hook = await first.putHook({ name, app: 'a', webhook: 'w', kind: 'dedicated' });
    await first.scenarios.put({ name, plan: plan(), hookId: hook.id });
    hooks.push(hook);
  }
  await before.transaction(async ({ sql }) => {
    const other = 'select definition from host_scenarios where id = 2';
    await sql?.run(`update host_scenarios set definition = (${other}) where id = 1`, []);
  });
  await first.stop(1000);
  await before.close();

  const store = await openHostSqlite({ file: file.at, sealKey: key });
  const host = open(store);
  await host.start();
  for (const { path } of hooks) {
    const call = new Request(`http://localhost${path}`, { method: 'POST', body: '{}' });
    expect((await host.fetch(call)).status).toBe(200);
  }
  await expect.poll(() => runs).toEqual(['two']);
  await expect.poll(() => problems).not.toEqual([]);
  expect(problems[0]).toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('host_scenarios.definition in the row 1'),
  });
  expect(await store.count('events', { hookId: hooks[0]?.id ?? 0, status: 'pending' })).toBe(1);
  await host.scenarios.put({ name: 'one', plan: plan(), hookId: hooks[0]?.id });
  await expect.poll(() => runs).toEqual(['two', 'one']);
  await host.stop(1000);
  await store.close();
});

it('responds with 503 for a hook whose parameters cannot be decrypted, and serves the others', async () => {
  const file = await createFile();
  onTestFinished(file.drop);
  const store = await openHostSqlite({ file: file.at, sealKey: randomBytes(32) });
  const host = createHost({ store, receiver: receiveJson, flows: flowsOf(() => SUCCESS) });
  const statuses: number[] = [];
  const hooks = [];
  for (const name of ['one', 'two']) {
    hooks.push(await host.putHook({ name, app: 'a', webhook: 'w', kind: 'dedicated', parameters: secret }));
  }
  await store.transaction(async ({ sql }) => {
    const other = 'select parameters from host_hooks where id = 2';
    await sql?.run(`update host_hooks set parameters = (${other}) where id = 1`, []);
  });
  for (const { path } of hooks) {
    const call = new Request(`http://localhost${path}`, { method: 'POST', body: '{}' });
    statuses.push((await host.fetch(call)).status);
  }
  expect(statuses).toEqual([503, 200]);
  await host.stop(1000);
  await store.close();
});
