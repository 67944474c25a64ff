import { expect, it } from 'vitest';
import { createHost, type HostNotice, type HostStore, openHostSqlite } from '../../src/host/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { eventually } from './open-parts.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

/** A host whose store accepts calls on demand, and the number of read calls. */
async function open({ isFree = false } = {}) {
  const memory = await openHostSqlite({ file: ':memory:' });
  let isHeld = false;
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const store: HostStore = {
    ...memory,
    transaction: async (work, options) => {
      if (isHeld) await held;
      return memory.transaction(work, options);
    },
  };
  let read = 0;
  let onRead: () => void = () => {};
  const clock = createVirtualClock(0);
  const notices: HostNotice[] = [];
  const host = createHost({
    store,
    clock,
    flows: flowsOf(() => SUCCESS),
    observer: (notice) => void notices.push(notice),
    receiver: (request) => {
      read++;
      onRead();
      return receiveJson(request);
    },
  });
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  await host.scenarios.put({ name: 's', plan: plan(), hookId: hook.id });
  isHeld = !isFree;
  const call = (): Promise<Response> =>
    host.fetch(new Request(`http://localhost${hook.path}`, { method: 'POST', body: '{"n":1}' }));
  const callTimes = async (times: number): Promise<readonly Promise<Response>[]> => {
    const calls = Array.from({ length: times }, call);
    const wanted = read + times;
    await eventually(() => read === wanted);
    await new Promise((resolve) => setImmediate(resolve));
    return calls;
  };
  const receiving = (work: () => void): void => {
    onRead = work;
  };
  return { call, callTimes, clock, notices, receiving, release };
}

it('refuses calls at once if a hundred wait and the store is slow, and stores the waiting ones', async () => {
  const { call, callTimes, clock, notices, release } = await open();
  const first = await callTimes(100);
  clock.advance(500);
  const atLimit = await callTimes(1);
  clock.advance(1);
  const late = await call();
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
  expect(notices.at(-1)).toMatchObject({ kind: 'call-refused', reason: 'busy', status: 503 });
  release();
  const statuses = (await Promise.all([...first, ...atLimit])).map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: 101 }, () => 200));
  expect((await call()).status).toBe(200);
});

it('refuses no call if fewer wait, regardless of the delay', async () => {
  const { callTimes, clock, release } = await open();
  const first = await callTimes(98);
  clock.advance(60_000);
  const further = await callTimes(1);
  release();
  const statuses = (await Promise.all([...first, ...further])).map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: 99 }, () => 200));
});

it('refuses no call of a burst that arrives before the store is read', async () => {
  const { call, clock, receiving } = await open({ isFree: true });
  // Reading all of them takes 30 s, and the store runs after that.
  receiving(() => clock.advance(100));
  const statuses = (await Promise.all(Array.from({ length: 300 }, call))).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
});
