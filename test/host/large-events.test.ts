import { afterAll, expect, it, onTestFinished } from 'vitest';
import { createHost, createLocalQueue, type HostStore, openHostSqlite } from '../../src/host/index.js';
import { JsonText } from '../../src/shared/store/table.js';
import { newEvent, newIncomplete } from './new-rows.js';
import { describeEach, openParts } from './open-parts.js';
import { dropTemplate } from './test-database.js';
import { failure, flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

afterAll(dropTemplate);

const LARGE = {
  $date: 'none',
  at: new Date(0).toISOString(),
  list: Array.from({ length: 60_000 }, () => [[1]]),
};

describeEach('a large event', (engine) => {
  it('is stored as text, runs with the received data, and is shown as plain data', async () => {
    const { store, drop } = await openParts(engine);
    onTestFinished(drop);
    const runs: unknown[] = [];
    const host = createHost({
      store,
      queue: createLocalQueue(),
      receiver: receiveJson,
      flows: flowsOf(({ source }) => {
        if (source.kind === 'event') runs.push(source.bundles);
        // The first of its bundles is processed, the second is retried.
        return runs.length === 1 ? { ...failure('RateLimitError'), bundlesDone: 1 } : SUCCESS;
      }),
    });
    onTestFinished(() => host.stop(1000));
    const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
    await host.scenarios.put({ name: 's', plan: plan(), hookId: hook.id });
    const init = { method: 'POST', body: JSON.stringify(LARGE) };
    expect((await host.fetch(new Request(`http://localhost${hook.path}`, init))).status).toBe(200);
    const [event] = await store.find('events');
    expect(event?.bundles).toBeInstanceOf(JsonText);
    expect(event?.bytes).toBe(Buffer.byteLength(JSON.stringify([LARGE])));
    expect((await host.events.get(event?.id ?? 0)).bundles).toEqual([LARGE]);
    await host.start();
    await expect.poll(() => runs.length, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(runs[0]).toEqual([LARGE]);
    await expect
      .poll(async () => (await host.events.get(event?.id ?? 0)).bundles, { timeout: 20_000 })
      .toEqual([]);
  });
});

describeEach('rows with large values', (engine) => {
  it('are inserted in their order', async () => {
    const { store, drop } = await openParts(engine);
    onTestFinished(drop);
    const bundles = new JsonText(JSON.stringify(['x'.repeat(900_000)]));
    const rows = [1, 2, 3, 4].map((hookId) => newEvent({ hookId, bundles: hookId === 2 ? [2] : bundles }));
    const added = await store.transaction((writer) => writer.insertAll('events', rows));
    const found = await store.find('events');
    expect(found.map(({ id, hookId }) => [id, hookId])).toEqual(added.map(({ id, hookId }) => [id, hookId]));
    expect(found[1]?.bundles).toEqual([2]);
    expect(found[3]?.bundles).toMatchObject({ text: bundles.text });
  });
});

/** A store that counts the payloads that each statement reads. */
function noteRead(store: HostStore, table: 'events' | 'incompletes', counts: number[]): HostStore {
  const find: HostStore['find'] = async (name, query) => {
    const rows = await store.find(name, query);
    if (name === table && query?.columns === undefined) counts.push(rows.length);
    return rows;
  };
  return { ...store, find };
}

describeEach('large waiting jobs', (engine) => {
  it.each(['events', 'incompletes'] as const)('are read 2 MB at a time: %s', async (table) => {
    const { store, drop } = await openParts(engine);
    onTestFinished(drop);
    const counts: number[] = [];
    const runs: unknown[] = [];
    const host = createHost({
      store: noteRead(store, table, counts),
      queue: createLocalQueue(),
      receiver: receiveJson,
      flows: flowsOf(({ source }) => {
        if (source.kind === 'incomplete') runs.push(source.execution);
        if (source.kind === 'event') runs.push(source.bundles);
        return SUCCESS;
      }),
    });
    onTestFinished(() => host.stop(1000));
    const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
    const scenario = await host.scenarios.put({ name: 's', plan: plan(), hookId: hook.id });
    const megabyte = new JsonText(JSON.stringify(['x'.repeat(1_000_000)]), 1_000_004);
    const sizes = [megabyte, megabyte, megabyte, megabyte, ['small']];
    await store.transaction(async (writer) => {
      for (const [index, value] of sizes.entries()) {
        const bytes = index === 4 ? 9 : 1_000_004;
        if (table === 'events') {
          await writer.insert('events', newEvent({ hookId: hook.id, bundles: value, bytes }));
        } else {
          const waiting = newIncomplete({ scenarioId: scenario.id, execution: value, bytes });
          await writer.insert('incompletes', waiting);
        }
      }
    });
    await host.start();
    await expect.poll(() => runs.length, { timeout: 20_000 }).toBe(sizes.length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(sizes.length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(3);
    expect(runs).toContainEqual(['small']);
    expect(runs).toContainEqual(['x'.repeat(1_000_000)]);
  });
});

it('leaves an incomplete execution that cannot be opened to a person, and continues with the others', async () => {
  const store = await openHostSqlite({ file: ':memory:' });
  const runs: unknown[] = [];
  const host = createHost({
    store,
    queue: createLocalQueue(),
    receiver: receiveJson,
    flows: flowsOf(({ source }) => {
      if (source.kind === 'incomplete') runs.push(source.execution);
      return SUCCESS;
    }),
  });
  onTestFinished(() => host.stop(1000));
  const { id: scenarioId } = await host.scenarios.put({ name: 's', plan: plan() });
  await store.transaction(async (writer) => {
    const { id } = await writer.insert('incompletes', newIncomplete({ scenarioId }));
    await writer.sql?.run('update host_executions set execution = ? where id = ?', ['v1.AAAA.AAAA.AAAA', id]);
    await writer.insert('incompletes', newIncomplete({ scenarioId, execution: { n: 2 } }));
  });
  await host.start();
  await expect.poll(() => store.count('incompletes', { status: 'resolved' })).toBe(1);
  await expect.poll(() => store.count('incompletes', { status: 'unresolved' })).toBe(1);
  expect(runs).toEqual([{ n: 2 }]);
  const left = await store.find('incompletes', { columns: ['error'], where: { status: 'unresolved' } });
  expect(left[0]?.error).toMatchObject({ code: 'STORE_FAILED' });
});
