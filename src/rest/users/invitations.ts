import type { PlainObject } from '../../shared/plain-object.js';
import { integer, list, named, object, type Schema, text } from '../../shared/schema/build.js';
import { freeText, id, properName, wrapped } from '../call/fields.js';
import { roleById } from '../call/roles.js';
import { ORGANIZATION_ROLE_SCHEMA, organizationRoleRecord } from '../organizations/organization-role.js';
import { badRequest, forbidden, invalidParameter } from '../problems.js';
import { notify } from '../services/notify.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { readRows } from '../store/read-rows.js';
import type { InvitationRow, RestReader } from '../store/tables.js';
import {
  acceptInvitation,
  findOpenInvitation,
  presentForInvitation,
  writeInvitation,
} from './invitation-life.js';
import { INVITED_USER_COLUMNS, USER_SCHEMA, userRecord } from './user-record.js';

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

/** Source: https://developers.make.com/api-documentation (organizations, neighbour calls). [doc] */
const listOwnInvitations: StoreOperation = defineOperation({
  id: 'listOwnInvitations',
  method: 'GET',
  path: '/users/me/organization-invitations',
  tag: TAG,
  summary: 'Lists the invitations that wait for the caller.',
  scopes: [],
  response: wrapped('userOrganizationInvitations', list(INVITATION_SCHEMA)),
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

export const INVITATION_OPERATIONS: readonly StoreOperation[] = [
  getInvitation,
  acceptOwnInvitation,
  listOwnInvitations,
  invite,
];
