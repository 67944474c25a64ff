import { describe } from 'vitest';
import {
  createLocalQueue,
  createPostgresQueue,
  type HostQueue,
  type HostStore,
  openHostPostgres,
  openHostSqlite,
} from '../../src/host/index.js';
import type { Clock } from '../../src/index.js';
import { createFile, createHostDatabase, hasPostgres, POSTGRES_MISSING } from './test-database.js';

export type Engine = 'memory' | 'sqlite' | 'postgres';

/** The engines of a host. `describeEach` skips unavailable ones and reports the reason. */
const ENGINES: readonly Engine[] = ['memory', 'sqlite', 'postgres'];

/** Calls `describe` for each engine. */
export function describeEach(title: string, define: (engine: Engine) => void): void {
  for (const engine of ENGINES) {
    const isMissing = engine === 'postgres' && !hasPostgres;
    // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
    describe.skipIf(isMissing)(`${title} on ${engine}${isMissing ? POSTGRES_MISSING : ''}`, () =>
      define(engine),
    );
  }
}

export interface Parts {
  readonly store: HostStore;
  readonly queue: HostQueue;
  readonly drop: () => Promise<void>;
}

/** A separate store and queue on an engine. */
export async function openParts(engine: Engine, clock?: Clock): Promise<Parts> {
  if (engine === 'memory') {
    const store = await openHostSqlite({ file: ':memory:' });
    return { store, queue: createLocalQueue({ clock }), drop: () => store.close() };
  }
  const database = engine === 'sqlite' ? await createFile() : await createHostDatabase();
  const store =
    engine === 'sqlite'
      ? await openHostSqlite({ file: database.at })
      : await openHostPostgres({ url: database.at });
  const queue =
    engine === 'sqlite'
      ? createLocalQueue({ clock })
      : await createPostgresQueue({ url: database.at, pollMs: 50 });
  const drop = async (): Promise<void> => {
    await store.close();
    await database.drop();
  };
  return { store, queue, drop };
}

/** Waits until a condition holds, up to 30 s. */
export async function eventually(holds: () => Promise<boolean> | boolean, withinMs = 30_000): Promise<void> {
  const endMs = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > endMs) throw new Error('It did not come to hold in time.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
