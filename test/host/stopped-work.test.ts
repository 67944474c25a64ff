import { afterAll, afterEach, expect, it } from 'vitest';
import { createWorkerLease } from '../../src/host/claim/worker-lease.js';
import { createHost } from '../../src/host/create-host.js';
import { createHostMemoryStore } from '../../src/host/store/open-host-store.js';
import type { HostStore } from '../../src/host/store/tables.js';
import { SYSTEM_CLOCK } from '../../src/util/clock.js';
import { newEvent, newIncomplete, newScenario } from './new-rows.js';
import { describeEach, eventually, openParts } from './open-parts.js';
import { dropTemplate } from './test-database.js';
import { flowsOf, plan, receiveJson } from './test-flows.js';

const cleanups: (() => Promise<void>)[] = [];

afterAll(dropTemplate);

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const FREE = { claimedBy: null, crashes: 0, crashesAlone: 0 };

describeEach('a host that is stopped', (engine) => {
  it('gives back all that was under way, as something that ended no process', async () => {
    const { store, queue, drop } = await openParts(engine);
    cleanups.push(drop);
    let begun = 0;
    const host = createHost({
      store,
      queue,
      receiver: receiveJson,
      flows: flowsOf(({ signal }) => {
        begun++;
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      }),
    });
    const definition = plan({ everyMs: 3_600_000 });
    await store.transaction(async (writer) => {
      const { id } = await writer.insert('scenarios', newScenario({ hookId: 1 }));
      await writer.insert('events', newEvent());
      await writer.insert('incompletes', newIncomplete({ scenarioId: id }));
      await writer.insert('scenarios', newScenario({ name: 'poll', definition, nextRunMs: 1 }));
      await writer.insert('scenarios', newScenario({ name: 'queue', definition, nextRunMs: 1, hookId: 2 }));
      await writer.insert('events', newEvent({ hookId: 2 }));
    });
    await host.start();
    await eventually(() => begun === 4);
    await host.stop(10);
    expect(await store.find('events')).toMatchObject([
      { ...FREE, status: 'pending' },
      { ...FREE, status: 'pending' },
    ]);
    expect(await store.find('incompletes')).toMatchObject([{ ...FREE, status: 'waiting' }]);
    const due = { ...FREE, nextRunMs: 1 };
    expect(await store.find('scenarios', { sortBy: 'name' })).toMatchObject([due, due, FREE]);
    expect(await store.count('workers')).toBe(0);
  });
});

it('does not join again by a beat that was under way as it left', async () => {
  const store = createHostMemoryStore();
  let [isHeld, isAsked, release] = [false, false, (): void => {}];
  const free = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow: HostStore = {
    ...store,
    transaction: async (work, options) => {
      if (isHeld && !isAsked) {
        isAsked = true;
        await free;
      }
      return store.transaction(work, options);
    },
  };
  const errors: unknown[] = [];
  const nothing = (): void => {};
  const lease = createWorkerLease({
    store: slow,
    clock: SYSTEM_CLOCK,
    leaseMs: 8,
    onError: (error) => errors.push(error),
    onLost: () => errors.push('lost'),
    onFreed: nothing,
  });
  await lease.join();
  isHeld = true;
  await eventually(() => isAsked);
  await lease.leave();
  release();
  await new Promise((resolve) => setImmediate(resolve));
  expect(await store.count('workers')).toBe(0);
  expect(errors).toEqual([]);
});
