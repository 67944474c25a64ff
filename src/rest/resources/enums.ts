import { integer, list, nullable, object, type Schema, text } from '../../shared/schema/build.js';
import { SCOPE_NAMES } from '../call/access.js';
import { wrapped } from '../call/fields.js';
import type { OperationId } from '../call/operation-inputs.js';
import { COUNTRIES } from '../services/countries.js';
import { LOCALES, TIMEZONES } from '../services/reference-data.js';
import type { RestServices } from '../services/services.js';
import { FEATURES } from '../services/settings.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';

/**
 * One list of the API. Paths and members: https://developers.make.com/api-documentation (users, teams, enums). [doc]
 */
interface EnumList {
  readonly path: string;
  readonly id: OperationId;
  readonly member: string;
  readonly item: Schema<unknown>;
  readonly entries: (services: RestServices) => readonly unknown[];
}

const NAMED: Schema<unknown> = object({ name: text() });
const TITLED: Schema<unknown> = object({ title: text(), name: text() });
const VALUED: Schema<unknown> = object({ value: text(), label: text() });
const NUMBERED: Schema<unknown> = object({ id: integer(), name: text() });

const LISTS: readonly EnumList[] = [
  {
    path: 'timezones',
    id: 'listTimezones',
    member: 'timezones',
    item: object({ id: integer(), name: text(), code: text(), offset: text() }),
    entries: () => TIMEZONES,
  },
  {
    path: 'countries',
    id: 'listCountries',
    member: 'countries',
    item: object({ id: integer(), name: text(), code: text(), code2: text() }),
    entries: () => COUNTRIES,
  },
  {
    path: 'imt-regions',
    id: 'listRegions',
    member: 'imtRegions',
    item: NUMBERED,
    entries: ({ zones }) => zones.regions,
  },
  {
    path: 'imt-zones',
    id: 'listZones',
    member: 'imtZones',
    item: object({ id: integer(), domain: text(), name: text() }),
    entries: ({ zones }) => zones.zones.map(({ id, domain, name }) => ({ id, domain, name })),
  },
  {
    path: 'organization-features',
    id: 'listOrganizationFeatures',
    member: 'organizationFeatures',
    item: TITLED,
    entries: () => [
      { title: 'Locked connections', name: FEATURES.lockedKeys },
      { title: 'Private spaces', name: FEATURES.privateSpaces },
    ],
  },
  {
    path: 'user-features',
    id: 'listUserFeatures',
    member: 'userFeatures',
    item: TITLED,
    entries: () => [{ title: 'Create apps', name: 'allow_apps' }],
  },
  {
    path: 'user-api-token-scopes',
    id: 'listScopes',
    member: 'userApiTokenScopes',
    item: NAMED,
    entries: () => SCOPE_NAMES.map((name) => ({ name })),
  },
  {
    path: 'locales',
    id: 'listLocales',
    member: 'locales',
    item: object({ id: integer(), name: text(), code: text() }),
    entries: () => LOCALES,
  },
  {
    path: 'languages',
    id: 'listLanguages',
    member: 'languages',
    item: object({ code: text(), name: text() }),
    entries: () => [{ code: 'en', name: 'English' }],
  },
  {
    path: 'user-email-notifications',
    id: 'listEmailNotifications',
    member: 'userEmailNotifications',
    item: object({ id: integer(), translationKey: text(), name: text(), description: nullable(text()) }),
    entries: () => [],
  },
  {
    path: 'variable-types',
    id: 'listVariableTypes',
    member: 'variableTypes',
    item: object({ id: integer(), name: text(), teamOnly: { type: 'boolean' } }),
    entries: () =>
      ['number', 'text', 'boolean', 'date'].map((name, index) => ({ id: index + 1, name, teamOnly: false })),
  },
  {
    path: 'apps-review-statuses',
    id: 'listReviewStatuses',
    member: 'reviewStatuses',
    item: VALUED,
    entries: () =>
      ['pending', 'approved', 'rejected'].map((value) => ({
        value,
        label: value.charAt(0).toUpperCase() + value.slice(1),
      })),
  },
  {
    path: 'module-types',
    id: 'listModuleTypes',
    member: 'moduleTypes',
    item: NUMBERED,
    entries: () => MODULE_TYPES.map(([id, name]) => ({ id, name })),
  },
  {
    path: 'connected-system-apps',
    id: 'listConnectedSystemApps',
    member: 'connectedSystemApps',
    item: object({ name: text(), label: text(), icon: text() }),
    entries: () => [],
  },
];

/** Ids as custom apps use them. [src] */
const MODULE_TYPES = [
  [1, 'Trigger (polling)'],
  [4, 'Action'],
  [9, 'Search'],
  [10, 'Instant trigger (webhook)'],
  [11, 'Responder'],
  [12, 'Universal'],
] as const;

export const ENUM_OPERATIONS: readonly StoreOperation[] = LISTS.map((it) =>
  defineOperation({
    id: it.id,
    method: 'GET',
    path: `/enums/${it.path}`,
    tag: 'enums',
    summary: `Lists ${it.path.replaceAll('-', ' ')}.`,
    scopes: [],
    response: wrapped(it.member, list(it.item)),
    handler: async ({ services }) => ({ [it.member]: it.entries(services) }),
  }),
);
