import { expect, it } from 'vitest';
import { openHostPostgres } from '../../src/host/store/open-host-store.js';
import { createDatabase, hasPostgres, onServer, POSTGRES_MISSING } from '../host/test-database.js';

it.skipIf(!hasPostgres)(
  `rejects a transaction whose connection ends between two statements, and opens another${POSTGRES_MISSING}`,
  async () => {
    const database = await createDatabase();
    const store = await openHostPostgres({ url: database.at });
    const row = { name: 'a', machine: 'm', pid: 1, beat: 0, startedAtMs: 0 };
    const broken = store.transaction(async (writer) => {
      await writer.insert('workers', row);
      await onServer(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.name}'`,
      );
      // The connection tells of its end while no statement waits for it.
      await new Promise((resolve) => setTimeout(resolve, 50));
      await writer.count('workers');
    });
    await expect(broken).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await store.count('workers')).toBe(0);
    await store.close();
    await database.drop();
  },
);

it.skipIf(!hasPostgres)(
  `ends the transaction of a process that has fallen asleep in it, so that others get its locks${POSTGRES_MISSING}`,
  async () => {
    const database = await createDatabase();
    const [sleeper, other] = [
      await openHostPostgres({ url: database.at, idleTransactionMs: 300 }),
      await openHostPostgres({ url: database.at }),
    ];
    const worker = { name: 'w', machine: 'm', pid: 1, beat: 0, startedAtMs: 0 };
    await other.transaction((writer) => writer.insert('workers', worker));
    const committed = { isolation: 'read-committed' } as const;
    const asleep = sleeper.transaction(async (writer) => {
      await writer.getLocked('workers', { name: 'w' }, 'key');
      const removed = await other.transaction((it) => it.remove('workers', { name: 'w' }), committed);
      expect(removed).toBe(1);
      await writer.count('workers');
    }, committed);
    await expect(asleep).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await sleeper.close();
    await other.close();
    await database.drop();
  },
);
