import { describe, expect, it } from 'vitest';
import {
  activateSubscription,
  type BillingPort,
  bootstrap,
  openRestSqlite,
  type StoreBackendOptions,
} from '../../src/rest/index.js';
import { StoreError } from '../../src/shared/errors/engine-error.js';
import { createStoreRest, type StoreRest, type StoreRestOptions } from './store-rest.js';

type RestNotification = Parameters<NonNullable<StoreBackendOptions['notifications']>['notify']>[0];

interface Stage {
  readonly rest: StoreRest;
  readonly call: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>;
}

async function start(options: Partial<StoreRestOptions>): Promise<Stage> {
  const rest = await createStoreRest({
    store: await openRestSqlite(':memory:'),
    encryptionKey: new Uint8Array(32),
    ...options,
  });
  const token = await bootstrap(rest.services, { name: 'Ada', email: 'ada@example.com' });
  return {
    rest,
    call: async (method, path, body) => {
      const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' };
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await rest.fetch(new Request(`http://x/api/v2${path}`, init));
      return { status: response.status, body: await response.json() };
    },
  };
}

const PATH = '/organizations/1/subscription';
const PRICE = {
  id: 7,
  productId: 7,
  productName: 'Own',
  amount: 5,
  currencyCode: 'EUR',
  period: 'month',
  selfService: true,
  license: { apiLimit: 77 },
} as const;

const CARD = {
  brand: 'visa',
  last4: '4242',
  country: 'CZ',
  network: 'visa',
  exp_year: 2030,
  exp_month: 1,
  fingerprint: 'f',
};

const LATER: BillingPort = {
  findPrice: async (id) => (id === PRICE.id ? PRICE : undefined),
  findCoupon: async () => undefined,
  createCheckout: async ({ subscriptionId }) => ({
    sessionId: 42,
    url: 'https://pay.example/42',
    paid: subscriptionId < 0,
  }),
  describePayment: () => ({
    typeName: 'subscription',
    statusName: 'paid',
    method: { type: 'card', card: CARD },
    invoiceUrl: 'https://pay.example/i',
    hostedInvoiceUrl: 'https://pay.example/h',
  }),
};

describe('the billing port', () => {
  it('starts the subscription once when a checkout is paid later', async () => {
    const { rest, call } = await start({ billing: LATER });
    const created = await call('POST', PATH, { priceId: 7 });
    expect(created.body).toEqual({ sessionId: 42, url: 'https://pay.example/42', subscriptionId: 1 });
    expect((await call('GET', PATH)).status).toBe(404);
    await activateSubscription(rest.services, 1);
    await activateSubscription(rest.services, 1);
    expect(await call('GET', PATH)).toMatchObject({ status: 200, body: { product: { name: 'Own' } } });
    expect((await call('GET', '/organizations/1/payments')).body).toMatchObject({
      payments: [{ amount_total: 5 }],
    });
    expect((await call('GET', '/organizations/1')).body).toMatchObject({
      organization: { productName: 'Own', license: { apiLimit: 77 } },
    });
    await expect(activateSubscription(rest.services, 99)).rejects.toMatchObject({ status: 404 });
  });

  it('allows a new checkout after an unpaid one', async () => {
    const { call } = await start({ billing: LATER });
    await call('POST', PATH, { priceId: 7 });
    expect((await call('POST', PATH, { priceId: 7 })).status).toBe(200);
  });

  it('responds with 500 without the reason if a port fails, and calls onError', async () => {
    const errors: unknown[] = [];
    const billing = { ...LATER, findPrice: () => Promise.reject(new Error('secret reason')) };
    const { call } = await start({ billing, onError: (error) => errors.push(error) });
    const answer = await call('POST', PATH, { priceId: 7 });
    expect(answer).toMatchObject({ status: 500, body: { code: 'SC500' } });
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(errors).toHaveLength(1);
  });
});

describe('a store that is unavailable', () => {
  it.each(['STORE_BUSY', 'STORE_UNAVAILABLE', 'STORE_FULL'] as const)(
    'leads to 503 with Retry-After: %s',
    async (code) => {
      const { rest } = await start({});
      const store = {
        ...rest.services.store,
        queryAll: () => Promise.reject(new StoreError(code, 'secret reason')),
      };
      const errors: unknown[] = [];
      const broken = await createStoreRest({
        store,
        encryptionKey: new Uint8Array(32),
        onError: (it) => errors.push(it),
      });
      const headers = { authorization: 'Token 00000001-0000-4000-8000-000000000001' };
      const response = await broken.fetch(new Request('http://x/api/v2/users/me', { headers }));
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await response.text()).not.toContain('secret');
      expect(errors).toHaveLength(1);
    },
  );
});

describe('the notification port', () => {
  it('receives events', async () => {
    const told: RestNotification[] = [];
    const notify = async (it: RestNotification): Promise<void> => {
      told.push(it);
    };
    const { call } = await start({ notifications: { notify } });
    await call('POST', '/organizations', { name: 'New', regionId: 1, countryId: 64, timezoneId: 113 });
    await call('POST', '/organizations/2/invite', { usersRoleId: 13, email: 'new@example.com', name: 'New' });
    await call('DELETE', '/organizations/2');
    await call('POST', '/admin/organizations', { name: 'White' });
    await call('DELETE', '/admin/organizations/3');
    expect(told.map((it) => [it.kind, it.organizationId])).toEqual([
      ['organization created', 2],
      ['invitation created', 2],
      ['organization deleted', 2],
      ['organization created', 3],
      ['organization deleted', 3],
    ]);
    expect(told[1]?.hash).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('does not fail the call if it fails', async () => {
    const { call } = await start({ notifications: { notify: () => Promise.reject(new Error('down')) } });
    const body = { name: 'New', regionId: 1, countryId: 64, timezoneId: 113 };
    expect((await call('POST', '/organizations', body)).status).toBe(200);
  });
});

describe('access from browsers', () => {
  it('is disabled unless an origin is set', async () => {
    const closed = await start({});
    const ping = new Request('http://x/api/v2/ping');
    expect((await closed.rest.fetch(ping)).headers.get('access-control-allow-origin')).toBeNull();
    const open = await start({ cors: 'https://app.example' });
    const response = await open.rest.fetch(
      new Request('http://x/api/v2/organizations', { method: 'OPTIONS' }),
    );
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST');
  });
});

describe('the claim email_verified', () => {
  it.each([
    [undefined, undefined],
    [() => true, true],
    [async ({ email }: { readonly email: string }) => email !== 'ada@example.com', false],
  ])('has the value of the embedder: %s', async (isEmailVerified, expected) => {
    const { rest } = await start({ isEmailVerified });
    const token = await rest.services.oidc.issue({ userId: 1, scopes: ['openid', 'email', 'profile'] });
    const request = new Request('http://x/oauth/v2/oidc/userinfo', {
      headers: { authorization: `Bearer ${token}` },
    });
    const response = await rest.fetch(request);
    const body = (await response.json()) as Readonly<Record<string, unknown>>;
    expect([response.status, body['email_verified']]).toEqual([200, expected]);
  });
});
