import { readFile } from 'node:fs/promises';
import Database from 'libsql';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HostStore, openHostPostgres, openHostSqlite } from '../../src/host/index.js';
import {
  createRest,
  createStoreBackend,
  openRestPostgres,
  openRestSqlite,
  type RestStore,
} from '../../src/rest/index.js';
import { createDatabase, createFile, hasPostgres, POSTGRES_MISSING } from './test-database.js';

/** The key of the sealed values in the fixtures. */
const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
/** The API token in the fixtures. */
const TOKEN = '00000000-0000-4000-8000-000000000001';
const SECRET = { password: 'hunter2' };

interface Kind {
  readonly create: typeof createFile;
  readonly execute: (at: string, text: string) => Promise<void>;
  readonly openHost: (at: string) => Promise<HostStore>;
  readonly openRest: (at: string) => Promise<RestStore>;
}

const KINDS: Readonly<Record<'sqlite' | 'postgres', Kind>> = {
  sqlite: {
    create: createFile,
    execute: async (at, text) => {
      const database = new Database(at);
      database.exec(text);
      database.close();
    },
    openHost: (file) => openHostSqlite({ file, sealKey: KEY }),
    openRest: (file) => openRestSqlite(file),
  },
  postgres: {
    create: createDatabase,
    execute: async (at, text) => {
      const client = new pg.Client({ connectionString: at });
      await client.connect();
      await client.query(text);
      await client.end();
    },
    openHost: (url) => openHostPostgres({ url, sealKey: KEY }),
    openRest: (url) => openRestPostgres(url),
  },
};

for (const [name, { create, execute, openHost, openRest }] of Object.entries(KINDS)) {
  const isMissing = name === 'postgres' && !hasPostgres;
  const fixture = new URL(`../../spec-fixtures/store/before-migrator.${name}.sql`, import.meta.url);

  /** A database that the last version before Kysely's migrator wrote. */
  const createOld = async (): Promise<string> => {
    const { at, drop } = await create();
    onTestFinished(drop);
    await execute(at, await readFile(fixture, 'utf8'));
    return at;
  };

  // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
  describe.skipIf(isMissing)(
    `a ${name} database of the version before the migrator${isMissing ? POSTGRES_MISSING : ''}`,
    () => {
      it('keeps the rows of its host, and accepts changes', async () => {
        const at = await createOld();
        // Both processes migrate.
        const [store, other] = await Promise.all([openHost(at), openHost(at)]);
        await other.close();
        const [hook] = await store.find('hooks');
        expect(hook).toMatchObject({ id: 1, name: 'orders', parameters: SECRET, data: SECRET });
        const [scenario] = await store.find('scenarios');
        expect(scenario).toMatchObject({ id: 1, attempts: 2, lastRunMs: 5, definition: { flow: SECRET } });
        expect(await store.find('events')).toMatchObject([
          { id: 1, status: 'pending', bundles: [{ n: 'ž😀' }], request: { callId: 'a' }, receivedAtMs: 3 },
          { id: 2, status: 'dead', bundles: [{ n: 2 }], request: null, error: { message: 'no' } },
        ]);
        expect(await store.find('incompletes')).toMatchObject([{ id: 1, execution: { bundle: SECRET } }]);
        expect(await store.find('connections')).toMatchObject([{ name: 'shop', sealed: 'v1.a.b.c' }]);
        const added = await store.transaction(async (writer) => {
          await writer.update('hooks', { name: 'orders' }, { data: { n: 1 } });
          return writer.insert('incompletes', {
            ...{ scenarioId: 1, status: 'waiting', execution: { n: 2 }, bytes: 7, attempts: 0, crashes: 0 },
            ...{ crashesAlone: 0, error: null, createdAtMs: 1, retryAtMs: null, finishedAtMs: null },
          });
        });
        expect(added.id).toBe(2);
        await store.close();
        const again = await openHost(at);
        expect((await again.find('hooks'))[0]).toMatchObject({ parameters: SECRET, data: { n: 1 } });
        expect((await again.find('incompletes'))[1]).toMatchObject({ id: 2, execution: { n: 2 } });
        await again.close();
      });

      it('keeps the organizations, tokens and keys of its REST API', async () => {
        const at = await createOld();
        const rest = await createRest({
          backend: await createStoreBackend({ store: await openRest(at), encryptionKey: KEY }),
        });
        const get = async (path: string): Promise<unknown> => {
          const headers = { authorization: `Token ${TOKEN}` };
          return (await rest.fetch(new Request(`http://localhost/api/v2${path}`, { headers }))).json();
        };
        expect(await get('/organizations')).toMatchObject({
          organizations: [{ id: 2, name: 'Mill' }, { id: 1 }],
        });
        expect(await get('/keys?teamId=1')).toMatchObject({ keys: [{ id: 1, name: 'Door' }] });
        await rest.close();
      });

      it('is refused if a development version created it', async () => {
        const at = await createOld();
        await execute(at, `delete from schema_migrations where name = 'host/008-connections'`);
        await expect(openHost(at)).rejects.toThrow(
          'The database was created by a development version of iml-runtime, whose host tables are not supported.',
        );
        await (await openRest(at)).close();
      });

      it('is refused after a later version migrated it', async () => {
        const at = await createOld();
        await (await openHost(at)).close();
        await execute(at, `insert into host_migrations (name, timestamp) values ('999', '2030-01-01')`);
        await expect(openHost(at)).rejects.toMatchObject({
          code: 'STORE_FAILED',
          message: expect.stringContaining('by a later version of iml-runtime'),
        });
      });
    },
  );
}
