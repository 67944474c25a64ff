import { createHostMemoryStore, openHostPostgres, openHostSqlite } from '../../src/host/open-host-store.js';
import type { HostQueue } from '../../src/host/ports.js';
import { createPostgresQueue } from '../../src/host/postgres-queue.js';
import { createStoreQueue } from '../../src/host/store-queue.js';
import type { HostStore } from '../../src/host/tables.js';
import type { Clock } from '../../src/util/clock.js';
import { createDatabase, createFile, hasPostgres } from './test-database.js';

export type Engine = 'memory' | 'sqlite' | 'postgres';

/** The engines that can be tested here. */
export const ENGINES: readonly Engine[] = hasPostgres
  ? ['memory', 'sqlite', 'postgres']
  : ['memory', 'sqlite'];

export interface Parts {
  readonly store: HostStore;
  readonly queue: HostQueue;
  readonly drop: () => Promise<void>;
}

/** A store and a queue of their own on an engine. */
export async function openParts(engine: Engine, clock?: Clock): Promise<Parts> {
  if (engine === 'memory') {
    const store = createHostMemoryStore();
    return { store, queue: createStoreQueue({ store, clock, pollMs: 20 }), drop: () => store.close() };
  }
  const database = engine === 'sqlite' ? await createFile() : await createDatabase();
  const store =
    engine === 'sqlite'
      ? await openHostSqlite({ file: database.at })
      : await openHostPostgres({ url: database.at });
  const queue =
    engine === 'sqlite'
      ? createStoreQueue({ store, clock, pollMs: 20 })
      : await createPostgresQueue({ url: database.at, pollMs: 50 });
  const drop = async (): Promise<void> => {
    await store.close();
    await database.drop();
  };
  return { store, queue, drop };
}

/** Waits until something holds, at most half a minute. */
export async function eventually(holds: () => Promise<boolean> | boolean, withinMs = 30_000): Promise<void> {
  const endMs = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > endMs) throw new Error('It did not come to hold in time.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
