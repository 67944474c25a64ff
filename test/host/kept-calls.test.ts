import { afterEach, expect, it } from 'vitest';
import { shownEvent } from '../../src/cli/output/host/shown-event.js';
import { createHost, type Host } from '../../src/host/create-host.js';
import { createStoreQueue } from '../../src/host/queue/store-queue.js';
import { createHostMemoryStore } from '../../src/host/store/open-host-store.js';
import type { EventRow } from '../../src/host/store/tables.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(1000);
});

const HEADERS = {
  'content-type': 'application/json',
  'X-Api-Key': 'secret-1',
  'x-auth-token': 'secret-2',
  Authorization: 'Bearer secret-3',
  cookie: 'sid=secret-4',
  'X-Hub-Signature-256': 'secret-5',
  'x-page-token': 'page-3',
  'user-agent': 'service/1',
  'proxy-authorization': 'secret-6',
  referer: 'https://example.com/?access_token=secret-7&page=2',
};
const QUERY = 'access_token=secret-8&api_key=secret-9&code=secret-10&state=open&next=%3Ftoken%3Dsecret-11';

/** What is kept of a call with a body. */
async function keep(body: unknown): Promise<EventRow> {
  const store = createHostMemoryStore();
  const host = createHost({
    store,
    queue: createStoreQueue(),
    receiver: receiveJson,
    flows: flowsOf(() => SUCCESS),
  });
  hosts.push(host);
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  await host.scenarios.put({ name: 's', plan: plan(), hookId: hook.id });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init = { method: 'POST', headers: HEADERS, body: text };
  await host.fetch(new Request(`http://localhost${hook.path}?${QUERY}`, init));
  const [event] = await store.find('events', { limit: 1 });
  return event ?? expect.fail();
}

it('holds no credential of the headers and the query, and what else was sent', async () => {
  const { request } = await keep({ n: 1 });
  const text = JSON.stringify(request);
  expect(text).not.toMatch(/secret-\d/);
  for (const open of ['page-3', 'service/1', '["state","open"]', 'page=2', 'application/json'])
    expect(text).toContain(open);
  // The name stays, so that it is seen that something was sent.
  for (const name of ['x-api-key', 'x-auth-token', 'access_token', 'api_key'])
    expect(text).toContain(`["${name}","[SANITIZED]"]`);
});

it('shows the body of a call that was refused as text, without what its names say is secret', async () => {
  const event = await keep({ reject: true, password: 'body-secret', note: 'seen' });
  expect(event.status).toBe('rejected');
  const shown = shownEvent(event, { hook: 'h', scenario: '' });
  expect(JSON.stringify(shown)).not.toMatch(/body-secret|secret-\d/);
  expect(shown).toMatchObject({
    hook: 'h',
    received: expect.stringMatching(/Z$/),
    notBefore: null,
    request: { body: '{"reject":true,"password":"[SANITIZED]","note":"seen"}' },
  });
});

it('leaves bytes that are no text as they are, and says so', () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x01]).toString('base64');
  const event = { receivedAtMs: 0, finishedAtMs: null, notBeforeMs: null, request: { body: bytes } };
  expect(shownEvent(event as EventRow, { hook: 'h', scenario: '' })).toMatchObject({
    request: { body: bytes, encoding: 'base64' },
  });
});
