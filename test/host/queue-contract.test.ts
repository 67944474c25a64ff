import { afterAll, it } from 'vitest';
import { createPostgresQueue } from '../../src/host/queue/postgres-queue.js';
import { createStoreQueue } from '../../src/host/queue/store-queue.js';
import { openHostPostgres, openHostSqlite } from '../../src/host/store/open-host-store.js';
import { HOST_QUEUE_CONTRACT, type QueueParts } from '../../src/testing/contracts/host-queue-contract.js';
import { describeEach, type Engine, openParts } from './open-parts.js';
import { createFile, createHostDatabase, dropTemplate } from './test-database.js';

afterAll(dropTemplate);

async function open(engine: Engine): Promise<QueueParts & { readonly drop: () => Promise<void> }> {
  if (engine === 'memory') {
    const { store, drop } = await openParts(engine);
    return { store, openQueue: async () => createStoreQueue({ pollMs: 20 }), drop };
  }
  const database = engine === 'sqlite' ? await createFile() : await createHostDatabase();
  const isFile = engine === 'sqlite';
  const store = isFile
    ? await openHostSqlite({ file: database.at })
    : await openHostPostgres({ url: database.at });
  return {
    store,
    openQueue: async () =>
      isFile ? createStoreQueue({ pollMs: 20 }) : createPostgresQueue({ url: database.at, pollMs: 50 }),
    drop: async () => {
      await store.close();
      await database.drop();
    },
  };
}

describeEach('a queue', (engine) => {
  it.each(HOST_QUEUE_CONTRACT.map((one) => [one.name, one.run] as const))('%s', async (_name, run) => {
    const { drop, ...parts } = await open(engine);
    try {
      await run(parts);
    } finally {
      await drop();
    }
  });
});
