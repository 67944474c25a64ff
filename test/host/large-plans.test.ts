import { expect, it, onTestFinished } from 'vitest';
import { createHost, type HostStore } from '../../src/host/index.js';
import { newScenario } from './new-rows.js';
import { openParts } from './open-parts.js';
import { flowsOf, receiveJson, SUCCESS } from './test-flows.js';

it('reports the health of a host without reading plans if nothing is late', async () => {
  const { store, queue, drop } = await openParts('memory');
  await store.transaction((writer) => writer.insert('scenarios', newScenario()));
  const asked: unknown[] = [];
  const watched: HostStore = {
    ...store,
    find: (table, query) => {
      if (table === 'scenarios') asked.push(query?.columns);
      return store.find(table, query);
    },
  };
  const host = createHost({ store: watched, queue, flows: flowsOf(() => SUCCESS), receiver: receiveJson });
  onTestFinished(async () => {
    await host.stop(0);
    await drop();
  });
  expect(await host.health()).toMatchObject({ scenarios: { active: 1 }, stalled: [] });
  expect(asked).toEqual([['name', 'hookId', 'isTimed', 'state', 'crashes', 'lastRunMs', 'nextRunMs']]);
});
