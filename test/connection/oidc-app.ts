import { type App, defineApp } from '../../src/index.js';
import { CLIENT } from './oidc-server.js';

/** An app for the provider of `oidc-server.ts`, as an author would write it. */
export function oidcApp(issuer: string): App {
  return defineApp({ name: 'oidc', ...oidcParts(issuer) });
}

export function oidcParts(issuer: string): Omit<Parameters<typeof defineApp>[0] & object, 'name'> {
  const client = { client_id: '{{common.clientId}}', client_secret: '{{common.clientSecret}}' };
  const data = {
    accessToken: '{{body.access_token}}',
    refreshToken: '{{body.refresh_token}}',
    expires: '{{addSeconds(now; body.expires_in)}}',
  };
  const token = { url: `${issuer}/token`, method: 'POST', type: 'urlencoded' };
  const communication = {
    authorize: {
      url: `${issuer}/auth`,
      qs: {
        response_type: 'code',
        client_id: '{{common.clientId}}',
        redirect_uri: '{{oauth.localRedirectUri}}',
        scope: '{{join(oauth.scope; " ")}}',
        prompt: 'consent',
        code_challenge: '{{oauth.codeChallenge}}',
        code_challenge_method: 'S256',
      },
      response: { temp: { code: '{{query.code}}' } },
    },
    token: {
      ...token,
      body: {
        grant_type: 'authorization_code',
        code: '{{temp.code}}',
        redirect_uri: '{{oauth.localRedirectUri}}',
        code_verifier: '{{oauth.codeVerifier}}',
        ...client,
      },
      response: { data },
    },
    info: {
      url: `${issuer}/me`,
      headers: { authorization: 'Bearer {{connection.accessToken}}' },
      log: { sanitize: ['request.headers.authorization'] },
      response: { uid: '{{body.sub}}', metadata: { type: 'email', value: '{{body.email}}' } },
    },
    refresh: {
      ...token,
      condition: '{{data.expires < addSeconds(now; 30)}}',
      body: { grant_type: 'refresh_token', refresh_token: '{{data.refreshToken}}', ...client },
      response: { data, error: '{{body.error}}' },
    },
    invalidate: {
      url: `${issuer}/token/revocation`,
      method: 'POST',
      type: 'urlencoded',
      body: { token: '{{data.refreshToken}}', ...client },
    },
  };
  return {
    connections: {
      account: {
        type: 'oauth',
        communication,
        common: { clientId: CLIENT.client_id, clientSecret: CLIENT.client_secret },
        defaultScope: ['openid', 'offline_access'],
      },
    },
    modules: {
      whoAmI: {
        type: 'action',
        connection: 'account',
        scope: ['email'],
        communication: {
          url: `${issuer}/me`,
          headers: { authorization: 'Bearer {{connection.accessToken}}' },
          log: { sanitize: ['request.headers.authorization'] },
        },
      },
    },
  };
}
