import type { Link } from '../../shared/store/record-store.js';
import type { SubjectReference } from '../call/backend.js';
import type { SubjectKind } from '../call/operation.js';
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

type CallLinks = Readonly<Record<string, Link<keyof RestTables>>>;

const BY_TOKEN = {
  token: { table: 'tokens', where: { hash: { value: 'hash' } } },
  user: { table: 'users', where: { id: { of: 'token', column: 'userId' } } },
} as const;
const BY_USER = { user: { table: 'users', where: { id: { value: 'userId' } } } } as const;

const USER = { of: 'user', column: 'id' } as const;
const ORGANIZATION = {
  organization: { table: 'organizations', where: { id: { value: 'id' } } },
  membership: { table: 'memberships', where: { organizationId: { value: 'id' }, userId: USER } },
} as const;
const ABOVE_TEAM = {
  organization: { table: 'organizations', where: { id: { of: 'team', column: 'organizationId' } } },
  membership: {
    table: 'memberships',
    where: { organizationId: { of: 'team', column: 'organizationId' }, userId: USER },
  },
  teamMember: { table: 'teamMembers', where: { teamId: { of: 'team', column: 'id' }, userId: USER } },
} as const;
const TEAM = { team: { table: 'teams', where: { id: { value: 'id' } } }, ...ABOVE_TEAM } as const;
const KEY = {
  key: { table: 'keys', where: { id: { value: 'id' } } },
  team: { table: 'teams', where: { id: { of: 'key', column: 'teamId' } } },
  ...ABOVE_TEAM,
} as const;

const SUBJECTS = { none: {}, organization: ORGANIZATION, team: TEAM, key: KEY } as const;

/** The links of each kind of call, created once. */
function linksFrom(caller: CallLinks): Readonly<Record<SubjectKind | 'none', CallLinks>> {
  return {
    none: { ...caller },
    organization: { ...caller, ...SUBJECTS.organization },
    team: { ...caller, ...SUBJECTS.team },
    key: { ...caller, ...SUBJECTS.key },
  };
}

const LINKS = { token: linksFrom(BY_TOKEN), user: linksFrom(BY_USER) };

/** Reads the caller and the subject of a call in one statement. */
export async function readCallRows(reader: RestReader, { caller, subject }: CallKeys): Promise<CallRows> {
  const links = 'hash' in caller ? LINKS.token : LINKS.user;
  // The names of the links are those of the rows, and each link names the table of its rows.
  return (await reader.getLinked(links[subject?.kind ?? 'none'], {
    ...caller,
    id: subject?.id ?? 0,
  })) as CallRows;
}
