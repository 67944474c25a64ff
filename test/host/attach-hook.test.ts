import { afterEach, describe, expect, it } from 'vitest';
import {
  createEngineReceiver,
  createHost,
  createScenarioFlows,
  type Host,
  openHostSqlite,
} from '../../src/host/index.js';
import { removeScenario, type SetUpOptions, setUpScenario } from '../../src/host/set-up.js';
import { createEngine, defineApp } from '../../src/index.js';
import { type Answer, service } from '../run/helpers.js';
import { eventually } from './open-parts.js';

type ScenarioEntry = Parameters<typeof setUpScenario>[1];

const WEBHOOK = {
  communication: { output: { key: '{{webhook.ext}}', team: '{{parameters.team}}', n: '{{body.n}}' } },
  attach: {
    url: '/hooks',
    method: 'POST',
    body: { url: '{{webhook.url}}', team: '{{parameters.team}}' },
    response: { data: { ext: '{{body.id}}' } },
  },
  update: {
    url: '/hooks/{{webhook.ext}}',
    method: 'PUT',
    body: { team: '{{parameters.team}}' },
    response: { data: { version: '{{body.version}}' } },
  },
  detach: { url: '/hooks/{{webhook.ext}}', method: 'DELETE' },
};

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(1000);
});

/** A host with one app and an API whose responses come from a function. */
async function setUp(answer: (call: number) => Answer) {
  const { transport, requests } = service((_, call) => answer(call));
  const app = defineApp({
    name: 'crm',
    base: { baseUrl: 'https://api.example.test' },
    webhooks: { contacts: WEBHOOK },
    modules: { answer: { type: 'responder', communication: { response: { body: 'ok' } } } },
  });
  const engines = { crm: createEngine({ app, http: { transport } }) };
  const store = await openHostSqlite({ file: ':memory:' });
  const bundles: unknown[] = [];
  const host = createHost({
    store,
    receiver: createEngineReceiver({ engines }),
    baseUrl: 'https://hooks.example.test',
    flows: createScenarioFlows({ engines, onReport: (_, report) => bundles.push(...(report.bundles ?? [])) }),
  });
  hosts.push(host);
  const options: SetUpOptions = { host, store, engines };
  const sent = (): unknown[] =>
    requests.map(({ method, url, body }) => [
      `${method} ${new URL(url).pathname}`,
      body === undefined ? undefined : JSON.parse(Buffer.from(body).toString('utf8')),
    ]);
  return { host, store, options, sent, bundles };
}

function entryOf(team: string): ScenarioEntry {
  return {
    name: 'welcome',
    webhook: { app: 'crm', webhook: 'contacts', connection: undefined, uid: undefined, parameters: { team } },
    everyMinutes: undefined,
    ordered: true,
    settings: {},
    modules: [],
  };
}

const post = (host: Host, path: string, body: unknown): Promise<Response> =>
  host.fetch(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );

describe('a host with attached hooks', () => {
  it('attaches a hook once, updates it when its parameters change, and detaches it when it is removed', async () => {
    const { host, store, options, sent, bundles } = await setUp((call) => ({
      json: call === 1 ? { id: 'E7' } : { version: 2 },
    }));
    const { hook } = await setUpScenario(options, entryOf('red'));
    expect(hook?.url).toBe(`https://hooks.example.test${hook?.path}`);
    await setUpScenario(options, entryOf('red'));
    await setUpScenario(options, entryOf('blue'));
    expect(await store.get('hooks', { name: 'welcome' })).toMatchObject({
      data: { ext: 'E7', version: 2 },
      parameters: { team: 'blue' },
      attachedWith: { team: 'blue' },
    });
    await host.start();
    expect((await post(host, hook?.path ?? '', { n: 1 })).status).toBe(200);
    await eventually(() => bundles.length === 1);
    expect(bundles).toEqual([{ key: 'E7', team: 'blue', n: 1 }]);
    expect((await removeScenario(options, 'welcome'))?.error).toBeUndefined();
    expect(sent()).toEqual([
      ['POST /hooks', { url: hook?.url, team: 'red' }],
      ['PUT /hooks/E7', { team: 'blue' }],
      ['DELETE /hooks/E7', undefined],
    ]);
    expect(await host.scenarios.list()).toEqual([]);
    expect((await post(host, hook?.path ?? '', { n: 2 })).status).toBe(404);
  });

  it('does not create the hook if attach fails, and attaches it at the next start', async () => {
    const { host, store, options, sent } = await setUp((call) =>
      call === 1 ? { status: 500, json: { message: 'not now' } } : { json: { id: 'E1' } },
    );
    await expect(setUpScenario(options, entryOf('red'))).rejects.toMatchObject({ statusCode: 500 });
    expect(await store.count('hooks')).toBe(0);
    expect(await host.scenarios.list()).toEqual([]);
    await setUpScenario(options, entryOf('red'));
    expect(await store.get('hooks', { name: 'welcome' })).toMatchObject({ data: { ext: 'E1' } });
    expect(sent()).toHaveLength(2);
  });

  it('keeps the hook unchanged if update fails', async () => {
    const { store, options } = await setUp((call) =>
      call === 1 ? { json: { id: 'E1' } } : { status: 403, json: {} },
    );
    await setUpScenario(options, entryOf('red'));
    await expect(setUpScenario(options, entryOf('blue'))).rejects.toMatchObject({ statusCode: 403 });
    expect(await store.get('hooks', { name: 'welcome' })).toMatchObject({
      parameters: { team: 'red' },
      attachedWith: { team: 'red' },
      data: { ext: 'E1' },
    });
  });

  it('stores no more of an attach response than each call may read', async () => {
    const large = 'v'.repeat(300_000);
    const { store, options } = await setUp((call) => ({
      json: { id: call === 1 ? 'E1' : large, version: large },
    }));
    await setUpScenario(options, entryOf('red'));
    const refused = { code: 'HOST_REFUSED', message: expect.stringContaining('"welcome"') };
    await expect(setUpScenario(options, entryOf('blue'))).rejects.toMatchObject(refused);
    expect(await store.get('hooks', { name: 'welcome' })).toMatchObject({ parameters: { team: 'red' } });
    await removeScenario(options, 'welcome');
    await expect(setUpScenario(options, entryOf('red'))).rejects.toMatchObject(refused);
    expect(await store.count('hooks')).toBe(0);
  });

  it('removes the hook if detach fails, reports the failure, and discards waiting events', async () => {
    const { host, store, options } = await setUp((call) =>
      call === 1 ? { json: { id: 'E1' } } : { status: 500, json: {} },
    );
    const { hook } = await setUpScenario(options, entryOf('red'));
    expect((await post(host, hook?.path ?? '', { n: 1 })).status).toBe(200);
    const report = await removeScenario(options, 'welcome');
    expect(report?.error).toMatchObject({ statusCode: 500 });
    expect(await store.count('hooks')).toBe(0);
    expect((await host.events.list()).map(({ status }) => status)).toEqual(['discarded']);
  });

  it.each([
    ['ordered', { ordered: true }],
    ['sequential', { ordered: false, settings: { sequential: true } }],
  ])('does not attach a hook for a sequential scenario with a responder: %s', async (word, order) => {
    const { options, sent, host } = await setUp(() => ({ json: { id: 'x' } }));
    const entry = { ...entryOf('red'), ...order, modules: [{ id: 1, app: 'crm', module: 'answer' }] };
    await expect(setUpScenario(options, entry)).rejects.toMatchObject({
      code: 'HOST_REFUSED',
      message: expect.stringContaining(`"${word}"`),
    });
    expect(sent()).toEqual([]);
    await expect(host.scenarios.get(entry.name)).rejects.toMatchObject({ code: 'HOST_MISSING' });
  });

  it('responds with 410 while the hook is disabled', async () => {
    const { host, store, options } = await setUp(() => ({ json: { id: 'E1' } }));
    const { hook } = await setUpScenario(options, entryOf('red'));
    const turn = (enabled: boolean) =>
      store.transaction((writer) => writer.update('hooks', { name: 'welcome' }, { enabled }));
    await turn(false);
    expect((await post(host, hook?.path ?? '', { n: 1 })).status).toBe(410);
    await turn(true);
    expect((await post(host, hook?.path ?? '', { n: 1 })).status).toBe(200);
  });
});
