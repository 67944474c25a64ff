import { describe, expect, it } from 'vitest';
import { createSeal } from '../../src/rest/services/seal.js';
import { MEMORY_STORES, postgresStores, readAllTables, sqliteStores } from './open-stores.js';
import { readWorld } from './run-contract.js';
import { insertRestRows } from './store-contract.js';
import { createStoreRest } from './store-rest.js';

const CANARY = 'canary-5f1c2e"\\é';

/** The encodings in which a secret could appear. */
const FORMS = [
  CANARY,
  JSON.stringify(CANARY).slice(1, -1),
  encodeURIComponent(CANARY),
  Buffer.from(CANARY).toString('base64').replace(/=+$/, ''),
  Buffer.from(CANARY).toString('hex'),
];

const leaks = (text: string): readonly string[] => FORMS.filter((form) => text.includes(form));

const kinds = [MEMORY_STORES, await sqliteStores(), await postgresStores()];

describe('parameters of keys', () => {
  for (const stores of kinds) {
    // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
    it.skipIf(stores.missing !== undefined)(`are in no response, log or row of ${stores.name}`, async () => {
      const world = readWorld();
      const store = await stores.create();
      const logged: unknown[] = [];
      const encryptionKey = new Uint8Array(32).fill(7);
      const rest = await createStoreRest({ store, encryptionKey, onError: (error) => logged.push(error) });
      await insertRestRows(store, world, world.rows);
      const answers: string[] = [];
      const call = async (method: string, path: string, body?: unknown): Promise<void> => {
        const headers = {
          authorization: `Token ${world.tokens['owner']}`,
          'content-type': 'application/json',
        };
        const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
        answers.push(await (await rest.fetch(new Request(`http://x/api/v2${path}`, init))).text());
      };
      const parameters = { authUser: 'u', authPass: CANARY };
      await call('POST', '/keys', { teamId: 1, name: 'K', typeName: 'basicauth', parameters });
      await call('POST', '/keys', {
        teamId: 1,
        name: 'K',
        typeName: 'apn',
        parameters: { privateKey: CANARY },
      });
      await call('POST', '/keys', { teamId: 1, name: 'K', typeName: CANARY.slice(0, 3), parameters });
      await call('GET', '/keys/1?cols[]=*&cols[]=parameters');
      await call('GET', '/keys?teamId=1&cols[]=*');
      await call('PATCH', '/keys/1', { name: 'L', parameters: { authUser: 'v' } });
      await call('POST', '/keys/1/set-locked');
      await call('DELETE', '/keys/1');
      expect(leaks(answers.join('\n'))).toEqual([]);
      expect(leaks(JSON.stringify(logged))).toEqual([]);
      const rows = await readAllTables(store);
      expect(leaks(JSON.stringify(rows))).toEqual([]);
      expect(JSON.stringify(rows)).not.toContain(world.tokens['owner']);

      const key = await store.get('keys', { id: 1 });
      const opened: unknown = JSON.parse(
        createSeal(encryptionKey).open(key?.parameters ?? '', 'key:1:basicauth'),
      );
      expect(opened).toEqual({ authUser: 'v', authPass: CANARY });
      await rest.close();
    });
  }
});

describe('a seal', () => {
  const seal = createSeal(new Uint8Array(32));

  it('opens what it sealed, with different bytes each time', () => {
    expect(seal.open(seal.seal(CANARY, 'a'), 'a')).toBe(CANARY);
    expect(seal.seal(CANARY, 'a')).not.toBe(seal.seal(CANARY, 'a'));
  });

  it('refuses another key, another context or a changed byte', () => {
    const sealed = seal.seal(CANARY, 'a');
    const code = { code: 'REST_CONFIG' };
    expect(() => createSeal(new Uint8Array(32).fill(1)).open(sealed, 'a')).toThrow(
      expect.objectContaining(code),
    );
    expect(() => seal.open(sealed, 'b')).toThrow(expect.objectContaining(code));
    for (let index = 3; index < sealed.length; index += 3) {
      const other = sealed[index] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, index) + other + sealed.slice(index + 1);
      if (Buffer.from(changed, 'base64url').equals(Buffer.from(sealed, 'base64url'))) continue;
      expect(() => seal.open(changed, 'a')).toThrow(expect.objectContaining(code));
    }
    expect(() => seal.open('v2.a.b.c', 'a')).toThrow(expect.objectContaining(code));
    expect(() => createSeal(new Uint8Array(16))).toThrow(expect.objectContaining(code));
  });
});
