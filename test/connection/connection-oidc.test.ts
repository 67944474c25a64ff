import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, type Engine, type StoredConnection } from '../../src/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { memoryStore } from './memory-store.js';
import { oidcApp } from './oidc-app.js';
import { type OidcServer, startOidcServer } from './oidc-server.js';

const CALLBACK = 'http://127.0.0.1:53682/callback';

/** Runs the connection flow against an independent provider. */
describe('a connection to an independent OAuth 2 provider', () => {
  let server: OidcServer;
  let engine: Engine;
  let skewMs = 0;
  const store = memoryStore();

  beforeAll(async () => {
    server = await startOidcServer();
    engine = createEngine({
      app: oidcApp(server.issuer),
      http: { allow: ['loopback'] },
      connections: store,
      clock: { ...createVirtualClock(), now: () => Date.now() + skewMs },
    });
  });

  afterAll(async () => {
    await engine.close();
    await server.close();
  });

  const authorize = () =>
    engine
      .connection('account')
      .authorize({ redirectUri: CALLBACK, modules: ['whoAmI'] })
      .orThrow();

  const connect = async (): Promise<StoredConnection> => {
    const { url, pending } = await authorize();
    const callback = await server.login(url);
    const query = Object.fromEntries(callback.searchParams);
    const { stored } = await engine
      .connection('account')
      .complete(JSON.parse(JSON.stringify(pending)), query)
      .orThrow();
    return stored;
  };

  it('is authorized by page, callback, token and info', async () => {
    const stored = await connect();
    expect(stored).toMatchObject({
      component: 'account',
      uid: 'ann',
      metadata: { type: 'email', value: 'ann@example.test' },
    });
    expect(stored.oauth?.scope).toEqual(['openid', 'offline_access', 'email']);
    expect(stored.connection['refreshToken']).toEqual(expect.any(String));
  });

  it('is used unchanged by a module while its token is valid', async () => {
    const stored = await connect();
    await store.save('good', stored);
    const report = await engine.module('whoAmI').run({ connection: 'good' });
    expect(report.error).toBeUndefined();
    expect(report.bundles).toEqual([{ sub: 'ann', email: 'ann@example.test' }]);
    expect(await store.get('good')).toBe(stored);
  });

  it('is refreshed once for concurrent modules and saved', async () => {
    const stored = await connect();
    await store.save('work', stored);
    skewMs = 45_000;
    const runs = await Promise.all(
      Array.from({ length: 20 }, () => engine.module('whoAmI').run({ connection: 'work' })),
    );
    skewMs = 0;
    expect(runs.map(({ error }) => error)).toEqual(runs.map(() => undefined));
    const kept = await store.get('work');
    expect(kept?.connection['accessToken']).not.toBe(stored.connection['accessToken']);
    expect(kept?.connection['refreshToken']).not.toBe(stored.connection['refreshToken']);
    expect(store.saves('work')).toBe(2);
  });

  it('fails with InvalidAccessTokenError after its refresh token was used', async () => {
    const stored = await connect();
    const connection = engine.connection('account');
    await connection.refresh(stored, { force: true });
    // The provider treats a second use as theft.
    expect((await connection.refresh(stored, { force: true })).error).toMatchObject({
      type: 'InvalidAccessTokenError',
      message: 'The connection could not be refreshed: invalid_grant. Run iml connect again.',
    });
  });

  it('is revoked by invalidate', async () => {
    const stored = await connect();
    const connection = engine.connection('account');
    expect((await connection.invalidate(stored)).stats.requests).toBe(1);
    const { error } = await connection.refresh(stored, { force: true });
    expect(error?.type).toBe('InvalidAccessTokenError');
  });

  it('fails if the user denies access', async () => {
    const { url, pending } = await authorize();
    const callback = await server.refuse(url);
    const query = Object.fromEntries(callback.searchParams);
    expect((await engine.connection('account').complete(pending, query)).error).toMatchObject({
      type: 'RuntimeError',
      message: expect.stringContaining('access_denied'),
    });
  });

  it('fails for a code issued for another verifier', async () => {
    const [first, second] = [await authorize(), await authorize()];
    const callback = await server.login(first.url);
    const query = { ...Object.fromEntries(callback.searchParams), state: second.pending.state };
    const { error } = await engine.connection('account').complete(second.pending, query);
    expect(error?.statusCode).toBe(400);
  });
});
