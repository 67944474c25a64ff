import { expect, it } from 'vitest';
import { createHost, openHostSqlite } from '../../src/host/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { eventually } from './open-parts.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

const MAX_QUEUED = 300;

/** A host that processes nothing, whose only hook has a full queue, and the number of receiver calls. */
async function openFull(limits: Parameters<typeof createHost>[0]['limits'] = { maxQueued: MAX_QUEUED }) {
  let read = 0;
  const clock = createVirtualClock(0);
  const store = await openHostSqlite({ file: ':memory:' });
  const host = createHost({
    store,
    clock,
    limits,
    flows: flowsOf(() => SUCCESS),
    receiver: (request) => {
      read++;
      return receiveJson(request);
    },
  });
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  await host.scenarios.put({ name: 's', plan: plan(), hookId: hook.id });
  const url = `http://localhost${hook.path}`;
  const post = (body: unknown): Promise<Response> => {
    const text = JSON.stringify(body);
    const headers = { 'content-length': String(Buffer.byteLength(text)) };
    return host.fetch(new Request(url, { method: 'POST', body: text, headers }));
  };
  return { host, store, clock, url, post, countRead: () => read };
}

it('refuses a call without reading its body while the queue is known to be full', async () => {
  const { host, clock, url, post, countRead } = await openFull();
  await Promise.all(Array.from({ length: MAX_QUEUED }, (_, n) => post({ n })));
  expect((await post({ n: 0 })).status).toBe(429);
  const before = countRead();
  let isPulled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: () => {
        isPulled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const endless = await host.fetch(new Request(url, { method: 'POST', body, duplex: 'half' }));
  expect([endless.status, endless.headers.get('retry-after')]).toEqual([429, '60']);
  expect([isPulled, countRead()]).toEqual([false, before]);
  // A request without a body may be a verification request of the remote API.
  expect((await host.fetch(new Request(url))).status).toBe(200);
  expect(countRead()).toBe(before + 1);
  // Another process frees space. Calls trigger the periodic check that detects it.
  await host.events.discardAll({ status: ['pending'] });
  clock.advance(199);
  expect((await post({ n: 1 })).status).toBe(429);
  clock.advance(1);
  await eventually(async () => (await post({ n: 2 })).status === 200);
});

it('checks the queue again after a pause', async () => {
  const { host, clock, post } = await openFull();
  await Promise.all(Array.from({ length: MAX_QUEUED + 1 }, (_, n) => post({ n })));
  await host.events.discardAll({ status: ['pending'] });
  clock.advance(1000);
  expect((await post({ n: 1 })).status).toBe(200);
});

it('refuses a payload at least as large as one that did not fit, and accepts a smaller one', async () => {
  const { post, countRead } = await openFull({ maxQueuedBytes: 5000 });
  const large = { filling: 'x'.repeat(3000) };
  expect([(await post(large)).status, (await post(large)).status]).toEqual([200, 429]);
  const before = countRead();
  expect((await post({ filling: 'x'.repeat(3000) })).status).toBe(429);
  expect(countRead()).toBe(before);
  expect((await post({ n: 1 })).status).toBe(200);
});

it('accepts calls again after this process has processed part of a full queue', async () => {
  const { host, store, post } = await openFull({ maxQueued: 3 });
  const answers = await Promise.all(Array.from({ length: 4 }, (_, n) => post({ n })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  await host.start();
  await eventually(async () => (await store.count('events', { status: 'done' })) === 3);
  expect((await post({ n: 5 })).status).toBe(200);
  await host.stop(1000);
});
