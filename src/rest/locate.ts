import type { PlainObject } from '../util/plain-object.js';
import type {
  Caller,
  KeySubject,
  Operation,
  OrganizationSubject,
  SubjectKind,
  Subjects,
  TeamSubject,
} from './call/operation.js';
import { forbidden, notFound } from './problems.js';
import { allows, type Permission } from './call/roles.js';
import type { RestReader } from './store/tables.js';

export interface LocateRequest {
  readonly caller: Caller;
  readonly input: { readonly params: PlainObject; readonly query: PlainObject; readonly body: PlainObject };
}

/**
 * Finds what a call is about and sees that the caller may do it.
 * An organization the caller is not in is refused, one that does not exist is not found.
 * Source: reference/rest-api.md section 1.2. [inf]
 * @throws RestError 403 `SC403`, 404 `SC404`
 */
export async function locate(
  reader: RestReader,
  operation: Operation,
  { caller, input }: LocateRequest,
): Promise<Subjects[SubjectKind]> {
  const { subject: source, permission } = operation;
  if (!source) return undefined;
  const id = Number(input[source.in][source.name]);
  const subject = await findSubject(reader, { kind: source.kind, id, userId: caller.user.id });
  if (subject && permission) assertAllowed(subject, permission);
  return subject;
}

/** Whether a role in the organization or in the team allows something. */
export function isAllowed(subject: OrganizationSubject | TeamSubject, permission: Permission): boolean {
  const teamRoleId = 'teamRoleId' in subject ? subject.teamRoleId : undefined;
  return allows(subject.roleId, permission) || allows(teamRoleId, permission);
}

/** @throws RestError 403 `SC403` */
function assertAllowed(subject: OrganizationSubject | TeamSubject, permission: Permission): void {
  if (!isAllowed(subject, permission)) throw forbidden();
}

interface Wanted {
  readonly kind: SubjectKind;
  readonly id: number;
  readonly userId: number;
}

async function findSubject(reader: RestReader, wanted: Wanted): Promise<Subjects[SubjectKind]> {
  const { kind, id, userId } = wanted;
  switch (kind) {
    case 'none':
      return undefined;
    case 'organization':
      return findOrganization(reader, id, userId);
    case 'team':
      return findTeam(reader, id, userId);
    case 'key':
      return findKey(reader, id, userId);
  }
}

async function findOrganization(
  reader: RestReader,
  id: number,
  userId: number,
): Promise<OrganizationSubject> {
  const [organization, membership] = await Promise.all([
    reader.get('organizations', { id }),
    reader.get('memberships', { organizationId: id, userId }),
  ]);
  if (!organization) throw notFound('Organization');
  if (!membership) throw forbidden();
  return { organization, roleId: membership.usersRoleId };
}

async function findTeam(reader: RestReader, id: number, userId: number): Promise<TeamSubject> {
  const team = await reader.get('teams', { id });
  if (!team) throw notFound('Team');
  const above = await findOrganization(reader, team.organizationId, userId);
  const member = await reader.get('teamMembers', { teamId: id, userId });
  // A private space is its owner's: a role in the organization opens none. [inf]
  if (team.type === 'personal' && !member) throw notFound('Team');
  return { ...above, team, teamRoleId: member?.usersRoleId };
}

async function findKey(reader: RestReader, id: number, userId: number): Promise<KeySubject> {
  const key = await reader.get('keys', { id });
  if (!key) throw notFound('Key');
  return { ...(await findTeam(reader, key.teamId, userId)), key };
}
