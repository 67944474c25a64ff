import { flag, list, object, text } from '../../shared/schema/build.js';
import { id, wrapped } from '../call/fields.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { USER_COLUMNS, USER_SCHEMA, userRecord } from './user-record.js';

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
