import { createHash } from 'node:crypto';
import type { Caller } from './call/operation.js';
import { unauthorized } from './problems.js';
import { isAdminScope } from './call/scopes.js';
import type { RestServices } from './services/services.js';

const HEADER = /^(?:token|bearer) +([\x21-\x7e]{1,4096})$/i;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

interface Grant {
  readonly userId: number;
  readonly scopes: readonly string[];
  readonly authUsed: Caller['authUsed'];
}

/**
 * Finds out who calls. Both words are accepted for both kinds of token, in any letter case.
 * Source: reference/rest-api.md section 1.1. [seed][src][inf]
 * @throws RestError 401 `SC401`
 */
export async function authenticate(services: RestServices, header: string | null): Promise<Caller> {
  if (header === null) throw unauthorized('The header Authorization is missing.', 'Bearer');
  const token = HEADER.exec(header)?.[1];
  if (token === undefined)
    throw unauthorized('The header Authorization must be "Token <API token>".', 'Bearer');
  const grant = JWT.test(token)
    ? await readAccessToken(services, token)
    : await readApiToken(services, token);
  const user = grant && (await services.store.get('users', { id: grant.userId }));
  if (!grant || !user || user.deleted) {
    throw unauthorized('The token is not known or no longer good.', 'Bearer error="invalid_token"');
  }
  const effective = grant.scopes.filter((scope) => user.usersAdminsRoleId !== null || !isAdminScope(scope));
  return { user, scopes: new Set(effective), granted: new Set(grant.scopes), authUsed: grant.authUsed };
}

/** What is kept of an API token. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

async function readApiToken(services: RestServices, token: string): Promise<Grant | undefined> {
  const row = await services.store.get('tokens', { hash: hashToken(token.toLowerCase()) });
  return row && { userId: row.userId, scopes: row.scopes, authUsed: 'token' };
}

async function readAccessToken(services: RestServices, token: string): Promise<Grant | undefined> {
  const claims = await services.oidc.verify(token);
  return claims && Number.isSafeInteger(claims.userId) ? { ...claims, authUsed: 'oauth' } : undefined;
}
