import type { Queries, Within } from '../../shared/store/record-store.js';
import type { SubjectReference } from '../call/backend.js';
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
