import type { PlainObject } from '../../shared/plain-object.js';
import type { FeatureControl, License, Shown } from '../store/rows.js';
import type { Role } from './access.js';
import type { PageRecord } from './lists.js';
import type { OperationId } from './operation-inputs.js';
import type { EnumAnswers, Shape } from './shapes.js';

/** A team or private space within an organization. */
interface NamedRow {
  readonly id: number;
  readonly name: string;
}

/** Counters of 64 bits are texts. */
export interface Organization extends Shown<'organizations', 'Organization'> {
  readonly id: number;
  readonly nextReset: string;
  readonly lastReset: string;
  readonly isPaused: boolean;
  readonly deleted: boolean;
  readonly license: Readonly<PlainObject>;
  readonly teams: readonly NamedRow[];
  readonly scenarios: number;
  readonly activeScenarios: number;
  readonly featureControls: readonly FeatureControl[];
  readonly privateSpaces: readonly (NamedRow & {
    readonly isOwner: boolean;
    readonly hasAdminVisibility: boolean;
  })[];
  readonly solutionPartnerLink: string | null;
  readonly sharedScenarioPartnerCode: string | null;
  readonly operations: string;
  readonly transfer: string;
  readonly operationsExt: string;
  readonly transferExt: string;
  readonly unusedOperations: string;
  readonly unusedTransfer: string;
  readonly centicreditsConsumed: string;
  readonly centicreditsExtra: string;
  readonly unusedCenticredits: string;
  readonly autoPurchasingActivated: boolean;
  readonly autoPurchaseInProgress: boolean;
  readonly features: Readonly<PlainObject>;
  readonly activeApps: number;
}

/** The role of a user in an organization, with the state of the invitation. */
export type UserOrganizationRole = Shown<'memberships', 'UserOrganizationRole'>;

export interface Team extends Shown<'teams', 'Team'> {
  readonly id: number;
  readonly activeScenarios: number;
  readonly activeApps: number;
  readonly operations: string;
  readonly transfer: string;
}

/** The role of a user in a team. */
export interface UserTeamRole {
  readonly usersRoleId: number;
  readonly userId: number;
  readonly teamId: number;
  readonly changeable: boolean;
}

/** A private space as `/private-spaces` shows it: 64-bit numbers are texts. */
export interface PrivateSpace extends Shown<'teams', 'PrivateSpace'> {
  readonly id: number;
  readonly type: 'personal';
  readonly privateSpaceOwnerName: string;
  readonly privateSpaceOwnerEmail: string;
  readonly privateSpaceOwnerId: number | null;
  readonly transferLimit: string | number | null;
  readonly operations: string;
  readonly transfer: string;
  readonly centicredits: string;
  readonly deleted: boolean;
}

/** The private space as a member of a user: all numbers are numbers. */
export interface OwnPrivateSpace extends Shown<'teams', 'OwnPrivateSpace'> {
  readonly id: number;
  readonly type: 'personal';
}

export interface User extends Shown<'users', 'User'> {
  readonly id: number;
  readonly email: string;
  readonly features: { readonly allow_apps?: boolean };
  readonly avatar: string;
  /** Absent for users who never logged in. */
  readonly lastLogin: string;
  readonly lastlogin: string;
  readonly timezone: string;
  readonly locale: string;
  readonly tfaStatus: 0 | 1 | 2 | null;
  readonly supportEligible: boolean;
  readonly userTeamIds: readonly number[] | null;
  readonly privateSpace: OwnPrivateSpace | null;
  readonly emailNotifications: readonly number[];
  readonly userOrganizationRoles: readonly UserOrganizationRole[];
  readonly userTeamRoles: readonly UserTeamRole[];
  readonly hasPassword: boolean;
  readonly tfaEnabled: boolean;
  readonly created: string;
}

/** A key without its parameters, which no response contains. */
export interface Key extends Shown<'keys', 'Key'> {
  readonly id: number;
}

export interface ApiToken extends Shown<'tokens', 'ApiToken'> {
  /** The token in the response to its creation, else its first characters. */
  readonly token: string;
  readonly scope: readonly string[];
  readonly created: string;
}

export type InstalledApp = Shown<'installedApps', 'InstalledApp'>;

/** An app of the instance. */
export type InstanceApp = Shown<'apps', 'InstanceApp'>;

/** A complete organization. Private spaces are missing where the zone runs no apps. */
export type FullOrganization = Omit<Organization, 'privateSpaces'> & Partial<Organization>;

/** A key as the responses to its creation and change show it. */
export type WrittenKey = Partial<Key> &
  Required<Pick<Key, 'id' | 'name' | 'typeName' | 'teamId' | 'packageName' | 'theme'>>;

/** A team as the response to its creation shows it. */
export type CreatedTeam = Partial<Team> & Required<Pick<Team, 'id' | 'name' | 'organizationId'>>;

/** A private space as the response to its change shows it. */
export type ChangedPrivateSpace = Partial<PrivateSpace> &
  Required<Pick<PrivateSpace, 'id' | 'operationsLimit'>>;

type Page = { readonly pg: PageRecord };
type Organizations = { readonly organizations: readonly Partial<Organization>[] } & Page;
type ChangedOrganization = { readonly organization: FullOrganization };
type Changed = { readonly changed: boolean };
type Deleted<Name extends string> = { readonly [K in Name]: number };
type Visibility = { readonly key: { readonly id: number; readonly visibility: 'team' | 'locked' } };

/** One field of a form. Source: https://developers.make.com/api-documentation (Key type, parameter descriptor). [seed] */
export interface ParameterDescriptor {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'password' | 'select' | 'pkey' | 'cert' | 'boolean';
  readonly required: boolean;
  readonly default?: string | boolean;
  readonly help?: string;
  readonly multiline?: boolean;
  readonly options?: readonly ParameterOption[];
}

interface ParameterOption {
  readonly label: string;
  readonly value: string;
  /** Fields that apply when this option is chosen. */
  readonly nested?: readonly ParameterDescriptor[];
}

export interface KeyType {
  readonly name: string;
  readonly label: string;
  readonly parameters: readonly ParameterDescriptor[];
  readonly componentType: 'key';
  readonly author: string;
  readonly version: string;
  /** Colour; a key has the theme of its type. */
  readonly theme: string;
  readonly icon: string;
}

/** A role as `/users/roles` shows it. */
export type ShownRole = Omit<Role, 'permissions'> & { readonly permissions: readonly string[] };

/** Members that `cols[]` chooses are optional. */
interface Answers extends EnumAnswers {
  readonly listOrganizations: Organizations;
  readonly createOrganization: ChangedOrganization & { readonly userOrganizationRole: UserOrganizationRole };
  readonly getOrganization: { readonly organization: Partial<Organization> };
  readonly updateOrganization: ChangedOrganization;
  readonly deleteOrganization: Deleted<'organization'>;
  readonly listInstanceOrganizations: Organizations;
  readonly createInstanceOrganization: ChangedOrganization;
  readonly updateInstanceOrganization: ChangedOrganization;
  readonly deleteInstanceOrganization: Deleted<'organization'>;
  readonly getDefaultLicense: { readonly license: License };
  readonly listInstalledApps: { readonly installedApps: readonly InstalledApp[] };
  readonly listInstanceApps: { readonly apps: readonly InstanceApp[] };
  readonly getInstanceApp: { readonly app: InstanceApp };
  readonly listInstanceUsers: { readonly users: readonly Partial<User>[] } & Page;
  readonly getMe: { readonly authUser: Partial<User> };
  readonly getCurrentAuthorization: {
    readonly authorization: { readonly authUsed: string; readonly scope: readonly string[] };
  };
  readonly acceptInvitation: {
    readonly user: Partial<User>;
    readonly userOrganizationRole: UserOrganizationRole;
  };
  readonly inviteUser: { readonly user: Partial<User>; readonly userOrganizationRole: UserOrganizationRole };
  readonly listApiTokens: { readonly apiTokens: readonly ApiToken[] };
  readonly createApiToken: { readonly apiToken: ApiToken };
  readonly deleteApiToken: { readonly apiToken: string };
  readonly listTeams: { readonly teams: readonly Partial<Team>[] } & Page;
  readonly createTeam: {
    readonly team: CreatedTeam;
    readonly userTeamRole: UserTeamRole & { readonly ssoPending: boolean };
  };
  readonly getTeam: { readonly team: Partial<Team> };
  readonly deleteTeam: Deleted<'team'>;
  readonly listPrivateSpaces: { readonly privateSpaces: readonly Partial<PrivateSpace>[] } & Page;
  readonly getPrivateSpace: { readonly privateSpace: Partial<PrivateSpace> };
  readonly updatePrivateSpace: { readonly privateSpace: ChangedPrivateSpace };
  readonly listKeys: { readonly keys: readonly Partial<Key>[] };
  readonly createKey: { readonly key: WrittenKey };
  readonly getKey: { readonly key: Partial<Key> };
  readonly updateKey: { readonly key: WrittenKey };
  readonly deleteKey: Deleted<'key'>;
  readonly setKeyLocked: Visibility;
  readonly setKeyTeam: Visibility;
  readonly listKeyTypes: { readonly keysTypes: readonly KeyType[] };
  readonly getInvitation: {
    readonly organization: NamedRow;
    readonly user: Partial<User>;
    readonly userOrganizationRole: UserOrganizationRole;
  };
  readonly listOwnInvitations: {
    readonly userOrganizationInvitations: readonly Shape<'UserOrganizationInvitation'>[];
  };
  readonly listPayments: { readonly payments: readonly Shape<'Payment'>[] };
  readonly getSubscription: Shape<'Subscription'>;
  readonly createSubscription: Shape<'Checkout'>;
  readonly listRoles: { readonly usersRoles: readonly Partial<ShownRole>[] };
  readonly getRole: { readonly usersRole: Partial<ShownRole> };
  readonly getOpenIdConfiguration: Shape<'OpenIdConfiguration'>;
  readonly getRootOpenIdConfiguration: Shape<'OpenIdConfiguration'>;
  readonly getJwks: Shape<'Jwks'>;
  readonly getUserInfo: Shape<'UserInfo'>;
  readonly listSdkApps: { readonly apps: readonly Partial<Shape<'SdkApp'>>[] };
  readonly createSdkApp: SdkApp;
  readonly getSdkApp: SdkApp;
  readonly updateSdkApp: SdkApp;
  readonly getSdkAppChecksum: Readonly<PlainObject>;
  readonly getSdkAppChange: Shape<'SdkChange'>;
  readonly updateSdkAppBase: Changed;
  readonly ping: string;
}

type SdkApp = { readonly app: Partial<Shape<'SdkApp'>> };
type SdkKind = 'Module' | 'Rpc' | 'Function' | 'Endpoint' | 'Connection' | 'Webhook';
type SdkTextName = 'Section' | 'Readme' | 'Common' | 'Icon';

/** Answers about components of custom apps, their texts, and changes without a record. */
type SdkAnswer<Id extends string> = Id extends `getSdk${string}${SdkTextName}`
  ? string
  : Id extends `setSdk${string}${SdkTextName}`
    ? Changed
    : Id extends `listSdk${infer K extends SdkKind}s`
      ? { readonly [M in `app${K}s`]: readonly Shape<`Sdk${K}`>[] }
      : Id extends `${'create' | 'get' | 'update'}Sdk${infer K extends SdkKind}`
        ? { readonly [M in `app${K}`]: Shape<`Sdk${K}`> }
        : Shape<'Ok'>;

/** The response body of an operation. */
export type OperationAnswer<K extends OperationId> = K extends keyof Answers ? Answers[K] : SdkAnswer<K>;
