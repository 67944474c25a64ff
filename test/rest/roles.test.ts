import { beforeEach, describe, expect, it } from 'vitest';
import { allows } from '../../src/rest/call/access.js';
import { bootstrap, openRestSqlite, ROLES } from '../../src/rest/index.js';
import type { RestTables } from '../../src/rest/store/tables.js';
import { GIVES, gives, PAIRS, title } from './role-pairs.js';
import { readWorld } from './run-contract.js';
import { insertRestRows } from './store-contract.js';
import { createStoreRest, type StoreRest } from './store-rest.js';

const IN_ORGANIZATIONS = PAIRS.filter(
  ([giver, given]) => giver.category === 'organization' && given.category === 'organization',
);

const INVITER = '00000001-0000-4000-8000-000000000001';
const INVITED = '00000002-0000-4000-8000-000000000002';

describe('roles over the API', () => {
  let rest: StoreRest;
  let inviterId: number;
  let invitedId: number;

  beforeEach(async () => {
    rest = await createStoreRest({
      store: await openRestSqlite(':memory:'),
      encryptionKey: new Uint8Array(32),
    });
    await bootstrap(rest.services, { name: 'Ada', email: 'ada@example.com' });
    const { store } = rest.services;
    await insertRestRows(store, readWorld(), {
      users: [
        { name: 'I', email: 'i@example.com' },
        { name: 'J', email: 'j@example.com' },
      ],
    });
    inviterId = (await store.get('users', { email: 'i@example.com' }))?.id ?? 0;
    invitedId = (await store.get('users', { email: 'j@example.com' }))?.id ?? 0;
    await insertRestRows(store, readWorld(), {
      tokens: [
        { userId: inviterId, token: INVITER },
        { userId: invitedId, token: INVITED },
      ],
    });
  });

  async function call(token: string, path: string, body: unknown): Promise<number> {
    const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await rest.fetch(new Request(`http://localhost/api/v2/organizations/${path}`, init));
    return response.status;
  }

  const invite = (given: (typeof ROLES)[number]): Promise<number> =>
    call(INVITER, '1/invite', { usersRoleId: given.id, email: 'j@example.com', name: 'J' });
  const accept = (hash: string): Promise<number> => call(INVITED, 'accept-invitation', { hash });

  function join(usersRoleId: number, userId = inviterId): Promise<unknown> {
    return rest.services.store.transaction((writer) =>
      writer.insert('memberships', { userId, organizationId: 1, usersRoleId, invitation: null }),
    );
  }

  function setRole(usersRoleId: number): Promise<unknown> {
    return rest.services.store.transaction((writer) =>
      writer.update('memberships', { userId: inviterId }, { usersRoleId }),
    );
  }

  async function addInvitation(change: Partial<RestTables['invitations']>): Promise<string> {
    const hash = rest.services.uuid();
    const row: Omit<RestTables['invitations'], 'id'> = {
      hash,
      organizationId: 1,
      userId: invitedId,
      usersRoleId: 13,
      teamIds: [],
      note: '',
      invitedBy: inviterId,
      createdAt: 0,
      expiresAt: Date.now() + 60_000,
      acceptedAt: null,
      ...change,
    };
    await rest.services.store.transaction((writer) => writer.insert('invitations', row));
    return hash;
  }

  const roleOfInvited = async (): Promise<number | undefined> =>
    (await rest.services.store.get('memberships', { organizationId: 1, userId: invitedId }))?.usersRoleId;

  it.each(IN_ORGANIZATIONS.map((pair) => [title(pair), ...pair] as const))(
    'invitation, its change and its acceptance: %s',
    async (_, giver, given) => {
      const allowed = gives(giver, given);
      const { store } = rest.services;
      await join(giver.id);
      expect(await invite(given)).toBe(allowed ? 200 : 403);
      expect(await store.count('invitations')).toBe(allowed ? 1 : 0);
      await store.transaction((writer) => writer.remove('invitations', {}));

      // A pending invitation with few rights cannot be changed to grant more.
      if (allows(giver.id, 'organization invite')) {
        await addInvitation({ usersRoleId: 16 });
        expect(await invite(given)).toBe(allowed ? 200 : 403);
        const rows = await store.find('invitations');
        expect(rows.map((row) => row.usersRoleId)).toEqual([allowed ? given.id : 16]);
        await store.transaction((writer) => writer.remove('invitations', {}));
      }

      // The inviter may have had another role at that time.
      const hash = await addInvitation({ usersRoleId: given.id });
      expect(await accept(hash)).toBe(allowed ? 200 : 403);
      expect(await roleOfInvited()).toBe(allowed ? given.id : undefined);
    },
  );

  it('an invitation to the owner role is void after its inviter loses that role', async () => {
    await join(11);
    const hash = await addInvitation({ usersRoleId: 11 });
    await setRole(12);
    expect(await accept(hash)).toBe(403);
    await setRole(11);
    expect(await accept(hash)).toBe(200);
  });

  it('a user who has left grants no role', async () => {
    const hash = await addInvitation({ usersRoleId: 16 });
    expect(await accept(hash)).toBe(403);
  });

  it.each(ROLES.filter((it) => it.category === 'organization').map((it) => [it.identifier, it] as const))(
    'an invitation of an older store, without inviter: %s',
    async (_, given) => {
      const hash = await addInvitation({ usersRoleId: given.id, invitedBy: null });
      expect(await accept(hash)).toBe(GIVES['admin']?.includes(given.identifier) ? 200 : 403);
    },
  );

  it('a member keeps the role when accepting an invitation', async () => {
    await join(11);
    await join(16, invitedId);
    const hash = await addInvitation({ usersRoleId: 11 });
    expect(await accept(hash)).toBe(200);
    expect(await roleOfInvited()).toBe(16);
  });

  it('accepting leaves the invitations of other users and to other organizations unchanged', async () => {
    await join(11);
    const kept = [
      await addInvitation({ userId: inviterId }),
      await addInvitation({ organizationId: 2 }),
      await addInvitation({ acceptedAt: 1 }),
    ];
    await addInvitation({});
    const hash = await addInvitation({});
    expect(await accept(hash)).toBe(200);
    expect(await accept(hash)).toBe(404);
    const rows = await rest.services.store.find('invitations');
    expect(rows.map((row) => row.hash).sort()).toEqual([...kept, hash].sort());
    expect(rows.find((row) => row.hash === hash)?.acceptedAt).toBeGreaterThan(1);
  });

  it('no one joins a deleted organization, regardless of other organizations', async () => {
    await join(11);
    const hash = await addInvitation({ organizationId: 7 });
    expect(await accept(hash)).toBe(404);
  });

  it('a repeated invitation keeps the date of the pending one, and one after its expiry is new', async () => {
    await join(11);
    const [monitor] = ROLES.filter((role) => role.id === 16);
    if (monitor === undefined) throw new Error('There is no role 16.');
    const hash = await addInvitation({ createdAt: 5 });
    expect(await invite(monitor)).toBe(200);
    expect(await rest.services.store.find('invitations')).toMatchObject([{ hash, createdAt: 5 }]);
    await rest.services.store.transaction((writer) => writer.update('invitations', {}, { expiresAt: 6 }));
    expect(await invite(monitor)).toBe(200);
    const [row, ...others] = await rest.services.store.find('invitations');
    expect(others).toEqual([]);
    expect(row?.hash).not.toBe(hash);
    expect(row?.createdAt).toBeGreaterThan(6);
  });

  it('a team member keeps the team role when accepting an invitation', async () => {
    await join(11);
    const { store } = rest.services;
    const [team] = await store.find('teams', { where: { organizationId: 1 } });
    if (team === undefined) throw new Error('The organization has no team.');
    const mine = { teamId: team.id, userId: invitedId };
    await store.transaction((writer) => writer.insert('teamMembers', { ...mine, usersRoleId: 2 }));
    expect(await accept(await addInvitation({ teamIds: [team.id] }))).toBe(200);
    expect(await store.find('teamMembers', { where: mine })).toMatchObject([{ usersRoleId: 2 }]);
  });

  it('an admin cannot revoke a role that an owner granted', async () => {
    await join(12);
    await addInvitation({ usersRoleId: 11, invitedBy: 1 });
    expect(await call(INVITER, '1/invite', { usersRoleId: 16, email: 'j@example.com', name: 'J' })).toBe(403);
    const rows = await rest.services.store.find('invitations');
    expect(rows.map((row) => row.usersRoleId)).toEqual([11]);
  });
});
