import { afterAll, it } from 'vitest';
import { createLocalQueue, createPostgresQueue, openHostPostgres } from '../../src/host/index.js';
import { HOST_QUEUE_CONTRACT, type QueueParts } from '../../src/tools/testing/index.js';
import { startDroppingProxy } from './dropping-proxy.js';
import { describeEach, type Engine, openParts } from './open-parts.js';
import { createHostDatabase, dropTemplate } from './test-database.js';

afterAll(dropTemplate);

async function open(engine: Engine): Promise<QueueParts & { readonly drop: () => Promise<void> }> {
  if (engine !== 'postgres') {
    const { store, drop } = await openParts(engine);
    return { store, openQueue: async () => createLocalQueue(), drop };
  }
  const database = await createHostDatabase();
  const store = await openHostPostgres({ url: database.at });
  // A queue without its database is unusable.
  const proxies: Awaited<ReturnType<typeof startDroppingProxy>>[] = [];
  return {
    store,
    openQueue: async () => {
      const proxy = await startDroppingProxy(database.at, Math.random);
      proxies.push(proxy);
      return createPostgresQueue({ url: proxy.url, pollMs: 100 });
    },
    kill: async () => {
      await proxies[0]?.close();
    },
    drop: async () => {
      await store.close();
      for (const proxy of proxies) await proxy.close();
      await database.drop();
    },
  };
}

describeEach('a queue', (engine) => {
  it.each(HOST_QUEUE_CONTRACT.map((one) => [one.name, one.run] as const))(
    '%s',
    { timeout: 60_000 },
    async (_name, run) => {
      const { drop, ...parts } = await open(engine);
      try {
        await run(parts);
      } finally {
        await drop();
      }
    },
  );
});
