import { list } from '../../shared/schema/build.js';
import type { InstalledApp, InstanceApp } from '../call/answers.js';
import { freeText, id, wrapped } from '../call/fields.js';
import { notFound } from '../problems.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { readAllRows } from '../store/read-rows.js';
import { createResource, requireMembers } from './resource.js';

/** Source: https://developers.make.com/api-documentation (Installed app). [seed] */
const INSTALLED = createResource<InstalledApp, 'installedApps', undefined, 'InstalledApp'>(
  'InstalledApp',
  'installedApps',
  {},
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
  response: wrapped('installedApps', list(requireMembers('InstalledApp', INSTALLED, INSTALLED.columns))),
  handler: async ({ services, params }) => {
    const { organizationId } = params;
    const rows = await readAllRows(services.store, 'installedApps', {
      columns: INSTALLED.reads(INSTALLED.columns),
      where: { organizationId },
      sortBy: 'appName',
    });
    return { installedApps: rows.map((row) => INSTALLED.record(row, undefined)) };
  },
});

export const INSTALLED_APP_OPERATIONS: readonly StoreOperation[] = [listInstalledApps];

const TAG = 'administration of apps';

/** Source: https://developers.make.com/white-label-documentation (White-label, rule 4) [seed]; wrappers and scopes https://developers.make.com/white-label-documentation (admin API reference) [inf]. */
const APP = createResource<InstanceApp, 'apps', undefined, 'InstanceApp'>('InstanceApp', 'apps', {});
const APP_SCHEMA = requireMembers('InstanceApp', APP, APP.columns);

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
      columns: APP.reads(APP.columns),
      sortBy: 'name',
    });
    return { apps: rows.map((row) => APP.record(row, undefined)) };
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
    return { app: APP.record(row, undefined) };
  },
});

export const ADMIN_APP_OPERATIONS: readonly StoreOperation[] = [listApps, getApp];
