import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createHost } from '../../src/host/create-host.js';
import { findDueScenarios } from '../../src/host/schedule/due-work.js';
import { findStalled, LOOKED_AT } from '../../src/host/server/find-stalled.js';
import { openHostSqlite } from '../../src/host/store/open-host-store.js';
import type { HostStore } from '../../src/host/store/tables.js';
import { countTurns } from '../run/helpers.js';
import { newScenario } from './new-rows.js';
import { openParts } from './open-parts.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

const COUNT = 30;
const MS_OF_PLAN = 4;

/** Scenarios that are due since the first millisecond, in a store that takes a while to read each of their plans. */
async function openLarge(): Promise<HostStore> {
  const { store, drop } = await openParts('memory');
  onTestFinished(drop);
  const rows = Array.from({ length: COUNT }, (_, index) =>
    newScenario({ name: `s${index}`, definition: plan({ everyMs: 1000 }), nextRunMs: 1 }),
  );
  await store.transaction((writer) => writer.insertAll('scenarios', rows));
  return {
    ...store,
    find: async (table, query = {}) => {
      const found = await store.find(table, query);
      const columns: readonly string[] = query.columns ?? ['definition'];
      const endMs = performance.now() + (columns.includes('definition') ? MS_OF_PLAN * found.length : 0);
      while (performance.now() < endMs);
      return found;
    },
  };
}

it('reads the plans of scenarios that are due in turns', async () => {
  const store = await openLarge();
  const { result, turns } = await countTurns(() => findDueScenarios(store, 2));
  expect(result).toHaveLength(COUNT);
  expect(turns).toBeGreaterThanOrEqual(COUNT / 5 - 1);
});

it('reads the plans of scenarios that are late in turns', async () => {
  const store = await openLarge();
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

it('makes rows of large plans in turns, where a file is read for the first time', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'iml-plans-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'host.sqlite');
  const before = await openHostSqlite({ file });
  const notes = Array.from({ length: 20_000 }, (_, n) => ({ n, text: `note ${n}` }));
  const rows = Array.from({ length: 12 }, (_, index) =>
    newScenario({ name: `s${index}`, definition: { ...plan({ everyMs: 1000 }), notes, index } }),
  );
  await before.transaction((writer) => writer.insertAll('scenarios', rows));
  await before.close();
  const store = await openHostSqlite({ file });
  onTestFinished(() => store.close());
  const { result, turns } = await countTurns(() => store.find('scenarios'));
  expect(result.map(({ name }) => name)).toEqual(rows.map(({ name }) => name));
  expect(turns).toBeGreaterThanOrEqual(3);
});
