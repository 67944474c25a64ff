import type { RestOperation } from './call/operation.js';
import { API_TOKEN_OPERATIONS } from './resources/api-tokens.js';
import { ADMIN_APP_OPERATIONS, INSTALLED_APP_OPERATIONS } from './resources/apps.js';
import { ENUM_OPERATIONS } from './resources/enums.js';
import { INVITATION_OPERATIONS } from './resources/invitations.js';
import { KEY_OPERATIONS } from './resources/keys.js';
import { OIDC_OPERATIONS } from './resources/oidc.js';
import { ADMIN_ORGANIZATION_OPERATIONS, ORGANIZATION_OPERATIONS } from './resources/organizations.js';
import { PAYMENT_OPERATIONS } from './resources/payments.js';
import { PRIVATE_SPACE_OPERATIONS } from './resources/private-spaces.js';
import { SDK_APP_OPERATIONS } from './resources/sdk-apps.js';
import { SDK_COMPONENT_OPERATIONS } from './resources/sdk-components.js';
import { SUBSCRIPTION_OPERATIONS } from './resources/subscription.js';
import { TEAM_OPERATIONS } from './resources/teams.js';
import { ADMIN_USER_OPERATIONS, ROLE_OPERATIONS, USER_OPERATIONS } from './resources/users.js';
import { defineOperation, type StoreOperation } from './services/store-operation.js';

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
  ...SDK_APP_OPERATIONS,
  ...SDK_COMPONENT_OPERATIONS,
  ping,
];

/** Every operation of the API. Routes, checks and the OpenAPI document follow from this table. */
export const OPERATIONS: readonly RestOperation[] = STORE_OPERATIONS.map(
  ({ handle, ...operation }) => operation,
);
