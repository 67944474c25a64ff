import { afterEach, describe, expect, it } from 'vitest';
import { createHost, type Host, openHostSqlite } from '../../src/host/index.js';
import { send } from './send.js';
import { flowsOf, receiveJson, SUCCESS } from './test-flows.js';

const MEGABYTE = 1024 * 1024;
const hosts: Host[] = [];

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(100);
});

describe('a host with a limit of 1000 payload bytes', () => {
  it('reads no body for an unknown address, and responds with 503 for a known one', async () => {
    const problems: unknown[] = [];
    const host = createHost({
      store: await openHostSqlite({ file: ':memory:' }),
      flows: flowsOf(() => SUCCESS),
      receiver: receiveJson,
      limits: { maxBytesInFlight: 1000 },
      observer: (notice) => {
        if (notice.kind === 'problem') problems.push(notice);
      },
    });
    hosts.push(host);
    const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
    const { origin } = await host.listen();
    const body = Buffer.alloc(MEGABYTE, '1');
    const unknown = await Promise.all(
      ['/hooks/nobody', '/elsewhere', '/health'].map((path) => send(`${origin}${path}`, { body })),
    );
    expect(unknown.map(({ status }) => status)).toEqual([404, 404, 200]);
    const known = await send(`${origin}${hook.path}`, { body });
    expect([known.status, known.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await send(`${origin}${hook.path}`, { body: '{"n":1}' })).status).toBe(200);
    // An error of the sender is not an error of the host.
    expect(problems).toEqual([]);
  });
});
