import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSteps } from './add-steps.js';
import { API_KEY, startDev, type TestDev } from './start-dev.js';

let dev: TestDev;
beforeAll(async () => {
  dev = await startDev({ prepare: addSteps });
});
afterAll(() => dev.close());

async function runStep(asked: Record<string, unknown>) {
  const outcome = await dev.step({ parameters: {}, ...asked });
  return { ...(await dev.detail(outcome.id)), ...outcome };
}

it('creates a connection on the page, stores it and never shows its credentials', async () => {
  const parameters = { apiKey: API_KEY };
  const run = await runStep({ step: 'connect', name: 'bookshopKey', as: 'mine', parameters });
  expect(run).toMatchObject({ kind: 'connection', state: 'ok', requests: 1 });
  expect(dev.saved.get('mine')).toMatchObject({ component: 'bookshopKey', parameters });
  expect(JSON.stringify(run)).not.toContain(API_KEY);
});

it('stores no connection whose credentials the API refuses', async () => {
  const parameters = { apiKey: 'another-key' };
  const run = await runStep({ step: 'connect', name: 'bookshopKey', as: 'refused', parameters });
  expect(run).toMatchObject({ state: 'failed', failure: { status: 401 } });
  expect(dev.saved.has('refused')).toBe(false);
});

it('tests a stored connection', async () => {
  const run = await runStep({ step: 'test', name: 'bookshopKey', connection: 'shop' });
  expect(run).toMatchObject({ kind: 'connection', state: 'ok', requests: 1 });
  const missing = await dev.post('/api/steps', { step: 'test', name: 'bookshopKey', connection: 'none' });
  expect(missing).toMatchObject({
    code: 'CONNECTION_MISSING',
    message: 'There is no connection "none".',
  });
});

it('attaches a webhook, processes calls with what attach returned, and detaches it', async () => {
  const attached = await runStep({ step: 'attach', name: 'signed', connection: 'shop' });
  expect(attached).toMatchObject({ kind: 'webhook', step: 'attach', state: 'ok', requests: 1 });
  const { webhooks } = await dev.app();
  const hook = webhooks.find(({ name }) => name === 'signed');
  expect(hook).toMatchObject({ canAttach: true, attached: { webhook: { subscription: 'listed' } } });
  await fetch(hook?.address ?? '', {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  const { runs } = await dev.get<{ runs: { id: string; bundles: number; source: string }[] }>(
    '/api/runs?name=signed',
  );
  expect(runs.find(({ source }) => source === 'call')).toMatchObject({ bundles: 1 });
  expect(await runStep({ step: 'detach', name: 'signed', connection: 'shop' })).toMatchObject({
    state: 'ok',
  });
  expect((await dev.app()).webhooks.find(({ name }) => name === 'signed')?.attached).toBe(undefined);
});

it('lists the epoch of a polling trigger, starts with an entry, then continues after the last run', async () => {
  const epoch = await runStep({ step: 'epoch', name: 'watchBooks', connection: 'shop' });
  expect(epoch.kind).toBe('epoch');
  expect(epoch.entries?.length).toBeGreaterThan(1);
  const before = await dev.form({ kind: 'module', name: 'watchBooks' });
  expect(before.savedState).toBeUndefined();
  const first = await dev.run({ name: 'watchBooks', state: epoch.entries?.[0]?.state });
  expect(first.state).toBe('ok');
  expect(first.bundles).toBeGreaterThan(0);
  const form = await dev.form({ kind: 'module', name: 'watchBooks' });
  expect(form.savedState).toContain('last');
  const next = await dev.run({ name: 'watchBooks', start: 'saved' });
  expect(next).toMatchObject({ state: 'ok', bundles: 0 });
});

it('has a field for each parameter that the requests of an RPC read', async () => {
  const form = await dev.form({ kind: 'rpc', name: 'listShelf' });
  expect(form.fields.map(({ name }) => name)).toEqual(['shelf']);
});
