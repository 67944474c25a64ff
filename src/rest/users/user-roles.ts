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
import { pickColumns } from '../call/columns.js';
import { id, wrapped } from '../call/fields.js';
import type { ColumnChoice } from '../call/operation.js';
import { ROLES, roleById } from '../call/roles.js';
import { notFound } from '../problems.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';

const TAG = 'roles';

/** Source: https://developers.make.com/api-documentation (users, teams, enums) [doc], the type of the public client [src]. */
const ROLE_SCHEMA: Schema<unknown> = named(
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
  tag: TAG,
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
  tag: TAG,
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
