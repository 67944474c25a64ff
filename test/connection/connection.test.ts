import { describe, expect, it } from 'vitest';
import { listScopeUses } from '../../src/engine/connection/connection-input.js';
import { type Connection, createEngine, defineApp, type Transport } from '../../src/index.js';

const URL = 'https://api.example.test';

function connectionOf(
  definition: NonNullable<Parameters<typeof defineApp>[0]['connections']>[string],
  answers: readonly unknown[] = [],
): { readonly connection: Connection; readonly calls: string[] } {
  const calls: string[] = [];
  const transport: Transport = async ({ method, url }) => {
    calls.push(`${method} ${url}`);
    const body = Buffer.from(JSON.stringify(answers[calls.length - 1] ?? {}));
    return { status: 200, headers: { 'content-type': 'application/json' }, body, url };
  };
  const app = defineApp({ name: 'app', connections: { c: definition } });
  return { connection: createEngine({ app, http: { transport } }).connection('c'), calls };
}

describe('the communication of a connection', () => {
  it.each([
    ['a basic request without url', 'basic', { response: {} }, ''],
    ['a later request without url', 'basic', [{ url: URL }, { response: {} }], '/1'],
    ['an OAuth list', 'oauth', [{ url: URL }], ''],
    ['two pages', 'oauth', { authorize: [{ url: URL }, { url: URL }] }, '/authorize'],
    ['a section without url', 'oauth', { authorize: { url: URL }, info: {} }, '/info'],
    ['neither page nor token', 'oauth', { info: { url: URL } }, undefined],
  ] as const)('is rejected: %s', async (_title, type, communication, pointer) => {
    const { connection, calls } = connectionOf({ type, communication });
    const root = '/connections/c/communication';
    expect((await connection.create()).error).toMatchObject({
      type: 'InvalidConfigurationError',
      ...(pointer !== undefined && { place: { pointer: root + pointer } }),
    });
    expect(calls).toEqual([]);
  });

  it('is required', async () => {
    const { connection } = connectionOf({ type: 'basic' });
    expect((await connection.create()).error?.type).toBe('InvalidConfigurationError');
  });
});

describe('directives that connections do not support', () => {
  it('are ignored with one warning each', async () => {
    const { connection, calls } = connectionOf({
      type: 'basic',
      communication: {
        url: URL,
        pagination: {},
        aws: {},
        response: { output: '{{body}}', iterate: '{{body}}' },
      },
    });
    const { warnings } = await connection.create();
    expect(warnings.map(({ code, place }) => [code, place?.pointer])).toEqual([
      ['directive-ignored', '/connections/c/communication/aws'],
      ['directive-ignored', '/connections/c/communication/pagination'],
      ['directive-ignored', '/connections/c/communication/response/iterate'],
      ['directive-ignored', '/connections/c/communication/response/output'],
    ]);
    expect(calls).toHaveLength(1);
  });
});

describe('token.response.scope', () => {
  const token = { url: `${URL}/token`, response: { scope: '{{body.scope}}' } };
  const granted = async (communication: unknown, answers: readonly unknown[]) => {
    const { connection } = connectionOf(
      { type: 'oauth', defaultScope: ['read', 'write'], communication },
      answers,
    );
    return (await connection.create().orThrow()).stored.oauth?.scope;
  };

  it.each<readonly [string, unknown, readonly string[]]>([
    ['a list', ['read', 'admin'], ['read', 'admin']],
    ['text with blanks', 'read admin', ['read', 'admin']],
    ['text with commas', 'read,admin', ['read', 'admin']],
    ['a list of texts with both', ['read, admin', '', 'audit'], ['read', 'admin', 'audit']],
  ])('replaces the requested scopes by the granted ones: %s', async (_, scope, expected) => {
    expect(await granted({ token }, [{ scope }])).toEqual(expected);
  });

  it.each([[undefined], [null], [''], [' , '], [[]], [7], [{ read: true }]])(
    'keeps the requested scopes if the response grants none: %j',
    async (scope) => {
      expect(await granted({ token }, [{ scope }])).toEqual(['read', 'write']);
    },
  );

  it('uses the last request of a list that grants scopes', async () => {
    const answers = [{ scope: 'read' }, { scope: 'admin' }, { scope: '' }];
    expect(await granted({ token: [token, token, token] }, answers)).toEqual(['admin']);
  });

  it('is ignored in other sections', async () => {
    const { connection } = connectionOf(
      {
        type: 'oauth',
        defaultScope: ['read'],
        communication: { token: { url: URL }, info: token, refresh: token },
      },
      [{}, { scope: 'admin' }, { scope: 'admin' }],
    );
    const { stored } = await connection.create().orThrow();
    const refreshed = await connection.refresh(stored, { force: true }).orThrow();
    expect([stored.oauth?.scope, refreshed.stored.oauth?.scope]).toEqual([['read'], ['read']]);
  });

  it('applies if the token section renews a connection without a page', async () => {
    const { connection } = connectionOf({ type: 'oauth', communication: { token } }, [
      { scope: 'read write' },
      { scope: 'read' },
    ]);
    const { stored } = await connection.create().orThrow();
    const renewed = await connection.refresh({ ...stored, oauth: undefined }, { force: true }).orThrow();
    expect([stored.oauth?.scope, renewed.stored.oauth?.scope]).toEqual([['read', 'write'], ['read']]);
  });
});

describe('steps that do not fit the connection', () => {
  it('authorize rejects a basic connection', async () => {
    const { connection } = connectionOf({ type: 'basic', communication: { url: URL } });
    expect(await connection.needsPage()).toBe(false);
    await expect(connection.authorize({ redirectUri: URL })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('create rejects a connection with a page', async () => {
    const { connection } = connectionOf({ type: 'oauth', communication: { authorize: { url: URL } } });
    expect(await connection.needsPage()).toBe(true);
    await expect(connection.create()).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('complete rejects a pending authorization of another connection', async () => {
    const { connection } = connectionOf({ type: 'oauth', communication: { authorize: { url: URL } } });
    const { pending } = await connection.authorize({ redirectUri: URL }).orThrow();
    const { state } = pending;
    await expect(connection.complete({ ...pending, component: 'd' }, { state })).rejects.toMatchObject({
      code: 'USAGE',
    });
    await expect(connection.complete({ ...pending, values: 'broken' }, { state })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});

describe('authorize', () => {
  const communication = {
    preauthorize: {
      url: `${URL}/pre`,
      response: { temp: { at: '{{parseDate("2024-05-01"; "YYYY-MM-DD")}}', raw: '{{toBinary("hi")}}' } },
    },
    authorize: { url: `${URL}/page`, qs: { a: '{{temp.x}}' } },
    token: {
      url: `${URL}/token?at={{formatDate(temp.at; "YYYY")}}&raw={{length(temp.raw)}}`,
      response: { data: { ok: '{{body.ok}}' } },
    },
  };

  it('creates a random state per authorization', async () => {
    const { connection } = connectionOf({ type: 'oauth', communication });
    const states = await Promise.all(
      [1, 2, 3].map(async () => (await connection.authorize({ redirectUri: URL }).orThrow()).pending.state),
    );
    expect(new Set(states).size).toBe(3);
    expect(states.every((state) => (state?.length ?? 0) >= 43)).toBe(true);
  });

  it('stores the pending authorization as plain JSON, including dates and bytes', async () => {
    const { connection, calls } = connectionOf({ type: 'oauth', communication }, [{}, { ok: 1 }]);
    const { pending } = await connection
      .authorize({ redirectUri: URL, parameters: { x: new Date(0) } })
      .orThrow();
    const copy = JSON.parse(JSON.stringify(pending));
    const { stored } = await connection.complete(copy, { state: pending.state }).orThrow();
    expect(calls[1]).toBe(`GET ${URL}/token?at=2024&raw=2`);
    expect(stored.connection).toEqual({ x: new Date(0), ok: 1 });
    expect(stored.parameters).toEqual({ x: new Date(0) });
  });

  it('keeps custom common data for the callback and for refreshes', async () => {
    const { connection, calls } = connectionOf({
      type: 'oauth',
      common: { id: 'of the app' },
      communication: {
        authorize: { url: `${URL}/page?id={{common.id}}` },
        token: { url: `${URL}/token/{{common.id}}` },
        refresh: { url: `${URL}/refresh/{{common.id}}` },
      },
    });
    const { url, pending } = await connection
      .authorize({ redirectUri: URL, common: { id: 'mine' } })
      .orThrow();
    expect(url).toContain('?id=mine&state=');
    const { stored } = await connection.complete(pending, { state: pending.state }).orThrow();
    await connection.refresh(stored, { force: true });
    expect(calls).toEqual([`GET ${URL}/token/mine`, `GET ${URL}/refresh/mine`]);
  });

  it.each([
    ['no state', {}],
    ['a state of somebody else', { state: 'x' }],
    ['a list of states', { state: ['x'] }],
    ['an empty state', { state: '' }],
  ])('rejects a callback with %s and sends nothing', async (_title, query) => {
    const { connection, calls } = connectionOf({
      type: 'oauth',
      communication: { authorize: { url: URL }, token: { url: URL } },
    });
    const { pending } = await connection.authorize({ redirectUri: URL }).orThrow();
    expect((await connection.complete(pending, query)).error?.type).toBe('RuntimeError');
    expect(calls).toEqual([]);
  });

  it.each<[title: string, query: Readonly<Record<string, unknown>>, isTaken: boolean]>([
    ['1000 names', Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`q${index}`, 'x'])), true],
    ['1001 names', Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`q${index}`, 'x'])), false],
    ['a long value', { code: 'x'.repeat(262_000) }, true],
    ['a longer one', { code: ['x'.repeat(262_144)] }, false],
  ])('limits the size of a callback: %s', async (_title, query, isTaken) => {
    const { connection } = connectionOf({
      type: 'oauth',
      communication: { authorize: { url: URL }, token: { url: URL } },
    });
    const { pending } = await connection.authorize({ redirectUri: URL }).orThrow();
    const { error } = await connection.complete(pending, { state: pending.state, ...query });
    const message = 'A callback has at most 1000 names and 262144 characters.';
    expect(error?.message).toBe(isTaken ? undefined : message);
  });

  it('removes control characters from the message of a refusal', async () => {
    const { connection } = connectionOf({
      type: 'oauth',
      communication: { authorize: { url: URL }, token: { url: URL } },
    });
    const { pending } = await connection.authorize({ redirectUri: URL }).orThrow();
    const query = { state: pending.state, error: `\u001b[2J${'x'.repeat(5000)}` };
    const { error } = await connection.complete(pending, query);
    expect(error?.message).toMatch(/^The provider refused the authorization: \[2Jx+$/);
    expect(error?.message.length).toBeLessThan(400);
  });
});

describe('a connection without a page', () => {
  it('is created by token and info', async () => {
    const { connection, calls } = connectionOf(
      {
        type: 'oauth',
        communication: {
          token: { url: `${URL}/token`, response: { data: { t: '{{body.t}}' } } },
          info: { url: `${URL}/me/{{connection.t}}`, response: { uid: '{{body.id}}' } },
        },
      },
      [{ t: 'T' }, { id: 9 }],
    );
    const { stored, stats } = await connection.create().orThrow();
    expect([stored.uid, stats.requests, calls]).toEqual([9, 2, [`GET ${URL}/token`, `GET ${URL}/me/T`]]);
  });
});

describe('test', () => {
  it('creates a basic connection again from its parameters', async () => {
    const communication = { url: `${URL}/{{parameters.key}}`, response: { data: { key: '{{body.k}}' } } };
    const { connection, calls } = connectionOf({ type: 'basic', communication }, [{ k: 'k2' }, { k: 'k3' }]);
    const made = await connection.create({ parameters: { key: 'k1' } }).orThrow();
    expect(made.stored).toMatchObject({ connection: { key: 'k2' }, parameters: { key: 'k1' } });
    const tested = await connection.test(made.stored).orThrow();
    expect(tested.stored.connection).toEqual({ key: 'k3' });
    expect(calls).toEqual([`GET ${URL}/k1`, `GET ${URL}/k1`]);
  });

  it('sends nothing for an OAuth connection without info', async () => {
    const { connection } = connectionOf({ type: 'oauth', communication: { authorize: { url: URL } } });
    expect((await connection.test({ connection: { a: 1 } })).stats.requests).toBe(0);
  });
});

describe('scopes', () => {
  const app = defineApp({
    name: 'app',
    connections: { c: { type: 'oauth', communication: { authorize: { url: URL } }, defaultScope: ['base'] } },
    modules: {
      a: { type: 'action', connection: 'c', communication: { url: URL }, scope: ['read', 'base'] },
      b: { type: 'action', altConnection: 'c', communication: { url: URL }, scope: 'write' },
      d: { type: 'action', communication: { url: URL }, scope: ['none'] },
    },
    webhooks: { h: { connection: 'c', communication: { output: '{{body}}' }, requiredScope: ['hook'] } },
  });

  it('combine the default scopes and those of the requested uses', async () => {
    const connection = createEngine({ app }).connection('c');
    const scopeOf = async (request: object): Promise<unknown> => {
      const { pending } = await connection.authorize({ redirectUri: URL, ...request }).orThrow();
      return JSON.parse(JSON.stringify(pending)).values.oauth.scope;
    };
    expect(await scopeOf({})).toEqual(['base']);
    expect(await scopeOf({ modules: ['b', 'a'], scopes: ['x'] })).toEqual(['base', 'write', 'read', 'x']);
    expect(await scopeOf(listScopeUses(app, 'c'))).toEqual(['base', 'read', 'write', 'hook']);
    await expect(scopeOf({ modules: ['absent'] })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

const STORED = { connection: { refreshToken: 'secret-refresh-token', accessToken: 'secret-access-token' } };

function failingConnection(body: unknown, status = 400, response: object = {}): Connection {
  const transport: Transport = async ({ url }) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
    url,
  });
  const communication = { token: { url: URL, response }, refresh: { url: URL, response } };
  const app = defineApp({ name: 'app', connections: { c: { type: 'oauth', communication } } });
  return createEngine({ app, http: { transport }, trace: 'full' }).connection('c');
}

describe('the message of a failed connection request', () => {
  it.each<readonly [body: unknown, message: string]>([
    [{ error: 'invalid_client' }, '[400] invalid_client'],
    [
      { error: 'invalid_client', error_description: 'Unknown client.' },
      '[400] invalid_client: Unknown client.',
    ],
    [{ error: { message: 'Wrong secret', code: 5 } }, '[400] Wrong secret'],
    [{ message: 'Wrong secret' }, '[400] Wrong secret'],
    [{ errors: [{ message: 'Wrong secret' }] }, '[400] Wrong secret'],
    [{ other: 1 }, 'Status Code Error: 400'],
  ])("contains the provider's error: %j", async (body, message) => {
    expect((await failingConnection(body).create()).error?.message).toBe(message);
  });

  it("prefers the app's message, and falls back to the provider's if it is empty", async () => {
    const body = { error: 'invalid_client' };
    const own = failingConnection(body, 400, { error: { message: 'No: {{body.error}}' } });
    expect((await own.create()).error?.message).toBe('No: invalid_client');
    const empty = failingConnection(body, 400, { error: { message: '{{body.none}}' } });
    expect((await empty.create()).error?.message).toBe('[400] invalid_client');
  });

  it('suggests to connect again if the provider rejects a refresh token', async () => {
    const { error } = await failingConnection({ error: 'invalid_grant' }).refresh(STORED, { force: true });
    expect(error).toMatchObject({
      type: 'InvalidAccessTokenError',
      message: 'The connection could not be refreshed: [400] invalid_grant. Run iml connect again.',
    });
  });

  it('does not suggest it if the provider is unavailable', async () => {
    const { error } = await failingConnection({ error: 'down' }, 503).refresh(STORED, { force: true });
    expect(error?.message).not.toContain('iml connect');
  });
});

describe('the trace of a connection', () => {
  it('contains the body of a refusal without secrets', async () => {
    const body = { error: 'invalid_grant', hint: 'secret-refresh-token', access_token: 'x'.repeat(20) };
    const { trace } = await failingConnection(body).refresh(STORED, { force: true });
    const shown = JSON.stringify(trace.find(({ kind }) => kind === 'response'));
    expect(shown).toContain('invalid_grant');
    expect(shown).not.toContain('secret-refresh-token');
    expect(shown).not.toContain('x'.repeat(20));
    expect(trace.find(({ kind }) => kind === 'request')).not.toHaveProperty('body');
  });

  it('omits the body of a successful response', async () => {
    const { trace } = await failingConnection({ access_token: 'abcdefgh' }, 200).create();
    expect(trace.find(({ kind }) => kind === 'response')).not.toHaveProperty('body');
  });
});

describe('a connection uid that JSON rounds', () => {
  it('is omitted with a warning', async () => {
    const connection = failingConnection({ id: 9_007_199_254_740_992 }, 200, { uid: '{{body.id}}' });
    const { stored, warnings } = await connection.create().orThrow();
    expect(stored.uid).toBeUndefined();
    expect(warnings).toMatchObject([{ code: 'connection-uid' }]);
  });
});
