import { describe, expect, it } from 'vitest';
import {
  activateSubscription,
  type BillingPort,
  bootstrap,
  openRestSqlite,
  type RestStore,
} from '../../src/rest/index.js';
import { MEMORY_STORES, postgresStores, sqliteStores } from './open-stores.js';
import { createStoreRest, type StoreRest } from './store-rest.js';

type Price = NonNullable<Awaited<ReturnType<BillingPort['findPrice']>>>;

const CALLS = 50;
const PATH = '/organizations/1/subscription';

interface Stage {
  readonly rest: StoreRest;
  readonly call: (method: string, path: string, body?: unknown) => Promise<Response>;
}

async function start(store: RestStore, billing?: BillingPort): Promise<Stage> {
  const encryptionKey = new Uint8Array(32);
  const rest = await createStoreRest({ store, encryptionKey, ...(billing && { billing }) });
  const token = await bootstrap(rest.services, { name: 'Ada', email: 'ada@example.com' });
  const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' };
  return {
    rest,
    call: (method, path, body) => {
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      return rest.fetch(new Request(`http://localhost/api/v2${path}`, init));
    },
  };
}

/** Counts the responses by status and error code. */
async function count(answers: readonly Promise<Response>[]): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const answer of await Promise.all(answers)) {
    const { code } = JSON.parse(await answer.text());
    const name = code === undefined ? String(answer.status) : `${answer.status} ${code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const kinds = [MEMORY_STORES, await sqliteStores(), await postgresStores()];

describe.each(kinds)(`$name: ${CALLS} concurrent calls`, (stores) => {
  // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
  it.skipIf(stores.missing !== undefined)(
    'buy one subscription',
    async () => {
      const { rest, call } = await start(await stores.create());
      const buying = Array.from({ length: CALLS }, () => call('POST', PATH, { priceId: 11 }));
      expect(await count(buying)).toEqual({ 200: 1, '400 IM016': CALLS - 1 });
      expect(await rest.services.store.count('subscriptions')).toBe(1);
      expect(await rest.services.store.count('payments')).toBe(1);
    },
    60_000,
  );

  // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
  it.skipIf(stores.missing !== undefined)(
    'change the price one after another',
    async () => {
      const { rest, call } = await start(await stores.create());
      await call('POST', PATH, { priceId: 11 });
      const changing = Array.from({ length: CALLS }, (_, index) =>
        call('PATCH', PATH, { priceId: [12, 21, 22, 31][index % 4] }),
      );
      expect(await count(changing)).toEqual({ 200: CALLS });
      const payments = await rest.services.store.find('payments', { sortBy: 'periodFrom' });
      expect(new Set(payments.map((it) => it.periodFrom)).size).toBe(payments.length);
      // The subscription has the values of the last change.
      const [subscription] = await rest.services.store.find('subscriptions');
      expect(payments.at(-1)?.periodFrom).toBe(subscription?.periodStartsAt);
      const organization = await rest.services.store.get('organizations', { id: 1 });
      expect(organization?.productName).toBe(subscription?.productName);
    },
    60_000,
  );

  // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
  it.skipIf(stores.missing !== undefined)(
    'cancel it once',
    async () => {
      const { rest, call } = await start(await stores.create());
      await call('POST', PATH, { priceId: 11 });
      expect(await count(Array.from({ length: CALLS }, () => call('DELETE', PATH)))).toEqual({
        200: 1,
        '404 SC404': CALLS - 1,
      });
      expect(await rest.services.store.count('subscriptions')).toBe(0);
    },
    60_000,
  );
});

const PRICE: Price = {
  id: 7,
  productId: 7,
  productName: 'Own',
  amount: 5,
  currencyCode: 'EUR',
  period: 'month',
  selfService: true,
  license: { apiLimit: 77, priority: 'low' },
};
const OTHER: Price = { ...PRICE, id: 8, productName: 'Other', amount: 9, license: { apiLimit: 88 } };

/** A payment provider that collects the payment later, on another page. */
const LATER: BillingPort = {
  findPrice: async (id) => [PRICE, OTHER].find((price) => price.id === id),
  findCoupon: async () => undefined,
  createCheckout: async ({ subscriptionId }) => ({
    sessionId: subscriptionId,
    url: `/pay/${subscriptionId}`,
    paid: false,
  }),
  describePayment: () => ({
    typeName: 'subscription',
    statusName: 'paid',
    invoiceUrl: '/i',
    hostedInvoiceUrl: 'https://pay.example/h',
    method: {
      type: 'card',
      card: {
        brand: 'visa',
        last4: '4242',
        country: 'CZ',
        network: 'visa',
        fingerprint: 'f',
        exp_year: 2030,
        exp_month: 1,
      },
    },
  }),
};

describe('a checkout in payment', () => {
  async function checkout(
    { call }: Stage,
    priceId: number,
  ): Promise<{ subscriptionId: number; url: string }> {
    const answer = await call('POST', PATH, { priceId });
    expect(answer.status).toBe(200);
    return JSON.parse(await answer.text());
  }

  it('is not voided by another checkout: the first paid one counts', async () => {
    const stage = await start(await openRestSqlite(':memory:'), LATER);
    const first = await checkout(stage, 7);
    const second = await checkout(stage, 8);
    expect(second.subscriptionId).not.toBe(first.subscriptionId);
    const { services } = stage.rest;
    await activateSubscription(services, first.subscriptionId);
    expect(JSON.parse(await (await stage.call('GET', PATH)).text())).toMatchObject({
      product: { name: 'Own' },
    });
    await expect(activateSubscription(services, second.subscriptionId)).rejects.toMatchObject({
      apiCode: 'IM016',
    });
    // A second payment does not start the subscription again.
    await activateSubscription(services, first.subscriptionId);
    expect(await services.store.count('payments')).toBe(1);
  });

  it('has an address of this instance, and so do its invoices', async () => {
    const stage = await start(await openRestSqlite(':memory:'), LATER);
    const { url, subscriptionId } = await checkout(stage, 7);
    expect(url).toBe(`http://localhost/pay/${subscriptionId}`);
    await activateSubscription(stage.rest.services, subscriptionId);
    const payments = JSON.parse(await (await stage.call('GET', '/organizations/1/payments')).text());
    expect(payments).toMatchObject({
      payments: [{ invoice_url: 'http://localhost/i', hosted_invoice_url: 'https://pay.example/h' }],
    });
  });

  it('expires after a day, and is deleted with its organization', async () => {
    let nowMs = Date.UTC(2026, 0, 1);
    const store = await openRestSqlite(':memory:');
    const clock = { now: () => nowMs, sleep: async () => undefined, after: () => () => undefined };
    const rest = await createStoreRest({ store, clock, encryptionKey: new Uint8Array(32), billing: LATER });
    const token = await bootstrap(rest.services, { name: 'Ada', email: 'ada@example.com' });
    const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' };
    const send = (method: string, path: string, body?: string): Promise<Response> =>
      rest.fetch(new Request(`http://localhost/api/v2${path}`, { method, headers, ...(body && { body }) }));
    await send('POST', PATH, '{"priceId":7}');
    nowMs += 24 * 60 * 60 * 1000 - 1;
    await send('POST', PATH, '{"priceId":7}');
    expect(await store.count('subscriptions')).toBe(2);
    nowMs += 1;
    await send('POST', PATH, '{"priceId":7}');
    expect(await store.count('subscriptions')).toBe(2);
    await send('DELETE', '/organizations/1?confirmed=true');
    expect(await store.count('subscriptions')).toBe(0);
  });
});

describe('a change of price', () => {
  it('applies the complete license of the new plan', async () => {
    const stage = await start(await openRestSqlite(':memory:'));
    const license = async (): Promise<Readonly<Record<string, unknown>> | undefined> =>
      (await stage.rest.services.store.get('organizations', { id: 1 }))?.license;
    const before = await license();
    await stage.call('POST', PATH, { priceId: 31 });
    expect(await license()).toMatchObject({ priority: 'high', apiLimit: 240 });
    await stage.call('PATCH', PATH, { priceId: 11 });
    expect(await license()).toMatchObject({ priority: 'low', apiLimit: 60 });
    await stage.call('DELETE', PATH);
    expect(await license()).toEqual(before);
  });

  it('keeps nothing of the previous plan', async () => {
    const stage = await start(await openRestSqlite(':memory:'), LATER);
    const answer = await stage.call('POST', PATH, { priceId: 7 });
    const { subscriptionId } = JSON.parse(await answer.text());
    await activateSubscription(stage.rest.services, subscriptionId);
    await stage.call('PATCH', PATH, { priceId: 8 });
    const organization = await stage.rest.services.store.get('organizations', { id: 1 });
    const { priority } = stage.rest.services.settings.defaultLicense;
    expect(organization?.license).toMatchObject({ apiLimit: 88, priority });
  });
});

describe('HEAD', () => {
  it('returns the headers of GET, including its length', async () => {
    const { call } = await start(await openRestSqlite(':memory:'));
    for (const path of ['/organizations/1', '/ping', '/organizations/99']) {
      const [get, head] = [await call('GET', path), await call('HEAD', path)];
      expect(head.status).toBe(get.status);
      expect(await head.text()).toBe('');
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(await get.text())));
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    }
  });
});
