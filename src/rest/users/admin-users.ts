import type { PlainObject } from '../../shared/plain-object.js';
import { freeText, id, listed } from '../call/fields.js';
import { type Paging, pageQuery, pageRecord } from '../call/paging.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { readRows } from '../store/read-rows.js';
import { nameKey, type UserRow } from '../store/tables.js';
import { ADMINISTERED_USER_COLUMNS, administeredUserRecord, USER_SCHEMA } from './user-record.js';

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
/** Source: https://developers.make.com/white-label-documentation (admin API reference). [doc] */
const listUsers: StoreOperation = defineOperation({
  id: 'listInstanceUsers',
  method: 'GET',
  path: '/admin/users',
  tag: 'administration of users',
  summary: 'Lists the users of the instance.',
  scopes: ['admin:read'],
  optionalQuery: { organizationId: id(), teamId: id(), name: freeText(), email: freeText() },
  columns: ADMINISTERED_USER_COLUMNS,
  paging: PAGING,
  response: listed('users', USER_SCHEMA),
  handler: async ({ services, query, columns, page }) => {
    const { organizationId, teamId, name, email } = query;
    const inOrganization = { within: 'memberships', column: 'userId', where: { organizationId } };
    const inTeam = {
      within: 'teamMembers',
      column: 'userId',
      where: { teamId, ...(organizationId !== undefined && { userId: inOrganization }) },
    };
    const users: PlainObject[] = [];
    let last: UserRow | undefined;
    const wanted = {
      where: {
        ...(organizationId !== undefined && { id: inOrganization }),
        ...(teamId !== undefined && { id: inTeam }),
        ...(name !== undefined && { nameKey: { containing: nameKey(name) } }),
        ...(email !== undefined && { email: { containing: email.toLowerCase() } }),
      },
      ...pageQuery(page, SORTS),
    };
    for await (const rows of readRows(services.store, 'users', wanted)) {
      for (const row of rows) users.push(administeredUserRecord(row, columns, services.settings));
      last = rows.at(-1) ?? last;
    }
    return {
      users,
      pg: pageRecord(page, last && { ...last, userAdminsRoleId: last.usersAdminsRoleId }),
    };
  },
});

export const ADMIN_USER_OPERATIONS: readonly StoreOperation[] = [listUsers];
