import type { PlainObject } from '../../shared/plain-object.js';
import {
  dateTime,
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
import { type ColumnChoice, pickColumns } from '../call/lists.js';
import { LOCALES, timezoneCode } from '../services/reference-data.js';
import type { RestServices } from '../services/services.js';
import { readAllRows } from '../store/read-rows.js';
import type { UserRow } from '../store/tables.js';
import { ORGANIZATION_ROLE_SCHEMA, organizationRoleRecord } from './organization-record.js';
import { OWN_SPACE_SCHEMA, ownSpaceRecord } from './private-spaces.js';

const TEAM_ROLE_SCHEMA: Schema<unknown> = object({
  usersRoleId: integer(),
  userId: integer(),
  teamId: integer(),
  changeable: flag(),
});

/** Source: https://developers.make.com/api-documentation (Invitation detail and accept-invitation records) [seed], https://developers.make.com/api-documentation (users, teams, enums) [doc]. */
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
      features: object({}, { allow_apps: flag() }),
      avatar: text({ format: 'uri' }),
      lastLogin: dateTime(),
      lastlogin: dateTime(),
      timezone: text(),
      locale: text(),
      tfaStatus: nullable(oneOf([0, 1, 2])),
      supportEligible: flag(),
      userTeamIds: nullable(list(integer())),
      privateSpace: nullable(OWN_SPACE_SCHEMA),
      emailNotifications: list(integer()),
      usersAdminsRoleId: nullable(integer()),
      userOrganizationRoles: list(ORGANIZATION_ROLE_SCHEMA),
      userTeamRoles: list(TEAM_ROLE_SCHEMA),
      hasPassword: flag(),
      tfaEnabled: flag(),
      deleted: flag(),
      created: dateTime(),
    },
  ),
);

/** Columns of every response with a user. [seed] */
const PERSON = [
  'id',
  'name',
  'email',
  'language',
  'timezoneId',
  'localeId',
  'countryId',
  'features',
  'avatar',
] as const;

/** Default columns of `users/me`. [doc] */
export const USER_COLUMNS: ColumnChoice = {
  all: Object.keys(USER_SCHEMA['properties'] ?? {}).filter((column) => column !== 'lastlogin'),
  default: [...PERSON, 'lastLogin', 'timezone', 'locale'],
};

const INVITED = [...PERSON, 'lastLogin', 'tfaStatus', 'supportEligible'];

/** Default columns of an invitation; `cols[]` adds teams and private space. [seed] */
export const INVITED_USER_COLUMNS: ColumnChoice = {
  all: [...INVITED, 'userTeamIds', 'privateSpace'],
  default: INVITED,
};

const ADMINISTERED = [...PERSON, 'usersAdminsRoleId', 'lastlogin', 'deleted', 'created', 'tfaStatus'];

/**
 * Columns for administrators of the instance. Source: https://developers.make.com/white-label-documentation (admin
 * API reference). [doc]
 */
export const ADMINISTERED_USER_COLUMNS: ColumnChoice = { all: ADMINISTERED, default: ADMINISTERED };

/** Source: https://developers.make.com/api-documentation (supportEligible: free plan, account older than 90 days). [seed] */
const FREE_PRODUCT = 'Free';
const SUPPORT_DAYS_MS = 90 * 24 * 60 * 60 * 1000;

export interface UserRecordOptions {
  readonly columns: readonly string[];
  /** The organization of the requested teams and private space. */
  readonly organizationId?: number | undefined;
  readonly nowMs: number;
}

type Services = Pick<RestServices, 'store' | 'settings'>;

/** The requested columns of a user. */
export async function userRecord(
  services: Services,
  user: UserRow,
  options: UserRecordOptions,
): Promise<PlainObject> {
  const { columns } = options;
  const record = ownMembers(user, services.settings.publicCloud);
  for (const column of columns) {
    const read = Object.hasOwn(READ_COLUMNS, column) ? READ_COLUMNS[column] : undefined;
    if (read) record[column] = await read(services, user, options);
  }
  return pickColumns(record, columns);
}

/** Users as administrators of the instance see them. Reads no other table. */
export function administeredUserRecord(
  user: UserRow,
  columns: readonly string[],
  { publicCloud }: Pick<RestServices['settings'], 'publicCloud'>,
): PlainObject {
  return pickColumns(ownMembers(user, publicCloud), columns);
}

/** Members that derive from the row of a user. */
function ownMembers(user: UserRow, publicCloud: boolean): PlainObject {
  // Omitted for users who never logged in; never null. [inf]
  const lastLogin = user.lastLogin === null ? undefined : new Date(user.lastLogin).toISOString();
  // Only supported on the public cloud. [seed]
  const tfaStatus = publicCloud ? user.tfaStatus : null;
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    language: user.language,
    timezoneId: user.timezoneId,
    localeId: user.localeId,
    countryId: user.countryId,
    features: user.features,
    avatar: user.avatar,
    lastLogin,
    lastlogin: lastLogin,
    timezone: timezoneCode(user.timezoneId),
    locale: LOCALES.find((locale) => locale.id === user.localeId)?.code ?? 'en_US',
    tfaStatus,
    tfaEnabled: tfaStatus !== null && tfaStatus > 0,
    hasPassword: true,
    emailNotifications: [],
    usersAdminsRoleId: user.usersAdminsRoleId,
    deleted: user.deleted,
    created: new Date(user.createdAt).toISOString(),
  };
}

type ReadColumn = (services: Services, user: UserRow, options: UserRecordOptions) => Promise<unknown>;

/** Columns that need a query; undefined ones are omitted. */
const READ_COLUMNS: Readonly<Record<string, ReadColumn>> = {
  supportEligible: isSupportEligible,
  userTeamIds: readTeamIds,
  privateSpace: readPrivateSpace,
  userOrganizationRoles: async ({ store }, user) => {
    const rows = await readAllRows(store, 'memberships', {
      columns: ['userId', 'organizationId', 'usersRoleId', 'invitation'],
      where: { userId: user.id },
      sortBy: 'organizationId',
    });
    return rows.map(organizationRoleRecord);
  },
  userTeamRoles: async ({ store }, user) => {
    const rows = await readAllRows(store, 'teamMembers', {
      columns: ['userId', 'teamId', 'usersRoleId'],
      where: { userId: user.id },
      sortBy: 'teamId',
    });
    return rows.map(({ userId, teamId, usersRoleId }) => ({ usersRoleId, userId, teamId, changeable: true }));
  },
};

/** Null for users outside the organization [inf]; absent without an organization [seed]. */
async function readTeamIds(
  { store }: Services,
  user: UserRow,
  { organizationId }: UserRecordOptions,
): Promise<readonly number[] | null | undefined> {
  if (organizationId === undefined) return undefined;
  if (!(await store.get('memberships', { organizationId, userId: user.id }))) return null;
  const teamId = { within: 'teams', column: 'id', where: { organizationId } };
  const where = { userId: user.id, teamId };
  const rows = await readAllRows(store, 'teamMembers', { columns: ['teamId'], where, sortBy: 'teamId' });
  return rows.map((row) => row.teamId);
}

/** Null for users without one and on white-label instances; absent without an organization. [seed] */
async function readPrivateSpace(
  { store, settings }: Services,
  user: UserRow,
  { organizationId }: UserRecordOptions,
): Promise<PlainObject | null | undefined> {
  if (organizationId === undefined) return undefined;
  if (!settings.publicCloud) return null;
  const space = await store.get('teams', { organizationId, type: 'personal', ownerId: user.id });
  return space ? ownSpaceRecord(space) : null;
}

/** False if all of the user's organizations are on the free plan and the account is older than 90 days. [seed] */
async function isSupportEligible(
  { store }: Services,
  user: UserRow,
  { nowMs }: UserRecordOptions,
): Promise<boolean> {
  if (nowMs - user.createdAt <= SUPPORT_DAYS_MS) return true;
  const mine = { within: 'memberships', column: 'organizationId', where: { userId: user.id } };
  const organizations = await store.find('organizations', { where: { id: mine }, columns: ['productName'] });
  return organizations.some(({ productName }) => productName !== FREE_PRODUCT);
}
