import {
  flag,
  integer,
  list,
  named,
  nullable,
  object,
  oneOf,
  type Schema,
  text,
} from '../../shared/schema/build.js';
import { ROLES, roleById } from '../call/access.js';
import type { ShownRole } from '../call/answers.js';
import { freeText, id, listed, wrapped } from '../call/fields.js';
import { type ColumnChoice, type Paging, pageQuery, pageRecord, pickColumns } from '../call/lists.js';
import { notFound } from '../problems.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { nameKey, type RestWriter, type UserRow } from '../store/tables.js';
import {
  ADMINISTERED_USER_COLUMNS,
  administeredUserRecord,
  USER_COLUMNS,
  USER_SCHEMA,
  userRecord,
} from './user-record.js';

const TAG = 'users';

/** Source: https://developers.make.com/api-documentation (users, teams, enums). [doc][src] */
const getMe: StoreOperation = defineOperation({
  id: 'getMe',
  method: 'GET',
  path: '/users/me',
  tag: TAG,
  summary: 'Shows the caller.',
  scopes: [],
  optionalQuery: { includeInvitedOrg: flag(), organizationId: id() },
  columns: USER_COLUMNS,
  response: wrapped('authUser', USER_SCHEMA),
  handler: async ({ services, caller, query, columns, nowMs }) => {
    const options = { columns, organizationId: query.organizationId, nowMs };
    return { authUser: await userRecord(services, caller.user, options) };
  },
});

const getCurrentAuthorization: StoreOperation = defineOperation({
  id: 'getCurrentAuthorization',
  method: 'GET',
  path: '/users/me/current-authorization',
  tag: TAG,
  summary: 'Shows how the caller is known and with which scopes.',
  scopes: [],
  response: wrapped('authorization', object({ authUsed: text(), scope: list(text()) })),
  handler: async ({ caller }) => ({
    authorization: { authUsed: caller.authUsed, scope: [...caller.scopes].sort() },
  }),
});

export const USER_OPERATIONS: readonly StoreOperation[] = [getMe, getCurrentAuthorization];

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
    const rows = await services.store.find('users', {
      where: {
        ...(organizationId !== undefined && { id: inOrganization }),
        ...(teamId !== undefined && { id: inTeam }),
        ...(name !== undefined && { nameKey: { containing: nameKey(name) } }),
        ...(email !== undefined && { email: { containing: email.toLowerCase() } }),
      },
      ...pageQuery(page, SORTS),
    });
    const last = rows.at(-1);
    return {
      users: rows.map((row) => administeredUserRecord(row, columns, services.settings)),
      pg: pageRecord(page, last && { ...last, userAdminsRoleId: last.usersAdminsRoleId }),
    };
  },
});

export const ADMIN_USER_OPERATIONS: readonly StoreOperation[] = [listUsers];

const ROLES_TAG = 'roles';

/** Source: https://developers.make.com/api-documentation (users, teams, enums) [doc], the type of the public client [src]. */
const ROLE_SCHEMA: Schema<Partial<ShownRole>> = named(
  'Role',
  object(
    {},
    {
      id: integer(),
      name: text(),
      identifier: text(),
      category: oneOf(['organization', 'team']),
      subsidiary: flag(),
      managementType: oneOf(['system_locked', 'admin_managed', 'custom_managed']),
      description: nullable(text()),
      permissions: list(text()),
    },
  ),
);

const ALL: readonly string[] = Object.keys(ROLE_SCHEMA['properties'] ?? {});

const COLUMNS: ColumnChoice = { all: ALL, default: ALL };

const listRoles: StoreOperation = defineOperation({
  id: 'listRoles',
  method: 'GET',
  path: '/users/roles',
  tag: ROLES_TAG,
  summary: 'Lists the roles of organizations and teams.',
  scopes: ['user:read'],
  optionalQuery: {
    category: oneOf(['organization', 'team']),
    excludeRole: list(integer()),
    roleId: id(),
    organizationId: id(),
    teamId: id(),
  },
  columns: COLUMNS,
  response: wrapped('usersRoles', list(ROLE_SCHEMA)),
  handler: async ({ query, columns }) => {
    const { category, excludeRole = [], roleId } = query;
    const roles = ROLES.filter(
      (role) =>
        (category === undefined || role.category === category) &&
        (roleId === undefined || role.id === roleId) &&
        !excludeRole.includes(role.id),
    );
    return { usersRoles: roles.map((role) => pickColumns({ ...role }, columns)) };
  },
});

const getRole: StoreOperation = defineOperation({
  id: 'getRole',
  method: 'GET',
  path: '/users/roles/{roleId}',
  tag: ROLES_TAG,
  summary: 'Shows a role.',
  scopes: ['user:read'],
  params: { roleId: id() },
  response: wrapped('usersRole', ROLE_SCHEMA),
  handler: async ({ params }) => {
    const role = roleById(params.roleId);
    if (!role) throw notFound('Role');
    return { usersRole: role };
  },
});

export const ROLE_OPERATIONS: readonly StoreOperation[] = [listRoles, getRole];

/** Input of `addUser`; other members have defaults. */
export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly usersAdminsRoleId: number | null;
}

/** Adds a user with default settings. */
export function addUser(
  writer: RestWriter,
  { name, email, usersAdminsRoleId }: NewUser,
  nowMs: number,
): Promise<UserRow> {
  return writer.insert('users', {
    name,
    nameKey: nameKey(name),
    email: email.toLowerCase(),
    language: 'en',
    timezoneId: DEFAULT_TIMEZONE_ID,
    localeId: 1,
    countryId: DEFAULT_COUNTRY_ID,
    features: { allow_apps: true },
    avatar: 'https://www.gravatar.com/avatar/00000000000000000000000000000000?d=mp',
    lastLogin: null,
    tfaStatus: null,
    usersAdminsRoleId,
    createdAt: nowMs,
    deleted: false,
  });
}

/** Europe/Prague and Czechia, the home of the platform. [inf] */
const DEFAULT_TIMEZONE_ID = 113;

const DEFAULT_COUNTRY_ID = 64;
