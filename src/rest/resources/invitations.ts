import type { PlainObject } from '../../shared/plain-object.js';
import { integer, list, object, type Schema, text } from '../../shared/schema/build.js';
import { mayAnyInviterGive, mayGiveRole, roleById, TEAM_MEMBER_ROLE_ID } from '../call/access.js';
import { freeText, id, properName, wrapped } from '../call/fields.js';
import { shapeSchema } from '../call/shapes.js';
import { badRequest, forbidden, invalidParameter, notFound, refused } from '../problems.js';
import { notify, type RestServices } from '../services/services.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { readRows } from '../store/read-rows.js';
import type { InvitationRow, MembershipRow, RestReader, RestWriter, UserRow } from '../store/tables.js';
import { addPrivateSpace, presentOrganization } from './organization-life.js';
import { ORGANIZATION_ROLE_SCHEMA, organizationRoleRecord } from './organization-record.js';
import { INVITED_USER_COLUMNS, USER_SCHEMA, userRecord } from './user-record.js';
import { addUser } from './users.js';

const TAG = 'invitations';

/** Source: https://developers.make.com/api-documentation (organizations, UUID). [doc] */
const HASH: Schema<string> = text({ format: 'uuid' });

/** State of `userOrganizationRole` before acceptance. [inf] */
const PENDING = 'pending';

const getInvitation: StoreOperation = defineOperation({
  id: 'getInvitation',
  method: 'GET',
  path: '/organizations/invitation',
  tag: TAG,
  summary: 'Shows an invitation that waits to be accepted.',
  scopes: ['organizations:read'],
  requiredQuery: { hash: HASH },
  optionalQuery: { organizationId: id() },
  columns: INVITED_USER_COLUMNS,
  response: object({
    organization: object({ id: integer(), name: text() }),
    user: USER_SCHEMA,
    userOrganizationRole: ORGANIZATION_ROLE_SCHEMA,
  }),
  handler: async ({ services, caller, query, columns, nowMs }) => {
    const { store } = services;
    const invitation = await findOpenInvitation(store, query.hash, nowMs);
    const { id: organizationId, name } = await presentForInvitation(
      store.get('organizations', { id: invitation.organizationId }),
    );
    const user = await presentForInvitation(store.get('users', { id: invitation.userId }));
    // Holders of the hash of another user's invitation do not see that user's teams.
    const asked = user.id === caller.user.id ? query.organizationId : undefined;
    return {
      organization: { id: organizationId, name },
      user: await userRecord(services, user, { columns, organizationId: asked, nowMs }),
      userOrganizationRole: describeRole(invitation, PENDING),
    };
  },
});

const acceptOwnInvitation: StoreOperation = defineOperation({
  id: 'acceptInvitation',
  method: 'POST',
  path: '/organizations/accept-invitation',
  tag: TAG,
  summary: 'Accepts an invitation of the caller, once.',
  scopes: ['organizations:write'],
  body: object({ hash: HASH }),
  response: object({ user: USER_SCHEMA, userOrganizationRole: ORGANIZATION_ROLE_SCHEMA }),
  handler: async ({ services, caller, body, nowMs }) => {
    const { store } = services;
    const membership = await store.transaction(async (writer) => {
      const invitation = await findOpenInvitation(writer, body.hash, nowMs);
      if (invitation.userId !== caller.user.id) throw forbidden('The invitation is for another user.');
      return acceptInvitation(writer, invitation, nowMs);
    });
    const { organizationId, userId } = membership;
    await notify(services, { kind: 'invitation accepted', organizationId, userId, atMs: nowMs });
    return {
      user: await userRecord(services, caller.user, { columns: INVITED_USER_COLUMNS.default, nowMs }),
      userOrganizationRole: organizationRoleRecord(membership),
    };
  },
});

/** Source: https://developers.make.com/api-documentation (organizations, neighbour calls). [doc] */
const listOwnInvitations: StoreOperation = defineOperation({
  id: 'listOwnInvitations',
  method: 'GET',
  path: '/users/me/organization-invitations',
  tag: TAG,
  summary: 'Lists the invitations that wait for the caller.',
  scopes: [],
  response: wrapped('userOrganizationInvitations', list(shapeSchema('UserOrganizationInvitation'))),
  handler: async ({ services, caller, nowMs }) => {
    const where = { userId: caller.user.id, acceptedAt: null };
    const columns = ['hash', 'usersRoleId', 'organizationId', 'expiresAt'] as const;
    const records: PlainObject[] = [];
    for await (const rows of readRows(services.store, 'invitations', { columns, where })) {
      const open = rows.filter((row) => nowMs < row.expiresAt);
      records.push(...(await describeInvitations(services.store, open)));
    }
    return { userOrganizationInvitations: records };
  },
});

async function describeInvitations(
  reader: RestReader,
  rows: readonly Pick<InvitationRow, 'hash' | 'usersRoleId' | 'organizationId'>[],
): Promise<readonly PlainObject[]> {
  const organizations = await reader.find('organizations', {
    where: { id: rows.map((row) => row.organizationId) },
    columns: ['name', 'zone'],
  });
  const byId = new Map(organizations.map((it) => [it.id, it]));
  return rows.flatMap(({ hash, usersRoleId, organizationId }) => {
    const organization = byId.get(organizationId);
    if (!organization) return [];
    const { name: organizationName, zone } = organization;
    return [{ hash, invitation: PENDING, usersRoleId, organizationId, organizationName, zone }];
  });
}

/** Source: https://developers.make.com/api-documentation (organizations, neighbour calls). [doc] */
const invite: StoreOperation = defineOperation({
  id: 'inviteUser',
  method: 'POST',
  path: '/organizations/{organizationId}/invite',
  tag: TAG,
  summary: 'Invites a person to an organization; creates an account for an unknown address.',
  scopes: ['organizations:write'],
  params: { organizationId: id() },
  body: object(
    { usersRoleId: id(), email: text({ format: 'email', maxLength: 254 }), name: properName() },
    { note: freeText(2000), teamsId: list(id(), { maxItems: 100 }) },
  ),
  subject: { kind: 'organization', in: 'params', name: 'organizationId' },
  permission: 'organization invite',
  response: object({ user: USER_SCHEMA, userOrganizationRole: ORGANIZATION_ROLE_SCHEMA }),
  handler: async ({ services, caller, params, body, nowMs }) => {
    const { organizationId } = params;
    if (roleById(body.usersRoleId)?.category !== 'organization') {
      throw badRequest([invalidParameter('usersRoleId', 'must be a role of organizations')]);
    }
    const { email, name, usersRoleId, teamsId = [], note = '' } = body;
    const wish = { organizationId, inviterId: caller.user.id, email, name, usersRoleId, note, nowMs };
    const { user, invitation } = await services.store.transaction((writer) =>
      writeInvitation(services, writer, { ...wish, teamIds: [...new Set(teamsId)] }),
    );
    const { hash } = invitation;
    await notify(services, {
      kind: 'invitation created',
      organizationId,
      userId: user.id,
      atMs: nowMs,
      hash,
    });
    return {
      user: await userRecord(services, user, { columns: INVITED_USER_COLUMNS.default, nowMs }),
      userOrganizationRole: describeRole(invitation, PENDING),
    };
  },
});

function describeRole(invitation: InvitationRow, state: string): PlainObject {
  const { userId, organizationId, usersRoleId } = invitation;
  return { userId, organizationId, usersRoleId, invitation: state };
}

/** State of the invitation of a member in `userOrganizationRole`. [inf] */
const ACCEPTED = 'accepted';

export const INVITATION_OPERATIONS: readonly StoreOperation[] = [
  getInvitation,
  acceptOwnInvitation,
  listOwnInvitations,
  invite,
];

/**
 * Finds an invitation that can be accepted. Used, expired and unknown ones have the same error. [inf]
 * @throws RestError 404 `SC404`
 */
async function findOpenInvitation(reader: RestReader, hash: string, nowMs: number): Promise<InvitationRow> {
  const row = await reader.get('invitations', { hash: hash.toLowerCase() });
  if (!row || row.acceptedAt !== null || nowMs >= row.expiresAt) throw notFound('Invitation');
  return row;
}

/** A row that an invitation references. Without it, the invitation does not exist. @throws RestError 404 `SC404` */
async function presentForInvitation<T>(row: Promise<T | undefined>): Promise<T> {
  const found = await row;
  if (found === undefined) throw notFound('Invitation');
  return found;
}

/** Input of `writeInvitation`. */
interface InvitationWish {
  readonly organizationId: number;
  /** The user who invites. */
  readonly inviterId: number;
  readonly email: string;
  /** Name of the new user if the address has no account. */
  readonly name: string;
  readonly usersRoleId: number;
  readonly teamIds: readonly number[];
  readonly note: string;
  readonly nowMs: number;
}

/**
 * Writes the only invitation of a user to an organization: a repeated one changes the pending one and keeps its hash.
 * @throws RestError 400 for members and teams of others, 403 `SC403` for a role above the inviter's own
 */
async function writeInvitation(
  services: Pick<RestServices, 'settings' | 'uuid'>,
  writer: RestWriter,
  wish: InvitationWish,
): Promise<{ readonly user: UserRow; readonly invitation: InvitationRow }> {
  const { organizationId, inviterId, usersRoleId, teamIds, note, nowMs } = wish;
  await presentOrganization(writer, organizationId);
  const inviter = await writer.get('memberships', { organizationId, userId: inviterId });
  assertGivable(inviter, usersRoleId);
  const user = await findOrAddUser(writer, wish);
  const userId = user.id;
  if (await writer.get('memberships', { organizationId, userId })) {
    const detail = 'The user is already a member.';
    throw refused('IM005', { message: 'Invalid input parameters', detail });
  }
  await assertOwnTeams(writer, organizationId, teamIds);
  const waiting = await writer.find('invitations', { where: { organizationId, userId, acceptedAt: null } });
  // A user who may not give a role may not revoke it either.
  for (const row of waiting) assertGivable(inviter, row.usersRoleId);
  const current = waiting.findLast((row) => nowMs < row.expiresAt);
  const invitation = {
    organizationId,
    userId,
    usersRoleId,
    teamIds,
    note,
    invitedBy: inviterId,
    acceptedAt: null,
    hash: current?.hash ?? services.uuid(),
    createdAt: current?.createdAt ?? nowMs,
    expiresAt: nowMs + services.settings.invitationLifetimeMs,
  };
  if (waiting.length > 0) await writer.remove('invitations', { organizationId, userId, acceptedAt: null });
  return { user, invitation: await writer.insert('invitations', invitation) };
}

/**
 * Makes the invited user a member, once. The inviter must still be allowed to give the role.
 * @throws RestError 403 `SC403`, 404 `SC404`
 */
async function acceptInvitation(
  writer: RestWriter,
  invitation: InvitationRow,
  nowMs: number,
): Promise<MembershipRow> {
  const { organizationId, userId, usersRoleId, teamIds, invitedBy } = invitation;
  const organization = await presentForInvitation(writer.get('organizations', { id: organizationId }));
  if (typeof invitedBy === 'number') {
    assertGivable(await writer.get('memberships', { organizationId, userId: invitedBy }), usersRoleId);
  } else if (!mayAnyInviterGive(usersRoleId)) throw roleAboveOwn();
  // The condition lets one of several concurrent calls succeed, whatever the isolation of the store.
  const changed = await writer.update(
    'invitations',
    { id: invitation.id, acceptedAt: null },
    { acceptedAt: nowMs },
  );
  if (changed !== 1) throw notFound('Invitation');
  // Older stores may have several invitations of a user.
  await writer.remove('invitations', { organizationId, userId, acceptedAt: null });
  const member = await writer.get('memberships', { organizationId, userId });
  const membership =
    member ??
    (await writer.insert('memberships', { organizationId, userId, usersRoleId, invitation: ACCEPTED }));
  for (const team of await writer.find('teams', { where: { id: teamIds, organizationId } })) {
    if (await writer.get('teamMembers', { teamId: team.id, userId })) continue;
    await writer.insert('teamMembers', { teamId: team.id, userId, usersRoleId: TEAM_MEMBER_ROLE_ID });
  }
  await addPrivateSpace(writer, organization, userId, nowMs);
  return membership;
}

function assertGivable(giver: MembershipRow | undefined, usersRoleId: number): void {
  if (!mayGiveRole(giver?.usersRoleId, usersRoleId)) throw roleAboveOwn();
}

function roleAboveOwn(): Error {
  return forbidden('A user cannot give a role with more permissions than his own.');
}

async function assertOwnTeams(
  reader: RestReader,
  organizationId: number,
  teamIds: readonly number[],
): Promise<void> {
  if (teamIds.length === 0) return;
  const found = await reader.count('teams', { id: teamIds, organizationId, type: 'standard' });
  if (found === teamIds.length) return;
  throw badRequest([invalidParameter('teamsId', 'must be teams of the organization')]);
}

async function findOrAddUser(writer: RestWriter, { email, name, nowMs }: InvitationWish): Promise<UserRow> {
  const known = await writer.get('users', { email: email.toLowerCase() });
  return known ?? (await addUser(writer, { name, email, usersAdminsRoleId: null }, nowMs));
}
