import { flag, integer, named, nullable, object, type Schema, text } from '../schema/build.js';
import { freeText, id, listOf, properName, wrapped } from './fields.js';
import { notify } from './notify.js';
import { defineOperation, type Operation } from './operation.js';
import { createOrganization, removeOrganization } from './organization-life.js';
import {
  ORGANIZATION_COLUMNS,
  ORGANIZATION_DETAIL_COLUMNS,
  ORGANIZATION_SCHEMA,
  organizationRecord,
  organizationRecords,
} from './organization-record.js';
import { type Paging, pageQuery } from './paging.js';
import {
  badRequest,
  confirmationRequired,
  forbidden,
  invalidParameter,
  notFound,
  refused,
} from './problems.js';
import { assertReferences } from './reference-data.js';
import { type MembershipRow, nameKey, type OrganizationRow, type RestWriter } from './tables.js';
import { zoneOfRegion } from './zone-directory.js';

const TAG = 'organizations';
const PATH = '/organizations/{organizationId}';
const SUBJECT = { kind: 'organization', in: 'params', name: 'organizationId' } as const;

/** What organizations can be sorted by, with the column that holds it. */
export const ORGANIZATION_SORTS: Readonly<Record<string, keyof OrganizationRow>> = {
  id: 'id',
  name: 'nameKey',
  createdAt: 'createdAt',
  zone: 'zone',
  countryId: 'countryId',
  timezoneId: 'timezoneId',
  productName: 'productName',
  nextReset: 'nextReset',
  lastReset: 'lastReset',
};

/** Source: specification/000 (Organizations, rule 1) [seed]; limit reference/rest-api.md section 1.3 [src]. */
export const ORGANIZATION_PAGING: Paging = {
  sortBy: Object.keys(ORGANIZATION_SORTS),
  defaultSortBy: 'name',
  defaultSortDir: 'asc',
  defaultLimit: 10_000,
};

/** Source: specification/000 (Invitation detail and accept-invitation records). [seed] */
export const ORGANIZATION_ROLE_SCHEMA: Schema<unknown> = named(
  'UserOrganizationRole',
  object({
    userId: integer(),
    organizationId: integer(),
    usersRoleId: integer(),
    invitation: nullable(text()),
  }),
);

export function organizationRoleRecord(row: MembershipRow): Omit<MembershipRow, 'id'> {
  const { userId, organizationId, usersRoleId, invitation } = row;
  return { userId, organizationId, usersRoleId, invitation };
}

const listOrganizations: Operation = defineOperation({
  id: 'listOrganizations',
  method: 'GET',
  path: '/organizations',
  tag: TAG,
  summary: 'Lists the organizations the caller is a member of.',
  scopes: ['organizations:read'],
  optionalQuery: { zone: freeText(), externalId: freeText() },
  columns: ORGANIZATION_COLUMNS,
  paging: ORGANIZATION_PAGING,
  response: listOf('organizations', ORGANIZATION_SCHEMA),
  handler: async ({ services, caller, query, columns, page, nowMs }) => {
    const userId = caller.user.id;
    const rows = await services.store.find('organizations', {
      where: {
        id: { within: 'memberships', column: 'organizationId', where: { userId } },
        ...(query.zone !== undefined && { zone: query.zone }),
        ...(query.externalId !== undefined && { externalId: query.externalId }),
      },
      ...pageQuery(page, ORGANIZATION_SORTS),
    });
    const options = { columns, userId, nowMs, inList: true };
    return { organizations: await organizationRecords(services, services.store, rows, options), pg: page };
  },
});

const createOrganizationOperation: Operation = defineOperation({
  id: 'createOrganization',
  method: 'POST',
  path: '/organizations',
  tag: TAG,
  summary: 'Creates an organization; the caller becomes its owner.',
  scopes: ['admin:write', 'organizations:write'],
  body: object({ name: properName(), regionId: id(), timezoneId: id(), countryId: id() }),
  response: object({ organization: ORGANIZATION_SCHEMA, userOrganizationRole: ORGANIZATION_ROLE_SCHEMA }),
  handler: async ({ services, caller, body, nowMs }) => {
    assertReferences(body, services.zones);
    const zone = zoneOfRegion(services.zones, body.regionId);
    if (!zone) throw badRequest([invalidParameter('regionId', 'has no zone')]);
    const license = services.settings.defaultLicense;
    const created = await services.store.transaction((writer) =>
      createOrganization(services, writer, { ...body, zone, license, ownerId: caller.user.id, nowMs }),
    );
    await notify(services, {
      kind: 'organization created',
      organizationId: created.organization.id,
      userId: caller.user.id,
      atMs: nowMs,
    });
    const options = { userId: caller.user.id, nowMs };
    return {
      organization: await organizationRecord(services, services.store, created.organization, options),
      userOrganizationRole: organizationRoleRecord(created.membership),
    };
  },
});

/** Longest a detail call waits for the zones. [inf] */
const MAX_WAIT_MS = 30_000;

const getOrganization: Operation = defineOperation({
  id: 'getOrganization',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'Shows an organization; `wait=true` waits until the zones know a new one.',
  scopes: ['organizations:read'],
  params: { organizationId: id() },
  optionalQuery: { wait: flag({ default: false }) },
  columns: ORGANIZATION_DETAIL_COLUMNS,
  subject: SUBJECT,
  permission: 'organization view',
  response: wrapped('organization', ORGANIZATION_SCHEMA),
  handler: async ({ services, caller, query, subject, columns, nowMs }) => {
    const missingMs = subject.organization.syncedAt - nowMs;
    if (missingMs > 0) {
      if (query.wait !== true || missingMs > MAX_WAIT_MS) throw notSynchronized();
      await services.clock.sleep(missingMs);
    }
    const row = missingMs > 0 ? await reread(services.store, subject.organization.id) : subject.organization;
    const options = { columns, userId: caller.user.id, nowMs: services.clock.now() };
    return { organization: await organizationRecord(services, services.store, row, options) };
  },
});

const updateOrganization: Operation = defineOperation({
  id: 'updateOrganization',
  method: 'PATCH',
  path: PATH,
  tag: TAG,
  summary: 'Changes the members of an organization that are sent.',
  scopes: ['organizations:write'],
  params: { organizationId: id() },
  body: object({}, { name: properName(), countryId: id(), timezoneId: id() }),
  subject: SUBJECT,
  permission: 'organization edit',
  response: wrapped('organization', ORGANIZATION_SCHEMA),
  handler: async ({ services, caller, params, body, nowMs }) => {
    assertReferences(body, services.zones);
    const row = await services.store.transaction((writer) =>
      changeOrganization(writer, params.organizationId, body),
    );
    const options = { userId: caller.user.id, nowMs };
    return { organization: await organizationRecord(services, services.store, row, options) };
  },
});

const deleteOrganization: Operation = defineOperation({
  id: 'deleteOrganization',
  method: 'DELETE',
  path: PATH,
  tag: TAG,
  summary: 'Deletes an organization of the current zone with its teams.',
  scopes: ['organizations:write'],
  params: { organizationId: id() },
  optionalQuery: { confirmed: flag({ default: false }) },
  subject: SUBJECT,
  permission: 'organization delete',
  response: wrapped('organization', integer()),
  handler: async ({ services, caller, params, query, subject, nowMs }) => {
    const { organizationId } = params;
    const { current } = services.zones;
    if (subject.organization.zone !== current.domain || !current.deletion) {
      throw forbidden('Only organizations of the current zone can be deleted.');
    }
    await services.store.transaction(async (writer) => {
      if (!(await writer.get('organizations', { id: organizationId }))) throw notFound('Organization');
      const active = await writer.count('scenarios', { organizationId, active: true });
      if (active > 0 && query.confirmed !== true) {
        throw confirmationRequired(
          'The organization has active scenarios; send confirmed=true to delete it.',
        );
      }
      await removeOrganization(writer, organizationId);
    });
    await notify(services, {
      kind: 'organization deleted',
      organizationId,
      userId: caller.user.id,
      atMs: nowMs,
    });
    return { organization: organizationId };
  },
});

export interface OrganizationChange {
  readonly name?: string;
  readonly countryId?: number;
  readonly timezoneId?: number;
}

/** Changes what is sent; the rest keeps its value. Source: specification/000 (Organizations, rule 4). [seed] */
export async function changeOrganization(
  writer: RestWriter,
  organizationId: number,
  { name, countryId, timezoneId }: OrganizationChange,
  further: Partial<Omit<OrganizationRow, 'id'>> = {},
): Promise<OrganizationRow> {
  const change = {
    ...further,
    ...(name !== undefined && { name, nameKey: nameKey(name) }),
    ...(countryId !== undefined && { countryId }),
    ...(timezoneId !== undefined && { timezoneId }),
  };
  if (Object.keys(change).length > 0) await writer.update('organizations', { id: organizationId }, change);
  return reread(writer, organizationId);
}

async function reread(reader: Pick<RestWriter, 'get'>, organizationId: number): Promise<OrganizationRow> {
  const row = await reader.get('organizations', { id: organizationId });
  if (!row) throw notFound('Organization');
  return row;
}

/** Source: specification/000 (Organizations, rule 2), reference/rest-api.md section 2 (424). [seed][inf] */
function notSynchronized(): Error {
  return refused('SC424', {
    status: 424,
    message: 'Failed Dependency',
    detail: 'The synchronization of the organization is not finished; call again with wait=true.',
  });
}

export const ORGANIZATION_OPERATIONS: readonly Operation[] = [
  listOrganizations,
  createOrganizationOperation,
  getOrganization,
  updateOrganization,
  deleteOrganization,
];
