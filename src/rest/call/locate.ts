import { forbidden, notFound } from '../problems.js';
import type { CallRows } from './call-rows.js';
import type {
  KeySubject,
  OrganizationSubject,
  RestOperation,
  SubjectKind,
  Subjects,
  TeamSubject,
} from './operation.js';
import { allows, type Permission } from './roles.js';

/**
 * Finds what a call is about among the rows that were read for it, and sees that the caller may do it.
 * An organization the caller is not in is refused, one that does not exist is not found. [inf]
 * @throws RestError 403 `SC403`, 404 `SC404`
 */
export function locate({ subject, permission }: RestOperation, rows: CallRows): Subjects[SubjectKind] {
  const found = findSubject(subject?.kind ?? 'none', rows);
  if (found && permission) assertAllowed(found, permission);
  return found;
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

function findSubject(kind: SubjectKind, rows: CallRows): Subjects[SubjectKind] {
  switch (kind) {
    case 'none':
      return undefined;
    case 'organization':
      return findOrganization(rows);
    case 'team':
      return findTeam(rows);
    case 'key':
      return findKey(rows);
  }
}

function findOrganization({ organization, membership }: CallRows): OrganizationSubject {
  if (!organization) throw notFound('Organization');
  if (!membership) throw forbidden();
  return { organization, roleId: membership.usersRoleId };
}

function findTeam(rows: CallRows): TeamSubject {
  const { team, teamMember } = rows;
  if (!team) throw notFound('Team');
  const above = findOrganization(rows);
  // A private space is its owner's: a role in the organization opens none. [inf]
  if (team.type === 'personal' && !teamMember) throw notFound('Team');
  return { ...above, team, teamRoleId: teamMember?.usersRoleId };
}

function findKey(rows: CallRows): KeySubject {
  if (!rows.key) throw notFound('Key');
  return { ...findTeam(rows), key: rows.key };
}
