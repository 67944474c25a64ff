import { dateTime, flag, integer, object } from '../schema/build.js';
import { freeText, id, listOf, properName, wrapped } from './fields.js';
import { completeLicense, LICENSE_SCHEMA, licenseProblem, nextResetAfter } from './license.js';
import { defineOperation, type Operation } from './operation.js';
import { createOrganization, removeOrganization } from './organization-life.js';
import {
  ORGANIZATION_COLUMNS,
  ORGANIZATION_SCHEMA,
  organizationRecord,
  organizationRecords,
} from './organization-record.js';
import { changeOrganization, ORGANIZATION_PAGING, ORGANIZATION_SORTS } from './organizations.js';
import { pageQuery } from './paging.js';
import { badRequest, invalidParameter, notFound } from './problems.js';
import { assertReferences } from './reference-data.js';
import type { RestServices } from './services.js';
import { type License, nameKey, type OrganizationRow } from './tables.js';

/** Organizations of a white-label instance. Source: specification/000 [seed]; paths and scopes reference/rest-api.md section 5 [doc]. */

const TAG = 'administration of organizations';
const PATH = '/admin/organizations/{organizationId}';

/** What the list shows unless columns are asked for. [doc] */
const LIST_COLUMNS = [
  'id',
  'name',
  'timezoneId',
  'countryId',
  'license',
  'serviceName',
  'teams',
  'isPaused',
  'zone',
  'externalId',
  'scenarios',
  'activeScenarios',
  'deleted',
];

const listInstanceOrganizations: Operation = defineOperation({
  id: 'listInstanceOrganizations',
  method: 'GET',
  path: '/admin/organizations',
  tag: TAG,
  summary: 'Lists all organizations of the instance.',
  scopes: ['admin:read'],
  optionalQuery: { id: id(), name: freeText(), externalId: freeText() },
  columns: { all: ORGANIZATION_COLUMNS.all, default: LIST_COLUMNS },
  paging: ORGANIZATION_PAGING,
  response: listOf('organizations', ORGANIZATION_SCHEMA),
  handler: async ({ services, caller, query, columns, page, nowMs }) => {
    const rows = await services.store.find('organizations', {
      where: {
        ...(query.id !== undefined && { id: query.id }),
        ...(query.name !== undefined && { nameKey: { containing: nameKey(query.name) } }),
        ...(query.externalId !== undefined && { externalId: query.externalId }),
      },
      ...pageQuery(page, ORGANIZATION_SORTS),
    });
    const options = { columns, userId: caller.user.id, nowMs, inList: false };
    return { organizations: await organizationRecords(services, services.store, rows, options), pg: page };
  },
});

const createInstanceOrganization: Operation = defineOperation({
  id: 'createInstanceOrganization',
  method: 'POST',
  path: '/admin/organizations',
  tag: TAG,
  summary: 'Creates an organization with a license of its own.',
  scopes: ['admin:write'],
  body: object(
    { name: properName() },
    { timezoneId: id(), countryId: id(), userOrgAdmin: id(), license: LICENSE_SCHEMA },
  ),
  response: wrapped('organization', ORGANIZATION_SCHEMA),
  handler: async ({ services, caller, body, nowMs }) => {
    assertReferences(body, services.zones);
    const license = body.license ? readLicense(services, body.license) : services.settings.defaultLicense;
    const { timezoneId = caller.user.timezoneId, countryId = caller.user.countryId } = body;
    const ownerId = body.userOrgAdmin ?? caller.user.id;
    const { organization } = await services.store.transaction(async (writer) => {
      const owner = await writer.get('users', { id: ownerId, deleted: false });
      if (!owner) throw badRequest([invalidParameter('userOrgAdmin', 'must be an id of /admin/users')]);
      const zone = services.zones.current;
      const wanted = { name: body.name, zone, license, ownerId, timezoneId, countryId, nowMs };
      return createOrganization(services, writer, wanted);
    });
    const options = { userId: caller.user.id, nowMs };
    return { organization: await organizationRecord(services, services.store, organization, options) };
  },
});

const updateInstanceOrganization: Operation = defineOperation({
  id: 'updateInstanceOrganization',
  method: 'PATCH',
  path: PATH,
  tag: TAG,
  summary: 'Changes what is sent; a license replaces the old one entirely.',
  scopes: ['admin:write'],
  params: { organizationId: id() },
  body: object(
    {},
    {
      name: properName(),
      timezoneId: id(),
      countryId: id(),
      nextReset: dateTime(),
      performReset: flag(),
      license: LICENSE_SCHEMA,
    },
  ),
  response: wrapped('organization', ORGANIZATION_SCHEMA),
  handler: async ({ services, caller, params, body, nowMs }) => {
    assertReferences(body, services.zones);
    const license = body.license && readLicense(services, body.license);
    const { organizationId } = params;
    const row = await services.store.transaction(async (writer) => {
      const before = await writer.get('organizations', { id: organizationId });
      if (!before) throw notFound('Organization');
      const reset = resetChange({ ...before, license: license ?? before.license }, body, nowMs);
      return changeOrganization(writer, organizationId, body, { ...reset, ...(license && { license }) });
    });
    const options = { userId: caller.user.id, nowMs };
    return { organization: await organizationRecord(services, services.store, row, options) };
  },
});

const deleteInstanceOrganization: Operation = defineOperation({
  id: 'deleteInstanceOrganization',
  method: 'DELETE',
  path: PATH,
  tag: TAG,
  summary: 'Deletes all data of an organization and its teams.',
  scopes: ['admin:write'],
  params: { organizationId: id() },
  response: wrapped('organization', integer()),
  handler: async ({ services, params }) => {
    const { organizationId } = params;
    await services.store.transaction(async (writer) => {
      if (!(await writer.get('organizations', { id: organizationId }))) throw notFound('Organization');
      await removeOrganization(writer, organizationId);
    });
    return { organization: organizationId };
  },
});

const getDefaultLicense: Operation = defineOperation({
  id: 'getDefaultLicense',
  method: 'GET',
  path: '/admin/platform-settings/default-license',
  tag: TAG,
  summary: 'Shows the license of organizations that are created without one.',
  scopes: ['system:read'],
  administrators: true,
  response: wrapped('license', LICENSE_SCHEMA),
  handler: async ({ services }) => ({ license: services.settings.defaultLicense }),
});

function readLicense({ settings }: RestServices, license: License): License {
  const { productManagement } = settings;
  const problem = licenseProblem(license, productManagement);
  if (problem) throw badRequest([invalidParameter(...problem)]);
  return completeLicense(license, productManagement);
}

/**
 * `performReset` sets consumption to nothing now; the next reset is the one that is sent, else follows from the license.
 * Source: specification/000 (White-label, rule 3). [seed]
 */
function resetChange(
  row: OrganizationRow,
  { nextReset, performReset }: { readonly nextReset?: string; readonly performReset?: boolean },
  nowMs: number,
): Partial<Omit<OrganizationRow, 'id'>> {
  const nextMs = nextReset === undefined ? undefined : Date.parse(nextReset);
  // A reset in the past would happen on the next read, at a moment nobody chose. [inf]
  if (nextMs !== undefined && nextMs <= nowMs)
    throw badRequest([invalidParameter('nextReset', 'must be in the future')]);
  if (performReset === true) {
    const next = nextMs ?? nextResetAfter(row.license, nowMs);
    return { lastReset: nowMs, nextReset: next, operations: 0, transfer: 0, centicredits: 0 };
  }
  return nextMs === undefined ? {} : { nextReset: nextMs };
}

export const ADMIN_ORGANIZATION_OPERATIONS: readonly Operation[] = [
  listInstanceOrganizations,
  createInstanceOrganization,
  updateInstanceOrganization,
  deleteInstanceOrganization,
  getDefaultLicense,
];
