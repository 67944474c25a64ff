import { pickColumns } from './columns.js';
import { freeText, id, listOf } from './fields.js';
import { type ColumnChoice, defineOperation, type Operation } from './operation.js';
import { type Paging, pageQuery } from './paging.js';
import { nameKey, type UserRow } from './tables.js';
import { USER_COLUMNS, USER_SCHEMA, userRecord } from './user-record.js';

const SORTS = {
  email: 'email',
  id: 'id',
  name: 'nameKey',
  userAdminsRoleId: 'usersAdminsRoleId',
} as const satisfies Readonly<Record<string, keyof UserRow>>;
const PAGING: Paging = {
  sortBy: Object.keys(SORTS),
  defaultSortBy: 'id',
  defaultSortDir: 'asc',
  defaultLimit: 100,
};
const COLUMNS: ColumnChoice = {
  all: USER_COLUMNS.all,
  default: [
    'id',
    'name',
    'email',
    'language',
    'timezoneId',
    'localeId',
    'countryId',
    'features',
    'avatar',
    'usersAdminsRoleId',
    'lastLogin',
    'deleted',
    'created',
    'tfaStatus',
  ],
};

/** Source: reference/rest-api.md section 5. [doc] */
const listUsers: Operation = defineOperation({
  id: 'listInstanceUsers',
  method: 'GET',
  path: '/admin/users',
  tag: 'administration of users',
  summary: 'Lists the users of the instance.',
  scopes: ['admin:read'],
  optionalQuery: { organizationId: id(), teamId: id(), name: freeText(), email: freeText() },
  columns: COLUMNS,
  paging: PAGING,
  response: listOf('users', USER_SCHEMA),
  handler: async ({ services, query, columns, page, nowMs }) => {
    const { store } = services;
    const { organizationId, teamId } = query;
    const inTeam = teamId === undefined ? undefined : await store.find('teamMembers', { where: { teamId } });
    const members =
      organizationId === undefined
        ? undefined
        : await store.find('memberships', { where: { organizationId } });
    const ids = intersect(
      inTeam?.map((row) => row.userId),
      members?.map((row) => row.userId),
    );
    const rows = await store.find('users', {
      where: {
        ...(ids && { id: ids }),
        ...(query.name !== undefined && { nameKey: { containing: nameKey(query.name) } }),
        ...(query.email !== undefined && { email: { containing: query.email.toLowerCase() } }),
      },
      ...pageQuery(page, SORTS),
    });
    const records = rows.map((row) => userRecord(store, row, { columns, organizationId, nowMs }));
    return { users: (await Promise.all(records)).map((it) => pickColumns(it, columns)), pg: page };
  },
});

function intersect(
  a: readonly number[] | undefined,
  b: readonly number[] | undefined,
): readonly number[] | undefined {
  if (!a || !b) return a ?? b;
  return a.filter((it) => b.includes(it));
}

export const ADMIN_USER_OPERATIONS: readonly Operation[] = [listUsers];
