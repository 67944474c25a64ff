import {
  dateTime,
  flag,
  integer,
  list,
  nullable,
  object,
  oneOf,
  type Schema,
  text,
} from '../../shared/schema/build.js';
import type { OwnPrivateSpace, User, UserOrganizationRole, UserTeamRole } from '../call/answers.js';
import type { ColumnChoice } from '../call/lists.js';
import { LOCALES, timezoneCode } from '../services/reference-data.js';
import type { RestServices } from '../services/services.js';
import { readAllRows } from '../store/read-rows.js';
import type { UserRow } from '../store/tables.js';
import { ORGANIZATION_ROLE_SCHEMA, organizationRoleRecord } from './organization-record.js';
import { OWN_SPACE_SCHEMA, ownSpaceRecord } from './private-spaces.js';
import { createResource, memberMaker } from './resource.js';

const TEAM_ROLE_SCHEMA: Schema<UserTeamRole> = object({
  usersRoleId: integer(),
  userId: integer(),
  teamId: integer(),
  changeable: flag(),
});

/** Values of other tables, for the members that need them. Undefined ones are omitted. */
interface Facts {
  readonly publicCloud: boolean;
  readonly supportEligible?: boolean | undefined;
  readonly userTeamIds?: readonly number[] | null | undefined;
  readonly privateSpace?: OwnPrivateSpace | null | undefined;
  readonly userOrganizationRoles?: readonly UserOrganizationRole[] | undefined;
  readonly userTeamRoles?: readonly UserTeamRole[] | undefined;
}

const member = memberMaker<'users', Facts>();

/** Omitted for users who never logged in; never null. [inf] */
const LAST_LOGIN = member(dateTime(), ['lastLogin'], ({ lastLogin }) =>
  lastLogin === null ? undefined : new Date(lastLogin).toISOString(),
);

/** Only supported on the public cloud. [seed] */
const TFA_STATUS = member(nullable(oneOf([0, 1, 2])), ['tfaStatus'], ({ tfaStatus }, { publicCloud }) =>
  publicCloud && (tfaStatus === 0 || tfaStatus === 1 || tfaStatus === 2) ? tfaStatus : null,
);

/** Source: https://developers.make.com/api-documentation (Invitation detail and accept-invitation records) [seed], https://developers.make.com/api-documentation (users, teams, enums) [doc]. */
const RESOURCE = createResource<User, 'users', Facts, 'User'>('User', 'users', {
  id: member(integer(), [], (row) => row.id),
  email: member(text({ format: 'email' }), ['email'], (row) => row.email),
  features: member(object({}, { allow_apps: flag() }), ['features'], (row) => row.features),
  avatar: member(text({ format: 'uri' }), ['avatar'], (row) => row.avatar),
  lastLogin: LAST_LOGIN,
  lastlogin: LAST_LOGIN,
  timezone: member(text(), ['timezoneId'], (row) => timezoneCode(row.timezoneId)),
  locale: member(
    text(),
    ['localeId'],
    (row) => LOCALES.find((locale) => locale.id === row.localeId)?.code ?? 'en_US',
  ),
  tfaStatus: TFA_STATUS,
  tfaEnabled: member(
    flag(),
    ['tfaStatus'],
    (row, { publicCloud }) => publicCloud && Number(row.tfaStatus) > 0,
  ),
  hasPassword: member(flag(), [], () => true),
  emailNotifications: member(list(integer()), [], () => []),
  created: member(dateTime(), ['createdAt'], (row) => new Date(row.createdAt).toISOString()),
  supportEligible: member(flag(), [], (_, facts) => facts.supportEligible),
  userTeamIds: member(nullable(list(integer())), [], (_, facts) => facts.userTeamIds),
  privateSpace: member(nullable(OWN_SPACE_SCHEMA), [], (_, facts) => facts.privateSpace),
  userOrganizationRoles: member(
    list(ORGANIZATION_ROLE_SCHEMA),
    [],
    (_, facts) => facts.userOrganizationRoles,
  ),
  userTeamRoles: member(list(TEAM_ROLE_SCHEMA), [], (_, facts) => facts.userTeamRoles),
});

export const USER_SCHEMA: Schema<Partial<User>> = RESOURCE.schema;

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
  all: RESOURCE.columns.filter((column) => column !== 'lastlogin'),
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

/** The requested columns of a user. Reads only what they need. */
export async function userRecord(
  services: Services,
  user: UserRow,
  options: UserRecordOptions,
): Promise<Partial<User>> {
  const { columns } = options;
  const needs = (column: keyof Facts): boolean => columns.includes(column);
  const facts: Facts = {
    publicCloud: services.settings.publicCloud,
    supportEligible: needs('supportEligible') ? await isSupportEligible(services, user, options) : undefined,
    userTeamIds: needs('userTeamIds') ? await readTeamIds(services, user, options) : undefined,
    privateSpace: needs('privateSpace') ? await readPrivateSpace(services, user, options) : undefined,
    userOrganizationRoles: needs('userOrganizationRoles') ? await readRoles(services, user) : undefined,
    userTeamRoles: needs('userTeamRoles') ? await readTeamRoles(services, user) : undefined,
  };
  return RESOURCE.record(user, facts, columns);
}

/** Users as administrators of the instance see them. Reads no other table. */
export function administeredUserRecord(
  user: UserRow,
  columns: readonly string[],
  { publicCloud }: Pick<RestServices['settings'], 'publicCloud'>,
): Partial<User> {
  return RESOURCE.record(user, { publicCloud }, columns);
}

async function readRoles({ store }: Services, user: UserRow): Promise<readonly UserOrganizationRole[]> {
  const rows = await readAllRows(store, 'memberships', {
    columns: ['userId', 'organizationId', 'usersRoleId', 'invitation'],
    where: { userId: user.id },
    sortBy: 'organizationId',
  });
  return rows.map(organizationRoleRecord);
}

async function readTeamRoles({ store }: Services, user: UserRow): Promise<readonly UserTeamRole[]> {
  const rows = await readAllRows(store, 'teamMembers', {
    columns: ['userId', 'teamId', 'usersRoleId'],
    where: { userId: user.id },
    sortBy: 'teamId',
  });
  return rows.map(({ userId, teamId, usersRoleId }) => ({ usersRoleId, userId, teamId, changeable: true }));
}

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
): Promise<OwnPrivateSpace | null | undefined> {
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
