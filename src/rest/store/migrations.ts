import { createTable, createWindowTable, type TableColumns } from '../../shared/store/sql/create-table.js';
import type { Migration } from '../../shared/store/sql/migrate.js';
import { sqlName } from '../../shared/store/sql-database.js';

export const REST_TABLE_PREFIX = 'rest_';

/** The tables of the first migration. Later changes are migrations of their own. */
const TABLES_1: Readonly<Record<string, TableColumns>> = {
  users: {
    columns: {
      name: 'text',
      nameKey: 'text',
      email: 'text',
      language: 'text',
      timezoneId: 'whole',
      localeId: 'whole',
      countryId: 'whole',
      features: 'json',
      avatar: 'text',
      lastLogin: 'whole?',
      tfaStatus: 'whole?',
      usersAdminsRoleId: 'whole?',
      createdAt: 'whole',
      deleted: 'flag',
    },
    unique: [['email']],
  },
  tokens: {
    columns: {
      userId: 'whole',
      hash: 'text',
      hint: 'text',
      scopes: 'json',
      label: 'text',
      createdAt: 'whole',
    },
    unique: [['hash'], ['userId', 'createdAt']],
  },
  organizations: {
    columns: {
      name: 'text',
      nameKey: 'text',
      externalId: 'text?',
      zone: 'text',
      serviceName: 'text',
      regionId: 'whole',
      countryId: 'whole',
      timezoneId: 'whole',
      createdAt: 'whole',
      syncedAt: 'whole',
      lastReset: 'whole',
      nextReset: 'whole',
      license: 'json',
      productName: 'text',
      ssoType: 'text?',
      tfaEnforced: 'flag',
      userSessionTimeout: 'whole',
      featureControls: 'json',
      hasAdminVisibility: 'flag',
      operations: 'whole',
      transfer: 'whole',
      centicredits: 'whole',
    },
    indexes: [['externalId'], ['nameKey']],
  },
  memberships: {
    columns: { userId: 'whole', organizationId: 'whole', usersRoleId: 'whole', invitation: 'text?' },
    unique: [['organizationId', 'userId']],
    indexes: [['userId']],
  },
  invitations: {
    columns: {
      hash: 'text',
      organizationId: 'whole',
      userId: 'whole',
      usersRoleId: 'whole',
      teamIds: 'json',
      note: 'text',
      createdAt: 'whole',
      expiresAt: 'whole',
      acceptedAt: 'whole?',
    },
    unique: [['hash']],
    indexes: [['organizationId'], ['userId']],
  },
  teams: {
    columns: {
      organizationId: 'whole',
      name: 'text',
      nameKey: 'text',
      type: 'text',
      ownerId: 'whole?',
      externalId: 'text?',
      globalAgentsEnabled: 'flag',
      operationsLimit: 'whole?',
      transferLimit: 'whole?',
      consumedOperations: 'whole',
      consumedTransfer: 'whole',
      consumedCenticredits: 'whole',
      isPaused: 'flag',
      createdAt: 'whole',
    },
    indexes: [['organizationId']],
  },
  teamMembers: {
    columns: { teamId: 'whole', userId: 'whole', usersRoleId: 'whole' },
    unique: [['teamId', 'userId']],
    indexes: [['userId']],
  },
  scenarios: {
    columns: { organizationId: 'whole', teamId: 'whole', name: 'text', active: 'flag' },
    indexes: [['organizationId'], ['teamId']],
  },
  installedApps: {
    columns: {
      organizationId: 'whole',
      appName: 'text',
      appVersion: 'whole',
      installedAt: 'whole',
      installedBy: 'whole',
    },
    unique: [['organizationId', 'appName', 'appVersion']],
  },
  apps: {
    columns: { name: 'text', label: 'text', version: 'whole', premiumTier: 'whole' },
    unique: [['name']],
  },
  subscriptions: {
    columns: {
      organizationId: 'whole',
      status: 'text',
      priceId: 'whole',
      productId: 'whole',
      productName: 'text',
      amount: 'decimal',
      currencyCode: 'text',
      period: 'text',
      selfService: 'flag',
      coupon: 'json?',
      customer: 'json?',
      anchorAt: 'whole',
      periodIndex: 'whole',
      periodStartsAt: 'whole',
      periodEndsAt: 'whole',
      pauseStartsAt: 'whole?',
      pauseEndsAt: 'whole?',
    },
    unique: [['organizationId']],
  },
  payments: {
    columns: {
      organizationId: 'whole',
      subscriptionId: 'whole',
      paymentId: 'text',
      createdAt: 'whole',
      periodFrom: 'whole',
      periodTo: 'whole',
      amountTotal: 'decimal',
      record: 'json',
    },
    unique: [['subscriptionId', 'periodFrom']],
    indexes: [['organizationId']],
  },
  keys: {
    columns: {
      organizationId: 'whole',
      teamId: 'whole',
      name: 'text',
      nameKey: 'text',
      typeName: 'text',
      packageName: 'text?',
      theme: 'text',
      visibility: 'text',
      authorId: 'whole?',
      parameters: 'text',
      createdAt: 'whole',
    },
    indexes: [['organizationId'], ['teamId']],
  },
  keyAdmins: { columns: { keyId: 'whole', userId: 'whole' }, unique: [['keyId', 'userId']] },
  settings: { columns: { name: 'text', value: 'text' }, unique: [['name']] },
};

/** Custom apps in development. */
const TABLES_3: Readonly<Record<string, TableColumns>> = {
  sdkApps: {
    columns: { name: 'text', version: 'whole', userId: 'whole', record: 'json' },
    unique: [['name', 'version']],
    indexes: [['userId']],
  },
  sdkParts: {
    columns: { appId: 'whole', kind: 'text', scopeId: 'whole', name: 'text', record: 'json' },
    unique: [['kind', 'scopeId', 'name']],
    indexes: [['appId']],
  },
  sdkTexts: {
    columns: { appId: 'whole', partId: 'whole', section: 'text', text: 'text?', pending: 'text?' },
    unique: [['appId', 'partId', 'section']],
  },
};

/** The migrations of the tables of the REST API. */
export const REST_MIGRATIONS: readonly Migration[] = [
  {
    name: 'rest/001-tables',
    up: async (db, kind) => {
      for (const [name, columns] of Object.entries(TABLES_1)) {
        await createTable(db, kind, REST_TABLE_PREFIX + sqlName(name), columns);
      }
      // Counters of a minute need not survive a crash, and every call of an organization writes one.
      await createWindowTable(db, kind, `${REST_TABLE_PREFIX}windows`, { unlogged: true });
    },
  },
  {
    name: 'rest/002-inviters-anchors-checkouts',
    up: async ({ schema }) => {
      await schema.alterTable('rest_invitations').addColumn('invited_by', 'bigint').execute();
      await schema.alterTable('rest_organizations').addColumn('reset_anchor_at', 'bigint').execute();
      // Several checkouts may be pending; the paid one becomes the subscription.
      await schema.dropIndex('rest_subscriptions_organization_id').execute();
      await schema
        .createIndex('rest_subscriptions_organization_id')
        .on('rest_subscriptions')
        .column('organization_id')
        .execute();
    },
  },
  {
    name: 'rest/003-custom-apps',
    up: async (db, kind) => {
      for (const [name, columns] of Object.entries(TABLES_3)) {
        await createTable(db, kind, REST_TABLE_PREFIX + sqlName(name), columns);
      }
    },
  },
];
