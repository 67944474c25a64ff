import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppState, RunDetail, RunSummary } from '../../src/dev/protocol.js';
import { startDev, type TestDev } from './start-dev.js';

/** An app with a webhook beside its modules. */
function addWebhook(root: string): void {
  const file = path.join(root, 'makecomapp.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { components: Record<string, unknown> };
  const sold = { webhookType: 'web', codeFiles: { communication: 'sold.iml.json' } };
  writeFileSync(
    file,
    JSON.stringify({ ...manifest, components: { ...manifest.components, webhook: { sold } } }),
  );
  writeFileSync(
    path.join(root, 'sold.iml.json'),
    '{"iterate": "{{body.sales}}", "output": {"isbn": "{{item.isbn}}"}}',
  );
}

let dev: TestDev;
beforeAll(async () => {
  dev = await startDev({ prepare: addWebhook });
});
afterAll(() => dev.close());

async function callOf(): Promise<RunDetail> {
  const { runs } = await dev.get<{ runs: RunSummary[] }>('/api/runs?name=sold');
  return dev.get<RunDetail>(`/api/runs/${runs[0]?.id}`);
}

it('receives calls by an address that holds a key, shows them and sends them again', async () => {
  const { webhooks } = await dev.get<AppState>('/api/app');
  const address = webhooks[0]?.address ?? '';
  expect(address).toBe(`${dev.server.origin}/hooks/sold/key-of-sold`);
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
  expect(await dev.get<RunDetail>(`/api/runs/${id}`)).toMatchObject({ state: 'ok', bundles: 2 });
});

it('answers no call whose key is another, and none to a webhook that is not there', async () => {
  for (const place of ['sold/key-of-sol', 'sold/x', 'none/key-of-none', 'sold']) {
    const { status } = await fetch(`${dev.server.origin}/hooks/${place}`, { method: 'POST' });
    expect(status, place).toBe(404);
  }
});
