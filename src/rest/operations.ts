import { ADMIN_APP_OPERATIONS } from './admin-apps.js';
import { ADMIN_ORGANIZATION_OPERATIONS } from './admin-organizations.js';
import { ADMIN_USER_OPERATIONS } from './admin-users.js';
import { API_TOKEN_OPERATIONS } from './api-tokens.js';
import { ENUM_OPERATIONS } from './enums.js';
import { INSTALLED_APP_OPERATIONS } from './installed-apps.js';
import { INVITATION_OPERATIONS } from './invitations.js';
import { KEY_OPERATIONS } from './keys.js';
import { OIDC_OPERATIONS } from './oidc.js';
import { defineOperation, type Operation } from './operation.js';
import { ORGANIZATION_OPERATIONS } from './organizations.js';
import { PAYMENT_OPERATIONS } from './payments.js';
import { PRIVATE_SPACE_OPERATIONS } from './private-spaces.js';
import { SUBSCRIPTION_OPERATIONS } from './subscription.js';
import { TEAM_OPERATIONS } from './teams.js';
import { ROLE_OPERATIONS } from './user-roles.js';
import { USER_OPERATIONS } from './users.js';

const ping: Operation = defineOperation({
  id: 'ping',
  method: 'GET',
  path: '/ping',
  tag: 'ping',
  summary: 'Answers.',
  scopes: [],
  authentication: 'none',
  response: 'text',
  handler: async () => 'pong',
});

/** Every operation of the API: routes, checks and the OpenAPI document all come from this table. */
export const OPERATIONS: readonly Operation[] = [
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
  ping,
];
