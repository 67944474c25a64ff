import type { PlainObject } from '../../shared/plain-object.js';
import type { FeatureControl, License, Shown } from '../store/rows.js';
import type { PageRecord } from './lists.js';
import type { OperationId } from './operation-inputs.js';

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
type Changed = { readonly organization: FullOrganization };
type Deleted<Name extends string> = { readonly [K in Name]: number };
type Visibility = { readonly key: { readonly id: number; readonly visibility: 'team' | 'locked' } };

/** The answers that have a type. Members that `cols[]` chooses are optional. */
interface TypedAnswers {
  readonly listOrganizations: Organizations;
  readonly createOrganization: Changed & { readonly userOrganizationRole: UserOrganizationRole };
  readonly getOrganization: { readonly organization: Partial<Organization> };
  readonly updateOrganization: Changed;
  readonly deleteOrganization: Deleted<'organization'>;
  readonly listInstanceOrganizations: Organizations;
  readonly createInstanceOrganization: Changed;
  readonly updateInstanceOrganization: Changed;
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
  readonly ping: string;
}

/** The response body of an operation. Unknown for enumerations, subscriptions, payments and custom apps. */
export type OperationAnswer<K extends OperationId> = K extends keyof TypedAnswers ? TypedAnswers[K] : unknown;
