import { dateTime, integer, list, named, object, type Schema, text } from '../../shared/schema/build.js';
import { freeText, id, wrapped } from '../call/fields.js';
import { notFound } from '../problems.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { readAllRows } from '../store/read-rows.js';
import type { AppRow } from '../store/tables.js';

/** Source: https://developers.make.com/api-documentation (Installed app). [seed] */
const INSTALLED_APP_SCHEMA: Schema<unknown> = named(
  'InstalledApp',
  object({
    appName: text(),
    appVersion: integer(),
    organizationId: integer(),
    installedAt: dateTime(),
    installedBy: integer(),
  }),
);

const listInstalledApps: StoreOperation = defineOperation({
  id: 'listInstalledApps',
  method: 'GET',
  path: '/organizations/{organizationId}/apps',
  tag: 'installed apps',
  summary: 'Lists published and unpublished custom apps of the users of an organization.',
  scopes: ['organizations:read'],
  params: { organizationId: id() },
  subject: { kind: 'organization', in: 'params', name: 'organizationId' },
  permission: 'organization view',
  response: wrapped('installedApps', list(INSTALLED_APP_SCHEMA)),
  handler: async ({ services, params }) => {
    const { organizationId } = params;
    const rows = await readAllRows(services.store, 'installedApps', {
      columns: ['appName', 'appVersion', 'installedAt', 'installedBy'],
      where: { organizationId },
      sortBy: 'appName',
    });
    return {
      installedApps: rows.map(({ appName, appVersion, installedAt, installedBy }) => ({
        appName,
        appVersion,
        organizationId,
        installedAt: new Date(installedAt).toISOString(),
        installedBy,
      })),
    };
  },
});

export const INSTALLED_APP_OPERATIONS: readonly StoreOperation[] = [listInstalledApps];

const TAG = 'administration of apps';

/** Source: https://developers.make.com/white-label-documentation (White-label, rule 4) [seed]; wrappers and scopes https://developers.make.com/white-label-documentation (admin API reference) [inf]. */
const APP_SCHEMA: Schema<unknown> = named(
  'InstanceApp',
  object({ name: text(), label: text(), version: integer(), premiumTier: integer() }),
);

const listApps: StoreOperation = defineOperation({
  id: 'listInstanceApps',
  method: 'GET',
  path: '/admin/apps',
  tag: TAG,
  summary: 'Lists the apps of the instance.',
  scopes: ['apps:read'],
  administrators: true,
  response: wrapped('apps', list(APP_SCHEMA)),
  handler: async ({ services }) => {
    const rows = await readAllRows(services.store, 'apps', {
      columns: ['name', 'label', 'version', 'premiumTier'],
      sortBy: 'name',
    });
    return { apps: rows.map(appRecord) };
  },
});

const getApp: StoreOperation = defineOperation({
  id: 'getInstanceApp',
  method: 'GET',
  path: '/admin/apps/{appName}',
  tag: TAG,
  summary: 'Shows an app with its premium tier.',
  scopes: ['apps:read'],
  administrators: true,
  params: { appName: freeText() },
  response: wrapped('app', APP_SCHEMA),
  handler: async ({ services, params }) => {
    const row = await services.store.get('apps', { name: params.appName });
    if (!row) throw notFound('App');
    return { app: appRecord(row) };
  },
});

function appRecord({ name, label, version, premiumTier }: Omit<AppRow, 'id'>): Omit<AppRow, 'id'> {
  return { name, label, version, premiumTier };
}

export const ADMIN_APP_OPERATIONS: readonly StoreOperation[] = [listApps, getApp];
