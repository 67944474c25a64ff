import type { ColumnType, TableShape } from '../../shared/store/table.js';

declare const VALUE: unique symbol;

/** A JSON column with values of the type `T`. */
export type Json<T> = ('json' | 'json?') & { readonly [VALUE]?: T };

/** How a resource of the API shows a column: unchanged, as an ISO 8601 time, or as the text of a 64-bit number. */
type ShownForm = 'same' | 'instant' | 'digits';

/** With `?`, a response may have null, which columns of this store never have. */
export type ShownAs = ShownForm | `${ShownForm}?`;

/**
 * A column, and everything the API does with it. This row gives the type, the column of the database and its migration,
 * the member of the resources in `shown`, and the member of the bodies in `sent`.
 */
export type ColumnRow = FirstColumn | FilledColumn | NullableColumn;

interface AnyColumn {
  /** The type, or the texts it may have. Null, as the last of them, makes the column nullable. */
  readonly is: ColumnType | readonly (string | null)[];
  /** The value in new rows, and in existing rows if the column has a `since`. */
  readonly starts?: unknown;
  /** Resources that show the column, by title. */
  readonly shown?: Readonly<Record<string, ShownAs>>;
  /** Operations whose bodies may or must have the column, which they store unchanged. A body cannot send null. */
  readonly sent?: Readonly<Record<string, 'required' | 'optional'>>;
  /** JSON Schema keywords of the member of a body. */
  readonly limits?: Readonly<Record<string, unknown>>;
}

/** The name of a migration: `002-webhook-note`. */
type Migration = `${number}-${string}`;

interface FirstColumn extends AnyColumn {
  readonly since?: undefined;
}

/** A column of a later version with a value for existing rows. */
interface FilledColumn extends AnyColumn {
  /** The migration that adds the column. */
  readonly since: Migration;
  readonly starts: string | number | boolean | object;
}

/** A column of a later version that may be null in existing rows. */
interface NullableColumn extends AnyColumn {
  /** The migration that adds the column. */
  readonly since: Migration;
  readonly is: Extract<ColumnType, `${string}?`> | readonly [...string[], null];
}

/** A table: a row per column except `id`. */
export interface TableRows extends Omit<TableShape, 'columns'> {
  readonly columns: Readonly<Record<string, ColumnRow>>;
}

/** A license as sent or configured, with its unknown members. */
export type License = Readonly<Record<string, unknown>>;

/** A type, as only types are assignable to an index signature. */
export type FeatureControl = { readonly name: string; readonly enabled: boolean };

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

type Members = Readonly<Record<string, unknown>>;

/** The tables of the store. Instants are milliseconds since the epoch, UTC. */
export const ROWS = {
  users: {
    columns: {
      name: { is: 'text', shown: { User: 'same' } },
      nameKey: { is: 'text' },
      /** Lower case, unique. */
      email: { is: 'text' },
      language: { is: 'text', starts: 'en', shown: { User: 'same' } },
      timezoneId: { is: 'whole', shown: { User: 'same' } },
      localeId: { is: 'whole', shown: { User: 'same' } },
      countryId: { is: 'whole', shown: { User: 'same' } },
      features: { is: 'json' as Json<Readonly<Record<string, boolean>>> },
      avatar: { is: 'text' },
      lastLogin: { is: 'whole?', starts: null },
      tfaStatus: { is: 'whole?', starts: null },
      /** Set for administrators of the instance. */
      usersAdminsRoleId: { is: 'whole?', shown: { User: 'same' } },
      createdAt: { is: 'whole' },
      deleted: { is: 'flag', starts: false, shown: { User: 'same' } },
    },
    unique: [['email']],
  },
  tokens: {
    columns: {
      userId: { is: 'whole' },
      /** SHA-256 of the token, hexadecimal. The store does not have the token itself. */
      hash: { is: 'text' },
      /** The first characters of the token, so that users can identify it. */
      hint: { is: 'text' },
      scopes: { is: 'json' as Json<readonly string[]> },
      label: {
        is: 'text',
        shown: { ApiToken: 'same' },
        sent: { createApiToken: 'required' },
        limits: { minLength: 1, maxLength: 128 },
      },
      createdAt: { is: 'whole' },
    },
    unique: [['hash'], ['userId', 'createdAt']],
  },
  organizations: {
    columns: {
      name: { is: 'text', shown: { Organization: 'same' } },
      nameKey: { is: 'text' },
      externalId: { is: 'text?', starts: null, shown: { Organization: 'same' } },
      /** Domain of the zone. */
      zone: { is: 'text', shown: { Organization: 'same' } },
      serviceName: { is: 'text', shown: { Organization: 'same' } },
      regionId: { is: 'whole', shown: { Organization: 'same' } },
      countryId: {
        is: 'whole',
        shown: { Organization: 'same' },
        sent: {
          createOrganization: 'required',
          updateOrganization: 'optional',
          createInstanceOrganization: 'optional',
          updateInstanceOrganization: 'optional',
        },
        limits: { minimum: 1 },
      },
      timezoneId: {
        is: 'whole',
        shown: { Organization: 'same' },
        sent: {
          createOrganization: 'required',
          updateOrganization: 'optional',
          createInstanceOrganization: 'optional',
          updateInstanceOrganization: 'optional',
        },
        limits: { minimum: 1 },
      },
      createdAt: { is: 'whole', shown: { Organization: 'instant' } },
      /** Time at which the zone knows the organization. */
      syncedAt: { is: 'whole' },
      lastReset: { is: 'whole' },
      nextReset: { is: 'whole' },
      /** The reset that determines day and time of day of later ones; null if that is `nextReset`. */
      resetAnchorAt: { is: 'whole?' },
      license: { is: 'json' as Json<License> },
      productName: { is: 'text', shown: { Organization: 'same' } },
      ssoType: { is: ['oauth2', 'saml2', 'none', null], starts: null, shown: { Organization: 'same' } },
      tfaEnforced: { is: 'flag', starts: false, shown: { Organization: 'same' } },
      // Seconds. Source: https://developers.make.com/api-documentation (organizations). [src]
      userSessionTimeout: { is: 'whole', starts: 86_400, shown: { Organization: 'same' } },
      featureControls: { is: 'json' as Json<readonly FeatureControl[]> },
      hasAdminVisibility: { is: 'flag', starts: false },
      /** Consumption since `lastReset`, as the next two. */
      operations: { is: 'whole', starts: 0 },
      transfer: { is: 'whole', starts: 0 },
      centicredits: { is: 'whole', starts: 0 },
    },
    indexes: [['externalId'], ['nameKey']],
  },
  memberships: {
    columns: {
      userId: { is: 'whole', shown: { UserOrganizationRole: 'same' } },
      organizationId: { is: 'whole', shown: { UserOrganizationRole: 'same' } },
      usersRoleId: { is: 'whole', shown: { UserOrganizationRole: 'same' } },
      /** Null for the creator of the organization, else the state of the invitation. */
      invitation: { is: 'text?', shown: { UserOrganizationRole: 'same' } },
    },
    unique: [['organizationId', 'userId']],
    indexes: [['userId']],
  },
  invitations: {
    columns: {
      hash: { is: 'text' },
      organizationId: { is: 'whole' },
      userId: { is: 'whole' },
      usersRoleId: { is: 'whole' },
      teamIds: { is: 'json' as Json<readonly number[]> },
      note: { is: 'text' },
      /** The inviting user; null if unknown. */
      invitedBy: { is: 'whole?' },
      createdAt: { is: 'whole' },
      expiresAt: { is: 'whole' },
      acceptedAt: { is: 'whole?', starts: null },
    },
    unique: [['hash']],
    indexes: [['organizationId'], ['userId']],
  },
  // A team of type `personal` is the private space of its owner.
  teams: {
    columns: {
      organizationId: { is: 'whole', shown: { Team: 'same', PrivateSpace: 'same' } },
      name: { is: 'text', shown: { Team: 'same', PrivateSpace: 'same', OwnPrivateSpace: 'same' } },
      nameKey: { is: 'text' },
      type: { is: ['standard', 'personal'], shown: { Team: 'same' } },
      ownerId: { is: 'whole?' },
      externalId: { is: 'text?', starts: null, shown: { PrivateSpace: 'same' } },
      globalAgentsEnabled: {
        is: 'flag',
        starts: false,
        shown: { PrivateSpace: 'same', OwnPrivateSpace: 'same' },
      },
      operationsLimit: {
        is: 'whole?',
        starts: null,
        shown: { Team: 'same', PrivateSpace: 'same', OwnPrivateSpace: 'same' },
        sent: { createTeam: 'optional' },
        limits: { minimum: 0 },
      },
      transferLimit: {
        is: 'whole?',
        starts: null,
        shown: { Team: 'digits', OwnPrivateSpace: 'same' },
        sent: { createTeam: 'optional' },
        limits: { minimum: 0 },
      },
      consumedOperations: {
        is: 'whole',
        starts: 0,
        shown: { Team: 'same', PrivateSpace: 'same?', OwnPrivateSpace: 'same?' },
      },
      consumedTransfer: {
        is: 'whole',
        starts: 0,
        shown: { Team: 'digits', PrivateSpace: 'digits?', OwnPrivateSpace: 'same?' },
      },
      consumedCenticredits: {
        is: 'whole',
        starts: 0,
        shown: { PrivateSpace: 'digits?', OwnPrivateSpace: 'same?' },
      },
      isPaused: {
        is: 'flag',
        starts: false,
        shown: { Team: 'same', PrivateSpace: 'same?', OwnPrivateSpace: 'same?' },
      },
      createdAt: { is: 'whole' },
    },
    indexes: [['organizationId']],
  },
  teamMembers: {
    columns: { teamId: { is: 'whole' }, userId: { is: 'whole' }, usersRoleId: { is: 'whole' } },
    unique: [['teamId', 'userId']],
    indexes: [['userId']],
  },
  scenarios: {
    columns: {
      organizationId: { is: 'whole' },
      teamId: { is: 'whole' },
      name: { is: 'text' },
      active: { is: 'flag' },
    },
    indexes: [['organizationId'], ['teamId']],
  },
  installedApps: {
    columns: {
      organizationId: { is: 'whole', shown: { InstalledApp: 'same' } },
      appName: { is: 'text', shown: { InstalledApp: 'same' } },
      appVersion: { is: 'whole', shown: { InstalledApp: 'same' } },
      installedAt: { is: 'whole', shown: { InstalledApp: 'instant' } },
      installedBy: { is: 'whole', shown: { InstalledApp: 'same' } },
    },
    unique: [['organizationId', 'appName', 'appVersion']],
  },
  // Apps of the instance, as its administrators see them.
  apps: {
    columns: {
      name: { is: 'text', shown: { InstanceApp: 'same' } },
      label: { is: 'text', shown: { InstanceApp: 'same' } },
      version: { is: 'whole', shown: { InstanceApp: 'same' } },
      premiumTier: { is: 'whole', shown: { InstanceApp: 'same' } },
    },
    unique: [['name']],
  },
  // `advanceSubscription` computes the state of a subscription at a time.
  subscriptions: {
    columns: {
      organizationId: { is: 'whole' },
      /** `pending` until its checkout has been paid. */
      status: { is: ['pending', 'active'] },
      priceId: { is: 'whole' },
      productId: { is: 'whole' },
      productName: { is: 'text' },
      amount: { is: 'decimal' },
      currencyCode: { is: 'text' },
      period: { is: ['month', 'year'] },
      selfService: { is: 'flag' },
      coupon: { is: 'json?' as Json<Coupon | null> },
      customer: { is: 'json?' as Json<Members | null> },
      /** Start of the first period. */
      anchorAt: { is: 'whole' },
      /** Number of periods since the anchor that have ended. */
      periodIndex: { is: 'whole' },
      periodStartsAt: { is: 'whole' },
      periodEndsAt: { is: 'whole' },
      pauseStartsAt: { is: 'whole?' },
      pauseEndsAt: { is: 'whole?' },
    },
    // Several checkouts may be pending; the paid one becomes the subscription.
    indexes: [['organizationId']],
  },
  payments: {
    columns: {
      organizationId: { is: 'whole' },
      subscriptionId: { is: 'whole' },
      paymentId: { is: 'text' },
      createdAt: { is: 'whole' },
      periodFrom: { is: 'whole' },
      periodTo: { is: 'whole' },
      amountTotal: { is: 'decimal' },
      /** The other members of the record, as the API shows them. */
      record: { is: 'json' as Json<Members> },
    },
    unique: [['subscriptionId', 'periodFrom']],
    indexes: [['organizationId']],
  },
  keys: {
    columns: {
      organizationId: { is: 'whole' },
      teamId: { is: 'whole', shown: { Key: 'same' } },
      name: { is: 'text', shown: { Key: 'same' } },
      nameKey: { is: 'text' },
      typeName: { is: 'text', shown: { Key: 'same' } },
      packageName: { is: 'text?', shown: { Key: 'same' } },
      theme: { is: 'text', shown: { Key: 'same' } },
      visibility: { is: ['team', 'locked'], shown: { Key: 'same' } },
      authorId: { is: 'whole?' },
      /** Encrypted; see `seal.ts`. */
      parameters: { is: 'text' },
      createdAt: { is: 'whole' },
    },
    indexes: [['organizationId'], ['teamId']],
  },
  // The access lists of locked keys.
  keyAdmins: {
    columns: { keyId: { is: 'whole' }, userId: { is: 'whole' } },
    unique: [['keyId', 'userId']],
  },
  settings: { columns: { name: { is: 'text' }, value: { is: 'text' } }, unique: [['name']] },
  // Custom apps in development. `record` has the other members, as the API shows them.
  sdkApps: {
    columns: {
      name: { is: 'text' },
      version: { is: 'whole' },
      userId: { is: 'whole' },
      record: { is: 'json' as Json<Members> },
    },
    unique: [['name', 'version']],
    indexes: [['userId']],
  },
  sdkParts: {
    columns: {
      appId: { is: 'whole' },
      kind: { is: 'text' },
      /** The app within which the name is unique; 0 for the instance. */
      scopeId: { is: 'whole' },
      name: { is: 'text' },
      record: { is: 'json' as Json<Members> },
    },
    unique: [['kind', 'scopeId', 'name']],
    indexes: [['appId']],
  },
  // Texts of custom apps or, with a `partId`, of components.
  sdkTexts: {
    columns: {
      appId: { is: 'whole' },
      partId: { is: 'whole' },
      section: { is: 'text' },
      /** Null before the first commit of an approved app. */
      text: { is: 'text?' },
      /** The change of an approved app that is not committed. */
      pending: { is: 'text?' },
    },
    unique: [['appId', 'partId', 'section']],
  },
} as const;

type Rows = typeof ROWS;
export type TableName = keyof Rows;
type Columns<T extends TableName> = Rows[T]['columns'];

type Plain<I> = I extends `${infer K}?`
  ? Plain<K> | null
  : I extends 'text'
    ? string
    : I extends 'flag'
      ? boolean
      : number;

type ValueOf<C> = C extends { readonly is: infer I }
  ? I extends readonly (infer V)[]
    ? V
    : I extends { readonly [VALUE]?: infer J } & string
      ? unknown extends J
        ? Plain<I>
        : J
      : Plain<I>
  : never;

/** A row of a table. */
export type RowOf<T extends TableName> = { readonly id: number } & {
  readonly [C in keyof Columns<T>]: ValueOf<Columns<T>[C]>;
};

type ShownValue<C, Title extends string> = C extends { readonly shown: Readonly<Record<Title, infer As>> }
  ? (As extends `same${string}` ? ValueOf<C> : string | Extract<ValueOf<C>, null>) | NullIf<As>
  : never;

type NullIf<As> = As extends `${string}?` ? null : never;

/** The members that a resource has from the columns of a table. */
export type Shown<T extends TableName, Title extends string> = {
  readonly [C in keyof Columns<T> as Columns<T>[C] extends {
    readonly shown: Readonly<Record<Title, ShownAs>>;
  }
    ? C
    : never]: ShownValue<Columns<T>[C], Title>;
};

/** The members that the body of an operation has from the columns of a table. */
export type Sent<T extends TableName, Operation extends string> = {
  readonly [C in SentNames<T, Operation, 'required'>]: NonNullable<ValueOf<Columns<T>[C]>>;
} & { readonly [C in SentNames<T, Operation, 'optional'>]?: NonNullable<ValueOf<Columns<T>[C]>> };

type SentNames<T extends TableName, Operation extends string, Need extends string> = {
  [C in keyof Columns<T>]: Columns<T>[C] extends { readonly sent: Readonly<Record<Operation, Need>> }
    ? C
    : never;
}[keyof Columns<T>];

/** The columns of a table that have an initial value. */
export type Initial<T extends TableName> = {
  readonly [C in keyof Columns<T> as Columns<T>[C] extends { readonly starts: unknown } ? C : never]: ValueOf<
    Columns<T>[C]
  >;
};

export function columnType({ is }: ColumnRow): ColumnType {
  if (typeof is === 'string') return is;
  return is.includes(null) ? 'text?' : 'text';
}
