import type { SqlReader, SqlStore, SqlWriter } from '../../shared/store/record-store.js';
import type { TableDefinitions } from '../../shared/store/table.js';

/** Instants are milliseconds since the epoch, UTC. */
export interface UserRow {
  readonly id: number;
  readonly name: string;
  readonly nameKey: string;
  /** Lower case, unique. */
  readonly email: string;
  readonly language: string;
  readonly timezoneId: number;
  readonly localeId: number;
  readonly countryId: number;
  readonly features: Readonly<Record<string, boolean>>;
  readonly avatar: string;
  readonly lastLogin: number | null;
  readonly tfaStatus: number | null;
  /** Set for administrators of the instance. */
  readonly usersAdminsRoleId: number | null;
  readonly createdAt: number;
  readonly deleted: boolean;
}

export interface TokenRow {
  readonly id: number;
  readonly userId: number;
  /** SHA-256 of the token, hexadecimal. The store does not have the token itself. */
  readonly hash: string;
  /** The first characters of the token, so that users can identify it. */
  readonly hint: string;
  readonly scopes: readonly string[];
  readonly label: string;
  readonly createdAt: number;
}

/** A license as sent or configured, with its unknown members. */
export type License = Readonly<Record<string, unknown>>;

export interface FeatureControl {
  readonly name: string;
  readonly enabled: boolean;
}

export interface OrganizationRow {
  readonly id: number;
  readonly name: string;
  readonly nameKey: string;
  readonly externalId: string | null;
  /** Domain of the zone. */
  readonly zone: string;
  readonly serviceName: string;
  readonly regionId: number;
  readonly countryId: number;
  readonly timezoneId: number;
  readonly createdAt: number;
  /** Time at which the zone knows the organization. */
  readonly syncedAt: number;
  readonly lastReset: number;
  readonly nextReset: number;
  /** The reset that determines day and time of day of later ones; null if that is `nextReset`. */
  readonly resetAnchorAt: number | null;
  readonly license: License;
  readonly productName: string;
  readonly ssoType: 'oauth2' | 'saml2' | 'none' | null;
  readonly tfaEnforced: boolean;
  readonly userSessionTimeout: number;
  readonly featureControls: readonly FeatureControl[];
  readonly hasAdminVisibility: boolean;
  /** Consumption since `lastReset`. */
  readonly operations: number;
  readonly transfer: number;
  readonly centicredits: number;
}

export interface MembershipRow {
  readonly id: number;
  readonly userId: number;
  readonly organizationId: number;
  readonly usersRoleId: number;
  /** Null for the creator of the organization, else the state of the invitation. */
  readonly invitation: string | null;
}

export interface InvitationRow {
  readonly id: number;
  readonly hash: string;
  readonly organizationId: number;
  readonly userId: number;
  readonly usersRoleId: number;
  readonly teamIds: readonly number[];
  readonly note: string;
  /** The inviting user; null if unknown. */
  readonly invitedBy: number | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly acceptedAt: number | null;
}

/** A team; of type `personal` it is the private space of its owner. */
export interface TeamRow {
  readonly id: number;
  readonly organizationId: number;
  readonly name: string;
  readonly nameKey: string;
  readonly type: 'standard' | 'personal';
  readonly ownerId: number | null;
  readonly externalId: string | null;
  readonly globalAgentsEnabled: boolean;
  readonly operationsLimit: number | null;
  readonly transferLimit: number | null;
  readonly consumedOperations: number;
  readonly consumedTransfer: number;
  readonly consumedCenticredits: number;
  readonly isPaused: boolean;
  readonly createdAt: number;
}

export interface TeamMemberRow {
  readonly id: number;
  readonly teamId: number;
  readonly userId: number;
  readonly usersRoleId: number;
}

export interface RestScenarioRow {
  readonly id: number;
  readonly organizationId: number;
  readonly teamId: number;
  readonly name: string;
  readonly active: boolean;
}

export interface InstalledAppRow {
  readonly id: number;
  readonly organizationId: number;
  readonly appName: string;
  readonly appVersion: number;
  readonly installedAt: number;
  readonly installedBy: number;
}

/** An app of the instance, as its administrators see it. */
export interface AppRow {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  readonly version: number;
  readonly premiumTier: number;
}

export interface PaymentRow {
  readonly id: number;
  readonly organizationId: number;
  readonly subscriptionId: number;
  readonly paymentId: string;
  readonly createdAt: number;
  readonly periodFrom: number;
  readonly periodTo: number;
  readonly amountTotal: number;
  /** The other members of the record, as the API shows them. */
  readonly record: Readonly<Record<string, unknown>>;
}

export interface KeyRow {
  readonly id: number;
  readonly organizationId: number;
  readonly teamId: number;
  readonly name: string;
  readonly nameKey: string;
  readonly typeName: string;
  readonly packageName: string | null;
  readonly theme: string;
  readonly visibility: 'team' | 'locked';
  readonly authorId: number | null;
  /** Encrypted; see `seal.ts`. */
  readonly parameters: string;
  readonly createdAt: number;
}

/** An entry of the access list of a locked key. */
export interface KeyAdminRow {
  readonly id: number;
  readonly keyId: number;
  readonly userId: number;
}

export interface SettingRow {
  readonly id: number;
  readonly name: string;
  readonly value: string;
}

/** A custom app in development. */
export interface SdkAppRow {
  readonly id: number;
  readonly name: string;
  readonly version: number;
  readonly userId: number;
  /** The other members, as the API shows them. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** A component of a custom app. */
export interface SdkPartRow {
  readonly id: number;
  readonly appId: number;
  readonly kind: string;
  /** The app within which the name is unique; 0 for the instance. */
  readonly scopeId: number;
  readonly name: string;
  readonly record: Readonly<Record<string, unknown>>;
}

/** A text of a custom app or, with a `partId`, of a component. */
export interface SdkTextRow {
  readonly id: number;
  readonly appId: number;
  readonly partId: number;
  readonly section: string;
  /** Null before the first commit of an approved app. */
  readonly text: string | null;
  /** The change of an approved app that is not committed. */
  readonly pending: string | null;
}

/** The rows of each table, by the name of the table. A type, as only types are assignable to an index signature. */
export type RestTables = {
  readonly users: UserRow;
  readonly tokens: TokenRow;
  readonly organizations: OrganizationRow;
  readonly memberships: MembershipRow;
  readonly invitations: InvitationRow;
  readonly teams: TeamRow;
  readonly teamMembers: TeamMemberRow;
  readonly scenarios: RestScenarioRow;
  readonly installedApps: InstalledAppRow;
  readonly apps: AppRow;
  readonly subscriptions: RestSubscriptionRow;
  readonly payments: PaymentRow;
  readonly keys: KeyRow;
  readonly keyAdmins: KeyAdminRow;
  readonly settings: SettingRow;
  readonly sdkApps: SdkAppRow;
  readonly sdkParts: SdkPartRow;
  readonly sdkTexts: SdkTextRow;
};

/** The store of `createStoreBackend`. */
export type RestStore = SqlStore<RestTables>;

export type RestReader = SqlReader<RestTables>;

export type RestWriter = SqlWriter<RestTables>;

/** Definitions of the tables. */
export const REST_TABLES: TableDefinitions<RestTables> = {
  users: {
    columns: {
      name: 'text',
      nameKey: 'text',
      email: 'text',
      language: 'text',
      timezoneId: 'whole',
      localeId: 'whole',
      countryId: 'whole',
      features: 'json',
      avatar: 'text',
      lastLogin: 'whole?',
      tfaStatus: 'whole?',
      usersAdminsRoleId: 'whole?',
      createdAt: 'whole',
      deleted: 'flag',
    },
    unique: [['email']],
  },
  tokens: {
    columns: {
      userId: 'whole',
      hash: 'text',
      hint: 'text',
      scopes: 'json',
      label: 'text',
      createdAt: 'whole',
    },
    unique: [['hash'], ['userId', 'createdAt']],
  },
  organizations: {
    columns: {
      name: 'text',
      nameKey: 'text',
      externalId: 'text?',
      zone: 'text',
      serviceName: 'text',
      regionId: 'whole',
      countryId: 'whole',
      timezoneId: 'whole',
      createdAt: 'whole',
      syncedAt: 'whole',
      lastReset: 'whole',
      nextReset: 'whole',
      resetAnchorAt: 'whole?',
      license: 'json',
      productName: 'text',
      ssoType: 'text?',
      tfaEnforced: 'flag',
      userSessionTimeout: 'whole',
      featureControls: 'json',
      hasAdminVisibility: 'flag',
      operations: 'whole',
      transfer: 'whole',
      centicredits: 'whole',
    },
    indexes: [['externalId'], ['nameKey']],
  },
  memberships: {
    columns: { userId: 'whole', organizationId: 'whole', usersRoleId: 'whole', invitation: 'text?' },
    unique: [['organizationId', 'userId']],
    indexes: [['userId']],
  },
  invitations: {
    columns: {
      hash: 'text',
      organizationId: 'whole',
      userId: 'whole',
      usersRoleId: 'whole',
      teamIds: 'json',
      note: 'text',
      invitedBy: 'whole?',
      createdAt: 'whole',
      expiresAt: 'whole',
      acceptedAt: 'whole?',
    },
    unique: [['hash']],
    indexes: [['organizationId'], ['userId']],
  },
  teams: {
    columns: {
      organizationId: 'whole',
      name: 'text',
      nameKey: 'text',
      type: 'text',
      ownerId: 'whole?',
      externalId: 'text?',
      globalAgentsEnabled: 'flag',
      operationsLimit: 'whole?',
      transferLimit: 'whole?',
      consumedOperations: 'whole',
      consumedTransfer: 'whole',
      consumedCenticredits: 'whole',
      isPaused: 'flag',
      createdAt: 'whole',
    },
    indexes: [['organizationId']],
  },
  teamMembers: {
    columns: { teamId: 'whole', userId: 'whole', usersRoleId: 'whole' },
    unique: [['teamId', 'userId']],
    indexes: [['userId']],
  },
  scenarios: {
    columns: { organizationId: 'whole', teamId: 'whole', name: 'text', active: 'flag' },
    indexes: [['organizationId'], ['teamId']],
  },
  installedApps: {
    columns: {
      organizationId: 'whole',
      appName: 'text',
      appVersion: 'whole',
      installedAt: 'whole',
      installedBy: 'whole',
    },
    unique: [['organizationId', 'appName', 'appVersion']],
  },
  apps: {
    columns: { name: 'text', label: 'text', version: 'whole', premiumTier: 'whole' },
    unique: [['name']],
  },
  subscriptions: {
    columns: {
      organizationId: 'whole',
      status: 'text',
      priceId: 'whole',
      productId: 'whole',
      productName: 'text',
      amount: 'decimal',
      currencyCode: 'text',
      period: 'text',
      selfService: 'flag',
      coupon: 'json?',
      customer: 'json?',
      anchorAt: 'whole',
      periodIndex: 'whole',
      periodStartsAt: 'whole',
      periodEndsAt: 'whole',
      pauseStartsAt: 'whole?',
      pauseEndsAt: 'whole?',
    },
    // Several checkouts may be pending; the paid one becomes the subscription.
    indexes: [['organizationId']],
  },
  payments: {
    columns: {
      organizationId: 'whole',
      subscriptionId: 'whole',
      paymentId: 'text',
      createdAt: 'whole',
      periodFrom: 'whole',
      periodTo: 'whole',
      amountTotal: 'decimal',
      record: 'json',
    },
    unique: [['subscriptionId', 'periodFrom']],
    indexes: [['organizationId']],
  },
  keys: {
    columns: {
      organizationId: 'whole',
      teamId: 'whole',
      name: 'text',
      nameKey: 'text',
      typeName: 'text',
      packageName: 'text?',
      theme: 'text',
      visibility: 'text',
      authorId: 'whole?',
      parameters: 'text',
      createdAt: 'whole',
    },
    indexes: [['organizationId'], ['teamId']],
  },
  keyAdmins: { columns: { keyId: 'whole', userId: 'whole' }, unique: [['keyId', 'userId']] },
  settings: { columns: { name: 'text', value: 'text' }, unique: [['name']] },
  // Custom apps in development.
  sdkApps: {
    columns: { name: 'text', version: 'whole', userId: 'whole', record: 'json' },
    unique: [['name', 'version']],
    indexes: [['userId']],
  },
  sdkParts: {
    columns: { appId: 'whole', kind: 'text', scopeId: 'whole', name: 'text', record: 'json' },
    unique: [['kind', 'scopeId', 'name']],
    indexes: [['appId']],
  },
  sdkTexts: {
    columns: { appId: 'whole', partId: 'whole', section: 'text', text: 'text?', pending: 'text?' },
    unique: [['appId', 'partId', 'section']],
  },
};

/** The key for sorting and search of names: ignores case and compatible forms of a letter. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** A rebate on the price of a subscription. */
export interface Coupon {
  readonly code: string;
  readonly validFrom: string;
  readonly validTo: string;
  readonly price: number;
  readonly currencyCode: string;
  readonly productId: number;
  readonly productName: string;
}

/**
 * The stored subscription of an organization. Times are in milliseconds. `advanceSubscription` computes its state at
 * a time.
 */
export interface RestSubscriptionRow {
  readonly id: number;
  readonly organizationId: number;
  /** `pending` until its checkout has been paid. */
  readonly status: 'pending' | 'active';
  readonly priceId: number;
  readonly productId: number;
  readonly productName: string;
  readonly amount: number;
  readonly currencyCode: string;
  readonly period: 'month' | 'year';
  readonly selfService: boolean;
  readonly coupon: Coupon | null;
  readonly customer: Readonly<Record<string, unknown>> | null;
  /** Start of the first period. */
  readonly anchorAt: number;
  /** Number of periods since the anchor that have ended. */
  readonly periodIndex: number;
  readonly periodStartsAt: number;
  readonly periodEndsAt: number;
  readonly pauseStartsAt: number | null;
  readonly pauseEndsAt: number | null;
}
