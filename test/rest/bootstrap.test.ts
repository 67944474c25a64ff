import { describe, expect, it } from 'vitest';
import {
  bootstrap,
  makeToken,
  openRestPostgres,
  openRestSqlite,
  type RestStore,
} from '../../src/rest/index.js';
import { openTestSchema } from './open-stores.js';
import { createStoreRest, type StoreRest } from './store-rest.js';

const FIRST = { name: 'Administrator', email: 'admin@localhost' };
const schema = await openTestSchema();

/** Starts nodes of one instance. */
async function start(stores: readonly RestStore[]): Promise<readonly StoreRest[]> {
  return Promise.all(stores.map((store) => createStoreRest({ store, encryptionKey: new Uint8Array(32) })));
}

async function expectOneToken(nodes: readonly StoreRest[]): Promise<void> {
  const tokens = await Promise.all(nodes.map(({ services }) => bootstrap(services, FIRST)));
  expect(tokens.filter((token) => token !== undefined)).toHaveLength(1);
  const [first] = nodes;
  expect(await first?.services.store.count('users')).toBe(1);
  expect(await first?.services.store.count('organizations')).toBe(1);
  expect(await first?.services.store.count('tokens')).toBe(1);
}

describe('the first start', () => {
  it('creates the token on one of the nodes, in memory', async () => {
    const store = await openRestSqlite(':memory:');
    await expectOneToken(await start([store, store, store]));
  });

  // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
  it.skipIf(typeof schema === 'string')('creates the token on one of the nodes, on PostgreSQL', async () => {
    const url = typeof schema === 'string' ? '' : schema.url;
    const stores = await Promise.all([
      openRestPostgres(url, { maxConnections: 2 }),
      openRestPostgres(url, { maxConnections: 2 }),
      openRestPostgres(url, { maxConnections: 2 }),
    ]);
    const nodes = await start(stores);
    await expectOneToken(nodes);
    // The nodes also create one signing key only.
    const keys = await Promise.all(nodes.map(({ services }) => services.oidc.jwks()));
    expect(new Set(keys.map((it) => JSON.stringify(it))).size).toBe(1);
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('creates no token for an unknown user', async () => {
    const [node] = await start([await openRestSqlite(':memory:')]);
    if (!node) throw new Error('There is no node.');
    const wish = { email: undefined, label: 'x', scopes: [] };
    expect(await makeToken(node.services, wish)).toBeUndefined();
    await bootstrap(node.services, FIRST);
    expect(await makeToken(node.services, { ...wish, email: 'ADMIN@localhost' })).toMatch(/^[0-9a-f-]{36}$/);
    expect(await makeToken(node.services, { ...wish, email: 'nobody@localhost' })).toBeUndefined();
  });
});
