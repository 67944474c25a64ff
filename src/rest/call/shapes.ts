import type { PlainObject } from '../../shared/plain-object.js';
import {
  dateTime,
  flag,
  freeForm,
  integer,
  list,
  named,
  nullable,
  number,
  object,
  type Schema,
  type SchemaMap,
  text,
} from '../../shared/schema/build.js';

/** The schemas of single values, by the word that stands for them in `SHAPES`. */
const KINDS: Readonly<Record<Kind, Schema<unknown>>> = {
  text: text(),
  integer: integer(),
  number: number(),
  flag: flag(),
  instant: dateTime(),
  date: text({ format: 'date' }),
  uri: text({ format: 'uri' }),
  free: freeForm(),
  texts: list(text()),
};

type Kind = 'text' | 'integer' | 'number' | 'flag' | 'instant' | 'date' | 'uri' | 'free' | 'texts';

/** A value: `text`, `text?` if it may be null, a list of one kind of value, or an object. */
type Field = Kind | `${Kind}?` | readonly [Field] | { readonly [name: string]: Field };

/**
 * Records of responses that are no rows of the store, by the title of their schema. This table gives type and schema.
 * Members whose name ends with `?` may be absent. Sources are at the operations.
 */
export const SHAPES = {
  Ok: { ok: 'integer' },
  Timezone: { id: 'integer', name: 'text', code: 'text', offset: 'text' },
  Country: { id: 'integer', name: 'text', code: 'text', code2: 'text' },
  Zone: { id: 'integer', domain: 'text', name: 'text' },
  Locale: { id: 'integer', name: 'text', code: 'text' },
  Language: { code: 'text', name: 'text' },
  EmailNotification: { id: 'integer', translationKey: 'text', name: 'text', description: 'text?' },
  VariableType: { id: 'integer', name: 'text', teamOnly: 'flag' },
  ConnectedSystemApp: { name: 'text', label: 'text', icon: 'text' },
  Feature: { title: 'text', name: 'text' },
  ReviewStatus: { value: 'text', label: 'text' },
  Scope: { name: 'text' },
  Region: { id: 'integer', name: 'text' },
  ModuleType: { id: 'integer', name: 'text' },
  UserOrganizationInvitation: {
    hash: 'text',
    invitation: 'text',
    usersRoleId: 'integer',
    organizationId: 'integer',
    organizationName: 'text',
    zone: 'text',
  },
  Payment: {
    id: 'text',
    invoice_number: 'integer',
    created: 'instant',
    type_name: 'text',
    status_name: 'text',
    product_name: 'free',
    payment_method: {
      type: 'text',
      card: {
        brand: 'text',
        last4: 'text',
        country: 'text',
        network: 'text',
        exp_year: 'integer',
        exp_month: 'integer',
        fingerprint: 'text',
      },
    },
    amount_total: 'number',
    currency_code: 'text',
    invoice_url: 'text',
    hosted_invoice_url: 'text',
    period_from: 'date',
    period_to: 'date',
  },
  Subscription: {
    product: {
      id: 'number',
      name: 'text',
      nextBill: 'instant',
      price: { id: 'number', price: 'number', currencyCode: 'text', period: 'text' },
      'coupon?': {
        validFrom: 'instant',
        validTo: 'instant',
        price: 'number',
        currencyCode: 'text',
        productId: 'number',
        productName: 'text',
      },
    },
    pauseStartsAt: 'instant?',
    pauseEndsAt: 'instant?',
    isSubscriptionPaused: 'flag',
  },
  Checkout: { sessionId: 'number', url: 'uri', subscriptionId: 'number' },
  OpenIdConfiguration: { issuer: 'text', jwks_uri: 'text', userinfo_endpoint: 'text' },
  Jwks: { keys: [{ kty: 'text', kid: 'text', use: 'text', alg: 'text' }] },
  UserInfo: {
    sub: 'text',
    name: 'text',
    email: 'text',
    'email_verified?': 'flag',
    'locale?': 'text',
    'zoneinfo?': 'text',
    'picture?': 'text',
  },
  /** Responses have the chosen columns of it. */
  SdkApp: {
    name: 'text',
    label: 'text',
    description: 'text',
    version: 'integer',
    beta: 'flag',
    theme: 'text',
    language: 'text',
    public: 'flag',
    approved: 'flag',
    global: 'flag',
    countries: 'texts?',
    created: 'text',
    manifestVersion: 'integer',
    changes: ['free'],
  },
  SdkChange: { oldValue: 'text?', newValue: 'text' },
  SdkModule: {
    name: 'text',
    label: 'text',
    description: 'text',
    typeId: 'integer',
    public: 'flag',
    approved: 'flag',
    crud: 'text?',
    connection: 'text?',
    altConnection: 'text?',
    webhook: 'text?',
  },
  SdkRpc: { name: 'text', label: 'text', connection: 'text?', altConnection: 'text?' },
  SdkFunction: { name: 'text', args: 'text' },
  SdkEndpoint: {
    name: 'text',
    label: 'text',
    description: 'text?',
    context: 'text?',
    annotations: 'free',
    attachedAccounts: 'texts',
    public: 'flag',
    approved: 'flag',
    deprecated: 'flag',
    archived: 'flag',
    schemaVersion: 'integer',
    createdAt: 'text',
    updatedAt: 'text',
  },
  SdkConnection: { name: 'text', label: 'text', type: 'text' },
  SdkWebhook: { name: 'text', label: 'text', type: 'text', connection: 'text?', altConnection: 'text?' },
} as const;

type ShapeName = keyof typeof SHAPES;

/** A record of a response. */
export type Shape<N extends ShapeName> = Value<(typeof SHAPES)[N]>;

type Value<F> = F extends `${infer K}?`
  ? Value<K> | null
  : F extends 'integer' | 'number'
    ? number
    : F extends 'flag'
      ? boolean
      : F extends 'free'
        ? Readonly<PlainObject>
        : F extends 'texts'
          ? readonly string[]
          : F extends string
            ? string
            : F extends readonly [infer I]
              ? readonly Value<I>[]
              : { readonly [M in keyof F as M extends `${string}?` ? never : M]: Value<F[M]> } & {
                  readonly [M in keyof F as M extends `${infer N}?` ? N : never]?: Value<F[M]>;
                };

/** The schema of a record. */
export function shapeSchema<N extends ShapeName>(name: N): Schema<Shape<N>> {
  const schema: PlainObject = named(name, fieldSchema(SHAPES[name]));
  return schema;
}

/** The schema of a record whose members `cols[]` chooses. */
export function columnsSchema<N extends ShapeName>(name: N): Schema<Partial<Shape<N>>> {
  const { required: _, ...schema } = shapeSchema(name);
  return schema;
}

function fieldSchema(field: Field): Schema<unknown> {
  if (typeof field === 'string') {
    const schema = KINDS[field.replace('?', '') as Kind];
    return field.endsWith('?') ? nullable(schema) : schema;
  }
  if (isList(field)) return list(fieldSchema(field[0]));
  const schemas = (isOptional: boolean): SchemaMap =>
    Object.fromEntries(
      Object.entries(field)
        .filter(([name]) => name.endsWith('?') === isOptional)
        .map(([name, of]) => [name.replace('?', ''), fieldSchema(of)]),
    );
  return object(schemas(false), schemas(true));
}

function isList(field: Field): field is readonly [Field] {
  return Array.isArray(field);
}

/** The lists of `/enums`: path, member of the response, and shape of an entry. Source: https://developers.make.com/api-documentation (users, teams, enums). [doc] */
export const ENUMS = {
  listTimezones: { path: 'timezones', member: 'timezones', item: 'Timezone' },
  listCountries: { path: 'countries', member: 'countries', item: 'Country' },
  listRegions: { path: 'imt-regions', member: 'imtRegions', item: 'Region' },
  listZones: { path: 'imt-zones', member: 'imtZones', item: 'Zone' },
  listOrganizationFeatures: {
    path: 'organization-features',
    member: 'organizationFeatures',
    item: 'Feature',
  },
  listUserFeatures: { path: 'user-features', member: 'userFeatures', item: 'Feature' },
  listScopes: { path: 'user-api-token-scopes', member: 'userApiTokenScopes', item: 'Scope' },
  listLocales: { path: 'locales', member: 'locales', item: 'Locale' },
  listLanguages: { path: 'languages', member: 'languages', item: 'Language' },
  listEmailNotifications: {
    path: 'user-email-notifications',
    member: 'userEmailNotifications',
    item: 'EmailNotification',
  },
  listVariableTypes: { path: 'variable-types', member: 'variableTypes', item: 'VariableType' },
  listReviewStatuses: { path: 'apps-review-statuses', member: 'reviewStatuses', item: 'ReviewStatus' },
  listModuleTypes: { path: 'module-types', member: 'moduleTypes', item: 'ModuleType' },
  listConnectedSystemApps: {
    path: 'connected-system-apps',
    member: 'connectedSystemApps',
    item: 'ConnectedSystemApp',
  },
} as const;

type Enums = typeof ENUMS;

/** The ids of the lists of `/enums`. */
export type EnumId = keyof Enums;

/** The entries of a list of `/enums`. */
export type EnumEntries<K extends EnumId> = readonly Shape<Enums[K]['item']>[];

/** The responses of `/enums`. */
export type EnumAnswers = {
  readonly [K in EnumId]: { readonly [M in Enums[K]['member']]: EnumEntries<K> };
};
