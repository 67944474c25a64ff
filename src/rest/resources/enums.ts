import { list, type Schema } from '../../shared/schema/build.js';
import { SCOPE_NAMES } from '../call/access.js';
import { wrapped } from '../call/fields.js';
import { ENUMS, type EnumEntries, type EnumId, shapeSchema } from '../call/shapes.js';
import { COUNTRIES } from '../services/countries.js';
import { LOCALES, TIMEZONES } from '../services/reference-data.js';
import type { RestServices } from '../services/services.js';
import { FEATURES } from '../services/settings.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';

const ENTRIES: { readonly [K in EnumId]: (services: RestServices) => EnumEntries<K> } = {
  listTimezones: () => TIMEZONES,
  listCountries: () => COUNTRIES,
  listRegions: ({ zones }) => zones.regions,
  listZones: ({ zones }) => zones.zones.map(({ id, domain, name }) => ({ id, domain, name })),
  listOrganizationFeatures: () => [
    { title: 'Locked connections', name: FEATURES.lockedKeys },
    { title: 'Private spaces', name: FEATURES.privateSpaces },
  ],
  listUserFeatures: () => [{ title: 'Create apps', name: 'allow_apps' }],
  listScopes: () => SCOPE_NAMES.map((name) => ({ name })),
  listLocales: () => LOCALES,
  listLanguages: () => [{ code: 'en', name: 'English' }],
  listEmailNotifications: () => [],
  listVariableTypes: () =>
    ['number', 'text', 'boolean', 'date'].map((name, index) => ({ id: index + 1, name, teamOnly: false })),
  listReviewStatuses: () => [
    { value: 'pending', label: 'Pending' },
    { value: 'approved', label: 'Approved' },
    { value: 'rejected', label: 'Rejected' },
  ],
  // Ids as custom apps use them. [src]
  listModuleTypes: () => [
    { id: 1, name: 'Trigger (polling)' },
    { id: 4, name: 'Action' },
    { id: 9, name: 'Search' },
    { id: 10, name: 'Instant trigger (webhook)' },
    { id: 11, name: 'Responder' },
    { id: 12, name: 'Universal' },
  ],
  listConnectedSystemApps: () => [],
};

export const ENUM_OPERATIONS: readonly StoreOperation[] = Object.entries(ENUMS).map(
  ([id, { path, member, item }]) =>
    defineOperation({
      id: id as EnumId,
      method: 'GET',
      path: `/enums/${path}`,
      tag: 'enums',
      summary: `Lists ${path.replaceAll('-', ' ')}.`,
      scopes: [],
      // `EnumAnswers` follows from the same table.
      response: wrapped(member, list(shapeSchema(item))) as Schema<never>,
      handler: async ({ services }) => ({ [member]: ENTRIES[id as EnumId](services) }),
    }),
);
