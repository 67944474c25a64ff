import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrap, openRestSqlite, serveRest } from '../../src/rest/index.js';
import { createStoreRest, type StoreRest } from './store-rest.js';

/** Calls published addresses as a client would: over HTTP, at the exact address. */
let rest: StoreRest;
let server: Awaited<ReturnType<typeof serveRest>>;
let token: string | undefined;
beforeAll(async () => {
  rest = await createStoreRest({
    store: await openRestSqlite(':memory:'),
    encryptionKey: new Uint8Array(32),
  });
  token = await bootstrap(rest.services, { name: 'Ada', email: 'ada@example.com' });
  server = await serveRest(rest, { port: 0 });
});
afterAll(async () => {
  await server.close();
  await rest.close();
});

type Json = Readonly<Record<string, unknown>>;

function ask(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' };
  return fetch(url, { headers, ...init });
}

async function read(url: string, init?: RequestInit): Promise<Json> {
  const response = await ask(url, init);
  expect([url, response.status]).toEqual([url, 200]);
  return JSON.parse(await response.text());
}

/** Returns all texts of a JSON value that are addresses. */
function addressesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return /^https?:/.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(addressesIn);
}

describe('an address that the instance publishes', () => {
  it('belongs to it and responds, in the metadata of the OpenID provider', async () => {
    const { origin } = server;
    for (const path of [
      '/.well-known/openid-configuration',
      '/oauth/v2/oidc/.well-known/openid-configuration',
    ]) {
      const metadata = await read(`${origin}${path}`);
      const named = addressesIn(metadata);
      expect(named).toHaveLength(3);
      for (const url of named) {
        expect(url.startsWith(`${origin}/`)).toBe(true);
        // An issuer identifies the location of its metadata.
        // https://openid.net/specs/openid-connect-discovery-1_0.html
        const isIssuer = url === metadata['issuer'];
        await read(isIssuer ? `${url}/.well-known/openid-configuration` : url);
      }
    }
  });

  it('belongs to it and responds, in the OpenAPI document', async () => {
    const { origin } = server;
    const document = await read(`${origin}/openapi.json`);
    const servers = addressesIn(document['servers']);
    expect(servers).toEqual([`${origin}/api/v2`]);
    const paths = Object.entries(document['paths'] as Readonly<Record<string, Json>>);
    let asked = 0;
    for (const [path, item] of paths.filter(([name, { get }]) => get && !name.includes('{'))) {
      const [base] = [...addressesIn(item['servers']), ...servers];
      expect(base?.startsWith(`${origin}/`)).toBe(true);
      const { status } = await ask(`${base}${path}`);
      // An existing operation refuses a missing parameter with 400.
      expect([path, [200, 400].includes(status)]).toEqual([path, true]);
      asked++;
    }
    expect(asked).toBeGreaterThan(10);
  });

  it('belongs to it and responds, in checkouts and invoices', async () => {
    const { origin } = server;
    const organization = `${origin}/api/v2/organizations/1`;
    const body = JSON.stringify({ priceId: 11 });
    const checkout = await read(`${organization}/subscription`, { method: 'POST', body });
    const payments = await read(`${organization}/payments`);
    const named = [...addressesIn(checkout), ...addressesIn(payments)];
    expect(named).toHaveLength(3);
    for (const url of named) {
      expect(url.startsWith(`${origin}/`)).toBe(true);
      // The browser of a customer sends no token.
      const page = await fetch(url);
      expect([url, page.status, page.headers.get('content-type')]).toEqual([
        url,
        200,
        'text/plain; charset=utf-8',
      ]);
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
      expect(await page.text()).toContain('takes no money');
      const head = await fetch(url, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([
        200,
        page.headers.get('content-length'),
      ]);
    }
    // The subscription is paid and active.
    expect(await read(`${organization}/subscription`)).toMatchObject({ product: { name: 'Core' } });
  });

  it('reveals no checkouts and accepts no data', async () => {
    const { origin } = server;
    const [first, other] = await Promise.all(
      [1, 999_999].map(async (id) => (await fetch(`${origin}/checkout/${id}`)).text()),
    );
    expect(other).toBe(first);
    for (const path of ['/checkout/', '/checkout/1/2', '/checkout/%31x', '/invoices/1', '/invoices/../1-1']) {
      expect([path, (await fetch(`${origin}${path}`)).status]).toEqual([path, 404]);
    }
    expect((await ask(`${origin}/checkout/1`, { method: 'POST', body: '{}' })).status).toBe(404);
  });
});
