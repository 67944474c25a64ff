import { expect, it } from 'vitest';
import { defineApp, type StoredConnection, type TraceEvent, type Transport } from '../../src/index.js';
import { momentAt } from '../../src/tools/dev/expressions/scope-at.js';
import { packEvents } from '../../src/tools/dev/history/history.js';
import { runComponent } from '../../src/tools/dev/runs/run-component.js';
import { memoryStore } from '../connection/memory-store.js';
import { respond } from '../run/helpers.js';

const HOST = 'https://api.example.test';
const REFRESH = {
  url: `${HOST}/token`,
  method: 'POST',
  response: { data: { token: '{{body.token}}', expires: '{{addHours(now; 1)}}' } },
};
const APP = defineApp({
  name: 'app',
  connections: { oauth: { type: 'oauth', communication: { refresh: REFRESH } } },
  modules: { read: { type: 'action', connection: 'oauth', communication: { url: `${HOST}/read` } } },
});
const STORED: StoredConnection = {
  component: 'oauth',
  connection: { token: 'token-before-0001', expires: '2024-04-30T00:00:00.000Z' },
  parameters: {},
  metadata: undefined,
  uid: undefined,
  expires: undefined,
  oauth: undefined,
  common: undefined,
};

it('separates the refresh of a token from the requests of the run', async () => {
  const events: TraceEvent[] = [];
  const transport: Transport = async ({ url }) =>
    respond({ json: url.endsWith('/token') ? { token: 'token-after-0001' } : { id: 1 } }, url);
  const setting = {
    app: APP,
    root: '/',
    engine: { http: { transport } },
    connections: memoryStore({ mine: STORED }),
  };
  const wish = { kind: 'module', name: 'read', parameters: {}, connection: 'mine' } as const;
  const end = await runComponent(wish, setting, {
    wrap: (own) => own,
    onTrace: (event) => events.push(event),
    signal: new AbortController().signal,
  });
  expect(end).toMatchObject({ state: 'ok', requests: 1, bundles: [{ id: 1 }] });
  const requests = events.filter((event) => event.kind === 'request');
  expect(requests.map(({ url, endpoint }) => [new URL(url).pathname, endpoint])).toEqual([
    ['/token', 'connection mine'],
    ['/read', undefined],
  ]);
  expect(JSON.stringify(events)).not.toContain('token-after');
  // Its exchange is not taken for that of the first request.
  const packed = packEvents(events, 0);
  const bodies = new Map(packed.flatMap(({ bodies: own }) => own.map((body) => [body.ref, body] as const)));
  const kept = packed.map(({ event }) => event);
  const read = kept.filter(({ kind }) => kind === 'request')[1];
  const moment = await momentAt(kept, read?.seq ?? -1, { body: async (ref) => bodies.get(ref) });
  expect([moment?.request?.['body'], moment?.response?.['body']]).toEqual([undefined, { id: 1 }]);
});
