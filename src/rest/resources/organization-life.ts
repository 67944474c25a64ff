import { IdOf, type NewRow } from '../../shared/store/record-store.js';
import { OWNER_ROLE_ID, TEAM_ADMIN_ROLE_ID } from '../call/access.js';
import { notFound } from '../problems.js';
import { consumptionAt, nextResetAfter } from '../services/license.js';
import type { ProductionZone } from '../services/ports.js';
import type { RestServices } from '../services/services.js';
import { FEATURES } from '../services/settings.js';
import type { License } from '../store/rows.js';
import {
  initialColumns,
  type MembershipRow,
  nameKey,
  type OrganizationRow,
  type RestReader,
  type RestTables,
  type RestWriter,
  type TeamRow,
} from '../store/tables.js';

/** Source: https://developers.make.com/api-documentation (organizations). [src] */
const FIRST_TEAM = 'My Team';
const PRIVATE_SPACE = 'My Private Space';

export function hasFeature(organization: Pick<OrganizationRow, 'featureControls'>, feature: string): boolean {
  return organization.featureControls.some((control) => control.name === feature && control.enabled);
}

export interface NewOrganization {
  readonly name: string;
  readonly zone: ProductionZone;
  readonly countryId: number;
  readonly timezoneId: number;
  readonly license: License;
  readonly ownerId: number;
  readonly nowMs: number;
  /** Further columns that the body has. */
  readonly sent?: Partial<OrganizationRow>;
}

export interface CreatedOrganization {
  readonly organization: OrganizationRow;
  readonly membership: MembershipRow;
  /** Its first team, and the private space of its owner. */
  readonly teams: readonly TeamRow[];
}

/** Adds an organization with its owner, first team and the owner's private space. */
export async function createOrganization(
  { settings }: Pick<RestServices, 'settings'>,
  writer: Pick<RestWriter, 'insertLinked'>,
  wanted: NewOrganization,
): Promise<CreatedOrganization> {
  const { ownerId, nowMs } = wanted;
  const row = newOrganizationRow(settings, wanted);
  const organizationId = new IdOf('organization');
  const own = { organizationId, adminId: ownerId, nowMs };
  const { organization, membership, team, space } = await writer.insertLinked({
    organization: { table: 'organizations', row },
    membership: {
      table: 'memberships',
      row: { userId: ownerId, organizationId, usersRoleId: OWNER_ROLE_ID, invitation: null },
    },
    team: { table: 'teams', row: newTeamRow({ ...own, name: FIRST_TEAM }) },
    teamAdmin: newTeamAdmin('team', ownerId),
    ...(hasFeature(row, FEATURES.privateSpaces) && {
      space: { table: 'teams', row: newTeamRow({ ...own, name: PRIVATE_SPACE, type: 'personal' }) } as const,
      spaceAdmin: newTeamAdmin('space', ownerId),
    }),
  });
  return { organization, membership, teams: space ? [team, space] : [team] };
}

function newTeamAdmin(team: string, userId: number): NewRow<RestTables, 'teamMembers'> {
  const row = { teamId: new IdOf(team), userId, usersRoleId: TEAM_ADMIN_ROLE_ID };
  return { table: 'teamMembers', row };
}

function newOrganizationRow(
  settings: RestServices['settings'],
  { name, zone, license, countryId, timezoneId, nowMs, sent }: NewOrganization,
): Omit<OrganizationRow, 'id'> {
  return {
    ...initialColumns('organizations'),
    name,
    nameKey: nameKey(name),
    zone: zone.domain,
    serviceName: zone.serviceName,
    regionId: zone.regionId,
    countryId,
    timezoneId,
    createdAt: nowMs,
    syncedAt: nowMs + settings.syncDelayMs,
    lastReset: nowMs,
    nextReset: nextResetAfter(license, nowMs),
    resetAnchorAt: nowMs,
    license,
    productName: settings.defaultProductName,
    featureControls: settings.defaultFeatures,
    ...sent,
  };
}

/**
 * Changes the name and the columns of `change`; the others keep their value. Source:
 * https://developers.make.com/api-documentation (Organizations, rule 4). [seed]
 */
export async function changeOrganization(
  writer: RestWriter,
  organizationId: number,
  name: string | undefined,
  change: Partial<Omit<OrganizationRow, 'id'>>,
): Promise<OrganizationRow> {
  const changed = { ...change, ...(name !== undefined && { name, nameKey: nameKey(name) }) };
  if (Object.keys(changed).length > 0) await writer.update('organizations', { id: organizationId }, changed);
  return presentOrganization(writer, organizationId);
}

/** @throws RestError 404 `SC404` */
export async function presentOrganization(
  reader: RestReader,
  organizationId: number,
): Promise<OrganizationRow> {
  const row = await reader.get('organizations', { id: organizationId });
  if (!row) throw notFound('Organization');
  return row;
}

/** Gives an organization another license. Stores the resets that are due under the old one first. */
export async function changeLicense(
  writer: RestWriter,
  organization: OrganizationRow,
  { nowMs, ...change }: { readonly license: License; readonly productName?: string; readonly nowMs: number },
): Promise<void> {
  await writer.update(
    'organizations',
    { id: organization.id },
    { ...consumptionAt(organization, nowMs), ...change },
  );
}

export interface NewTeam {
  readonly organizationId: number;
  readonly name: string;
  readonly adminId: number;
  readonly nowMs: number;
  readonly type?: TeamRow['type'];
  /** Further columns that the body has. */
  readonly sent?: Partial<TeamRow>;
}

/** Adds a team with its admin. */
export async function addTeam(writer: RestWriter, wanted: NewTeam): Promise<TeamRow> {
  const { team } = await writer.insertLinked({
    team: { table: 'teams', row: newTeamRow(wanted) },
    admin: newTeamAdmin('team', wanted.adminId),
  });
  return team;
}

function newTeamRow(
  wanted: Omit<NewTeam, 'organizationId'> & { readonly organizationId: number | IdOf },
): NewRow<RestTables, 'teams'>['row'] {
  const { organizationId, name, adminId, nowMs, type = 'standard' } = wanted;
  return {
    ...initialColumns('teams'),
    organizationId,
    name,
    nameKey: nameKey(name),
    type,
    ownerId: type === 'personal' ? adminId : null,
    createdAt: nowMs,
    ...wanted.sent,
  };
}

/** Adds a private space of a member if the organization has the feature. */
export async function addPrivateSpace(
  writer: RestWriter,
  organization: OrganizationRow,
  userId: number,
  nowMs: number,
): Promise<void> {
  if (!hasFeature(organization, FEATURES.privateSpaces)) return;
  const wanted = { organizationId: organization.id, ownerId: userId, type: 'personal' } as const;
  if ((await writer.count('teams', wanted)) > 0) return;
  await addTeam(writer, {
    organizationId: organization.id,
    name: PRIVATE_SPACE,
    adminId: userId,
    nowMs,
    type: 'personal',
  });
}

/** Removes a team with its keys, members and scenarios. */
export async function removeTeams(
  writer: RestWriter,
  where: { organizationId: number } | { id: number },
): Promise<void> {
  const teamId = { within: 'teams', column: 'id', where };
  await writer.remove('keyAdmins', { keyId: { within: 'keys', column: 'id', where: { teamId } } });
  await writer.remove('keys', { teamId });
  await writer.remove('scenarios', { teamId });
  await writer.remove('teamMembers', { teamId });
  await writer.remove('teams', where);
}

/**
 * Removes an organization with everything that belongs to it. Source: https://developers.make.com/api-documentation (Organizations, rule 3). [seed]
 * @throws RestError 404 `SC404`
 */
export async function removeOrganization(writer: RestWriter, organizationId: number): Promise<void> {
  await presentOrganization(writer, organizationId);
  await removeTeams(writer, { organizationId });
  await writer.remove('invitations', { organizationId });
  await writer.remove('installedApps', { organizationId });
  await writer.remove('payments', { organizationId });
  await writer.remove('subscriptions', { organizationId });
  await writer.remove('memberships', { organizationId });
  await writer.remove('organizations', { id: organizationId });
}
