import { hash } from 'node:crypto';
import type { Queries, Within } from '../../shared/store/record-store.js';
import { allows, isAdminScope, type Permission } from '../call/access.js';
import type { SubjectReference } from '../call/backend.js';
import type { SubjectKind } from '../call/operation.js';
import { forbidden, notFound } from '../problems.js';
import type {
  KeyRow,
  MembershipRow,
  OrganizationRow,
  RestReader,
  RestTables,
  TeamMemberRow,
  TeamRow,
  TokenRow,
  UserRow,
} from '../store/tables.js';
import type { RestServices } from './services.js';

/** The caller of a request, as the store knows it. */
export interface Caller {
  readonly user: UserRow;
  /** Contains scopes of administration only if the user is an administrator of the instance. */
  readonly scopes: ReadonlySet<string>;
  /** All scopes of the token, with or without effect. */
  readonly granted: ReadonlySet<string>;
  readonly authUsed: 'token' | 'oauth';
}

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** What identifies a caller in the store. */
export type Credential =
  | { readonly kind: 'token'; readonly hash: string }
  | { readonly kind: 'user'; readonly userId: number; readonly scopes: readonly string[] };

/**
 * Reads a token: an access token that this instance issued, or an API token. Returns undefined for an invalid access
 * token.
 */
export async function readCredential(services: RestServices, token: string): Promise<Credential | undefined> {
  if (!JWT.test(token)) return { kind: 'token', hash: hashToken(token.toLowerCase()) };
  const claims = await services.oidc.verify(token);
  return claims && Number.isSafeInteger(claims.userId) ? { kind: 'user', ...claims } : undefined;
}

/** The caller, from the rows that the store has for a credential; undefined for an unknown token. */
export function identifyCaller(credential: Credential, { token, user }: CallRows): Caller | undefined {
  const granted = credential.kind === 'token' ? token?.scopes : credential.scopes;
  if (!granted || !user || user.deleted) return undefined;
  const effective = granted.filter((scope) => user.usersAdminsRoleId !== null || !isAdminScope(scope));
  const authUsed = credential.kind === 'token' ? 'token' : 'oauth';
  return { user, scopes: new Set(effective), granted: new Set(granted), authUsed };
}

/** The caller of operations that need no token. */
export const ANONYMOUS: Caller = {
  scopes: new Set(),
  granted: new Set(),
  authUsed: 'token',
  user: {
    id: 0,
    name: '',
    nameKey: '',
    email: '',
    language: 'en',
    timezoneId: 0,
    localeId: 0,
    countryId: 0,
    features: {},
    avatar: '',
    lastLogin: null,
    tfaStatus: null,
    usersAdminsRoleId: null,
    createdAt: 0,
    deleted: false,
  },
};

/** The stored form of an API token. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

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

/** All rows that decide about a call, read at one moment: a call never sees a half-deleted organization. */
export interface CallRows {
  readonly token?: TokenRow | undefined;
  readonly user?: UserRow | undefined;
  readonly organization?: OrganizationRow | undefined;
  readonly membership?: MembershipRow | undefined;
  readonly team?: TeamRow | undefined;
  readonly teamMember?: TeamMemberRow | undefined;
  readonly key?: KeyRow | undefined;
}

/** The caller and the subject to look up. */
export interface CallKeys {
  readonly caller: { readonly hash: string } | { readonly userId: number };
  readonly subject: SubjectReference | undefined;
}

/** A column of the row that another condition finds. */
const of = (within: string, column: string, where: Within['where']): Within => ({
  within,
  column,
  where,
});

/** Reads the caller and the subject of a call in one statement. */
export async function readCallRows(reader: RestReader, { caller, subject }: CallKeys): Promise<CallRows> {
  const token = 'hash' in caller ? { hash: caller.hash } : undefined;
  const user = { id: 'hash' in caller ? of('tokens', 'userId', { hash: caller.hash }) : caller.userId };
  const queries: Queries<RestTables> = {
    token: token && { find: 'tokens', where: token },
    user: { find: 'users', where: user },
    ...(subject && subjectQueries(subject, of('users', 'id', user))),
  };
  const found = await reader.queryAll(queries);
  // The names of the queries are those of the rows, and each query finds at most one row of its table.
  return Object.fromEntries(
    Object.entries(found).map(([name, rows]) => [name, Array.isArray(rows) ? rows[0] : undefined]),
  );
}

function subjectQueries({ kind, id }: SubjectReference, userId: Within): Queries<RestTables> {
  if (kind === 'organization') {
    return {
      organization: { find: 'organizations', where: { id } },
      membership: { find: 'memberships', where: { organizationId: id, userId } },
    };
  }
  const team = { id: kind === 'key' ? of('keys', 'teamId', { id }) : id };
  const organizationId = of('teams', 'organizationId', team);
  return {
    key: kind === 'key' ? { find: 'keys', where: { id } } : undefined,
    team: { find: 'teams', where: team },
    organization: { find: 'organizations', where: { id: organizationId } },
    membership: { find: 'memberships', where: { organizationId, userId } },
    teamMember: { find: 'teamMembers', where: { teamId: of('teams', 'id', team), userId } },
  };
}
