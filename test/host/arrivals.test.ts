import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createIncomingConnections } from '../../src/host/events/backpressure.js';

it('waits while jobs arrive in each time slice, up to the maximum wait', async () => {
  let nowMs = 0;
  const arrivals = createIncomingConnections(() => nowMs);
  let isSettled = false;
  const settled = arrivals.settled().then(() => {
    isSettled = true;
  });
  for (let turn = 0; turn < 20; turn++) {
    arrivals.note();
    await setImmediate();
  }
  expect(isSettled).toBe(false);
  await settled;
  const again = arrivals.settled();
  arrivals.note();
  nowMs += 25;
  await again;
});
