import { dateTime, integer, list, named, object, type Schema, text } from '../../shared/schema/build.js';
import { id, wrapped } from '../call/fields.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';
import { readAllRows } from '../store/read-rows.js';

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
