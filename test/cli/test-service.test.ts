import { createHmac } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { httpServer, type Loopback, readBody } from '../http/loopback.js';
import { type CliResult, cli, type FakeIoOptions } from './fake-io.js';

const KEY = 'k-canary-9sd8f7sd9f8s7df';

interface Item {
  readonly [name: string]: unknown;
}

/** State of the API, which a test can change: the items of a list, and the status of all responses. */
const usual = {
  status: 200,
  items: [
    { id: 1, name: 'one', tag: null, owner: { mail: 'a@example.com' } },
    { id: 2, name: 'two', tag: 'x', owner: { mail: 'b@example.com' } },
  ] as readonly Item[],
  total: '4' as string | undefined,
};
let world = usual;
let posts = 0;

/** Two pages of items that require a key and a signature. POST creates an item. */
async function startItems(): Promise<Loopback> {
  return httpServer((request, response) => {
    void readBody(request).then(() => {
      const url = new URL(request.url ?? '', 'http://items');
      const signature = createHmac('sha256', KEY).update(url.pathname).digest('hex');
      const isKnown = request.headers['x-signature'] === signature;
      const status = isKnown ? world.status : 401;
      if (request.method === 'POST') posts++;
      const page = Number(url.searchParams.get('page') ?? 1);
      const body =
        request.method === 'POST' ? { id: 9, seen: signature } : { items: world.items, page, echo: KEY };
      response.writeHead(status, {
        'content-type': 'application/json',
        connection: 'close',
        ...(page === 1 && { 'x-next': '2' }),
        ...(world.total !== undefined && { 'x-total': world.total }),
      });
      response.end(
        JSON.stringify(status < 400 ? body : { message: `no, ${request.headers['x-signature']}` }),
      );
    });
  });
}

let service: Loopback;
beforeAll(async () => {
  service = await startItems();
});
afterAll(() => service.close());
afterEach(() => {
  world = usual;
});

const LIST = {
  component: 'module:list',
  note: 'The first two pages.',
  record: true,
  input: { connection: { apiKey: '{{secret:shopKey}}' } },
};

function itemsApp(cases: Readonly<Record<string, unknown>> = { 'list/all': LIST }): string {
  const module = (file: string, type: string): object => ({
    moduleType: type,
    connection: 'key',
    codeFiles: { communication: file },
  });
  const files = Object.entries(cases).map(([name, content]) => [
    `tests/${name}.test.json`,
    typeof content === 'string' ? content : JSON.stringify(content, undefined, 2),
  ]);
  return writeApp({
    'base.json': {
      baseUrl: 'https://api.items.example',
      headers: { 'X-Signature': '{{sha256(temp.path; "hex"; connection.apiKey)}}' },
      response: { error: { message: '{{body.message}}' } },
    },
    'list.json': {
      url: '/items',
      temp: { path: '/items' },
      response: {
        iterate: '{{body.items}}',
        output: { id: '{{item.id}}', mail: '{{item.owner.mail}}', of: '{{headers.`x-total`}}' },
      },
      pagination: { qs: { page: '{{headers.`x-next`}}' }, condition: '{{headers.`x-next`}}' },
    },
    'key.json': {
      url: 'https://api.items.example/me',
      temp: { path: '/me' },
      headers: { 'X-Signature': '{{sha256("/me"; "hex"; parameters.apiKey)}}' },
      response: { data: { apiKey: '{{parameters.apiKey}}' } },
    },
    'create.json': {
      url: '/items',
      method: 'POST',
      temp: { path: '/items' },
      response: { output: '{{body}}' },
    },
    'makecomapp.json': {
      generalCodeFiles: { base: 'base.json' },
      components: {
        connection: { key: { connectionType: 'basic', codeFiles: { communication: 'key.json' } } },
        module: { list: module('list.json', 'search'), create: module('create.json', 'action') },
      },
    },
    ...Object.fromEntries(files),
  });
}

const ENV = { IML_SECRET_SHOPKEY: KEY };

async function test(
  folder: string,
  args: readonly string[],
  options: FakeIoOptions = {},
): Promise<CliResult> {
  const map = ['--map', `https://api.items.example=${service.origin}`];
  const isOnline = args.includes('--live') || args.includes('--record-cases');
  return cli(['test', '.', ...args, ...(isOnline ? map : [])], { cwd: folder, env: ENV, ...options });
}

function readCase(folder: string, name = 'list/all'): string {
  return readFileSync(path.join(folder, 'tests', `${name}.test.json`), 'utf8');
}

/** All files of a folder as one text. */
function readAll(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describe('iml test --record-cases', () => {
  it('completes the cases with record, which then pass', async () => {
    const folder = itemsApp({ 'list/all': `// Both pages.\n${JSON.stringify(LIST, undefined, 2)}\n` });
    const before = await test(folder, []);
    expect([before.code, before.out]).toEqual([1, expect.stringContaining('The case has no recording yet')]);
    const { code, err } = await test(folder, ['--record-cases'], { ask: async () => 'y' });
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('Recorded tests/list/all.test.json: 2 exchanges.'),
    ]);
    expect(err).toContain('-   "record": true');
    expect(err).toContain('+   "exchanges": [');
    const text = readCase(folder);
    expect(text).toMatch(
      /^\/\/ Both pages\.\n\{\n {2}"component": "module:list",\n {2}"note": "The first two pages\./,
    );
    expect([...text.matchAll(/^ {2}"(\w+)"/gm)].map(([, name]) => name)).toEqual([
      ...['component', 'note', 'recorded', 'input', 'exchanges', 'expect'],
    ]);
    expect(text).toContain('"apiKey": "{{secret:shopKey}}"');
    expect(readAll(folder) + err).not.toContain('canary');
    expect((await test(folder, [])).out).toMatch(/^1 passed/);
  });

  it('keeps expectations that match the run, and replaces others', async () => {
    const fits = { ...LIST, expect: { bundleCount: 4, query: 'bundles[0].id = 1' } };
    const not = { ...LIST, name: 'not', expect: { bundleCount: 5 } };
    const folder = itemsApp({ 'list/all': fits, 'list/not': not });
    expect((await test(folder, ['--record-cases', '--yes'])).code).toBe(0);
    expect(readCase(folder)).toContain('"query": "bundles[0].id = 1"');
    expect(readCase(folder, 'list/not')).not.toContain('"bundleCount": 5');
    expect((await test(folder, [])).out).toMatch(/^2 passed/);
  });

  it('uses the connection of the command line instead of that of the case', async () => {
    const folder = itemsApp();
    const given = ['--connection', JSON.stringify({ apiKey: KEY, shop: 'mine' })];
    expect((await test(folder, ['--record-cases', '--yes', ...given], { env: {} })).code).toBe(0);
    expect(readCase(folder)).toContain('"apiKey": "{{secret:shopKey}}"');
    expect(readAll(folder)).not.toContain('canary');
  });

  it('writes nothing without confirmation, in CI, or with a missing secret', async () => {
    const folder = itemsApp();
    const before = readCase(folder);
    const nobody = await test(folder, ['--record-cases']);
    expect([nobody.code, nobody.err]).toEqual([2, expect.stringContaining('Add --yes')]);
    expect((await test(folder, ['--record-cases'], { ask: async () => 'n' })).code).toBe(1);
    const ci = await test(folder, ['--record-cases'], { env: { ...ENV, CI: 'true' } });
    expect([ci.code, ci.err]).toEqual([2, expect.stringContaining('changes nothing in CI')]);
    const poor = await test(folder, ['--record-cases', '--yes'], { env: {} });
    expect([poor.code, poor.err]).toEqual([1, expect.stringContaining('set IML_SECRET_SHOPKEY')]);
    expect(readCase(folder)).toBe(before);
    expect(
      (
        await test(itemsApp({ 'list/all': { ...LIST, record: false, expect: { bundles: [] } } }), [
          '--record-cases',
        ])
      ).code,
    ).toBe(2);
  });

  it('writes no case of a run without a request, and says why', async () => {
    const folder = itemsApp();
    const file = path.join(folder, 'list.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"/items"', '"/{{parseDate(1)}}"'));
    const before = readCase(folder);
    const { code, err } = await test(folder, ['--record-cases', '--yes']);
    expect(code).toBe(1);
    expect(err).toContain('The run sent no request, so there is nothing to record. RuntimeError: ');
    expect(readCase(folder)).toBe(before);
  });

  it('records refusals and an unavailable API', async () => {
    const folder = itemsApp();
    world = { ...usual, status: 404 };
    expect((await test(folder, ['--record-cases', '--yes'])).code).toBe(0);
    expect(readCase(folder)).toContain('"error": {');
    expect((await test(folder, [])).out).toMatch(/^1 passed/);
    const away = itemsApp();
    const none = await httpServer(() => {});
    await none.close();
    const map = ['--map', `https://api.items.example=${none.origin}`];
    const gone = await cli(['test', '.', '--record-cases', '--yes', ...map], { cwd: away, env: ENV });
    expect([gone.code, gone.err]).toEqual([0, expect.stringContaining('1 exchange.')]);
    expect(readCase(away)).toContain('"networkError": "ECONNREFUSED"');
    expect((await test(away, [])).out).toMatch(/^1 passed/);
  });
});

describe('iml test --live', () => {
  /** Recorded cases by name. */
  const recorded: Record<string, string> = {};
  let folder: string;

  beforeEach(async () => {
    const names = ['list/all', 'create/one'];
    if (recorded['list/all'] === undefined) {
      const first = itemsApp({
        'list/all': LIST,
        'create/one': { ...LIST, component: 'module:create', note: undefined },
      });
      expect((await test(first, ['--record-cases', '--yes'])).code).toBe(0);
      for (const name of names) recorded[name] = readCase(first, name);
    }
    folder = itemsApp(recorded);
  });

  it('reports no drift of an unchanged API, and sends no writing requests', async () => {
    const before = posts;
    const written = readAll(folder);
    const { code, out, err } = await test(folder, ['--live']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('skipped create/one\n  POST may change data in the API');
    expect(out).toMatch(/1 passed, 1 did not run/);
    expect([posts, readAll(folder)]).toEqual([before, written]);
    const file = path.join(folder, 'tests/create/one.test.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"recorded"', '"live": true,\n  "recorded"'));
    expect((await test(folder, ['--live', '--filter', 'create'])).out).toMatch(/1 passed in/);
    expect(posts).toBe(before + 1);
    writeFileSync(file, text);
  });

  it('does not send requests that the app changed', async () => {
    const other = itemsApp({ 'list/all': JSON.parse(readCase(folder)) });
    const file = path.join(other, 'list.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"url"', '"method": "POST", "url"'));
    const before = posts;
    const { code, out } = await test(other, ['--live']);
    expect([code, out]).toEqual([1, expect.stringContaining('was not sent')]);
    expect(posts).toBe(before);
  });

  it.each([
    [
      'a new field',
      { items: usual.items.map((item) => ({ ...item, color: 'red' })) },
      0,
      'info: exchanges[0].response.body.items[].color is new: text.',
    ],
    ['other values', { items: [{ id: 77, name: 'x', tag: 'y', owner: { mail: '' } }] }, 0, '1 passed'],
    [
      'a missing field',
      { items: usual.items.map(({ name: _, ...item }) => item) },
      3,
      'warning: exchanges[0].response.body.items[].name is no longer in the response.',
    ],
    [
      'a header the app reads',
      { total: undefined },
      3,
      'warning: exchanges[0].response.headers.x-total is no longer in the response.',
    ],
    [
      'another type',
      { items: usual.items.map((item) => ({ ...item, id: 'a1' })) },
      3,
      'error: exchanges[0].response.body.items[].id was a number, is text.',
    ],
    [
      'an error of the app',
      { items: [{ id: 1, name: 'n', tag: null, owner: 'me' }] },
      3,
      'error: exchanges[0].response.body.items[].owner was an object, is text.',
    ],
    ['another status', { status: 404 }, 3, 'error: exchanges[0].response.status was 200, is 404.'],
    [
      'a status of the same kind',
      { status: 203 },
      3,
      'warning: exchanges[0].response.status was 200, is 203.',
    ],
    ['an API that fails', { status: 503 }, 1, 'The API failed: 503 to GET https://api.items.example/items.'],
    ['a limit of calls', { status: 429 }, 1, 'The API requires a wait: 429'],
  ] as const)('reports %s', async (_what, change, code, text) => {
    world = { ...usual, ...change };
    const result = await test(folder, ['--live', '--filter', 'list']);
    expect([result.code, result.out]).toEqual([code, expect.stringContaining(text)]);
    expect(result.out).not.toContain('canary');
  });

  it('separates a refused login and an unavailable API from drift', async () => {
    const refused = await test(folder, ['--live'], { env: { IML_SECRET_SHOPKEY: `${KEY}-wrong` } });
    expect([refused.code, refused.out]).toEqual([
      1,
      expect.stringContaining('The API refused the credentials: 401'),
    ]);
    expect(refused.out).not.toContain('canary');
    const none = await httpServer(() => {});
    await none.close();
    const map = ['--map', `https://api.items.example=${none.origin}`];
    const down = await cli(['test', '.', '--live', ...map], { cwd: folder, env: ENV });
    expect([down.code, down.out]).toEqual([1, expect.stringContaining('The API cannot be reached: ')]);
    const poor = await test(folder, ['--live'], { env: {} });
    expect([poor.code, poor.out]).toEqual([
      1,
      expect.stringContaining('The case needs the secret "shopKey"'),
    ]);
  });

  it('reports drift in machine formats', async () => {
    world = { ...usual, items: usual.items.map((item) => ({ ...item, id: 'a1', color: KEY })) };
    const names = ['json=r.json', 'junit=r.xml', 'github=r.txt'];
    const { code } = await test(folder, ['--live', ...names.flatMap((name) => ['--reporter', name])]);
    expect(code).toBe(3);
    const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
    const report = JSON.parse(read('r.json')) as { tests: { status: string; notes: string[] }[] };
    expect(report.tests.map(({ status }) => status)).toEqual(['skipped', 'failed']);
    expect(report.tests[1]?.notes).toEqual([expect.stringContaining('color is new')]);
    expect(read('r.xml')).toContain('<skipped message="POST may change');
    expect(read('r.txt')).toContain(
      '::notice title=list/all::info: exchanges[0].response.body.items[].color is new',
    );
    expect(names.map((name) => read(name.split('=')[1] ?? '')).join('')).not.toContain('canary');
  });

  it('lists old recordings without failing', async () => {
    const old = itemsApp({
      'list/all': { ...JSON.parse(readCase(folder)), recorded: { at: '2020-01-01' } },
      'list/new': { ...JSON.parse(readCase(folder)), name: 'new' },
    });
    for (const mode of [[], ['--live']]) {
      const { code, out } = await test(old, [...mode, '--max-age', '90d']);
      expect([code, out]).toEqual([
        0,
        expect.stringMatching(/passed list\/all [^\n]*\n {2}It was recorded \d{4} days ago/),
      ]);
      expect(out.match(/It was recorded/g)).toHaveLength(1);
    }
    expect((await test(old, ['--max-age', 'old'])).code).toBe(2);
  });

  it('skips handwritten cases unless they opt in', async () => {
    const { recorded: _, ...byHand } = JSON.parse(readCase(folder)) as Record<string, unknown>;
    const other = itemsApp({ 'list/hand': byHand, 'list/live': { ...byHand, live: true } });
    const { code, out } = await test(other, ['--live']);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/skipped list\/hand\n {2}The case was not recorded[\s\S]*1 passed, 1 did not/),
    ]);
  });

  it.each([
    [['--live', '--record-cases'], 'cannot be combined with --record-cases'],
    [['--live', '--update'], 'cannot be combined with --update'],
    [['--connection', 'work'], '--connection requires --record-cases or --live'],
    [['--live', '--connection', 'nobody'], 'There is no connection "nobody"'],
  ])('refuses %s', async (args, message) => {
    const { code, err } = await test(folder, args, { env: { ...ENV, XDG_CONFIG_HOME: folder } });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('uses a stored connection', async () => {
    const home = path.join(folder, 'home');
    mkdirSync(home);
    const env = { XDG_CONFIG_HOME: home };
    const map = ['--map', `https://api.items.example=${service.origin}`];
    const made = await cli(['connect', '.', 'key', '--name', 'work', '-p', `{"apiKey":"${KEY}"}`, ...map], {
      cwd: folder,
      env,
    });
    expect([made.code, made.err]).toEqual([0, expect.anything()]);
    const { code, out } = await test(folder, ['--live', '--connection', 'work', '--filter', 'list'], { env });
    expect([code, out]).toEqual([0, expect.stringContaining('1 passed')]);
  });
});
