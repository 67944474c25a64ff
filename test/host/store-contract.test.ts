import { describe, it } from 'vitest';
import { HOST_STORE_CONTRACT } from '../../src/testing/host-store-contract.js';
import { ENGINES, openParts } from './open-parts.js';

describe.each(ENGINES)('the store on %s', (engine) => {
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
