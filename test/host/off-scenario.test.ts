import { expect, it, onTestFinished } from 'vitest';
import { createHost } from '../../src/host/create-host.js';
import type { HostQueue } from '../../src/host/ports/ports.js';
import { createStoreQueue } from '../../src/host/queue/store-queue.js';
import { findDueScenarios } from '../../src/host/schedule/due-work.js';
import { createHostMemoryStore } from '../../src/host/store/open-host-store.js';
import type { HostStore } from '../../src/host/store/tables.js';
import { eventually } from './open-parts.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

it('tells nobody of events for a scenario that is off, and takes no transaction for them beyond that of the call', async () => {
  const memory = createHostMemoryStore();
  let transactions = 0;
  const store: HostStore = {
    ...memory,
    transaction: (work, options) => {
      transactions++;
      return memory.transaction(work, options);
    },
  };
  const own = createStoreQueue({ pollMs: 5 });
  const announced: number[] = [];
  const queue: HostQueue = {
    ...own,
    announce: (writer, ids) => {
      announced.push(...ids);
      return own.announce(writer, ids);
    },
  };
  let looks = 0;
  const counting: HostQueue = {
    ...queue,
    start: (look) =>
      own.start((ids) => {
        looks++;
        look(ids);
      }),
  };
  const host = createHost({
    store,
    queue: counting,
    flows: flowsOf(() => SUCCESS),
    receiver: receiveJson,
    // The worker's own sign of life is a transaction, too.
    limits: { leaseMs: 3_600_000 },
  });
  onTestFinished(() => host.stop(100));
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  await host.scenarios.put({ name: 's', plan: plan(), hookId: hook.id });
  await host.scenarios.deactivate('s');
  await host.start();
  announced.length = 0;
  transactions = 0;
  for (let n = 0; n < 5; n++) {
    const address = `http://localhost${hook.path}`;
    expect((await host.fetch(new Request(address, { method: 'POST', body: '{"n":1}' }))).status).toBe(200);
  }
  const before = looks;
  await eventually(() => looks > before + 20);
  // One for each call; twenty looks at the store have found nothing to take.
  expect([announced, transactions]).toEqual([[], 5]);
  expect(await findDueScenarios(store, Date.now())).toEqual([]);
  await host.scenarios.activate('s');
  await eventually(async () => (await store.count('events', { status: 'done' })) === 5);
});
