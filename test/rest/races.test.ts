import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRestPostgres, openRestSqlite } from '../../src/rest/index.js';
import { compileProcess } from '../host/compile-process.js';
import { openTestSchema } from './open-stores.js';
import { readWorld } from './run-contract.js';
import { insertRestRows } from './store-contract.js';
import { createStoreRest, type StoreRest } from './store-rest.js';

/** Two nodes of an instance, in child processes, on one database. */
const ROUNDS = 5;
const EACH = 8;

const folder = await mkdtemp(join(tmpdir(), 'iml-rest-race-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const schema = await openTestSchema();
const worker = await compileProcess('../rest/race-worker');

runRaces('SQLite', 'sqlite', join(folder, 'race.sqlite'), undefined);
runRaces(
  'PostgreSQL',
  'postgres',
  typeof schema === 'string' ? '' : schema.url,
  typeof schema === 'string' ? schema : undefined,
);

function runRaces(
  title: string,
  kind: 'sqlite' | 'postgres',
  place: string,
  missing: string | undefined,
): void {
  // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
  describe.skipIf(missing !== undefined)(
    `two processes on one ${title}${missing ? `: ${missing}` : ''}`,
    () => {
      let rest: StoreRest;
      let nodes: readonly ChildProcess[];
      let ownerId: number;
      let invitedId: number;
      const tokens = {
        owner: '00000001-0000-4000-8000-000000000001',
        invited: '00000002-0000-4000-8000-000000000002',
      };

      beforeAll(async () => {
        const store = kind === 'sqlite' ? await openRestSqlite(place) : await openRestPostgres(place);
        rest = await createStoreRest({ store, encryptionKey: new Uint8Array(32) });
        await insertRestRows(store, readWorld(), {
          users: [
            { name: 'O', email: 'o@example.com', usersAdminsRoleId: 1 },
            { name: 'I', email: 'i@example.com' },
          ],
        });
        ownerId = (await store.get('users', { email: 'o@example.com' }))?.id ?? 0;
        invitedId = (await store.get('users', { email: 'i@example.com' }))?.id ?? 0;
        await insertRestRows(store, readWorld(), {
          tokens: [
            { userId: ownerId, token: tokens.owner },
            { userId: invitedId, token: tokens.invited },
          ],
        });
        nodes = [0, 1].map(() => fork(worker, [kind, place]));
        await Promise.all(nodes.map((node) => once(node, 'message')));
      }, 120_000);
      afterAll(async () => {
        for (const node of nodes) node.disconnect();
        await Promise.all(nodes.map((node) => once(node, 'exit')));
        await rest.close();
      });

      async function addOrganization(license: Readonly<Record<string, unknown>>): Promise<number> {
        const { store } = rest.services;
        await insertRestRows(store, readWorld(), { organizations: [{ name: 'Race', license }] });
        const organizationId = Math.max(...(await store.find('organizations')).map(({ id }) => id));
        await insertRestRows(store, readWorld(), {
          memberships: [{ userId: ownerId, organizationId }],
          teams: [{ name: 'First', organizationId, ownerId }],
        });
        return organizationId;
      }

      /** Sends the same request `EACH` times concurrently on both nodes, and counts the statuses. */
      async function race(request: {
        method: string;
        path: string;
        token: string;
        body?: unknown;
      }): Promise<Record<number, number>> {
        const requests = Array.from({ length: EACH }, () => ({ ...request, path: `/api/v2${request.path}` }));
        const answers = nodes.map((node) => once(node, 'message'));
        for (const node of nodes) node.send({ requests });
        const counts: Record<number, number> = {};
        for (const [statuses] of await Promise.all(answers)) {
          for (const status of statuses as readonly number[]) counts[status] = (counts[status] ?? 0) + 1;
        }
        return counts;
      }

      it('accept an invitation once', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const organizationId = await addOrganization({ apiLimit: 2000 });
          const hash = rest.services.uuid();
          const row = {
            usersRoleId: 13,
            teamIds: [],
            note: '',
            invitedBy: ownerId,
            createdAt: 0,
            expiresAt: Date.now() + 60_000,
            acceptedAt: null,
          };
          await rest.services.store.transaction((writer) =>
            writer.insert('invitations', { ...row, hash, organizationId, userId: invitedId }),
          );
          const path = '/organizations/accept-invitation';
          expect(await race({ method: 'POST', path, token: tokens.invited, body: { hash } })).toEqual({
            200: 1,
            404: 2 * EACH - 1,
          });
          const where = { organizationId, userId: invitedId };
          expect(await rest.services.store.count('memberships', where)).toBe(1);
          expect(await rest.services.store.count('teams', { organizationId, ownerId: invitedId })).toBe(1);
        }
      });

      it('delete an organization once and completely', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const organizationId = await addOrganization({ apiLimit: 2000 });
          const counts = await race({
            method: 'DELETE',
            path: `/organizations/${organizationId}`,
            token: tokens.owner,
          });
          // No request finds it without its membership.
          expect(counts).toEqual({ 200: 1, 404: 2 * EACH - 1 });
          for (const table of ['teams', 'memberships'] as const) {
            expect(await rest.services.store.count(table, { organizationId })).toBe(0);
          }
        }
      });

      it('leave no team behind that is created while its organization is deleted', async () => {
        const organizationId = await addOrganization({ apiLimit: 2000 });
        const body = { name: 'Late', organizationId };
        const making = race({ method: 'POST', path: '/teams', token: tokens.owner, body });
        await rest.fetch(
          new Request(`http://node/api/v2/organizations/${organizationId}`, {
            method: 'DELETE',
            headers: { authorization: `Token ${tokens.owner}` },
          }),
        );
        expect(Object.keys(await making).every((status) => ['200', '404'].includes(status))).toBe(true);
        expect(await rest.services.store.count('teams', { organizationId })).toBe(0);
      });

      it('lock a key with one entry in its access list', async () => {
        const organizationId = await addOrganization({ apiLimit: 2000 });
        const team = await rest.services.store.get('teams', { organizationId });
        for (let round = 0; round < ROUNDS; round++) {
          const key = await rest.services.store.transaction((writer) =>
            writer.insert('keys', {
              organizationId,
              teamId: team?.id ?? 0,
              name: 'K',
              nameKey: 'k',
              typeName: 'basicauth',
              packageName: null,
              theme: '#007ee5',
              visibility: 'team',
              authorId: ownerId,
              parameters: '',
              createdAt: 0,
            }),
          );
          const path = `/keys/${key.id}/set-locked`;
          expect(await race({ method: 'POST', path, token: tokens.owner })).toEqual({ 200: 2 * EACH });
          expect(await rest.services.store.count('keyAdmins', { keyId: key.id })).toBe(1);
        }
      });

      it('share the rate limit of a minute', async () => {
        const organizationId = await addOrganization({ apiLimit: 10 });
        const path = `/organizations/${organizationId}`;
        expect(await race({ method: 'GET', path, token: tokens.owner })).toEqual({
          200: 10,
          429: 2 * EACH - 10,
        });
      });
    },
    180_000,
  );
}
