import { describe, expect, it } from 'vitest';
import { openRestSqlite } from '../../src/rest/index.js';
import { createSeal } from '../../src/rest/services/seal.js';
import { MEMORY_STORES, postgresStores, sqliteStores } from './open-stores.js';
import { readWorld } from './run-contract.js';
import { insertRestRows } from './store-contract.js';
import { createStoreRest } from './store-rest.js';

const OWN = new Uint8Array(32).fill(1);
const OTHER = new Uint8Array(32).fill(2);
const WRONG = {
  code: 'REST_CONFIG',
  message: expect.stringContaining('the key of node 2 is not the encryption key'),
};

const kinds = [MEMORY_STORES, await sqliteStores(), await postgresStores()];

describe('the encryption key', () => {
  for (const stores of kinds) {
    // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
    it.skipIf(stores.missing !== undefined)(`of a store is the first one: ${stores.name}`, async () => {
      const store = await stores.create();
      await createStoreRest({ store, encryptionKey: OWN });
      await createStoreRest({ store, encryptionKey: OWN });
      const second = createStoreRest({
        store,
        encryptionKey: OTHER,
        encryptionKeySource: 'the key of node 2',
      });
      await expect(second).rejects.toMatchObject(WRONG);
      expect(await store.count('settings')).toBe(1);
    });

    // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
    it.skipIf(stores.missing !== undefined)(
      `is the same for nodes that start together: ${stores.name}`,
      async () => {
        const store = await stores.create();
        const starts = [OWN, OTHER, OWN, OTHER].map((encryptionKey) =>
          createStoreRest({ store, encryptionKey }),
        );
        const outcomes = (await Promise.allSettled(starts)).map((it) => it.status);
        const first = outcomes.slice(0, 2).sort();
        expect(first).toEqual(['fulfilled', 'rejected']);
        expect(outcomes.slice(2)).toEqual(outcomes.slice(0, 2));
      },
    );
  }

  it('is checked if an older store holds sealed data and no check value', async () => {
    for (const what of ['signing key', 'key of a team']) {
      const store = await openRestSqlite(':memory:');
      const rest = await createStoreRest({ store, encryptionKey: OWN });
      if (what === 'signing key') await rest.services.oidc.jwks();
      else {
        const world = readWorld();
        await insertRestRows(store, world, world.rows);
        const parameters = createSeal(OWN).seal('{}', 'key:1:basicauth');
        await insertRestRows(store, world, {
          keys: [{ organizationId: 1, teamId: 1, name: 'K', parameters }],
        });
      }
      await store.transaction((writer) => writer.remove('settings', { name: 'encryption-check' }));
      const second = createStoreRest({
        store,
        encryptionKey: OTHER,
        encryptionKeySource: 'the key of node 2',
      });
      await expect(second).rejects.toMatchObject(WRONG);
      await createStoreRest({ store, encryptionKey: OWN });
    }
  });

  it('does not appear in an error about another key', async () => {
    const store = await openRestSqlite(':memory:');
    await createStoreRest({ store, encryptionKey: OWN });
    const error = await createStoreRest({ store, encryptionKey: OTHER }).catch((it: unknown) => it);
    for (const form of ['base64', 'hex'] as const) {
      expect(String(error)).not.toContain(Buffer.from(OTHER).toString(form));
    }
  });

  it('has 32 bytes', async () => {
    const store = await openRestSqlite(':memory:');
    await expect(createStoreRest({ store, encryptionKey: new Uint8Array(31) })).rejects.toMatchObject({
      code: 'REST_CONFIG',
    });
    expect(await store.count('settings')).toBe(0);
  });
});
