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
