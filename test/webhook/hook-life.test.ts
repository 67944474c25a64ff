import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/app/engine/create-engine.js';
import { defineApp } from '../../src/app/assembling/define-app.js';
import {
  createHook,
  deleteHook,
  disableHook,
  enableHook,
  type HookLife,
  updateHook,
} from '../../src/webhook/hook-life.js';
import { createMemoryHookStore } from '../../src/webhook/hook-store.js';
import { type Answer, service } from '../run/helpers.js';

const WEBHOOKS = {
  full: {
    attach: {
      url: '/hooks',
      method: 'POST',
      body: { url: '{{webhook.url}}', k: '{{parameters.k}}' },
      response: { data: { ext: '{{body.id}}', id: 'mine' } },
    },
    update: {
      url: '/hooks/{{webhook.ext}}',
      method: 'PUT',
      body: { k: '{{parameters.k}}' },
      response: { data: { v: '{{body.v}}' } },
    },
    detach: { url: '/hooks/{{webhook.ext}}', method: 'DELETE' },
  },
  bare: { attach: {}, detach: {}, update: {} },
  none: {},
};

function lifeOf(answer: (call: number) => Answer): HookLife & { readonly sent: () => string[] } {
  const { transport, requests } = service((_, call) => answer(call));
  const app = defineApp({ name: 't', base: { baseUrl: 'https://api.example.test' }, webhooks: WEBHOOKS });
  const engine = createEngine({ app, transport });
  const sent = (): string[] =>
    requests.map(({ method, url, body }) =>
      `${method} ${new URL(url).pathname} ${body === undefined ? '' : Buffer.from(body)}`.trim(),
    );
  return { webhook: engine.webhook, store: createMemoryHookStore(), sent };
}

const HOOK = { id: 'h1', webhook: 'full', url: 'https://hook.test/h1', parameters: { k: 1 } };

describe('the life of a hook', () => {
  it('goes from created over enabled and updated to deleted', async () => {
    const life = lifeOf((call) => ({ json: call === 1 ? { id: 'E' } : { v: 2 } }));
    const { hook } = await createHook(HOOK, life);
    expect(hook).toMatchObject({ status: 'created', data: { ext: 'E', id: 'mine' } });
    expect((await enableHook('h1', life)).status).toBe('enabled');
    const changed = await updateHook('h1', { k: 2 }, life);
    expect(changed.hook).toMatchObject({ status: 'enabled', parameters: { k: 2 }, data: { ext: 'E', v: 2 } });
    expect(await life.store.get('h1')).toEqual(changed.hook);
    expect((await disableHook('h1', life)).status).toBe('created');
    expect((await deleteHook('h1', life)).hook).toBeUndefined();
    expect(await life.store.get('h1')).toBeUndefined();
    expect(life.sent()).toEqual([
      'POST /hooks {"url":"https://hook.test/h1","k":1}',
      'PUT /hooks/E {"k":2}',
      'DELETE /hooks/E',
    ]);
  });

  it('does not begin where attach fails', async () => {
    const life = lifeOf(() => ({ status: 403, json: {} }));
    const { hook, report } = await createHook(HOOK, life);
    expect(hook).toBeUndefined();
    expect(report.error?.statusCode).toBe(403);
    expect(await life.store.get('h1')).toBeUndefined();
  });

  it('is known while attach runs, as the service may call to verify', async () => {
    let seen: unknown;
    const life: HookLife = lifeOf(() => ({ json: { id: 'E' } }));
    const webhook: HookLife['webhook'] = (name) => {
      const given = life.webhook(name);
      const attach: typeof given.attach = async (input) => {
        seen = await life.store.get('h1');
        await expect(updateHook('h1', {}, life)).rejects.toMatchObject({ code: 'WEBHOOK_REFUSED' });
        return given.attach(input);
      };
      return { ...given, attach };
    };
    await createHook(HOOK, { ...life, webhook });
    expect(seen).toMatchObject({ id: 'h1', status: 'attaching' });
  });

  it('stays as it was where update fails', async () => {
    const life = lifeOf((call) => (call === 1 ? { json: { id: 'E' } } : { status: 500 }));
    const { hook } = await createHook(HOOK, life);
    const { hook: same, report } = await updateHook('h1', { k: 2 }, life);
    expect(same).toEqual(hook);
    expect(await life.store.get('h1')).toEqual(hook);
    expect(report.error?.type).toBe('ConnectionError');
  });

  it('ends though detach fails, and the report says so', async () => {
    const life = lifeOf((call) => (call === 1 ? { json: { id: 'E' } } : { status: 404 }));
    await createHook(HOOK, life);
    const { report } = await deleteHook('h1', life);
    expect(report.error?.statusCode).toBe(404);
    expect(await life.store.get('h1')).toBeUndefined();
  });

  it.each(['bare', 'none'])('needs no request where nothing is implemented (%s)', async (webhook) => {
    const life = lifeOf(() => ({}));
    const { hook, report } = await createHook({ ...HOOK, webhook }, life);
    expect(hook).toMatchObject({ status: 'created', data: {} });
    expect(report.isImplemented).toBe(false);
    await updateHook('h1', { k: 3 }, life);
    await deleteHook('h1', life);
    expect(life.sent()).toEqual([]);
  });

  it('refuses ids that are taken or unknown', async () => {
    const life = lifeOf(() => ({ json: { id: 'E' } }));
    await createHook(HOOK, life);
    await expect(createHook(HOOK, life)).rejects.toMatchObject({ code: 'WEBHOOK_REFUSED' });
    for (const step of [deleteHook('x', life), enableHook('x', life), updateHook('x', {}, life)]) {
      await expect(step).rejects.toMatchObject({ code: 'WEBHOOK_REFUSED' });
    }
  });

  it('keeps its own id and address, whatever the service sent', async () => {
    const life = lifeOf(() => ({ json: { id: 'E' } }));
    await createHook(HOOK, life);
    const names: unknown[] = [];
    const webhook: HookLife['webhook'] = (name) => ({
      ...life.webhook(name),
      detach: async (input) => {
        names.push(input?.webhook);
        return life.webhook(name).detach(input);
      },
    });
    await deleteHook('h1', { ...life, webhook });
    expect(names).toEqual([{ ext: 'E', id: 'h1', url: 'https://hook.test/h1' }]);
  });
});
