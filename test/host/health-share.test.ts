import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import {
  createHost,
  createHostMetrics,
  type Host,
  type HostStore,
  openHostSqlite,
} from '../../src/host/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { newScenario } from './new-rows.js';
import { eventually } from './open-parts.js';
import { send } from './send.js';
import { flowsOf, receiveJson, SUCCESS } from './test-flows.js';

const hosts: Host[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const host of hosts.splice(0)) await host.stop(100);
});

async function open(given?: HostStore, clock?: ReturnType<typeof createVirtualClock>): Promise<Host> {
  const store = given ?? (await openHostSqlite({ file: ':memory:' }));
  const host = createHost({
    store,
    ...(clock && { clock }),
    flows: flowsOf(() => SUCCESS),
    receiver: receiveJson,
    limits: { maxRequests: 5 },
    metrics: await createHostMetrics(),
  });
  hosts.push(host);
  return host;
}

it('serves /health and /metrics while calls with unfinished bodies use all places', async () => {
  const host = await open();
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  const { origin } = await host.listen();
  const port = Number(new URL(origin).port);
  for (let n = 0; n < 5; n++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    socket.write(`POST ${hook.path} HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nhalf`);
  }
  const call = async (): Promise<number> => (await send(`${origin}${hook.path}`, { body: '{}' })).status;
  await eventually(async () => (await call()) === 503);
  const statuses = await Promise.all(
    ['/health', '/health?verbose', '/metrics'].map(
      async (path) => (await send(`${origin}${path}`, { method: 'GET' })).status,
    ),
  );
  expect(statuses).toEqual([200, 200, 200]);
});

it('reads the store once for 50 concurrent requests to /health, and refuses one more', async () => {
  let looks = 0;
  const hanging: HostStore = {
    ...(await openHostSqlite({ file: ':memory:' })),
    countBy: () => {
      looks++;
      return new Promise(() => {});
    },
  };
  const clock = createVirtualClock(0);
  const { origin } = await (await open(hanging, clock)).listen();
  const refused: string[] = [];
  const asked = Array.from({ length: 51 }, async () => {
    const answer = await (await send(`${origin}/health`, { method: 'GET' })).text();
    if (!answer.includes('The store is unavailable.')) refused.push(answer);
  });
  await eventually(() => refused.length === 1);
  expect(looks).toBe(1);
  clock.advance(5000);
  await Promise.all(asked);
  expect(refused).toHaveLength(1);
});

it('reports a failing store that does not respond at all', async () => {
  const clock = createVirtualClock(0);
  const hanging: HostStore = {
    ...(await openHostSqlite({ file: ':memory:' })),
    countBy: () => new Promise(() => {}),
  };
  const host = createHost({
    store: hanging,
    clock,
    flows: flowsOf(() => SUCCESS),
    receiver: receiveJson,
  });
  const health = host.health();
  await clock.sleep(5000);
  expect(await health).toMatchObject({ status: 'failing', problem: 'The store is unavailable.' });
});

it('reuses the result of /health for a second, and shows scenario names on request', async () => {
  const clock = createVirtualClock(0);
  const store = await openHostSqlite({ file: ':memory:' });
  let looks = 0;
  const counted: HostStore = {
    ...store,
    countBy: (...query) => {
      if (query[1] === 'status') looks++;
      return store.countBy(...query);
    },
  };
  const host = await open(counted, clock);
  const state = { kind: 'inactive', errors: 3, reason: 'consecutive-errors', error: 'RuntimeError' };
  await store.transaction((writer) => writer.insert('scenarios', newScenario({ name: 'broken', state })));
  const get = async (path: string): Promise<Response> => host.fetch(new Request(`http://localhost${path}`));
  const health = await (await get('/health')).text();
  expect(JSON.parse(health)).toMatchObject({ status: 'ok', off: 1, stalled: 0 });
  expect(health).not.toContain('broken');
  expect(await (await get('/health?names')).json()).toMatchObject({ offNames: ['broken'] });
  expect(await (await get('/metrics')).text()).toContain('iml_scenarios_off_by_error 1');
  expect(looks).toBe(1);
  clock.advance(1000);
  await get('/health');
  expect(looks).toBe(2);
});

it('serves the status on a separate port', async () => {
  const host = await open();
  const { origin: status } = await host.listenStatus();
  const { origin } = await host.listen();
  const read = async (url: string): Promise<number> => (await send(url, { method: 'GET' })).status;
  for (const page of ['/live', '/ready', '/health', '/metrics']) {
    expect(await read(`${status}${page}`)).toBe(200);
    expect(await read(`${origin}${page}`)).toBe(404);
  }
});

it('is live but not ready while the store does not respond', async () => {
  const clock = createVirtualClock(0);
  const host = await open(
    { ...(await openHostSqlite({ file: ':memory:' })), countBy: () => new Promise(() => {}) },
    clock,
  );
  const get = async (path: string): Promise<number> =>
    (await host.fetch(new Request(`http://localhost${path}`))).status;
  const ready = get('/ready');
  await clock.sleep(5000);
  expect(await ready).toBe(503);
  expect(await get('/live')).toBe(200);
});

it('accepts requests and is not ready while it drains', async () => {
  const host = await open();
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  const { origin } = await host.listen();
  expect((await send(`${origin}/ready`, { method: 'GET' })).status).toBe(200);
  const stopped = host.stop(0, 1000);
  expect((await send(`${origin}/ready`, { method: 'GET' })).status).toBe(503);
  expect((await send(`${origin}${hook.path}`, { body: '{}' })).status).toBe(200);
  await stopped;
  await expect(send(`${origin}/live`, { method: 'GET' })).rejects.toThrow();
});

it('limits a peer to half of the connections', async () => {
  const host = createHost({
    store: await openHostSqlite({ file: ':memory:' }),
    flows: flowsOf(() => SUCCESS),
    receiver: receiveJson,
    limits: { maxConnections: 6 },
  });
  hosts.push(host);
  const { origin } = await host.listen();
  let closed = 0;
  for (let n = 0; n < 5; n++) {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1').on('error', () => {});
    sockets.push(socket.once('close', () => closed++).resume());
  }
  await eventually(() => closed === 2);
});
