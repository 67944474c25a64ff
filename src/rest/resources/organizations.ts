import { dateTime, flag, integer, object } from '../../shared/schema/build.js';
import { freeText, id, listed, properName, wrapped } from '../call/fields.js';
import { badRequest, confirmationRequired, forbidden, invalidParameter, refused } from '../problems.js';
import {
  type Consumption,
  completeLicense,
  consumptionAt,
  LICENSE_SCHEMA,
  licenseProblem,
  nextResetAfter,
} from '../services/license.js';
import { assertReferences, zoneOfRegion } from '../services/reference-data.js';
import { notify, type RestServices } from '../services/services.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import type { License } from '../store/rows.js';
import { nameKey, sentColumns } from '../store/tables.js';
import {
  changeOrganization,
  createOrganization,
  presentOrganization,
  removeOrganization,
} from './organization-life.js';
import {
  ALL_ORGANIZATION_COLUMNS,
  FULL_ORGANIZATION_SCHEMA,
  listOrganizations,
  ORGANIZATION_COLUMNS,
  ORGANIZATION_PAGING,
  ORGANIZATION_ROLE_SCHEMA,
  ORGANIZATION_SCHEMA,
  organizationRecord,
  organizationRoleRecord,
} from './organization-record.js';
import { sentSchemas } from './resource.js';

const TAG = 'organizations';

const PATH = '/organizations/{organizationId}';

const SUBJECT = { kind: 'organization', in: 'params', name: 'organizationId' } as const;

/** The members of bodies that are columns. */
const SENT = {
  create: sentSchemas('organizations', 'createOrganization'),
  update: sentSchemas('organizations', 'updateOrganization'),
  createInstance: sentSchemas('organizations', 'createInstanceOrganization'),
  updateInstance: sentSchemas('organizations', 'updateInstanceOrganization'),
};

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
  body: object({ name: properName(), regionId: id(), ...SENT.create.required }, { ...SENT.create.optional }),
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
    const sent = sentColumns('organizations', 'createOrganization', body);
    const wanted = { ...body, zone, license, ownerId: userId, nowMs, sent };
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
  body: object({}, { name: properName(), ...SENT.update.optional }),
  subject: SUBJECT,
  permission: 'organization edit',
  response: wrapped('organization', FULL_ORGANIZATION_SCHEMA),
  handler: async ({ services, caller, params, body, nowMs }) => {
    assertReferences(body, services.zones);
    const row = await services.store.transaction((writer) =>
      changeOrganization(
        writer,
        params.organizationId,
        body.name,
        sentColumns('organizations', 'updateOrganization', body),
      ),
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

/** Organizations of a white-label instance. Source: https://developers.make.com/api-documentation [seed]; paths and scopes https://developers.make.com/white-label-documentation (admin API reference) [doc]. */
const ADMIN_TAG = 'administration of organizations';
const ADMIN_PATH = '/admin/organizations/{organizationId}';

const listInstanceOrganizations: StoreOperation = defineOperation({
  id: 'listInstanceOrganizations',
  method: 'GET',
  path: '/admin/organizations',
  tag: ADMIN_TAG,
  summary: 'Lists all organizations of the instance.',
  scopes: ['admin:read'],
  optionalQuery: { id: id(), name: freeText(), externalId: freeText() },
  // All available information is returned. [seed]
  columns: ALL_ORGANIZATION_COLUMNS,
  paging: ORGANIZATION_PAGING,
  response: listed('organizations', ORGANIZATION_SCHEMA),
  handler: ({ services, caller, query, columns, page, nowMs }) => {
    const where = {
      ...(query.id !== undefined && { id: query.id }),
      ...(query.name !== undefined && { nameKey: { containing: nameKey(query.name) } }),
      ...(query.externalId !== undefined && { externalId: query.externalId }),
    };
    const userId = caller.user.id;
    return listOrganizations(services, { where, columns, page, userId, nowMs, inList: false });
  },
});

const createInstanceOrganization: StoreOperation = defineOperation({
  id: 'createInstanceOrganization',
  method: 'POST',
  path: '/admin/organizations',
  tag: ADMIN_TAG,
  summary: 'Creates an organization with a license of its own.',
  scopes: ['admin:write'],
  body: object(
    { name: properName() },
    { ...SENT.createInstance.optional, userOrgAdmin: id(), license: LICENSE_SCHEMA },
  ),
  response: wrapped('organization', FULL_ORGANIZATION_SCHEMA),
  handler: async ({ services, caller, body, nowMs }) => {
    assertReferences(body, services.zones);
    const license = body.license ? readLicense(services, body.license) : services.settings.defaultLicense;
    const { timezoneId = caller.user.timezoneId, countryId = caller.user.countryId } = body;
    const ownerId = body.userOrgAdmin ?? caller.user.id;
    const { organization } = await services.store.transaction(async (writer) => {
      const owner = await writer.get('users', { id: ownerId, deleted: false });
      if (!owner) throw badRequest([invalidParameter('userOrgAdmin', 'must be an id of /admin/users')]);
      const zone = services.zones.current;
      const sent = sentColumns('organizations', 'createInstanceOrganization', body);
      const wanted = { name: body.name, zone, license, ownerId, timezoneId, countryId, nowMs, sent };
      return createOrganization(services, writer, wanted);
    });
    const userId = caller.user.id;
    const organizationId = organization.id;
    await notify(services, { kind: 'organization created', organizationId, userId, atMs: nowMs });
    return { organization: await organizationRecord(services, organization, { userId, nowMs }) };
  },
});

const updateInstanceOrganization: StoreOperation = defineOperation({
  id: 'updateInstanceOrganization',
  method: 'PATCH',
  path: ADMIN_PATH,
  tag: ADMIN_TAG,
  summary: 'Changes the sent members. A license replaces the old one completely.',
  scopes: ['admin:write'],
  params: { organizationId: id() },
  body: object(
    {},
    {
      name: properName(),
      ...SENT.updateInstance.optional,
      nextReset: dateTime(),
      performReset: flag(),
      license: LICENSE_SCHEMA,
    },
  ),
  response: wrapped('organization', FULL_ORGANIZATION_SCHEMA),
  handler: async ({ services, caller, params, body, nowMs }) => {
    assertReferences(body, services.zones);
    const license = body.license && readLicense(services, body.license);
    const { organizationId } = params;
    const row = await services.store.transaction(async (writer) => {
      const before = await presentOrganization(writer, organizationId);
      // Resets that are due under the old license and date are stored before the change.
      const due = consumptionAt(before, nowMs);
      const reset = resetChange(license ?? before.license, body, nowMs);
      return changeOrganization(writer, organizationId, body.name, {
        ...sentColumns('organizations', 'updateInstanceOrganization', body),
        ...due,
        ...reset,
        ...(license && { license }),
      });
    });
    return { organization: await organizationRecord(services, row, { userId: caller.user.id, nowMs }) };
  },
});

const deleteInstanceOrganization: StoreOperation = defineOperation({
  id: 'deleteInstanceOrganization',
  method: 'DELETE',
  path: ADMIN_PATH,
  tag: ADMIN_TAG,
  summary: 'Deletes all data of an organization and its teams.',
  scopes: ['admin:write'],
  params: { organizationId: id() },
  response: wrapped('organization', integer()),
  handler: async ({ services, caller, params, nowMs }) => {
    const { organizationId } = params;
    await services.store.transaction((writer) => removeOrganization(writer, organizationId));
    const userId = caller.user.id;
    await notify(services, { kind: 'organization deleted', organizationId, userId, atMs: nowMs });
    return { organization: organizationId };
  },
});

const getDefaultLicense: StoreOperation = defineOperation({
  id: 'getDefaultLicense',
  method: 'GET',
  path: '/admin/platform-settings/default-license',
  tag: ADMIN_TAG,
  summary: 'Shows the license of organizations that are created without one.',
  scopes: ['system:read'],
  administrators: true,
  response: wrapped('license', LICENSE_SCHEMA),
  handler: async ({ services }) => ({ license: services.settings.defaultLicense }),
});

function readLicense({ settings }: RestServices, license: License): License {
  const problem = licenseProblem(license, settings);
  if (problem !== undefined) throw badRequest([problem]);
  return completeLicense(license, settings);
}

/**
 * `performReset` sets consumption to 0 now. The next reset is the sent one, or follows from the license. Source:
 * https://developers.make.com/white-label-documentation (White-label, rule 3). [seed]
 */
function resetChange(
  license: License,
  { nextReset, performReset }: { readonly nextReset?: string; readonly performReset?: boolean },
  nowMs: number,
): Partial<Consumption> {
  const nextMs = nextReset === undefined ? undefined : Date.parse(nextReset);
  // A reset in the past would take effect at the next read, at an arbitrary time. [inf]
  if (nextMs !== undefined && nextMs <= nowMs)
    throw badRequest([invalidParameter('nextReset', 'must be in the future')]);
  if (performReset === true) {
    const next = nextMs ?? nextResetAfter(license, nowMs);
    const none = { operations: 0, transfer: 0, centicredits: 0 };
    return { lastReset: nowMs, nextReset: next, resetAnchorAt: nextMs ?? nowMs, ...none };
  }
  return nextMs === undefined ? {} : { nextReset: nextMs, resetAnchorAt: nextMs };
}

export const ADMIN_ORGANIZATION_OPERATIONS: readonly StoreOperation[] = [
  listInstanceOrganizations,
  createInstanceOrganization,
  updateInstanceOrganization,
  deleteInstanceOrganization,
  getDefaultLicense,
];
