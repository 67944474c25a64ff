import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export interface OidcServer {
  readonly issuer: string;
  /** Logs in and consents like a browser, and returns the final redirect URL. */
  readonly login: (page: string) => Promise<URL>;
  /** Responds with 403 if the user denies access. */
  readonly refuse: (page: string) => Promise<URL>;
  readonly close: () => Promise<void>;
}

export const CLIENT = { client_id: 'test-client', client_secret: 'client-secret-3f9a' } as const;

/** An independent OAuth 2 provider: npm's oidc-provider on a local port. */
export async function startOidcServer(accessTokenSeconds = 60): Promise<OidcServer> {
  const server = createServer();
  // One socket per call, as a kept-alive socket may be closed just when the next call uses it.
  server.maxRequestsPerSocket = 1;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        ...CLIENT,
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    pkce: { required: () => true, methods: ['S256'] },
    ttl: { AccessToken: accessTokenSeconds, Interaction: 600, Session: 600, Grant: 600, RefreshToken: 600 },
    scopes: ['openid', 'offline_access', 'email'],
    claims: { openid: ['sub'], email: ['email'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: `${id}@example.test` }),
    }),
    features: { revocation: { enabled: true }, devInteractions: { enabled: true } },
    rotateRefreshToken: true,
    cookies: { keys: ['only for tests'] },
  });
  server.on('request', provider.callback());
  return {
    issuer,
    login: (page) => visit(page, issuer, true),
    refuse: (page) => visit(page, issuer, false),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Follows redirects and fills in forms until the provider redirects elsewhere. */
async function visit(page: string, issuer: string, isWilling: boolean): Promise<URL> {
  const cookies = new Map<string, string>();
  let address = page;
  let form: URLSearchParams | undefined;
  for (let steps = 0; steps < 20; steps++) {
    const response = await fetch(address, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form !== undefined && { body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const text = await response.text();
    form = undefined;
    if (location !== null) {
      const next = new URL(location, address);
      if (next.origin !== issuer) return next;
      address = next.href;
    } else if (/name="prompt" value="login"/.test(text)) {
      form = new URLSearchParams({ prompt: 'login', login: 'ann', password: 'x' });
    } else if (/name="prompt" value="consent"/.test(text) && isWilling) {
      form = new URLSearchParams({ prompt: 'consent' });
    } else if (/name="prompt" value="consent"/.test(text)) {
      address = `${address}/abort`;
    } else {
      throw new Error(`The provider answers ${response.status}: ${text.slice(0, 500)}`);
    }
  }
  throw new Error('The provider does not come to an end.');
}
