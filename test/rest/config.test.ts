import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createStoreBackend,
  openRestSqlite,
  type RestSettings,
  type RestStore,
} from '../../src/rest/index.js';
import { createStatusPages } from '../../src/rest/serve-rest.js';
import { DEFAULT_LICENSE } from '../../src/rest/services/license.js';
import { StoreError } from '../../src/shared/errors/engine-error.js';
import { type StartedCli, startCli } from '../cli/fake-io.js';
import { httpServer, readBody } from '../http/loopback.js';
import { createStoreRest } from './store-rest.js';

const cwd = await mkdtemp(path.join(tmpdir(), 'iml-rest-config-'));
afterAll(() => rm(cwd, { recursive: true, force: true }));

const PRICE = {
  id: 7,
  productId: 3,
  productName: 'Own plan',
  amount: 5,
  currencyCode: 'EUR',
  period: 'month',
  selfService: true,
  license: { operations: 100 },
};

async function writeConfig(name: string, config: unknown): Promise<string> {
  await writeFile(path.join(cwd, name), JSON.stringify(config));
  return name;
}

function run(...args: readonly string[]): StartedCli {
  return startCli(['rest', ...args], { cwd, env: {} });
}

interface Instance {
  readonly started: StartedCli;
  readonly origin: string;
  readonly call: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>;
}

async function serve(folder: string, config: unknown): Promise<Instance> {
  const file = await writeConfig(`${folder}.json`, config);
  const started = run('--port', '0', '--create', '--data', folder, '--settings', file);
  await expect.poll(started.output, { timeout: 60_000 }).toContain('shown this once');
  const origin = /http:\/\/[^/]+/.exec(started.output())?.[0] ?? '';
  const token = /this once: (\S+)/.exec(started.output())?.[1] ?? '';
  return {
    started,
    origin,
    call: async (method, at, body) => {
      const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' };
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await fetch(`${origin}/api/v2${at}`, init);
      return { status: response.status, body: await response.json() };
    },
  };
}

describe('iml rest --settings', () => {
  it('sells its prices and coupons, registers its apps and forwards notifications', async () => {
    const told: unknown[] = [];
    const receiver = await httpServer(async (request, response) => {
      told.push(JSON.parse(await readBody(request)));
      response.writeHead(request.url === '/lists' ? 500 : 204).end();
    });
    const { started, origin, call } = await serve('full', {
      prices: [PRICE],
      coupons: [{ code: 'HALF', factor: 0.5 }],
      notifications: { url: `${receiver.origin}/told` },
      accessLists: { url: `${receiver.origin}/lists` },
      apps: [{ name: 'crm', label: 'CRM', version: 2, installedIn: [1, 99] }],
    });
    const order = { priceId: 7, couponCode: 'HALF' };
    expect((await call('POST', '/organizations/1/subscription', order)).status).toBe(200);
    const { body: subscription } = await call('GET', '/organizations/1/subscription');
    expect(JSON.stringify(subscription)).toContain('"price":2.5');
    expect((await call('GET', '/organizations/1/apps')).body).toMatchObject({
      installedApps: [{ appName: 'crm', appVersion: 2, organizationId: 1, installedBy: 1 }],
    });
    expect((await call('GET', '/admin/apps/crm')).body).toMatchObject({
      app: { label: 'CRM', premiumTier: 0 },
    });

    const invited = { email: 'eve@example.com', name: 'Eve', usersRoleId: 13 };
    expect((await call('POST', '/organizations/1/invite', invited)).status).toBe(200);
    await expect.poll(started.errors).toMatch(/invitation \S{36} of user 2 to organization 1/);
    await expect.poll(() => told).toContainEqual(expect.objectContaining({ kind: 'invitation created' }));

    const key = {
      teamId: 1,
      typeName: 'apikeyauth',
      name: 'K',
      parameters: { key: 'x', placement: 'header', name: 'a' },
    };
    const locked = await call('POST', '/keys', { ...key, visibility: 'locked' });
    expect(locked).toMatchObject({ status: 422, body: { code: 'SC422' } });

    expect((await fetch(`${origin}/live`)).status).toBe(200);
    expect(await (await fetch(`${origin}/health`)).json()).toMatchObject({ status: 'ok', database: 'up' });
    expect(await (await fetch(`${origin}/metrics`)).text()).toMatch(
      /iml_rest_requests_total\{status="200"\} \d+\n(?:.*\n)*iml_rest_database_up 1\n/,
    );
    started.stop();
    expect(await started.code).toBe(0);
  });

  it('switches features off, which leads to IM903, and creates a white-label instance', async () => {
    const { started, call } = await serve('bare', {
      features: { privateSpaces: false, lockedConnections: false },
      whiteLabel: { productManagement: 'partner' },
      defaultProductName: 'Partner plan',
    });
    const key = {
      teamId: 1,
      typeName: 'apikeyauth',
      name: 'K',
      parameters: { key: 'x', placement: 'header', name: 'a' },
    };
    expect(await call('POST', '/keys', { ...key, visibility: 'locked' })).toMatchObject({
      status: 400,
      body: { code: 'IM903' },
    });
    expect(await call('GET', '/private-spaces?organizationId=1')).toMatchObject({ body: { code: 'IM903' } });
    const { body } = await call('GET', '/admin/platform-settings/default-license');
    expect(JSON.stringify(body)).toContain('"productManagement":"partner"');
    started.stop();
    await started.code;
  });

  it('lists prices and coupons', async () => {
    const own = run(
      'prices',
      '--settings',
      await writeConfig('prices.json', { prices: [PRICE], coupons: [] }),
    );
    expect(await own.code).toBe(0);
    expect(own.output()).toBe('7  5 EUR  month  self-service  Own plan\n');
    const local = run('prices');
    expect(await local.code).toBe(0);
    expect(local.output()).toContain('WELCOME10  10 % off\n');
  });

  it.each([
    [{ prices: [{ ...PRICE, amount: -1 }] }, '"prices.0.amount" must be >= 0'],
    [{ pricess: [] }, '--settings: bad.json must not have a member "pricess". Did you mean "prices"?'],
    [{ notifications: { url: 'ftp://x' } }, 'must be an http or https address'],
  ])('refuses %j', async (config, message) => {
    const refused = run('prices', '--settings', await writeConfig('bad.json', config));
    expect(await refused.code).toBe(2);
    expect(refused.errors()).toContain(message);
  });
});

describe('a setting that does not fit', () => {
  const license = { ...DEFAULT_LICENSE, productManagement: 'selfService' };
  it.each([
    [{ feature: {} }, ' must not have a member "feature". Did you mean "features"?'],
    [{ defaultFeatures: [] }, ' must not have a member "defaultFeatures".'],
    [
      { features: { lockedConections: false } },
      ': "features" must not have a member "lockedConections". Did you mean "lockedConnections"?',
    ],
    [{ features: { lockedConnections: 'no' } }, ': "features.lockedConnections" must be boolean.'],
    [{ whiteLabel: 'no' }, ': "whiteLabel" must be object.'],
    [{ whiteLabel: {} }, ': "whiteLabel.productManagement" must have required property'],
    [{ defaultLicense: { ...license, operations: -1 } }, ': "defaultLicense.operations" must be >= 0.'],
    [
      { defaultLicense: { ...license, dynamicConnections: true } },
      "license.dynamicConnections': requires dynamicDependencies to be enabled.",
    ],
    [{ syncDelayMs: 'x' }, ': "syncDelayMs" must be integer.'],
    [{ invitationLifetimeMs: -1 }, ': "invitationLifetimeMs" must be >= 0.'],
  ])('is refused by the file and by the library alike: %j', async (settings, message) => {
    const refused = run('prices', '--settings', await writeConfig('bad.json', settings));
    expect(await refused.code).toBe(2);
    expect(refused.errors()).toContain(message);
    const store = await openRestSqlite(':memory:');
    const wrong = { store, encryptionKey: new Uint8Array(32), settings: settings as RestSettings };
    await expect(createStoreBackend(wrong)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(message),
    });
    await store.close();
  });

  it('switches off only the features that the settings name', async () => {
    const rest = await createStoreRest({ settings: { features: { privateSpaces: false } } });
    expect(rest.services.settings.defaultFeatures).toEqual([
      { name: 'lockedConnections', enabled: true },
      { name: 'privateSpaces', enabled: false },
    ]);
    await rest.close();
  });
});

describe('an instance whose database is down', () => {
  it('responds with 503 at /ping, /ready and /health, and with 200 at /live', async () => {
    const memory = await openRestSqlite(':memory:');
    let isDown = false;
    const store: RestStore = {
      ...memory,
      count: (...args: Parameters<RestStore['count']>) =>
        isDown ? Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) : memory.count(...args),
    };
    const rest = await createStoreRest({ store, encryptionKey: new Uint8Array(32) });
    isDown = true;
    const ping = await rest.fetch(new Request('http://x/api/v2/ping'));
    expect([ping.status, ping.headers.get('retry-after')]).toEqual([503, '1']);
    const pages = createStatusPages(() => store);
    const statusOf = async (at: string): Promise<number | undefined> =>
      (await pages.answer(new Request(`http://x${at}`)))?.status;
    expect([await statusOf('/ready'), await statusOf('/health'), await statusOf('/live')]).toEqual([
      503, 503, 200,
    ]);
    expect(pages.answer(new Request('http://x/api/v2/ping'))).toBeUndefined();
    const early = createStatusPages(() => undefined);
    expect((await early.answer(new Request('http://x/ready')))?.status).toBe(503);
  });
});

it('refuses columns that do not exist', async () => {
  const { started, call } = await serve('columns', {});
  const { status, body } = await call('GET', '/organizations?cols[]=id&cols[]=nmae');
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("parameter 'cols[]=nmae'")]);
  started.stop();
  await started.code;
});
