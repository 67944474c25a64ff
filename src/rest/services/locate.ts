import type { SubjectKind } from '../call/operation.js';
import { allows, type Permission } from '../call/roles.js';
import { forbidden, notFound } from '../problems.js';
import type { KeyRow, OrganizationRow, TeamRow } from '../store/tables.js';
import type { CallRows } from './call-rows.js';

export interface OrganizationSubject {
  readonly organization: OrganizationRow;
  /** The caller's role in it. */
  readonly roleId: number;
}

export interface TeamSubject extends OrganizationSubject {
  readonly team: TeamRow;
  /** The caller's role in the team, if there is one. */
  readonly teamRoleId: number | undefined;
}

export interface KeySubject extends TeamSubject {
  readonly key: KeyRow;
}

/** The rows of the subject of a request. */
export interface Subjects {
  readonly organization: OrganizationSubject;
  readonly team: TeamSubject;
  readonly key: KeySubject;
}

/**
 * Finds the subject of a request in the rows that the store read. Refuses an organization without the caller with
 * 403, an unknown one with 404. [inf]
 * @throws RestError 403 `SC403`, 404 `SC404`
 */
export function locate(kind: SubjectKind, rows: CallRows): Subjects[SubjectKind] {
  switch (kind) {
    case 'organization':
      return findOrganization(rows);
    case 'team':
      return findTeam(rows);
    case 'key':
      return findKey(rows);
  }
}

/** The caller's roles in the organization and in the team. */
export function listRoles(subject: OrganizationSubject | TeamSubject): readonly number[] {
  const teamRoleId = 'teamRoleId' in subject ? subject.teamRoleId : undefined;
  return teamRoleId === undefined ? [subject.roleId] : [subject.roleId, teamRoleId];
}

/** Whether a role in the organization or in the team has a permission. */
export function isAllowed(subject: OrganizationSubject | TeamSubject, permission: Permission): boolean {
  return listRoles(subject).some((roleId) => allows(roleId, permission));
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
  // Only its owner sees a private space: roles in the organization do not count. [inf]
  if (team.type === 'personal' && !teamMember) throw notFound('Team');
  return { ...above, team, teamRoleId: teamMember?.usersRoleId };
}

function findKey(rows: CallRows): KeySubject {
  if (!rows.key) throw notFound('Key');
  return { ...findTeam(rows), key: rows.key };
}
