import type { PlainObject } from '../../shared/plain-object.js';
import type { License, Sent } from '../store/rows.js';
import type { ApiScope } from './access.js';
import type { KEY_TYPE_NAMES } from './fields.js';
import type { EnumId } from './shapes.js';

// biome-ignore lint/complexity/noBannedTypes: no members are what an absent map of schemas has.
export type None = {};

/** The validated input of an operation. */
interface Input<P = None, Q = None, B = None> {
  readonly params: Readonly<P>;
  readonly query: Readonly<Q>;
  readonly body: Readonly<B>;
}

/** The customer of a subscription. A type, as only types are assignable to an index signature. */
type Customer = Readonly<{
  email: string;
  name: string;
  isBusiness: boolean;
  countryId: number;
  companyName?: string;
  taxId?: string;
  city?: string;
  line1?: string;
  line2?: string;
  postalCode?: string;
  state?: string;
}>;

type SdkAppPath = { appName: string; appVersion: number };
type SdkSection = { section: string };
type SdkContent = { content: string };
type SdkAccount = 'Connection' | 'Webhook';
type SdkPath<K extends string> = K extends SdkAccount
  ? { componentName: string }
  : SdkAppPath & { componentName: string };
type SdkListPath<K extends string> = K extends SdkAccount ? { appName: string } : SdkAppPath;
type SdkText<I extends string, P> = { readonly [N in `get${I}`]: Input<P> } & {
  readonly [N in `set${I}`]: Input<P, None, SdkContent>;
};

/** Operations that each kind of component of a custom app has. */
type SdkComponentInputs<K extends string> = { readonly [N in `listSdk${K}s`]: Input<SdkListPath<K>> } & {
  readonly [N in `createSdk${K}`]: Input<SdkListPath<K>, None, PlainObject>;
} & { readonly [N in `getSdk${K}` | `deleteSdk${K}`]: Input<SdkPath<K>> } & SdkText<
    `Sdk${K}Section`,
    SdkPath<K> & SdkSection
  >;
type SdkChangeInputs<K extends string> = {
  readonly [N in `updateSdk${K}`]: Input<SdkPath<K>, None, PlainObject>;
};

/** Input of the development of custom apps. `content` is a text as sent, of icons in base64. */
type SdkInputs = SdkComponentInputs<'Module'> &
  SdkComponentInputs<'Rpc'> &
  SdkComponentInputs<'Function'> &
  SdkComponentInputs<'Endpoint'> &
  SdkComponentInputs<'Connection'> &
  SdkComponentInputs<'Webhook'> &
  SdkChangeInputs<'Module'> &
  SdkChangeInputs<'Rpc'> &
  SdkChangeInputs<'Endpoint'> &
  SdkChangeInputs<'Connection'> &
  SdkChangeInputs<'Webhook'> &
  SdkText<'SdkConnectionCommon', { componentName: string }> &
  SdkText<'SdkAppReadme' | 'SdkAppCommon', SdkAppPath> &
  SdkText<'SdkAppSection', SdkAppPath & SdkSection> & {
    readonly [N in `setSdk${'Module' | 'Endpoint'}${'Public' | 'Private'}`]: Input<
      SdkAppPath & { componentName: string }
    >;
  } & {
    readonly [N in
      | `setSdkApp${'Public' | 'Private'}`
      | 'rollbackSdkApp'
      | 'approveSdkApp']: Input<SdkAppPath>;
  };

/** The input of each operation, by its id. `defineOperation` checks it against the schemas that requests are validated with. */
export interface OperationInputs extends SdkInputs, Readonly<Record<EnumId, Input>> {
  readonly listOrganizations: Input<None, { zone?: string; externalId?: string }>;
  readonly createOrganization: Input<
    None,
    None,
    { name: string; regionId: number } & Sent<'organizations', 'createOrganization'>
  >;
  readonly getOrganization: Input<{ organizationId: number }, { wait?: boolean }>;
  readonly updateOrganization: Input<
    { organizationId: number },
    None,
    { name?: string } & Sent<'organizations', 'updateOrganization'>
  >;
  readonly deleteOrganization: Input<{ organizationId: number }, { confirmed?: boolean }>;
  readonly getInvitation: Input<None, { hash: string; organizationId?: number }>;
  readonly acceptInvitation: Input<None, None, { hash: string }>;
  readonly listOwnInvitations: Input;
  readonly inviteUser: Input<
    { organizationId: number },
    None,
    { usersRoleId: number; email: string; name: string; note?: string; teamsId?: readonly number[] }
  >;
  readonly listInstalledApps: Input<{ organizationId: number }>;
  readonly listPayments: Input<{ organizationId: number }>;
  readonly getSubscription: Input<{ organizationId: number }>;
  readonly createSubscription: Input<
    { organizationId: number },
    None,
    { priceId: number; couponCode?: string; customer?: Customer }
  >;
  readonly changeSubscription: Input<
    { organizationId: number },
    None,
    { priceId: number; customer?: Customer }
  >;
  readonly cancelSubscription: Input<{ organizationId: number }>;
  readonly pauseSubscription: Input<{ organizationId: number }, None, { resumeAt: string }>;
  readonly unpauseSubscription: Input<{ organizationId: number }>;
  readonly listKeys: Input<None, { teamId: number; typeName?: (typeof KEY_TYPE_NAMES)[number] }>;
  readonly createKey: Input<
    None,
    None,
    {
      teamId: number;
      name: string;
      typeName: string;
      parameters: PlainObject;
      visibility?: 'team' | 'locked';
    }
  >;
  readonly listKeyTypes: Input;
  readonly getKey: Input<{ keyId: number }>;
  readonly updateKey: Input<{ keyId: number }, None, { name?: string; parameters?: PlainObject }>;
  readonly deleteKey: Input<{ keyId: number }, { confirmed?: boolean }>;
  readonly setKeyLocked: Input<{ keyId: number }>;
  readonly setKeyTeam: Input<{ keyId: number }>;
  readonly getOpenIdConfiguration: Input;
  readonly getRootOpenIdConfiguration: Input;
  readonly getJwks: Input;
  readonly getUserInfo: Input;
  readonly listInstanceOrganizations: Input<None, { id?: number; name?: string; externalId?: string }>;
  readonly createInstanceOrganization: Input<
    None,
    None,
    { name: string; userOrgAdmin?: number; license?: License } & Sent<
      'organizations',
      'createInstanceOrganization'
    >
  >;
  readonly updateInstanceOrganization: Input<
    { organizationId: number },
    None,
    {
      name?: string;
      nextReset?: string;
      performReset?: boolean;
      license?: License;
    } & Sent<'organizations', 'updateInstanceOrganization'>
  >;
  readonly deleteInstanceOrganization: Input<{ organizationId: number }>;
  readonly getDefaultLicense: Input;
  readonly listInstanceUsers: Input<
    None,
    { organizationId?: number; teamId?: number; name?: string; email?: string }
  >;
  readonly listInstanceApps: Input;
  readonly getInstanceApp: Input<{ appName: string }>;
  readonly getMe: Input<None, { includeInvitedOrg?: boolean; organizationId?: number }>;
  readonly getCurrentAuthorization: Input;
  readonly listApiTokens: Input;
  readonly createApiToken: Input<
    None,
    None,
    { scope: readonly ApiScope[] } & Sent<'tokens', 'createApiToken'>
  >;
  readonly deleteApiToken: Input<{ timestamp: string }>;
  readonly listRoles: Input<
    None,
    {
      category?: 'organization' | 'team';
      excludeRole?: readonly number[];
      roleId?: number;
      organizationId?: number;
      teamId?: number;
    }
  >;
  readonly getRole: Input<{ roleId: number }>;
  readonly listTeams: Input<None, { organizationId: number; includePrivateSpaces?: boolean }>;
  readonly createTeam: Input<
    None,
    None,
    { name: string; organizationId: number } & Sent<'teams', 'createTeam'>
  >;
  readonly getTeam: Input<{ teamId: number }>;
  readonly deleteTeam: Input<{ teamId: number }, { confirmed?: boolean }>;
  readonly listPrivateSpaces: Input<None, { organizationId: number; externalId?: string }>;
  readonly getPrivateSpace: Input<{ privateSpaceId: number }>;
  readonly updatePrivateSpace: Input<
    { privateSpaceId: number },
    { confirmed?: boolean },
    { operationsLimit?: number | null | string }
  >;
  readonly listSdkApps: Input<None, { all?: boolean }>;
  readonly createSdkApp: Input<None, None, PlainObject>;
  readonly getSdkApp: Input<SdkAppPath>;
  readonly updateSdkApp: Input<SdkAppPath, None, PlainObject>;
  readonly deleteSdkApp: Input<SdkAppPath>;
  readonly getSdkAppIcon: Input<SdkAppPath & { size: number }>;
  readonly updateSdkAppBase: Input<SdkAppPath, None, SdkContent>;
  readonly setSdkAppIcon: Input<SdkAppPath, None, SdkContent>;
  readonly getSdkAppChecksum: Input<SdkAppPath>;
  readonly getSdkAppChange: Input<SdkAppPath & { changeId: number }>;
  readonly commitSdkApp: Input<
    SdkAppPath,
    None,
    { message: string; notify?: boolean; changeIds?: readonly number[] }
  >;
  readonly ping: Input;
}

/** The id of an operation, as in the OpenAPI document: `listOrganizations`. */
export type OperationId = keyof OperationInputs;

/** Operations that need no token. */
export type OpenOperationId = 'ping' | 'getJwks' | 'getOpenIdConfiguration' | 'getRootOpenIdConfiguration';
