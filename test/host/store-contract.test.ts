import { afterAll, it } from 'vitest';
import { HOST_STORE_CONTRACT } from './host-store-contract.js';
import { describeEach, openParts } from './open-parts.js';
import { dropTemplate } from './test-database.js';

afterAll(dropTemplate);

describeEach('the store', (engine) => {
  // A separate store per case, so that each can run alone.
  it.each(HOST_STORE_CONTRACT.map((one) => [one.name, one.run] as const))('%s', async (_name, run) => {
    const { store, queue, drop } = await openParts(engine);
    try {
      await run(store);
    } finally {
      await queue.close();
      await drop();
    }
  });
});
