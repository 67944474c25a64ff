import { hash } from 'node:crypto';
import { isAdminScope } from '../call/scopes.js';
import type { UserRow } from '../store/tables.js';
import type { CallRows } from './call-rows.js';
import type { RestServices } from './services.js';

/** The caller of a request, as the store knows it. */
export interface Caller {
  readonly user: UserRow;
  /** Contains scopes of administration only if the user is an administrator of the instance. */
  readonly scopes: ReadonlySet<string>;
  /** All scopes of the token, with or without effect. */
  readonly granted: ReadonlySet<string>;
  readonly authUsed: 'token' | 'oauth';
}

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** What identifies a caller in the store. */
export type Credential =
  | { readonly kind: 'token'; readonly hash: string }
  | { readonly kind: 'user'; readonly userId: number; readonly scopes: readonly string[] };

/**
 * Reads a token: an access token that this instance issued, or an API token. Returns undefined for an invalid access
 * token.
 */
export async function readCredential(services: RestServices, token: string): Promise<Credential | undefined> {
  if (!JWT.test(token)) return { kind: 'token', hash: hashToken(token.toLowerCase()) };
  const claims = await services.oidc.verify(token);
  return claims && Number.isSafeInteger(claims.userId) ? { kind: 'user', ...claims } : undefined;
}

/** The caller, from the rows that the store has for a credential; undefined for an unknown token. */
export function identifyCaller(credential: Credential, { token, user }: CallRows): Caller | undefined {
  const granted = credential.kind === 'token' ? token?.scopes : credential.scopes;
  if (!granted || !user || user.deleted) return undefined;
  const effective = granted.filter((scope) => user.usersAdminsRoleId !== null || !isAdminScope(scope));
  const authUsed = credential.kind === 'token' ? 'token' : 'oauth';
  return { user, scopes: new Set(effective), granted: new Set(granted), authUsed };
}

/** The caller of operations that need no token. */
export const ANONYMOUS: Caller = {
  scopes: new Set(),
  granted: new Set(),
  authUsed: 'token',
  user: {
    id: 0,
    name: '',
    nameKey: '',
    email: '',
    language: 'en',
    timezoneId: 0,
    localeId: 0,
    countryId: 0,
    features: {},
    avatar: '',
    lastLogin: null,
    tfaStatus: null,
    usersAdminsRoleId: null,
    createdAt: 0,
    deleted: false,
  },
};

/** The stored form of an API token. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}
