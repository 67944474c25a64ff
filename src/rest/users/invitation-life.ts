import { mayAnyInviterGive, mayGiveRole, TEAM_MEMBER_ROLE_ID } from '../call/roles.js';
import { addPrivateSpace, presentOrganization } from '../organizations/organization-life.js';
import { badRequest, forbidden, invalidParameter, notFound, refused } from '../problems.js';
import type { RestServices } from '../services/services.js';
import type { InvitationRow, MembershipRow, RestReader, RestWriter, UserRow } from '../store/tables.js';
import { addUser } from './add-user.js';

/** State of the invitation of a member in `userOrganizationRole`. [inf] */
const ACCEPTED = 'accepted';

/**
 * Finds an invitation that can be accepted. Used, expired and unknown ones have the same error. [inf]
 * @throws RestError 404 `SC404`
 */
export async function findOpenInvitation(
  reader: RestReader,
  hash: string,
  nowMs: number,
): Promise<InvitationRow> {
  const row = await reader.get('invitations', { hash: hash.toLowerCase() });
  if (!row || row.acceptedAt !== null || nowMs >= row.expiresAt) throw notFound('Invitation');
  return row;
}

/** A row that an invitation references. Without it, the invitation does not exist. @throws RestError 404 `SC404` */
export async function presentForInvitation<T>(row: Promise<T | undefined>): Promise<T> {
  const found = await row;
  if (found === undefined) throw notFound('Invitation');
  return found;
}

/** Input of `writeInvitation`. */
export interface InvitationWish {
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
export async function writeInvitation(
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
export async function acceptInvitation(
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
