import { hash } from 'node:crypto';
import { unauthorized } from '../problems.js';
import type { RestServices } from '../services/services.js';
import type { CallRows } from './call-rows.js';
import type { Caller } from './operation.js';
import { isAdminScope } from './scopes.js';

const HEADER = /^(?:token|bearer) +([\x21-\x7e]{1,4096})$/i;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** What a call proves its caller by, as the store is asked for it. */
export type Credential =
  | { readonly kind: 'token'; readonly hash: string }
  | { readonly kind: 'user'; readonly userId: number; readonly scopes: readonly string[] };

/**
 * Reads the header `Authorization`. Both words are accepted for both kinds of token, in any letter case.
 * Source: https://developers.make.com/api-documentation (authentication) [doc]; the word and its case [inf]
 * @throws RestError 401 `SC401`
 */
export async function readCredential(services: RestServices, header: string | null): Promise<Credential> {
  if (header === null) throw unauthorized('The header Authorization is missing.', 'Bearer');
  const token = HEADER.exec(header)?.[1];
  if (token === undefined)
    throw unauthorized('The header Authorization must be "Token <API token>".', 'Bearer');
  if (!JWT.test(token)) return { kind: 'token', hash: hashToken(token.toLowerCase()) };
  const claims = await services.oidc.verify(token);
  if (!claims || !Number.isSafeInteger(claims.userId)) throw unknownToken();
  return { kind: 'user', ...claims };
}

/**
 * Finds out who calls, from what the store has for a credential.
 * @throws RestError 401 `SC401`
 */
export function identifyCaller(credential: Credential, { token, user }: CallRows): Caller {
  const granted = credential.kind === 'token' ? token?.scopes : credential.scopes;
  if (!granted || !user || user.deleted) throw unknownToken();
  const effective = granted.filter((scope) => user.usersAdminsRoleId !== null || !isAdminScope(scope));
  const authUsed = credential.kind === 'token' ? 'token' : 'oauth';
  return { user, scopes: new Set(effective), granted: new Set(granted), authUsed };
}

/** What is kept of an API token. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

function unknownToken(): Error {
  return unauthorized('The token is not known or no longer good.', 'Bearer error="invalid_token"');
}
