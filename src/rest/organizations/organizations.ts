import { flag, integer, object } from '../../shared/schema/build.js';
import { freeText, id, listed, properName, wrapped } from '../call/fields.js';
import { badRequest, confirmationRequired, forbidden, invalidParameter, refused } from '../problems.js';
import { assertReferences } from '../reference/reference-data.js';
import { notify } from '../services/notify.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { zoneOfRegion } from '../services/zone-directory.js';
import {
  changeOrganization,
  createOrganization,
  presentOrganization,
  removeOrganization,
} from './organization-life.js';
import { listOrganizations, ORGANIZATION_PAGING } from './organization-list.js';
import { organizationRecord } from './organization-record.js';
import { ORGANIZATION_ROLE_SCHEMA, organizationRoleRecord } from './organization-role.js';
import {
  ALL_ORGANIZATION_COLUMNS,
  FULL_ORGANIZATION_SCHEMA,
  ORGANIZATION_COLUMNS,
  ORGANIZATION_SCHEMA,
} from './organization-schema.js';

const TAG = 'organizations';
const PATH = '/organizations/{organizationId}';
const SUBJECT = { kind: 'organization', in: 'params', name: 'organizationId' } as const;

const listOwnOrganizations: StoreOperation = defineOperation({
  id: 'listOrganizations',
  method: 'GET',
  path: '/organizations',
  tag: TAG,
  summary: 'Lists the organizations the caller is a member of.',
  scopes: ['organizations:read'],
  optionalQuery: { zone: freeText(), externalId: freeText() },
  columns: ORGANIZATION_COLUMNS,
  paging: ORGANIZATION_PAGING,
  response: listed('organizations', ORGANIZATION_SCHEMA),
  handler: ({ services, caller, query, columns, page, nowMs }) => {
    const userId = caller.user.id;
    const where = {
      id: { within: 'memberships', column: 'organizationId', where: { userId } },
      ...(query.zone !== undefined && { zone: query.zone }),
      ...(query.externalId !== undefined && { externalId: query.externalId }),
    };
    return listOrganizations(services, { where, columns, page, userId, nowMs, inList: true });
  },
});

const createOrganizationOperation: StoreOperation = defineOperation({
  id: 'createOrganization',
  method: 'POST',
  path: '/organizations',
  tag: TAG,
  summary: 'Creates an organization; the caller becomes its owner.',
  scopes: ['admin:write', 'organizations:write'],
  body: object({ name: properName(), regionId: id(), timezoneId: id(), countryId: id() }),
  response: object({
    organization: FULL_ORGANIZATION_SCHEMA,
    userOrganizationRole: ORGANIZATION_ROLE_SCHEMA,
  }),
  handler: async ({ services, caller, body, nowMs }) => {
    assertReferences(body, services.zones);
    const zone = zoneOfRegion(services.zones, body.regionId);
    if (!zone) throw badRequest([invalidParameter('regionId', 'has no zone')]);
    const license = services.settings.defaultLicense;
    const userId = caller.user.id;
    const wanted = { ...body, zone, license, ownerId: userId, nowMs };
    const { organization, membership, teams } = await createOrganization(services, services.store, wanted);
    const organizationId = organization.id;
    await notify(services, { kind: 'organization created', organizationId, userId, atMs: nowMs });
    return {
      organization: await organizationRecord(services, organization, { userId, nowMs, teamsOfNew: teams }),
      userOrganizationRole: organizationRoleRecord(membership),
    };
  },
});

/** Maximum time that a detail request waits for the zones. [inf] */
const MAX_WAIT_MS = 30_000;

const getOrganization: StoreOperation = defineOperation({
  id: 'getOrganization',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'Shows an organization; `wait=true` waits until the zones know a new one.',
  scopes: ['organizations:read'],
  params: { organizationId: id() },
  optionalQuery: { wait: flag({ default: false }) },
  columns: ALL_ORGANIZATION_COLUMNS,
  subject: SUBJECT,
  permission: 'organization view',
  response: wrapped('organization', ORGANIZATION_SCHEMA),
  handler: async ({ services, caller, query, subject, columns, nowMs }) => {
    const missingMs = subject.organization.syncedAt - nowMs;
    if (missingMs > 0) {
      if (query.wait !== true || missingMs > MAX_WAIT_MS) throw notSynchronized();
      await services.clock.sleep(missingMs);
    }
    const row =
      missingMs > 0
        ? await presentOrganization(services.store, subject.organization.id)
        : subject.organization;
    const options = { columns, userId: caller.user.id, nowMs: services.clock.now() };
    return { organization: await organizationRecord(services, row, options) };
  },
});

const updateOrganization: StoreOperation = defineOperation({
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
  response: wrapped('organization', FULL_ORGANIZATION_SCHEMA),
  handler: async ({ services, caller, params, body, nowMs }) => {
    assertReferences(body, services.zones);
    const row = await services.store.transaction((writer) =>
      changeOrganization(writer, params.organizationId, body),
    );
    const options = { userId: caller.user.id, nowMs };
    return { organization: await organizationRecord(services, row, options) };
  },
});

const deleteOrganization: StoreOperation = defineOperation({
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
      const active = await writer.count('scenarios', { organizationId, active: true });
      if (active > 0 && query.confirmed !== true) {
        throw confirmationRequired(
          'The organization has active scenarios; send confirmed=true to delete it.',
        );
      }
      await removeOrganization(writer, organizationId);
    });
    const userId = caller.user.id;
    await notify(services, { kind: 'organization deleted', organizationId, userId, atMs: nowMs });
    return { organization: organizationId };
  },
});

/** Source: https://developers.make.com/api-documentation (Organizations, rule 2), https://developers.make.com/api-documentation (organizations, 424). [seed][inf] */
function notSynchronized(): Error {
  return refused('SC424', {
    status: 424,
    message: 'Failed Dependency',
    detail: 'The synchronization of the organization is not finished; call again with wait=true.',
  });
}

export const ORGANIZATION_OPERATIONS: readonly StoreOperation[] = [
  listOwnOrganizations,
  createOrganizationOperation,
  getOrganization,
  updateOrganization,
  deleteOrganization,
];
