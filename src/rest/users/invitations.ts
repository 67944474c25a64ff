import { integer, list, named, object, type Schema, text } from '../../schema/build.js';
import type { PlainObject } from '../../util/plain-object.js';
import { freeText, id, properName, wrapped } from '../call/fields.js';
import { notify } from '../services/notify.js';
import { defineOperation, type Operation } from '../call/operation.js';
import { addPrivateSpace, presentOrganization } from '../organizations/organization-life.js';
import { ORGANIZATION_ROLE_SCHEMA, organizationRoleRecord } from '../organizations/organization-role.js';
import { badRequest, forbidden, invalidParameter, notFound, refused } from '../problems.js';
import { roleById, TEAM_MEMBER_ROLE_ID } from '../call/roles.js';
import {
  type InvitationRow,
  type MembershipRow,
  nameKey,
  type RestReader,
  type RestWriter,
  type UserRow,
} from '../store/tables.js';
import { INVITED_USER_COLUMNS, USER_SCHEMA, userRecord } from './user-record.js';

const TAG = 'invitations';

/** Source: reference/rest-api.md section 2 (UUID). [doc] */
const HASH: Schema<string> = text({ format: 'uuid' });

/** States of an invitation as `userOrganizationRole` shows them. [inf] */
const PENDING = 'pending';
const ACCEPTED = 'accepted';

const getInvitation: Operation = defineOperation({
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
    const invitation = await openInvitation(store, query.hash, nowMs);
    const { id: organizationId, name } = await present(
      store.get('organizations', { id: invitation.organizationId }),
    );
    const user = await present(store.get('users', { id: invitation.userId }));
    // Who holds the hash of another's invitation learns nothing of that person's teams.
    const asked = user.id === caller.user.id ? query.organizationId : undefined;
    return {
      organization: { id: organizationId, name },
      user: await userRecord(services, user, { columns, organizationId: asked, nowMs }),
      userOrganizationRole: roleOf(invitation, PENDING),
    };
  },
});

const acceptInvitation: Operation = defineOperation({
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
      const invitation = await openInvitation(writer, body.hash, nowMs);
      if (invitation.userId !== caller.user.id) throw forbidden('The invitation is for another user.');
      return accept(writer, invitation, nowMs);
    });
    const { organizationId, userId } = membership;
    await notify(services, { kind: 'invitation accepted', organizationId, userId, atMs: nowMs });
    return {
      user: await userRecord(services, caller.user, { columns: INVITED_USER_COLUMNS.default, nowMs }),
      userOrganizationRole: organizationRoleRecord(membership),
    };
  },
});

const INVITATION_SCHEMA: Schema<unknown> = named(
  'UserOrganizationInvitation',
  object({
    hash: text(),
    invitation: text(),
    usersRoleId: integer(),
    organizationId: integer(),
    organizationName: text(),
    zone: text(),
  }),
);

/** Source: reference/rest-api.md section 2 (neighbour calls). [doc] */
const listOwnInvitations: Operation = defineOperation({
  id: 'listOwnInvitations',
  method: 'GET',
  path: '/users/me/organization-invitations',
  tag: TAG,
  summary: 'Lists the invitations that wait for the caller.',
  scopes: [],
  response: wrapped('userOrganizationInvitations', list(INVITATION_SCHEMA)),
  handler: async ({ services, caller, nowMs }) => {
    const where = { userId: caller.user.id, acceptedAt: null };
    const rows = await services.store.find('invitations', { where });
    const open = rows.filter((row) => nowMs < row.expiresAt);
    const organizations = await services.store.find('organizations', {
      where: { id: open.map((row) => row.organizationId) },
      columns: ['name', 'zone'],
    });
    const byId = new Map(organizations.map((it) => [it.id, it]));
    const records = open.flatMap(({ hash, usersRoleId, organizationId }) => {
      const organization = byId.get(organizationId);
      if (!organization) return [];
      const { name: organizationName, zone } = organization;
      return [{ hash, invitation: PENDING, usersRoleId, organizationId, organizationName, zone }];
    });
    return { userOrganizationInvitations: records };
  },
});

/** Source: reference/rest-api.md section 2 (neighbour calls). [doc] */
const invite: Operation = defineOperation({
  id: 'inviteUser',
  method: 'POST',
  path: '/organizations/{organizationId}/invite',
  tag: TAG,
  summary: 'Invites a person to an organization; an account is made for an address that has none.',
  scopes: ['organizations:write'],
  params: { organizationId: id() },
  body: object(
    { usersRoleId: id(), email: text({ format: 'email', maxLength: 254 }), name: properName() },
    { note: freeText(2000), teamsId: list(id(), { maxItems: 100 }) },
  ),
  subject: { kind: 'organization', in: 'params', name: 'organizationId' },
  permission: 'organization invite',
  response: object({ user: USER_SCHEMA, userOrganizationRole: ORGANIZATION_ROLE_SCHEMA }),
  handler: async ({ services, params, body, nowMs }) => {
    const { organizationId } = params;
    if (roleById(body.usersRoleId)?.category !== 'organization') {
      throw badRequest([invalidParameter('usersRoleId', 'must be a role of organizations')]);
    }
    const { user, invitation } = await services.store.transaction(async (writer) => {
      await presentOrganization(writer, organizationId);
      const invited = await findOrAddUser(writer, body, nowMs);
      if (await writer.get('memberships', { organizationId, userId: invited.id })) {
        throw refused('IM005', {
          message: 'Invalid input parameters',
          detail: 'The user is already a member.',
        });
      }
      const teamIds = body.teamsId ?? [];
      const teams = await writer.count('teams', { id: teamIds, organizationId, type: 'standard' });
      if (teams !== new Set(teamIds).size) {
        throw badRequest([invalidParameter('teamsId', 'must be teams of the organization')]);
      }
      const added = await writer.insert('invitations', {
        hash: services.uuid(),
        organizationId,
        userId: invited.id,
        usersRoleId: body.usersRoleId,
        teamIds,
        note: body.note ?? '',
        createdAt: nowMs,
        expiresAt: nowMs + services.settings.invitationLifetimeMs,
        acceptedAt: null,
      });
      return { user: invited, invitation: added };
    });
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
      userOrganizationRole: roleOf(invitation, PENDING),
    };
  },
});

/** An invitation that can still be accepted; used, expired and unknown ones are alike. [inf] */
async function openInvitation(reader: RestReader, hash: string, nowMs: number): Promise<InvitationRow> {
  const row = await reader.get('invitations', { hash: hash.toLowerCase() });
  if (!row || row.acceptedAt !== null || nowMs >= row.expiresAt) throw notFound('Invitation');
  return row;
}

async function accept(writer: RestWriter, invitation: InvitationRow, nowMs: number): Promise<MembershipRow> {
  const { organizationId, userId, usersRoleId, teamIds } = invitation;
  const organization = await present(writer.get('organizations', { id: organizationId }));
  // The condition lets one of several callers through, whatever the store does about their reads.
  const changed = await writer.update(
    'invitations',
    { id: invitation.id, acceptedAt: null },
    { acceptedAt: nowMs },
  );
  if (changed !== 1) throw notFound('Invitation');
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

function roleOf(invitation: InvitationRow, state: string): PlainObject {
  const { userId, organizationId, usersRoleId } = invitation;
  return { userId, organizationId, usersRoleId, invitation: state };
}

async function findOrAddUser(
  writer: RestWriter,
  wanted: { readonly email: string; readonly name: string },
  nowMs: number,
): Promise<UserRow> {
  const email = wanted.email.toLowerCase();
  const known = await writer.get('users', { email });
  return known ?? (await addUser(writer, { ...wanted, email, usersAdminsRoleId: null }, nowMs));
}

export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly usersAdminsRoleId: number | null;
}

/** An account with the settings everybody starts with. */
export function addUser(
  writer: RestWriter,
  { name, email, usersAdminsRoleId }: NewUser,
  nowMs: number,
): Promise<UserRow> {
  return writer.insert('users', {
    name,
    nameKey: nameKey(name),
    email: email.toLowerCase(),
    language: 'en',
    timezoneId: DEFAULT_TIMEZONE_ID,
    localeId: 1,
    countryId: DEFAULT_COUNTRY_ID,
    features: { allow_apps: true },
    avatar: 'https://www.gravatar.com/avatar/00000000000000000000000000000000?d=mp',
    lastLogin: null,
    tfaStatus: null,
    usersAdminsRoleId,
    createdAt: nowMs,
    deleted: false,
  });
}

/** Europe/Prague and Czechia, where the service comes from. [inf] */
const DEFAULT_TIMEZONE_ID = 113;
const DEFAULT_COUNTRY_ID = 64;

async function present<T>(row: Promise<T | undefined>): Promise<T> {
  const found = await row;
  if (found === undefined) throw notFound('Invitation');
  return found;
}

export const INVITATION_OPERATIONS: readonly Operation[] = [
  getInvitation,
  acceptInvitation,
  listOwnInvitations,
  invite,
];
