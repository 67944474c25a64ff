import { expect, it } from 'vitest';
import { openHostPostgres } from '../../src/host/index.js';
import { newEvent } from '../host/new-rows.js';
import { createDatabase, hasPostgres, onServer, POSTGRES_MISSING } from '../host/test-database.js';

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
it.skipIf(!hasPostgres)(
  `rejects a transaction whose connection ends between two statements, and opens a new connection${POSTGRES_MISSING}`,
  async () => {
    const database = await createDatabase();
    const store = await openHostPostgres({ url: database.at });
    const broken = store.transaction(async (writer) => {
      await writer.insert('events', newEvent());
      await onServer(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.name}'`,
      );
      // The connection reports its end while no statement waits for it.
      await new Promise((resolve) => setTimeout(resolve, 50));
      await writer.count('events');
    });
    await expect(broken).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await store.count('events')).toBe(0);
    await store.close();
    await database.drop();
  },
);

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
it.skipIf(!hasPostgres)(
  `ends the transaction of a suspended process, and releases its locks${POSTGRES_MISSING}`,
  async () => {
    const database = await createDatabase();
    const [sleeper, other] = [
      await openHostPostgres({ url: database.at, idleTransactionMs: 300 }),
      await openHostPostgres({ url: database.at }),
    ];
    await other.transaction((writer) => writer.insert('events', newEvent()));
    const committed = { isolation: 'read-committed' } as const;
    const asleep = sleeper.transaction(async (writer) => {
      await writer.getLocked('events', { hookId: 1 }, 'key');
      const removed = await other.transaction((it) => it.remove('events', { hookId: 1 }), committed);
      expect(removed).toBe(1);
      await writer.count('events');
    }, committed);
    await expect(asleep).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await sleeper.close();
    await other.close();
    await database.drop();
  },
);

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
it.skipIf(!hasPostgres)(
  `reports the first error of a transaction, even if the caller reads a later one or none${POSTGRES_MISSING}`,
  async () => {
    const database = await createDatabase();
    const store = await openHostPostgres({ url: database.at });
    const row = { name: 'taken', sealed: '' };
    await store.transaction((writer) => writer.insert('connections', row));
    const readsLater = store.transaction(async (writer) => {
      const failing = writer.insert('connections', row);
      failing.catch(() => {});
      await writer.count('connections');
    });
    await expect(readsLater).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    const readsNone = store.transaction(async (writer) => {
      await writer.insert('connections', row).catch(() => {});
    });
    await expect(readsNone).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    expect(await store.count('connections')).toBe(1);
    await store.close();
    await database.drop();
  },
);

it.skipIf(!hasPostgres)(
  `repeats a statement whose prepared form a change of the table made invalid${POSTGRES_MISSING}`,
  async () => {
    const database = await createDatabase();
    const store = await openHostPostgres({ url: database.at });
    const row = { name: 'known', sealed: '' };
    const read = (): Promise<readonly object[]> => store.find('connections', { where: { name: 'known' } });
    await store.transaction((writer) => writer.insert('connections', row));
    expect(await read()).toMatchObject([row]);
    await onServer('alter table host_connections alter column sealed type varchar(100)', database.name);
    expect(await read()).toMatchObject([row]);
    expect(await read()).toMatchObject([row]);
    await store.close();
    await database.drop();
  },
);
