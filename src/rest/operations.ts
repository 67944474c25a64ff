import { PAYMENT_OPERATIONS } from './billing/payments.js';
import { SUBSCRIPTION_OPERATIONS } from './billing/subscription.js';
import type { RestOperation } from './call/operation.js';
import { KEY_OPERATIONS } from './organizations/keys.js';
import { ADMIN_ORGANIZATION_OPERATIONS, ORGANIZATION_OPERATIONS } from './organizations/organizations.js';
import { PRIVATE_SPACE_OPERATIONS } from './organizations/private-spaces.js';
import { TEAM_OPERATIONS } from './organizations/teams.js';
import { ADMIN_APP_OPERATIONS, INSTALLED_APP_OPERATIONS } from './platform/apps.js';
import { ENUM_OPERATIONS } from './platform/enums.js';
import { OIDC_OPERATIONS } from './platform/oidc.js';
import { SDK_OPERATIONS } from './sdk/sdk-apps.js';
import { defineOperation, type StoreOperation } from './services/store-operation.js';
import { API_TOKEN_OPERATIONS } from './users/api-tokens.js';
import { INVITATION_OPERATIONS } from './users/invitations.js';
import { ADMIN_USER_OPERATIONS, ROLE_OPERATIONS, USER_OPERATIONS } from './users/users.js';

const ping: StoreOperation = defineOperation({
  id: 'ping',
  method: 'GET',
  path: '/ping',
  tag: 'ping',
  summary: 'Answers.',
  scopes: [],
  authentication: 'none',
  response: 'text',
  // Load balancers send requests here, so an instance without its database responds with 503.
  handler: async ({ services }) => {
    await services.store.count('settings');
    return 'pong';
  },
});

/** All operations with their implementations in the store backend. */
export const STORE_OPERATIONS: readonly StoreOperation[] = [
  ...ORGANIZATION_OPERATIONS,
  ...INVITATION_OPERATIONS,
  ...INSTALLED_APP_OPERATIONS,
  ...PAYMENT_OPERATIONS,
  ...SUBSCRIPTION_OPERATIONS,
  ...KEY_OPERATIONS,
  ...OIDC_OPERATIONS,
  ...ADMIN_ORGANIZATION_OPERATIONS,
  ...ADMIN_USER_OPERATIONS,
  ...ADMIN_APP_OPERATIONS,
  ...USER_OPERATIONS,
  ...API_TOKEN_OPERATIONS,
  ...ROLE_OPERATIONS,
  ...TEAM_OPERATIONS,
  ...PRIVATE_SPACE_OPERATIONS,
  ...ENUM_OPERATIONS,
  ...SDK_OPERATIONS,
  ping,
];

/** Every operation of the API. Routes, checks and the OpenAPI document follow from this table. */
export const OPERATIONS: readonly RestOperation[] = STORE_OPERATIONS.map(
  ({ handle, ...operation }) => operation,
);
