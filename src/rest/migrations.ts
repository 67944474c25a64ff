import type { ColumnDataType, Kysely } from 'kysely';
import type { Migration } from '../store/migrate.js';
import { type SqlDatabase, type SqlTables, sqlName } from '../store/sql-database.js';

export const REST_TABLE_PREFIX = 'rest_';

/** `text`, `whole` (64 bit), `flag` (0 or 1), `decimal`, `json` (text); `?` marks columns that may be null. */
type ColumnKind = 'text' | 'whole' | 'flag' | 'decimal' | 'json';
type Columns = Readonly<Record<string, ColumnKind | `${ColumnKind}?`>>;

interface TableStep {
  readonly columns: Columns;
  readonly unique?: readonly (readonly string[])[];
  readonly indexes?: readonly string[];
}

/** The tables as the first step made them. A later change is a step of its own. */
const TABLES_1: Readonly<Record<string, TableStep>> = {
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
    indexes: ['externalId', 'nameKey'],
  },
  memberships: {
    columns: { userId: 'whole', organizationId: 'whole', usersRoleId: 'whole', invitation: 'text?' },
    unique: [['organizationId', 'userId']],
    indexes: ['userId'],
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
    indexes: ['organizationId', 'userId'],
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
    indexes: ['organizationId'],
  },
  teamMembers: {
    columns: { teamId: 'whole', userId: 'whole', usersRoleId: 'whole' },
    unique: [['teamId', 'userId']],
    indexes: ['userId'],
  },
  scenarios: {
    columns: { organizationId: 'whole', teamId: 'whole', name: 'text', active: 'flag' },
    indexes: ['organizationId', 'teamId'],
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
    indexes: ['organizationId'],
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
    indexes: ['organizationId', 'teamId'],
  },
  keyAdmins: { columns: { keyId: 'whole', userId: 'whole' }, unique: [['keyId', 'userId']] },
  settings: { columns: { name: 'text', value: 'text' }, unique: [['name']] },
};

type Db = Kysely<SqlTables>;
type Kind = SqlDatabase['kind'];

/** The history of the tables behind the REST API. */
export const REST_MIGRATIONS: readonly Migration[] = [
  {
    name: 'rest/001-tables',
    up: async (db, kind) => {
      for (const [name, step] of Object.entries(TABLES_1)) await createTable(db, kind, name, step);
      const { sql } = await import('kysely');
      const windows = db.schema.createTable(`${REST_TABLE_PREFIX}windows`);
      // Counts of a minute need not survive a crash, and every call of an organization writes one.
      await (kind === 'postgres' ? windows.modifyFront(sql`unlogged`) : windows)
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('started_at', 'bigint', (column) => column.notNull())
        .addColumn('count', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
];

async function createTable(db: Db, kind: Kind, name: string, step: TableStep): Promise<void> {
  const { sql } = await import('kysely');
  const table = REST_TABLE_PREFIX + sqlName(name);
  // Text is ordered by code point in both; databases with a language of their own would order it otherwise.
  const types: Record<ColumnKind, ColumnDataType | ReturnType<typeof sql>> = {
    text: kind === 'postgres' ? sql`text collate "C"` : 'text',
    json: 'text',
    whole: 'bigint',
    flag: 'integer',
    decimal: 'double precision',
  };
  let builder = db.schema
    .createTable(table)
    .addColumn('id', kind === 'sqlite' ? 'integer' : 'bigint', (column) =>
      kind === 'sqlite'
        ? column.primaryKey().autoIncrement()
        : column.primaryKey().generatedByDefaultAsIdentity(),
    );
  for (const [column, declared] of Object.entries(step.columns)) {
    const optional = declared.endsWith('?');
    const type = types[declared.replace('?', '') as ColumnKind];
    builder = builder.addColumn(sqlName(column), type, (it) => (optional ? it : it.notNull()));
  }
  await builder.execute();
  const indexes = [
    ...(step.unique ?? []).map((columns) => ({ columns, unique: true })),
    ...(step.indexes ?? []).map((column) => ({ columns: [column], unique: false })),
  ];
  for (const { columns, unique } of indexes) {
    const names = columns.map(sqlName);
    const index = db.schema
      .createIndex(`${table}_${names.join('_')}`)
      .on(table)
      .columns(names);
    await (unique ? index.unique() : index).execute();
  }
}
