import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createHost, type Host } from '../../src/host/create-host.js';
import { createHostMetrics } from '../../src/host/server/metrics.js';
import { createHostMemoryStore } from '../../src/host/store/open-host-store.js';
import type { HostStore } from '../../src/host/store/tables.js';
import { createVirtualClock, type VirtualClock } from '../../src/testing/exchanges/virtual-clock.js';
import { eventually } from './open-parts.js';
import { send } from './send.js';
import { flowsOf, receiveJson, SUCCESS } from './test-flows.js';

const hosts: Host[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const host of hosts.splice(0)) await host.stop(100);
});

async function open(store: HostStore = createHostMemoryStore(), clock?: VirtualClock): Promise<Host> {
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

it('answers /health and /metrics while calls whose bodies do not come take all places', async () => {
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

it('looks after 50 requests to /health at a time, and refuses one more', async () => {
  let looks = 0;
  const hanging: HostStore = {
    ...createHostMemoryStore(),
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
    if (!answer.includes('The store does not answer.')) refused.push(answer);
  });
  await eventually(() => looks + refused.length === 51);
  expect(looks).toBe(50);
  clock.advance(5000);
  await Promise.all(asked);
  expect(refused).toHaveLength(1);
});

it('says that a store is failing which does not answer at all', async () => {
  const clock = createVirtualClock(0);
  const hanging: HostStore = { ...createHostMemoryStore(), countBy: () => new Promise(() => {}) };
  const host = createHost({
    store: hanging,
    clock,
    flows: flowsOf(() => SUCCESS),
    receiver: receiveJson,
  });
  const health = host.health();
  await clock.sleep(5000);
  expect(await health).toMatchObject({ status: 'failing', problem: 'The store does not answer.' });
});
