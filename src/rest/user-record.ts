import {
  dateTime,
  flag,
  freeForm,
  integer,
  list,
  named,
  nullable,
  object,
  oneOf,
  type Schema,
  text,
} from '../schema/build.js';
import type { PlainObject } from '../util/plain-object.js';
import type { ColumnChoice } from './operation.js';
import { organizationRoleRecord } from './organizations.js';
import { PRIVATE_SPACE_MEMBERS, privateSpaceRecord } from './private-space-record.js';
import type { RestReader, UserRow } from './tables.js';
import { TIMEZONES } from './timezones.js';

/** Source: specification/000 (Invitation detail and accept-invitation records) [seed], reference/rest-api.md section 6 [doc]. */
export const USER_SCHEMA: Schema<unknown> = named(
  'User',
  object(
    {},
    {
      id: integer(),
      name: text(),
      email: text({ format: 'email' }),
      language: text(),
      timezoneId: integer(),
      localeId: integer(),
      countryId: integer(),
      features: freeForm(),
      avatar: text({ format: 'uri' }),
      lastLogin: nullable(dateTime()),
      timezone: text(),
      locale: text(),
      tfaStatus: nullable(oneOf([0, 1, 2])),
      supportEligible: flag(),
      userTeamIds: nullable(list(integer())),
      privateSpace: nullable(object({}, PRIVATE_SPACE_MEMBERS)),
      emailNotifications: list(integer()),
      usersAdminsRoleId: nullable(integer()),
      userOrganizationRoles: list(freeForm()),
      userTeamRoles: list(freeForm()),
      hasPassword: flag(),
      tfaEnabled: flag(),
      deleted: flag(),
      created: dateTime(),
    },
  ),
);

const ALL: readonly string[] = Object.keys(USER_SCHEMA['properties'] ?? {});

/** What `users/me` shows unless columns are asked for. [doc] */
export const USER_COLUMNS: ColumnChoice = {
  all: ALL,
  default: [
    'id',
    'name',
    'email',
    'language',
    'timezoneId',
    'localeId',
    'countryId',
    'features',
    'avatar',
    'lastLogin',
    'timezone',
    'locale',
  ],
};

/** What an invitation shows: the rest comes with `cols[]`. [seed] */
export const INVITED_USER_COLUMNS: ColumnChoice = {
  all: ALL,
  default: [
    'id',
    'name',
    'email',
    'language',
    'timezoneId',
    'localeId',
    'countryId',
    'features',
    'avatar',
    'lastLogin',
    'tfaStatus',
    'supportEligible',
  ],
};

/** Source: specification/000 (supportEligible: free plan, account older than 90 days). [seed] */
const FREE_PRODUCT = 'Free';
const SUPPORT_DAYS_MS = 90 * 24 * 60 * 60 * 1000;
const LOCALES: ReadonlyMap<number, string> = new Map([
  [1, 'en_US'],
  [2, 'en_GB'],
  [3, 'cs_CZ'],
]);

function localeCode(localeId: number): string {
  return LOCALES.get(localeId) ?? 'en_US';
}

export interface UserRecordOptions {
  readonly columns: readonly string[];
  /** The organization teams and private space are asked for. */
  readonly organizationId: number | undefined;
  readonly nowMs: number;
}

/** A user with the members the columns ask for and perhaps more; see `pickColumns`. */
export async function userRecord(
  reader: RestReader,
  user: UserRow,
  options: UserRecordOptions,
): Promise<PlainObject> {
  const { columns, organizationId } = options;
  const record: PlainObject = {
    id: user.id,
    name: user.name,
    email: user.email,
    language: user.language,
    timezoneId: user.timezoneId,
    localeId: user.localeId,
    countryId: user.countryId,
    features: user.features,
    avatar: user.avatar,
    lastLogin: user.lastLogin === null ? null : new Date(user.lastLogin).toISOString(),
    timezone: TIMEZONES.find((zone) => zone.id === user.timezoneId)?.code ?? 'UTC',
    locale: localeCode(user.localeId),
    tfaStatus: user.tfaStatus,
    tfaEnabled: user.tfaStatus !== null && user.tfaStatus > 0,
    hasPassword: true,
    emailNotifications: [],
    usersAdminsRoleId: user.usersAdminsRoleId,
    deleted: user.deleted,
    created: new Date(user.createdAt).toISOString(),
  };
  for (const column of columns) {
    const read = Object.hasOwn(LATE_COLUMNS, column) ? LATE_COLUMNS[column] : undefined;
    if (read) record[column] = await read(reader, user, { ...options, organizationId });
  }
  return record;
}

type LateColumn = (reader: RestReader, user: UserRow, options: UserRecordOptions) => Promise<unknown>;

/** Columns that cost a query of their own. */
const LATE_COLUMNS: Readonly<Record<string, LateColumn>> = {
  supportEligible: isSupportEligible,
  userTeamIds: async (reader, user, { organizationId }) => {
    if (organizationId === undefined) return null;
    const inside = { within: 'teams', column: 'id', where: { organizationId } };
    const rows = await reader.find('teamMembers', {
      where: { userId: user.id, teamId: inside },
      sortBy: 'teamId',
    });
    return rows.map((row) => row.teamId);
  },
  privateSpace: async (reader, user, { organizationId }) => {
    if (organizationId === undefined) return null;
    const space = await reader.get('teams', { organizationId, type: 'personal', ownerId: user.id });
    return space ? privateSpaceRecord(space) : null;
  },
  userOrganizationRoles: async (reader, user) => {
    const rows = await reader.find('memberships', { where: { userId: user.id }, sortBy: 'organizationId' });
    return rows.map(organizationRoleRecord);
  },
  userTeamRoles: async (reader, user) => {
    const rows = await reader.find('teamMembers', { where: { userId: user.id }, sortBy: 'teamId' });
    return rows.map(({ userId, teamId, usersRoleId }) => ({ userId, teamId, usersRoleId, changeable: true }));
  },
};

/** False when all of the user's organizations are on the free plan and the account is older than 90 days. [seed] */
async function isSupportEligible(
  reader: RestReader,
  user: UserRow,
  { nowMs }: UserRecordOptions,
): Promise<boolean> {
  if (nowMs - user.createdAt <= SUPPORT_DAYS_MS) return true;
  const rows = await reader.find('organizations', {
    where: { id: { within: 'memberships', column: 'organizationId', where: { userId: user.id } } },
  });
  return rows.some((row) => row.productName !== FREE_PRODUCT);
}
