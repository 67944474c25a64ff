import { describe, expect, it } from 'vitest';
import { readHosts } from '../../src/engine/http/host-policy.js';
import { parseHttpUrl } from '../../src/engine/http/http-url.js';
import {
  createEngine,
  defineApp,
  type EngineOptions,
  type Transport,
  type TransportRequest,
} from '../../src/index.js';

const KEY = 'key-of-the-connection';
/** Stands under a secret name, and contains a separator of query pairs. */
const TOKEN = 'token-of&the-bot';
/** Stands under a secret name, and contains capitals, which a host name loses. */
const HOST_TOKEN = 'Token-Of-The-Host';
const API = 'https://api.example.com';
const OTHER = 'https://files.other.net';

const app = defineApp({
  name: 'shop',
  base: { baseUrl: API, headers: { 'X-Auth': '{{connection.key}}', 'X-Plain': 'open' } },
  modules: {
    moved: read({ url: '/moved', qs: { page: 1 } }),
    paged: read({
      url: '/paged',
      qs: { api_key: '{{connection.key}}', size: 10 },
      pagination: { url: '{{body.next}}' },
    }),
    sent: read({
      url: '/kept',
      method: 'POST',
      type: 'urlencoded',
      body: { client_secret: '{{connection.key}}', a: 1 },
    }),
    large: read({
      url: '/kept',
      method: 'POST',
      type: 'text',
      body: '{{parameters.before}}{{connection.key}}{{parameters.before}}',
    }),
    largeHarmless: read({ url: '/kept', method: 'POST', type: 'text', body: '{{parameters.before}}' }),
    pathMoved: read({ url: '/bot{{connection.botToken}}/moved' }),
    idMoved: read({ url: '/of/{{connection.account}}/moved' }),
    pathPaged: read({ url: '/paged', pagination: { url: '{{body.next}}&in=/{{connection.botToken}}' } }),
    pathOfPage: read({
      url: '/paged',
      pagination: { url: '{{replace(body.next; "/more"; "/" + connection.botToken)}}' },
    }),
    harmless: read({ url: '/kept', method: 'POST', body: { a: 1 } }),
    repeated: {
      type: 'search',
      communication: {
        url: '{{ifempty(body.next; "/paged")}}',
        headers: { 'X-Key': '{{connection.key}}' },
        repeat: { condition: '{{body.next}}', limit: 2 },
        response: { output: '{{body.items}}' },
      },
    },
    hostOfPage: read({
      url: '/paged',
      pagination: { url: '{{replace(body.next; "://"; "://" + connection.hostToken + ".")}}' },
    }),
    headerName: read({ url: '/moved', headers: { 'X-{{connection.hostToken}}': 'a' } }),
    dataSent: read({ url: '/kept', method: 'POST', body: { a: '{{data.token}}' } }),
    payloadSent: read({ url: '/kept', method: 'POST', body: { a: '{{payload.token}}' } }),
    away: read({ url: 'https://{{parameters.host}}/x' }),
    named: read({ url: 'https://uploads.example.com/x' }),
  },
});

function read(communication: Record<string, unknown>) {
  const response = { iterate: '{{body.items}}', output: '{{item}}' };
  return { type: 'search' as const, communication: { ...communication, response } };
}

async function run(
  name: string,
  network: EngineOptions['http'] = {},
  parameters: Record<string, unknown> = {},
) {
  const sent: TransportRequest[] = [];
  const transport: Transport = async (request) => {
    sent.push(request);
    const path = request.url.slice(new URL(request.url).origin.length).split('?')[0];
    const [status, headers]: [number, Record<string, string>] =
      path?.endsWith('/moved') === true && path !== '/moved'
        ? [302, { location: `${OTHER}${path.replace('/moved', '')}` }]
        : path === '/moved'
          ? [302, { location: `${OTHER}/f?echo=${KEY}&id=7` }]
          : path === '/kept'
            ? [307, { location: `${OTHER}/f` }]
            : [200, { 'content-type': 'application/json' }];
    const next = path === '/paged' ? `${OTHER}/more?cursor=2` : null;
    return {
      status,
      headers,
      body: Buffer.from(JSON.stringify({ items: [{ id: 1 }], next })),
      url: request.url,
    };
  };
  const engine = createEngine({ app, http: { transport, ...network } });
  const report = await engine.module(name).run({
    connection: { key: KEY, botToken: TOKEN, hostToken: HOST_TOKEN, account: 'account-1234' },
    data: { token: 'token-of-the-data' },
    payload: { token: 'token-of-the-payload' },
    parameters,
    checkParameters: false,
  });
  await engine.close();
  const there = sent.filter(({ url }) => url.startsWith(OTHER));
  const shown = there.map(({ url, headers, body }) => JSON.stringify([url, headers, String(body ?? '')]));
  return { report, sent, there, shown };
}

describe('a redirect to a host that the app does not name', () => {
  it('sends no secret, and warns', async () => {
    const { report, there, shown } = await run('moved');
    expect(report.error).toBeUndefined();
    expect(there.map(({ url }) => url)).toEqual([`${OTHER}/f?id=7`]);
    expect(there[0]?.headers).toContainEqual(['X-Plain', 'open']);
    expect(shown.join()).not.toContain(KEY);
    expect(report.warnings.map(({ code }) => code)).toEqual(['other-host']);
    expect(report.warnings[0]?.message).toContain('X-Auth');
    expect(JSON.stringify(report)).not.toContain(KEY);
  });

  it('fails if the body contains a secret, and names the option to set', async () => {
    const { report, there } = await run('sent');
    expect(there).toEqual([]);
    expect(report.error?.message).toMatch(/files\.other\.net.*http\.appHosts/);
    expect((await run('harmless')).there).toHaveLength(1);
  });

  it('fails if the secret occurs after a megabyte', async () => {
    const before = 'x'.repeat(1_500_000);
    const { report, there } = await run('large', {}, { before });
    expect(there).toEqual([]);
    expect(report.error?.message).toMatch(/in its body to .*files\.other\.net.*http\.appHosts/);
    expect((await run('largeHarmless', {}, { before })).there).toHaveLength(1);
  });

  it('fails if the secret crosses the border between two searched chunks', async () => {
    for (let cut = 5; cut < 40; cut += 8) {
      const { there } = await run('large', {}, { before: 'x'.repeat(24 * 65_536 - cut) });
      expect(there).toEqual([]);
    }
  });

  it('sends no path that holds a credential, but sends ids', async () => {
    const { report, there } = await run('pathMoved');
    expect(there).toEqual([]);
    expect(report.error?.message).toMatch(/in its path to .*files\.other\.net.*http\.appHosts/);
    expect((await run('idMoved')).there.map(({ url }) => url)).toEqual([`${OTHER}/of/account-1234`]);
  });
});

describe('a secret in an unusual position', () => {
  it.each(['dataSent', 'payloadSent', 'hostOfPage'])('ends the run: %s', async (name) => {
    const { report, there, sent } = await run(name);
    expect(there).toEqual([]);
    expect(sent).toHaveLength(1);
    expect(report.error?.message).toMatch(/send credentials in its (?:body|name) to .*http\.appHosts/);
    expect(JSON.stringify(report.error).toLowerCase()).not.toContain(HOST_TOKEN.toLowerCase());
  });

  it('is not sent as the name of a header', async () => {
    const { there, shown } = await run('headerName');
    expect(there).toHaveLength(1);
    expect(shown.join().toLowerCase()).not.toContain(HOST_TOKEN.toLowerCase());
  });
});

describe('a connection with many strings', () => {
  const plain = 'QzRt8LmWpN2vYx7KjH4s';
  const shown = defineApp({
    name: 'shown',
    base: { baseUrl: API, headers: { 'X-V': '{{connection.at}}' } },
    modules: {
      moved: { type: 'action', communication: { url: '/moved', response: { error: '{{body.text}}' } } },
    },
  });

  async function tell(connection: Record<string, unknown>) {
    const sent: TransportRequest[] = [];
    const engine = createEngine({
      app: shown,
      trace: 'full',
      http: {
        transport: async (request) => {
          sent.push(request);
          const { url } = request;
          const body = Buffer.from(JSON.stringify({ text: `it was ${plain}` }));
          return url.startsWith(OTHER)
            ? { status: 400, headers: { 'content-type': 'application/json' }, body, url }
            : { status: 302, headers: { location: `${OTHER}/x` }, body: Buffer.from(''), url };
        },
      },
    });
    const { error, trace, warnings } = await engine.module('moved').run({ connection });
    await engine.close();
    return { crossed: sent[1]?.headers, told: JSON.stringify({ error, trace }), warnings };
  }

  const profile = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, `repository-${at}`]));

  it.each([1000, 6000])('with %i strings before its token sends and shows none of it', async (count) => {
    const { crossed, told, warnings } = await tell({
      profile: profile(count),
      accessToken: plain,
      at: plain,
    });
    expect(JSON.stringify(crossed)).not.toContain(plain);
    expect(told).toContain('it was [SANITIZED]');
    expect(told).not.toContain(plain);
    expect(warnings.some(({ code }) => code === 'many-secrets')).toBe(count > 5000);
  });

  it('does the same if the token is deeply nested', async () => {
    let deep: Record<string, unknown> = { accessToken: plain };
    for (let level = 0; level < 500; level++) deep = { deep };
    const { crossed, told } = await tell({ ...deep, at: plain });
    expect(JSON.stringify(crossed)).not.toContain(plain);
    expect(told).not.toContain(plain);
  });

  it('starts no run if all strings are tokens by name', async () => {
    const tokens = Array.from({ length: 5001 }, (_, at) => `token-${at}`);
    await expect(tell({ secret: tokens })).rejects.toMatchObject({ code: 'IML_LIMIT' });
  });
});

describe('a link of a next page to a host that the app does not name', () => {
  it('is followed without secrets, with a warning', async () => {
    const { report, there, shown } = await run('paged');
    expect(report.error).toBeUndefined();
    expect(there.map(({ url }) => url)).toEqual([`${OTHER}/more?cursor=2&size=10`]);
    expect(shown.join()).not.toContain(KEY);
    expect(new Set(report.warnings.map(({ code }) => code))).toEqual(new Set(['other-host']));
  });

  it('drops a query with a secret that looks like two pairs', async () => {
    const { there } = await run('pathPaged');
    expect(there.map(({ url }) => url)).toEqual([`${OTHER}/more`]);
  });

  it('is not followed if its path holds a credential', async () => {
    const { report, there } = await run('pathOfPage');
    expect(there).toEqual([]);
    expect(report.error?.message).toMatch(/in its path to .*files\.other\.net/);
  });
});

describe('the address of a repeat, taken from a response', () => {
  it('is followed without secrets, with a warning', async () => {
    const { report, there, shown } = await run('repeated');
    expect(report.error).toBeUndefined();
    expect(there.length).toBeGreaterThan(0);
    expect(shown.join()).not.toContain(KEY);
    expect(report.warnings.map(({ message }) => message).join()).toContain(
      'The address of a repeat leads to',
    );
  });

  it('receives secrets if appHosts names its host', async () => {
    const { shown } = await run('repeated', { appHosts: ['files.other.net'] });
    expect(shown.join()).toContain(KEY);
  });
});

describe('a value under a secret name in a response or a hook request', () => {
  const TOLD = 'told-by-the-service';
  const login = { url: '/login', response: { temp: { a: '{{body.access_token}}' } } };
  const send = (communication: Record<string, unknown>) => ({
    headers: { 'X-A': '{{temp.a}}' },
    ...communication,
  });
  const told = defineApp({
    name: 'told',
    base: { baseUrl: API },
    modules: {
      header: { type: 'search', communication: [login, send({ url: '/moved' })] },
      body: {
        type: 'search',
        communication: [login, { url: '/moved', method: 'POST', body: { a: '{{temp.a}}' } }],
      },
      far: { type: 'search', communication: [login, { url: '/other' }, send({ url: '/moved' })] },
      page: read({
        url: '/paged',
        pagination: { url: '{{body.next}}', headers: { 'X-A': '{{body.session_token}}' } },
      }),
      hook: { type: 'search', communication: { url: '/moved', headers: { 'X-A': '{{webhook.secret}}' } } },
      path: { type: 'search', communication: { url: '/{{webhook.secret}}/moved' } },
      field: {
        type: 'search',
        staticParams: [{ name: 'code', type: 'password' }],
        communication: { url: '/{{parameters.code}}/moved' },
      },
    },
  });

  it.each(['header', 'body', 'far', 'page', 'hook', 'path', 'field'])('%s', async (name) => {
    const there: string[] = [];
    const engine = createEngine({
      app: told,
      http: {
        transport: async ({ url, headers, body }) => {
          const { origin, pathname } = new URL(url);
          if (origin === OTHER) there.push(JSON.stringify([url, headers, String(body ?? '')]));
          const isMoved = origin === API && pathname.endsWith('/moved');
          const location = `${OTHER}${pathname}`;
          const answer = {
            access_token: TOLD,
            session_token: TOLD,
            items: [{ id: 1 }],
            next: `${OTHER}/more`,
          };
          return {
            status: isMoved ? 307 : 200,
            headers: isMoved ? { location } : { 'content-type': 'application/json' },
            body: Buffer.from(origin === API && !isMoved ? JSON.stringify(answer) : '{}'),
            url,
          };
        },
      },
    });
    const report = await engine.module(name).run({ webhook: { secret: TOLD }, parameters: { code: TOLD } });
    await engine.close();
    expect(there.join()).not.toContain(TOLD);
    expect(JSON.stringify([report.trace, report.warnings, report.error])).not.toContain(
      name === 'field' || name === 'path' ? `${OTHER}/${TOLD}` : TOLD,
    );
    const tellings = [...report.warnings.map(({ message }) => message), report.error?.message ?? ''];
    expect(tellings.join()).toMatch(/appHosts/);
  });
});

describe('credentials are sent', () => {
  it.each<[string, EngineOptions['http']]>([
    ['to a host that appHosts names', { appHosts: ['files.other.net'] }],
    ['to one below a name of appHosts', { appHosts: ['*.other.net'] }],
    ['as on the platform, where that is asked for', { crossHostSecrets: 'send' }],
  ])('%s', async (_title, network) => {
    for (const name of ['moved', 'paged', 'sent']) {
      const { report, shown } = await run(name, network);
      expect(report.error).toBeUndefined();
      expect(shown.join()).toContain(KEY);
    }
  });

  it('to no host with a similar name', async () => {
    const { shown } = await run('paged', {
      appHosts: ['other.net', '*.files.other.net', 'xfiles.other.net'],
    });
    expect(shown.join()).not.toContain(KEY);
  });
});

describe('an entry of appHosts', () => {
  const matches = (entry: string, url: string): boolean => readHosts([entry], 'appHosts')(parseHttpUrl(url));

  it.each([
    ['files.test', 'https://files.test/x', true],
    ['files.test', 'http://files.test/x', false],
    ['files.test', 'https://files.test:8443/x', false],
    ['files.test:8443', 'https://files.test:8443/x', true],
    ['http://files.test', 'http://files.test/x', true],
    ['http://files.test', 'https://files.test/x', false],
    ['*.files.test', 'https://a.files.test/x', true],
    ['*.files.test', 'http://a.files.test/x', false],
    ['*.files.test', 'https://a.files.test:8080/x', false],
    ['*.files.test', 'https://files.test/x', false],
    ['http://*.files.test', 'http://a.files.test/x', true],
    ['127.0.0.1:9911', 'http://127.0.0.1:9911/x', true],
    ['localhost:9911', 'https://localhost:9911/x', true],
    ['[::1]:9911', 'http://[::1]:9911/x', true],
  ])('%s: %s matches: %s', (entry, url, isOne) => {
    expect(matches(entry, url)).toBe(isOne);
  });

  it.each(['files.test?x', 'files.test#x', 'files.test:', '.files.test', 'a@files.test', '*', '*.', ''])(
    'is refused with an error: %j',
    (entry) => {
      expect(() => readHosts([entry], 'appHosts')).toThrow(expect.objectContaining({ code: 'USAGE' }));
    },
  );
});

describe('http.hosts: declared', () => {
  const declared = { hosts: 'declared' } as const;

  it('allows the hosts that the app names', async () => {
    for (const name of ['paged', 'named']) expect((await run(name, declared)).sent.length).toBeGreaterThan(0);
    const listed = await run('away', { ...declared, appHosts: ['a.test'] }, { host: 'a.test' });
    expect(listed.report.error).toBeUndefined();
  });

  it.each(['evil.test', 'api.example.com.evil.test', 'example.com'])('refuses %s', async (host) => {
    const { report, sent } = await run('away', declared, { host });
    expect(sent).toEqual([]);
    expect(report.error?.message).toContain(host);
  });

  it('applies to redirects and page links too', async () => {
    expect((await run('moved', declared)).there).toEqual([]);
    expect((await run('paged', declared)).there).toEqual([]);
  });

  it('allows hosts below a domain that is written after an expression', async () => {
    const shops = defineApp({
      name: 'shops',
      modules: { list: read({ url: 'https://{{parameters.shop}}.example.com/x' }) },
    });
    const call = async (shop: string): Promise<number> => {
      let calls = 0;
      const engine = createEngine({
        app: shops,
        http: {
          ...declared,
          transport: async ({ url }) => {
            calls++;
            return { status: 200, headers: {}, body: Buffer.from('{}'), url };
          },
        },
      });
      await engine.module('list').run({ parameters: { shop }, checkParameters: false });
      await engine.close();
      return calls;
    };
    expect(await call('mine')).toBe(1);
    expect(await call('evil.test/?')).toBe(0);
    expect(await call('evil.test/')).toBe(0);
  });

  it('restricts a connection to the domain that is written after it', async () => {
    const shops = defineApp({
      name: 'shops',
      modules: { list: read({ url: 'https://{{connection.shop}}.example.com/x' }) },
    });
    const called = async (shop: string): Promise<readonly string[]> => {
      const urls: string[] = [];
      const engine = createEngine({
        app: shops,
        http: {
          ...declared,
          transport: async ({ url }) => {
            urls.push(url);
            return { status: 200, headers: {}, body: Buffer.from('{}'), url };
          },
        },
      });
      await engine.module('list').run({ connection: { shop } });
      await engine.close();
      return urls;
    };
    expect(await called('mine')).toEqual(['https://mine.example.com/x']);
    expect(await called('evil.test/')).toEqual([]);
    expect(await called('evil.test/?')).toEqual([]);
  });

  describe('an address whose host is an expression', () => {
    const call = async (url: string): Promise<readonly string[]> => {
      const urls: string[] = [];
      const computed = defineApp({
        name: 'computed',
        base: { baseUrl: 'https://api.example.com' },
        functions: { host: { code: "function host() { return 'https://evil' + '.test/x' }" } },
        modules: { list: read({ url }) },
      });
      const engine = createEngine({
        app: computed,
        http: {
          ...declared,
          transport: async (request) => {
            urls.push(request.url);
            return { status: 200, headers: {}, body: Buffer.from('{}'), url: request.url };
          },
        },
      });
      await engine.module('list').run({
        connection: {
          url: 'https://given.test',
          host: 'given.test',
          name: 'given',
          list: ['https://given.test'],
        },
      });
      await engine.close();
      return urls;
    };

    it.each([
      '{{host()}}',
      "{{'https' + '://evil' + '.test/x'}}",
      "https://evil{{'.test'}}/x",
      "https://{{decodeURL('evil%2Etest')}}/x",
      'https://evil.{{connection.name}}/x',
      'https://{{connection.name}}{{connection.name}}/x',
      '{{connection.url}}.evil.test/x',
      '{{replace(connection.url; "given"; "evil")}}',
      'https://{{connection.host}}@evil{{".test"}}/x',
    ])('is refused: %s', async (url) => {
      expect(await call(url)).toEqual([]);
    });

    it.each([
      ['{{connection.url}}/x', 'https://given.test/x'],
      ['{{connection.url}}', 'https://given.test/'],
      ['{{connection.url}}?a={{upper("b")}}', 'https://given.test/?a=B'],
      ['https://{{connection.host}}/{{lower("X")}}', 'https://given.test/x'],
      ['https://{{connection.host}}:8443/x', 'https://given.test:8443/x'],
    ])('is called if it only reads a value: %s', async (url, expected) => {
      expect(await call(url)).toEqual([expected]);
    });
  });

  it('never allows all hosts below a top-level domain, in any notation', async () => {
    for (const end of ['.com', '.com.', '.com:443', '.com.:443', '.com..']) {
      const open = defineApp({
        name: 'open',
        modules: { list: read({ url: `https://{{parameters.h}}${end}/x` }) },
      });
      const urls: string[] = [];
      const engine = createEngine({
        app: open,
        http: {
          ...declared,
          transport: async ({ url }) => {
            urls.push(url);
            return { status: 200, headers: {}, body: Buffer.from('{}'), url };
          },
        },
      });
      await engine.module('list').run({ parameters: { h: 'evil' }, checkParameters: false });
      await engine.close();
      expect(urls).toEqual([]);
    }
  });

  it('allows neither a host of a documentation link, nor an unencrypted one instead of an encrypted one', async () => {
    const help = 'See http://wiki.test/fields and https://{{x}}.test/';
    const linked = defineApp({
      name: 'linked',
      base: { baseUrl: 'https://api.example.com' },
      modules: {
        list: {
          ...read({ url: '{{parameters.url}}' }),
          mappableParams: [{ name: 'url', type: 'text', help }],
        },
      },
    });
    for (const url of [
      'https://wiki.test/x',
      'http://wiki.test/x',
      'http://api.example.com/x',
      'https://a.test/',
    ]) {
      const engine = createEngine({
        app: linked,
        http: {
          ...declared,
          transport: async () => ({ status: 200, headers: {}, body: Buffer.from('{}'), url }),
        },
      });
      const { error } = await engine.module('list').run({ parameters: { url } });
      await engine.close();
      expect(error?.message).toContain('requests to other hosts are blocked');
    }
  });

  it('reports an invalid host', () => {
    expect(() => createEngine({ app, http: { appHosts: ['https://a.test/x'] } })).toThrow(/http\.appHosts/);
  });
});

it('sends no path with the value of a password field of the connection, regardless of its name', async () => {
  const withForm = defineApp({
    name: 'shop',
    base: { baseUrl: API },
    connections: {
      account: {
        type: 'basic',
        communication: {},
        params: [
          { name: 'key', type: 'password' },
          { name: 'region', type: 'text' },
        ],
      },
    },
    modules: {
      moved: { ...read({ url: '/x/{{connection.key}}/moved' }), connection: 'account' },
      open: { ...read({ url: '/x/{{connection.region}}/moved' }), connection: 'account' },
    },
  });
  const visited: string[] = [];
  const transport: Transport = async (request) => {
    visited.push(request.url);
    const isApi = request.url.startsWith(API);
    const headers: Record<string, string> = isApi
      ? { location: request.url.replace(API, OTHER) }
      : { 'content-type': 'application/json' };
    const body = Buffer.from('{"items":[]}');
    return { status: isApi ? 302 : 200, headers, body, url: request.url };
  };
  const engine = createEngine({ app: withForm, http: { transport } });
  const connection = { key: 'qwertzuiopasdf', region: 'europe-west' };
  const refused = await engine.module('moved').run({ connection });
  expect(refused.error?.message).toMatch(/in its path to .*files\.other\.net/);
  expect((await engine.module('open').run({ connection })).error).toBeUndefined();
  expect(visited.filter((url) => url.startsWith(OTHER))).toEqual([`${OTHER}/x/europe-west/moved`]);
  await engine.close();
});
