import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type HostStore, openHostPostgres, openHostSqlite } from '../../src/host/index.js';
import { copyStored, toStored } from '../../src/host/store/kept-value.js';
import { JsonText } from '../../src/shared/store/json-text.js';
import { newIncomplete } from './new-rows.js';
import {
  createFile,
  createHostDatabase,
  dropTemplate,
  hasPostgres,
  POSTGRES_MISSING,
} from './test-database.js';
import { plan } from './test-flows.js';

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
          'Cannot open a sealed value of host_incompletes.execution: the key is wrong or the value was changed.',
        );
        await expect(open(database.at)).rejects.toThrow(
          'Cannot open a sealed value of host_incompletes.execution: no key is set.',
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

      it('refuses another key, a missing key and an invalid key', async () => {
        const database = await create();
        onTestFinished(database.drop);
        const store = await open(database.at, randomBytes(32));
        await write(store, 'one');
        await store.close();
        const refusal = { code: 'STORE_FAILED' };
        await expect(open(database.at, randomBytes(32))).rejects.toMatchObject({
          ...refusal,
          message: expect.stringContaining('the key is wrong'),
        });
        await expect(open(database.at)).rejects.toMatchObject({
          ...refusal,
          message: expect.stringContaining('no key is set'),
        });
        await expect(open(database.at, randomBytes(16))).rejects.toMatchObject(refusal);
      });
    },
  );
}
