/** Permissions of roles. */
export type Permission =
  | 'organization view'
  | 'organization edit'
  | 'organization delete'
  | 'organization billing'
  | 'organization invite'
  | 'team add'
  | 'team delete'
  | 'team view'
  | 'personal team manage'
  | 'personal team own view'
  | 'key view'
  | 'key add'
  | 'key edit'
  | 'key delete';

/** A role of organizations or teams with its permissions. */
export interface Role {
  readonly id: number;
  readonly name: string;
  readonly identifier: string;
  readonly category: 'organization' | 'team';
  readonly subsidiary: boolean;
  readonly managementType: 'system_locked' | 'admin_managed' | 'custom_managed';
  readonly description: string | null;
  readonly permissions: readonly Permission[];
}

const KEYS: readonly Permission[] = ['key view', 'key add', 'key edit', 'key delete'];

const ORGANIZATION_ADMIN: readonly Permission[] = [
  'organization view',
  'organization edit',
  'organization invite',
  'team add',
  'team delete',
  'team view',
  'personal team manage',
  'personal team own view',
  ...KEYS,
];

/** Roles of an organization with permissions of teams apply to all of its teams. */
function role(
  id: number,
  identifier: string,
  category: Role['category'],
  permissions: readonly Permission[],
): Role {
  const name = identifier.replaceAll('_', ' ').replace(/(^| )[a-z]/g, (letter) => letter.toUpperCase());
  return {
    id,
    name,
    identifier,
    category,
    subsidiary: identifier !== 'owner',
    managementType: 'system_locked',
    description: null,
    permissions,
  };
}

/** The ids of the creator (11) and of a team's admin (1) are those of recorded responses [app], the others [inf]. */
export const OWNER_ROLE_ID = 11;

export const TEAM_ADMIN_ROLE_ID = 1;

export const TEAM_MEMBER_ROLE_ID = 2;

/** The roles of organizations and teams, with the permissions that requests need. */
export const ROLES: readonly Role[] = [
  role(TEAM_ADMIN_ROLE_ID, 'team_admin', 'team', ['team view', 'team delete', ...KEYS]),
  role(TEAM_MEMBER_ROLE_ID, 'team_member', 'team', ['team view', ...KEYS]),
  role(3, 'team_monitoring', 'team', ['team view', 'key view']),
  role(4, 'team_operator', 'team', ['team view', 'key view']),
  role(5, 'team_restricted_member', 'team', ['team view', 'key view']),
  role(OWNER_ROLE_ID, 'owner', 'organization', [
    ...ORGANIZATION_ADMIN,
    'organization delete',
    'organization billing',
  ]),
  role(12, 'admin', 'organization', ORGANIZATION_ADMIN),
  role(13, 'member', 'organization', ['organization view', 'personal team own view']),
  role(14, 'accountant', 'organization', ['organization view', 'organization billing']),
  role(15, 'app_developer', 'organization', ['organization view', 'personal team own view']),
  role(16, 'guest', 'organization', ['organization view']),
];

const BY_ID: ReadonlyMap<number, Role> = new Map(ROLES.map((it) => [it.id, it]));

/** The role with an id. */
export function roleById(id: number): Role | undefined {
  return BY_ID.get(id);
}

/** Whether the holder of a role has a permission. */
export function allows(roleId: number | undefined, permission: Permission): boolean {
  return roleId !== undefined && (BY_ID.get(roleId)?.permissions.includes(permission) ?? false);
}

/**
 * Whether the holder of a role may give another role in an organization. He must be allowed to invite, and the role
 * must not have more permissions than his own. An admin cannot give a role with billing permissions.
 */
export function mayGiveRole(giverRoleId: number | undefined, roleId: number): boolean {
  const given = BY_ID.get(roleId);
  if (given?.category !== 'organization' || !allows(giverRoleId, 'organization invite')) return false;
  return given.permissions.every((permission) => allows(giverRoleId, permission));
}

/** Whether every user who may invite may give a role: the limit for an invitation without an inviter. */
export function mayAnyInviterGive(roleId: number): boolean {
  const inviters = ROLES.filter((it) => allows(it.id, 'organization invite'));
  return inviters.every((inviter) => mayGiveRole(inviter.id, roleId));
}

/**
 * Every scope of a token and what it permits. Source: https://developers.make.com/api-documentation (Authentication
 * 2). [seed], the rest [inf]
 */
export const SCOPES = {
  'admin:read': 'Read organizations, users and apps of the instance.',
  'admin:write': 'Create, change and delete organizations of the instance.',
  'apps:read': 'Read apps.',
  'keys:read': 'Read keys.',
  'keys:write': 'Create, change and delete keys.',
  'organizations:read': 'Read organizations.',
  'organizations:write': 'Create, change and delete organizations.',
  'private-spaces:read': 'Read private spaces.',
  'private-spaces:write': 'Change private spaces.',
  'sdk-apps:read': 'Read custom apps of the user.',
  'sdk-apps:write': 'Create, change and delete custom apps of the user.',
  'system:read': 'Read settings of the instance.',
  'teams:read': 'Read teams.',
  'teams:write': 'Create and delete teams.',
  'user:read': 'Read the tokens and roles of the user.',
  'user:write': 'Create and delete tokens of the user.',
} as const;

/** The name of a scope: `organizations:read`. */
export type ApiScope = keyof typeof SCOPES;

export const SCOPE_NAMES: readonly ApiScope[] = Object.keys(SCOPES) as ApiScope[];

/**
 * Scopes without effect unless the user is an administrator of the instance. Source:
 * https://developers.make.com/api-documentation (authentication). [doc]
 */
export function isAdminScope(scope: string): boolean {
  return scope.startsWith('admin:');
}
