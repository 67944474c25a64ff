import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

/** A loopback OAuth 2 server with PKCE whose user grants at once, or refuses. */
export interface OAuthServer {
  readonly origin: string;
  /** Whether the user refuses the next authorization. */
  refuses: boolean;
  readonly close: () => Promise<void>;
}

/** The token of the server, which the page must never show. */
export const ACCESS_TOKEN = 'access-token-0001-never-shown';

export async function startOAuthServer(): Promise<OAuthServer> {
  const codes = new Map<string, { readonly redirectUri: string; readonly challenge: string }>();
  const state = { refuses: false };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    const json = (status: number, value: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (url.pathname === '/authorize') {
      const query = (name: string): string => url.searchParams.get(name) ?? '';
      const target = new URL(query('redirect_uri'));
      target.searchParams.set('state', query('state'));
      if (state.refuses) target.searchParams.set('error', 'access_denied');
      else {
        const code = `code-${codes.size}`;
        codes.set(code, { redirectUri: query('redirect_uri'), challenge: query('code_challenge') });
        target.searchParams.set('code', code);
      }
      response.writeHead(302, { location: target.href }).end();
    } else if (url.pathname === '/token') {
      let text = '';
      for await (const chunk of request) text += chunk;
      const form = new URLSearchParams(text);
      const known = codes.get(form.get('code') ?? '');
      const hash = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (known?.redirectUri !== form.get('redirect_uri') || known?.challenge !== hash)
        return json(400, { error: 'invalid_grant' });
      json(200, { access_token: ACCESS_TOKEN });
    } else if (request.headers.authorization === `Bearer ${ACCESS_TOKEN}`) json(200, { name: 'Ann' });
    else json(401, { error: 'no token' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/** Adds an OAuth connection `account` of the server to an app. */
export function addOAuth(root: string, origin: string): void {
  const file = path.join(root, 'makecomapp.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as {
    components: { connection: Record<string, unknown> };
  };
  manifest.components.connection['account'] = {
    label: 'Account',
    connectionType: 'oauth',
    codeFiles: { communication: 'account.iml.json' },
  };
  writeFileSync(file, JSON.stringify(manifest));
  const communication = {
    authorize: {
      url: `${origin}/authorize`,
      qs: {
        response_type: 'code',
        client_id: 'bookshop',
        redirect_uri: '{{oauth.localRedirectUri}}',
        code_challenge: '{{oauth.codeChallenge}}',
      },
      response: { temp: { code: '{{query.code}}' } },
    },
    token: {
      url: `${origin}/token`,
      method: 'POST',
      type: 'urlencoded',
      body: {
        code: '{{temp.code}}',
        redirect_uri: '{{oauth.localRedirectUri}}',
        code_verifier: '{{oauth.codeVerifier}}',
      },
      response: { data: { accessToken: '{{body.access_token}}' } },
    },
    info: {
      url: `${origin}/me`,
      headers: { authorization: 'Bearer {{connection.accessToken}}' },
      log: { sanitize: ['request.headers.authorization'] },
      response: { metadata: { type: 'text', value: '{{body.name}}' } },
    },
  };
  writeFileSync(path.join(root, 'account.iml.json'), JSON.stringify(communication));
}
