import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFixtures } from '../../src/tools/testing/index.js';
import { addWebhook } from './add-webhook.js';
import { startDev, type TestDev } from './start-dev.js';

let dev: TestDev;
beforeAll(async () => {
  dev = await startDev({ prepare: addWebhook });
});
afterAll(() => dev.close());

async function callOf() {
  const runs = await dev.runs('?name=sold');
  return dev.detail(runs[0]?.id);
}

it('receives calls at an address with a key, shows and replays them', async () => {
  const { webhooks } = await dev.app();
  const address = webhooks[0]?.address ?? '';
  expect(address).toBe(`${dev.server.hookOrigin}/hooks/sold/key-of-sold`);
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sender-secret-0001' },
    body: JSON.stringify({ sales: [{ isbn: 'a' }, { isbn: 'b' }] }),
  });
  expect(answer.status).toBe(200);
  const call = await callOf();
  expect(call).toMatchObject({ kind: 'webhook', source: 'call', state: 'ok', bundles: 2 });
  expect(JSON.stringify(call)).not.toContain('sender-secret-0001');
  const { id } = await dev.post<{ id: string }>(`/api/runs/${call.id}/send-again`);
  expect(await dev.detail(id)).toMatchObject({ state: 'ok', bundles: 2 });
});

it('refuses calls with another key and to unknown webhooks', async () => {
  for (const place of ['sold/key-of-sol', 'sold/x', 'none/key-of-none', 'sold']) {
    const { status } = await fetch(`${dev.server.hookOrigin}/hooks/${place}`, { method: 'POST' });
    expect(status, place).toBe(404);
  }
});

it('sends an edited call with its redacted values, and shows the response', async () => {
  const { webhooks } = await dev.app();
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sender-secret-0002' };
  const init = { method: 'POST', headers, body: JSON.stringify({ sales: [{ isbn: 'a' }] }) };
  await fetch(webhooks[0]?.address ?? '', init);
  const first = await callOf();
  expect(first.hook).toMatchObject({ answer: { status: 200 }, verification: false });
  const shown = (first.input.payload as { headers: [string, string][] }).headers;
  expect(shown.find(([name]) => name === 'authorization')?.[1]).toContain('[SANITIZED]');
  const wish = { webhook: 'sold', method: 'POST', of: first.id, headers: shown };
  const same = await dev.post<{ id: string }>('/api/calls', wish);
  expect(await dev.detail(same.id)).toMatchObject({ state: 'ok', bundles: 1 });
  const body = JSON.stringify({ sales: [{ isbn: 'x' }, { isbn: 'y' }, { isbn: 'z' }] });
  const { id } = await dev.post<{ id: string }>('/api/calls', { ...wish, body });
  const edited = await dev.detail(id);
  expect(edited).toMatchObject({ state: 'ok', bundles: 3 });
  expect(JSON.stringify(edited)).not.toContain('sender-secret-0002');
  const recorded = await dev.server.backend.runner.recorded(id);
  expect(recorded.input.request?.headers).toMatchObject({ authorization: 'Bearer sender-secret-0002' });
  const draft = await dev.draft(id);
  expect(draft).toMatchObject({ folder: 'tests/sold' });
  expect(draft.text).not.toContain('sender-secret-0002');
  const choice = { name: 'three sales', shown: draft.ref };
  expect(await dev.post(`/api/runs/${id}/case/write`, choice)).toEqual({
    test: 'tests/sold/three sales.test.json',
  });
  expect(await runFixtures(path.join(dev.root, 'tests/sold'))).toMatchObject({ ok: true, passed: 1 });
});

it('explains why a call has no bundles', async () => {
  const { webhooks } = await dev.app();
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"sales": []}' };
  await fetch(webhooks.find(({ name }) => name === 'sold')?.address ?? '', init);
  const call = await callOf();
  expect(call).toMatchObject({ state: 'ok', bundles: 0 });
  expect(call.hook?.noBundles).toMatchObject({
    message: 'The list of iterate is empty.',
    place: { pointer: '/iterate' },
  });
});

describe('content of an app or a sender', () => {
  it('is never served from the origin of the page', async () => {
    expect(dev.server.hookOrigin).not.toBe(dev.server.origin);
    for (const method of ['GET', 'POST']) {
      const response = await dev.fetch('/hooks/sold/key-of-sold', { method });
      expect(response.status).not.toBe(200);
      expect(response.headers.get('content-type')).not.toContain('javascript');
    }
  });

  it('is sandboxed, is not sniffed, and registers no service worker', async () => {
    const address = `${dev.server.hookOrigin}/hooks/script/key-of-script`;
    const called = await fetch(address);
    expect(await called.text()).toBe('self.onfetch = steal');
    expect(called.headers.get('service-worker-allowed')).toBeNull();
    expect(called.headers.get('x-content-type-options')).toBe('nosniff');
    expect(called.headers.get('content-security-policy')).toBe("default-src 'none', sandbox");
    const worker = await fetch(address, { headers: { 'service-worker': 'script' } });
    expect(worker.status).toBe(403);
    expect(await worker.text()).not.toContain('steal');
    expect(worker.headers.get('content-security-policy')).toBe('sandbox');
  });
});
