import { expect, it, onTestFinished } from 'vitest';
import { createHost } from '../../src/host/create-host.js';
import { findDueScenarios } from '../../src/host/schedule/due-work.js';
import { findStalled, LOOKED_AT } from '../../src/host/server/find-stalled.js';
import type { HostStore, ScenarioRow } from '../../src/host/store/tables.js';
import { countTurns } from '../run/helpers.js';
import { newScenario } from './new-rows.js';
import { openParts } from './open-parts.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

const COUNT = 30;

/** Scenarios whose plans are more together than any store keeps read. */
async function openLarge(change: Partial<ScenarioRow>): Promise<HostStore> {
  const { store, drop } = await openParts('sqlite');
  onTestFinished(drop);
  for (let index = 0; index < COUNT; index++) {
    const values = Array.from({ length: 24_000 }, (_, n) => [`n${n}`, `value ${n} of ${index}`]);
    const flow = { steps: [{ id: 1, parameters: Object.fromEntries(values) }] };
    const row = newScenario({
      name: `s${index}`,
      definition: { ...plan({ everyMs: 1000 }), flow },
      ...change,
    });
    await store.transaction((writer) => writer.insert('scenarios', row));
  }
  return store;
}

it('reads large plans of scenarios that are due in turns', async () => {
  const store = await openLarge({ nextRunMs: 1 });
  const { result, turns } = await countTurns(() => findDueScenarios(store, 2));
  expect(result).toHaveLength(COUNT);
  expect(turns).toBeGreaterThanOrEqual(COUNT / 5 - 1);
});

it('reads large plans of scenarios that are late in turns', async () => {
  const store = await openLarge({ nextRunMs: 1 });
  const rows = await store.find('scenarios', { columns: LOOKED_AT });
  const { result, turns } = await countTurns(() => findStalled(store, rows, { nowMs: 1000, afterMs: 100 }));
  expect(result).toHaveLength(COUNT);
  expect(turns).toBeGreaterThanOrEqual(COUNT / 5 - 1);
});

it('reads no plan to tell of the health of a host where nothing is late', async () => {
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
  expect(asked).toEqual([LOOKED_AT]);
});
