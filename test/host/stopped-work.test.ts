import { afterAll, afterEach, expect, it } from 'vitest';
import { createHost } from '../../src/host/index.js';
import { newEvent, newIncomplete, newScenario } from './new-rows.js';
import { describeEach, eventually, openParts } from './open-parts.js';
import { dropTemplate } from './test-database.js';
import { flowsOf, plan, receiveJson } from './test-flows.js';

const cleanups: (() => Promise<void>)[] = [];

afterAll(dropTemplate);

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const FREE = { crashes: 0, crashesAlone: 0 };

describeEach('a stopped host', (engine) => {
  it('returns all in-flight jobs without counting them as failed', async () => {
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
  });
});
