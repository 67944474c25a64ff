import { SCOPE_NAMES } from '../call/access.js';
import type { Addresses } from '../call/operation.js';
import { shapeSchema } from '../call/shapes.js';
import { timezoneCode } from '../services/reference-data.js';
import { defineOperation, type StoreOperation } from '../services/store-operation.js';

const TAG = 'OpenID Connect';
const AUTH = { server: 'auth', method: 'GET', tag: TAG, scopes: [] } as const;

/**
 * Responses follow https://openid.net/specs/openid-connect-discovery-1_0.html. The authorization code flow of the
 * platform needs sign-in screens, which do not exist here, so the metadata names no addresses and response types of
 * it. The embedder issues access tokens.
 */
const DISCOVERY = {
  authentication: 'none',
  summary: 'Shows the metadata of the OpenID provider.',
  response: shapeSchema('OpenIdConfiguration'),
  handler: async ({ addresses }: { readonly addresses: Addresses }) => metadata(addresses.authUrl),
} as const;

function metadata(issuer: string): Readonly<Record<string, unknown>> {
  return {
    issuer,
    userinfo_endpoint: `${issuer}/oidc/userinfo`,
    jwks_uri: `${issuer}/oidc/jwks`,
    response_types_supported: [],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    scopes_supported: ['openid', 'profile', 'email', ...SCOPE_NAMES],
    claims_supported: ['sub', 'name', 'email', 'email_verified', 'locale', 'zoneinfo', 'picture'],
  };
}

const getJwks: StoreOperation = defineOperation({
  ...AUTH,
  id: 'getJwks',
  path: '/oidc/jwks',
  authentication: 'none',
  summary: 'Shows the public keys of the authorization server.',
  response: shapeSchema('Jwks'),
  handler: ({ services }) => services.oidc.jwks(),
});

const getUserInfo: StoreOperation = defineOperation({
  ...AUTH,
  id: 'getUserInfo',
  path: '/oidc/userinfo',
  summary: 'Returns the user of a token.',
  response: shapeSchema('UserInfo'),
  handler: async ({ caller, services }) => {
    const { id, name, email, language, avatar, timezoneId } = caller.user;
    const zoneinfo = timezoneCode(timezoneId);
    const isVerified = await services.isEmailVerified({ id, email });
    return {
      sub: String(id),
      name,
      email,
      ...(isVerified !== undefined && { email_verified: isVerified }),
      locale: language,
      zoneinfo,
      picture: avatar,
    };
  },
});

export const OIDC_OPERATIONS: readonly StoreOperation[] = [
  defineOperation({
    ...AUTH,
    ...DISCOVERY,
    id: 'getOpenIdConfiguration',
    path: '/oidc/.well-known/openid-configuration',
  }),
  defineOperation({
    ...AUTH,
    ...DISCOVERY,
    id: 'getRootOpenIdConfiguration',
    path: '/.well-known/openid-configuration',
  }),
  getJwks,
  getUserInfo,
];
