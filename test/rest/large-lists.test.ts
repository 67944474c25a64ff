import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrap, type RestStore } from '../../src/rest/index.js';
import { readAllRows, readRows } from '../../src/rest/store/read-rows.js';
import type { OrganizationRow } from '../../src/rest/store/tables.js';
import type { Query } from '../../src/shared/store/record-store.js';
import { postgresStores, sqliteStores, type TestStores } from './open-stores.js';
import { createStoreRest, type StoreRest } from './store-rest.js';

/** More parameters than SQLite accepts in one statement. */
const MANY = 33_000;
const SOME = 1130;
const TOKENS_MOST = 1000;

type Unpaged = Omit<Query<OrganizationRow>, 'limit' | 'offset'>;

for (const stores of [await sqliteStores(), await postgresStores()]) runLists(stores);

function runLists(stores: TestStores): void {
  const title = `long lists on ${stores.name}${stores.missing ? `: ${stores.missing}` : ''}`;
  // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
  describe.skipIf(stores.missing !== undefined)(title, () => {
    let store: RestStore;
    let rest: StoreRest;
    let token: string;
    let model: OrganizationRow;

    beforeAll(async () => {
      store = await stores.create();
      rest = await createStoreRest({ store, encryptionKey: new Uint8Array(32) });
      token = (await bootstrap(rest.services, { name: 'Ada', email: 'ada@example.com' })) ?? '';
      const [first] = await store.find('organizations');
      if (first === undefined) throw new Error('There is no organization.');
      model = first;
      await store.transaction(async (writer) => {
        const { id: _, ...row } = model;
        const names = Array.from({ length: SOME }, (_, index) => `o ${(index * 7919) % SOME}`);
        const added = names.map((name) => ({ ...row, name, nameKey: name, zone: 'eu2.make.com' }));
        await writer.insertAll('organizations', added);
      });
    });
    afterAll(() => rest.close());

    async function get(path: string): Promise<{ readonly status: number; readonly body: unknown }> {
      const headers = { authorization: `Token ${token}` };
      const response = await rest.fetch(new Request(`http://localhost/api/v2${path}`, { headers }));
      return { status: response.status, body: await response.json() };
    }

    const read = (query: Unpaged): Promise<readonly { readonly id: number }[]> =>
      readAllRows(store, 'organizations', { ...query, columns: ['nameKey'] });

    it.each<[title: string, query: Unpaged]>([
      ['all', {}],
      ['by a column', { sortBy: 'zone' }],
      ['backwards', { sortBy: 'nameKey', descending: true }],
    ])('are read with one statement: %s', async (_, query) => {
      const wanted = await store.find('organizations', query);
      expect((await read(query)).map((row) => row.id)).toEqual(wanted.map((row) => row.id));
    });

    it('are returned completely', async () => {
      const { body } = await get('/admin/organizations?pg[sortBy]=id');
      const present = await store.count('organizations');
      expect(body).toMatchObject({ organizations: { length: present }, pg: { limit: 10_000 } });
    });

    it('of a derived column return the value of each row', async () => {
      const { body } = await get('/admin/organizations?cols[]=name&cols[]=teams&pg[sortBy]=id&pg[limit]=300');
      const rows = await store.find('organizations', { limit: 300 });
      const organizations = rows.map(({ id, name }) => ({
        name,
        teams: id === 1 ? [{ id: 1, name: 'My Team' }] : [],
      }));
      expect(body).toMatchObject({ organizations });
    });

    it('are read if one statement cannot hold all parameters', async () => {
      const added = Array.from({ length: MANY }, (_, index) => ({
        hash: `hash ${index}`,
        organizationId: 1,
        userId: 1,
        usersRoleId: 3,
        teamIds: [],
        note: '',
        invitedBy: null,
        createdAt: 0,
        expiresAt: Date.now() + 1e9,
        acceptedAt: null,
      }));
      await store.transaction(async (writer) => {
        for (let from = 0; from < MANY; from += 1000) {
          await writer.insertAll('invitations', added.slice(from, from + 1000));
        }
      });
      const { status, body } = await get('/users/me/organization-invitations');
      expect(status).toBe(200);
      expect(body).toMatchObject({ userOrganizationInvitations: { length: MANY } });
    });

    it('omit rows deleted during the read, and repeat none', async () => {
      const before = (await store.find('invitations', { columns: [] })).map((row) => row.id);
      const deleted = before[20_000] ?? 0;
      const ids: number[] = [];
      for await (const rows of readRows(store, 'invitations', { columns: ['hash'] })) {
        expect(rows.length).toBeLessThanOrEqual(10_000);
        ids.push(...rows.map((row) => row.id));
        await store.transaction((writer) => writer.remove('invitations', { id: deleted }));
      }
      expect(ids).toEqual(before.filter((id) => id !== deleted));
    });

    // The limit does not depend on the store.
    if (stores.name === 'SQLite') {
      it('of more than 32 MiB are refused with advice on a smaller request', async () => {
        const features = Array.from({ length: 2000 }, (_, index) => ({
          name: `feature ${index}`,
          enabled: true,
        }));
        await store.transaction((writer) =>
          writer.update('organizations', { zone: 'eu2.make.com' }, { featureControls: features }),
        );
        const { status, body } = await get('/admin/organizations');
        const detail =
          'The response exceeds 33554432 bytes. Request fewer entries (pg[limit]) or columns (cols[]).';
        expect({ status, body }).toMatchObject({ status: 400, body: { code: 'SC400', detail } });
        expect((await get('/admin/organizations?pg[limit]=100')).status).toBe(200);
      });
    }

    it('of API tokens end after a thousand', async () => {
      const [{ id: _, ...row } = { id: 0 }] = await store.find('tokens');
      const added = Array.from({ length: TOKENS_MOST - 2 }, (_, index) => ({
        ...row,
        hash: `${index}`,
        createdAt: index,
      }));
      await store.transaction((writer) => writer.insertAll('tokens', added as never));
      const create = async (): Promise<number> => {
        const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' };
        const init = { method: 'POST', headers, body: '{"label":"a","scope":["user:read"]}' };
        return (await rest.fetch(new Request('http://localhost/api/v2/users/me/api-tokens', init))).status;
      };
      expect([await create(), await create()]).toEqual([200, 400]);
    });
  });
}
