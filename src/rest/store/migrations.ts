import type { Migrations, SchemaChange } from '../../shared/store/migrate.js';
import type { ColumnType, TableShape } from '../../shared/store/table.js';
import { type ColumnRow, columnType, ROWS, type TableRows } from './rows.js';

/** Columns as text: `name text, lastLogin whole?`. */
function columns(text: string): TableShape['columns'] {
  return Object.fromEntries(text.split(/,\s*/).map((column) => column.split(' ') as [string, ColumnType]));
}

/** The tables of the first version. Never edit them: `ROWS` describes the present version. */
const FIRST_TABLES: Readonly<Record<string, TableShape>> = {
  users: {
    columns: columns(`name text, nameKey text, email text, language text, timezoneId whole, localeId whole,
      countryId whole, features json, avatar text, lastLogin whole?, tfaStatus whole?, usersAdminsRoleId whole?,
      createdAt whole, deleted flag`),
    unique: [['email']],
  },
  tokens: {
    columns: columns('userId whole, hash text, hint text, scopes json, label text, createdAt whole'),
    unique: [['hash'], ['userId', 'createdAt']],
  },
  organizations: {
    columns: columns(`name text, nameKey text, externalId text?, zone text, serviceName text, regionId whole,
      countryId whole, timezoneId whole, createdAt whole, syncedAt whole, lastReset whole, nextReset whole,
      resetAnchorAt whole?, license json, productName text, ssoType text?, tfaEnforced flag,
      userSessionTimeout whole, featureControls json, hasAdminVisibility flag, operations whole, transfer whole,
      centicredits whole`),
    indexes: [['externalId'], ['nameKey']],
  },
  memberships: {
    columns: columns('userId whole, organizationId whole, usersRoleId whole, invitation text?'),
    unique: [['organizationId', 'userId']],
    indexes: [['userId']],
  },
  invitations: {
    columns:
      columns(`hash text, organizationId whole, userId whole, usersRoleId whole, teamIds json, note text,
      invitedBy whole?, createdAt whole, expiresAt whole, acceptedAt whole?`),
    unique: [['hash']],
    indexes: [['organizationId'], ['userId']],
  },
  teams: {
    columns:
      columns(`organizationId whole, name text, nameKey text, type text, ownerId whole?, externalId text?,
      globalAgentsEnabled flag, operationsLimit whole?, transferLimit whole?, consumedOperations whole,
      consumedTransfer whole, consumedCenticredits whole, isPaused flag, createdAt whole`),
    indexes: [['organizationId']],
  },
  teamMembers: {
    columns: columns('teamId whole, userId whole, usersRoleId whole'),
    unique: [['teamId', 'userId']],
    indexes: [['userId']],
  },
  scenarios: {
    columns: columns('organizationId whole, teamId whole, name text, active flag'),
    indexes: [['organizationId'], ['teamId']],
  },
  installedApps: {
    columns: columns(
      'organizationId whole, appName text, appVersion whole, installedAt whole, installedBy whole',
    ),
    unique: [['organizationId', 'appName', 'appVersion']],
  },
  apps: { columns: columns('name text, label text, version whole, premiumTier whole'), unique: [['name']] },
  subscriptions: {
    columns: columns(`organizationId whole, status text, priceId whole, productId whole, productName text,
      amount decimal, currencyCode text, period text, selfService flag, coupon json?, customer json?,
      anchorAt whole, periodIndex whole, periodStartsAt whole, periodEndsAt whole, pauseStartsAt whole?,
      pauseEndsAt whole?`),
    indexes: [['organizationId']],
  },
  payments: {
    columns: columns(`organizationId whole, subscriptionId whole, paymentId text, createdAt whole,
      periodFrom whole, periodTo whole, amountTotal decimal, record json`),
    unique: [['subscriptionId', 'periodFrom']],
    indexes: [['organizationId']],
  },
  keys: {
    columns: columns(`organizationId whole, teamId whole, name text, nameKey text, typeName text,
      packageName text?, theme text, visibility text, authorId whole?, parameters text, createdAt whole`),
    indexes: [['organizationId'], ['teamId']],
  },
  keyAdmins: { columns: columns('keyId whole, userId whole'), unique: [['keyId', 'userId']] },
  settings: { columns: columns('name text, value text'), unique: [['name']] },
  sdkApps: {
    columns: columns('name text, version whole, userId whole, record json'),
    unique: [['name', 'version']],
    indexes: [['userId']],
  },
  sdkParts: {
    columns: columns('appId whole, kind text, scopeId whole, name text, record json'),
    unique: [['kind', 'scopeId', 'name']],
    indexes: [['appId']],
  },
  sdkTexts: {
    columns: columns('appId whole, partId whole, section text, text text?, pending text?'),
    unique: [['appId', 'partId', 'section']],
  },
};

/** The migrations of the tables: the first version, then the columns of `rows` by the step in `since`. */
export function createRestMigrations(rows: Readonly<Record<string, TableRows>> = ROWS): Migrations {
  const steps: Record<string, (schema: SchemaChange) => Promise<void>> = {
    '001-tables': async (schema) => {
      await schema.addTables(FIRST_TABLES);
      await schema.addWindowTable('windows');
    },
  };
  for (const [table, definition] of Object.entries(rows)) {
    for (const [column, row] of Object.entries(definition.columns)) {
      if (row.since === undefined) continue;
      const before = steps[row.since];
      steps[row.since] = async (schema) => {
        await before?.(schema);
        await schema.addColumn(table, column, columnType(row), initialText(row));
      };
    }
  }
  return { owner: 'rest', steps };
}

/** The value of a new column in existing rows, as the database stores it. Undefined for null. */
function initialText({ is, starts }: ColumnRow): string | number | undefined {
  if (starts === null || starts === undefined) return undefined;
  if (typeof is === 'string' && is.startsWith('json')) return JSON.stringify(starts);
  return typeof starts === 'string' ? starts : Number(starts);
}
