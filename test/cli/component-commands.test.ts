import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { type CliResult, cli, type FakeIoOptions, jsonLines } from './fake-io.js';

const ITEMS = [
  { id: 3, name: 'three', at: '2026-01-03T00:00:00.000Z' },
  { id: 2, name: 'two', at: '2026-01-02T00:00:00.000Z' },
  { id: 1, name: 'one', at: '2026-01-01T00:00:00.000Z' },
];

/** Output of a search for the ids of `ITEMS`. */
const IDS = '{"id":3}\n{"id":2}\n{"id":1}\n';

let server: Server;
let origin: string;
let cwd: string;
let asked: string[];
let keys: unknown[];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    keys.push(request.headers['x-api-key']);
    response.setHeader('content-type', 'application/json');
    if (request.url === '/broken') response.statusCode = 500;
    const next = 'https://far.example.net/page2';
    const answers: Record<string, unknown> = { '/hooks': { id: 'h1' }, '/linked': { items: ITEMS, next } };
    response.end(JSON.stringify(answers[request.url ?? ''] ?? ITEMS));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

beforeEach(() => {
  asked = [];
  keys = [];
  const trigger = (communication: string, epoch?: string): unknown => ({
    moduleType: 'trigger',
    codeFiles: { communication, ...(epoch && { epoch }) },
  });
  cwd = writeApp({
    'makecomapp.json': {
      generalCodeFiles: { base: 'base.json' },
      components: {
        rpc: {
          names: { codeFiles: { communication: 'names.json' } },
          broken: { codeFiles: { communication: 'broken.json' } },
        },
        webhook: {
          events: {
            webhookType: 'web',
            codeFiles: { communication: 'hook.json', attach: 'attach.json' },
          },
        },
        module: {
          watchIds: trigger('ids.json', 'epoch.json'),
          watchDates: trigger('dates.json', 'epoch.json'),
          watchPlain: trigger('dates.json'),
          watchSome: {
            moduleType: 'trigger',
            codeFiles: { communication: 'ids.json', epoch: 'epoch.json', mappableParams: 'some.json' },
          },
          watchEvents: { moduleType: 'instant_trigger', webhook: 'events', codeFiles: {} },
          away: { moduleType: 'search', codeFiles: { communication: 'away.json' } },
          linked: { moduleType: 'search', codeFiles: { communication: 'linked.json' } },
          absolute: { moduleType: 'search', codeFiles: { communication: 'absolute.json' } },
        },
      },
    },
    'base.json': { baseUrl: 'https://api.example.com' },
    'names.json': {
      url: '/items',
      response: {
        iterate: '{{body}}',
        output: { label: '{{item.name}}{{parameters.suffix}}', value: '{{item.id}}' },
      },
    },
    'broken.json': { url: '/broken' },
    'ids.json': {
      url: '/items',
      response: {
        iterate: '{{body}}',
        output: '{{item}}',
        trigger: { type: 'id', order: 'desc', id: '{{item.id}}' },
      },
    },
    'dates.json': {
      url: '/items',
      response: {
        iterate: '{{body}}',
        output: '{{item}}',
        trigger: { type: 'date', order: 'desc', id: '{{item.id}}', date: '{{item.at}}' },
      },
    },
    'some.json': [{ name: 'limit', type: 'uinteger', required: true, default: 2 }],
    'epoch.json': { response: { output: { label: '{{item.name}}', date: '{{item.at}}' } } },
    'hook.json': {
      condition: "{{headers.`x-kind` != 'ping'}}",
      iterate: '{{body.events}}',
      output: '{{item}}',
      respond: { status: 202, type: 'json', body: { taken: '{{length(body.events)}}' } },
    },
    'attach.json': {
      url: '/hooks',
      method: 'POST',
      body: { url: '{{webhook.url}}' },
      response: { data: { hookId: '{{body.id}}' } },
    },
    'away.json': {
      url: '{{parameters.to}}',
      response: { iterate: '{{body}}', output: { id: '{{item.id}}' } },
    },
    'linked.json': {
      url: '/linked',
      headers: { 'x-api-key': '{{connection.key}}' },
      response: { iterate: '{{body.items}}', output: { id: '{{item.id}}' } },
      pagination: { url: '{{body.next}}' },
    },
    'absolute.json': {
      url: 'https://other.example.com/items',
      response: { iterate: '{{body}}', output: { id: '{{item.id}}' } },
    },
  });
});

/** The API of the app is on this machine. */
function iml(args: readonly string[], options: FakeIoOptions = {}): Promise<CliResult> {
  return cli([...args, '--map', `https://api.example.com=${origin}`], { cwd, ...options });
}

const ids = (out: string): unknown[] => jsonLines(out).map((item) => (item as { id: number }).id);

describe('iml run rpc:NAME', () => {
  it('prints the result of an RPC', async () => {
    const { code, out, err } = await iml(['run', '.', 'rpc:names']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toEqual([
      { label: 'three', value: 3 },
      { label: 'two', value: 2 },
      { label: 'one', value: 1 },
    ]);
  });

  it('takes a reference with its arguments, and parameters', async () => {
    const { out } = await iml([
      'run',
      '.',
      'rpc://names?suffix={{parameters.mark}}',
      '-p',
      'mark=!',
      '--table',
    ]);
    expect(out).toContain('three!');
    const query = await iml(['run', '.', 'rpc:names', '--query', '$count(result)']);
    expect(query.out).toBe('3\n');
  });

  it('prints the report and the source location of a failure', async () => {
    const { code, out, err } = await iml(['run', '.', 'rpc:broken', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ error: { statusCode: 500 }, stats: { requests: 1 } });
    expect(err).toMatch(/status +500/);
  });

  it('suggests a similar name', async () => {
    expect(await iml(['run', '.', 'rpc:nams'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "names"?'),
    });
  });
});

describe('iml run epoch:NAME', () => {
  it('lists the start options of a trigger with their states', async () => {
    const { code, out, err } = await iml(['run', '.', 'epoch:watchIds']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(jsonLines(out)[1]).toEqual({
      id: 2,
      date: '2026-01-02T00:00:00.000Z',
      label: 'two',
      state: { lastId: 2, matchEqual: true },
    });
  });

  it('names --defaults if a missing field has a default', async () => {
    const { code, err } = await iml(['run', '.', 'epoch:watchSome']);
    expect(code).toBe(1);
    expect(err).toContain('Nothing was sent. --defaults fills in defaults, --no-check skips this check.\n');
    expect((await iml(['run', '.', 'epoch:watchSome', '--defaults'])).code).toBe(0);
  });

  it('explains why a module has no epoch', async () => {
    const plain = await iml(['run', '.', 'epoch:watchPlain']);
    expect(plain).toMatchObject({ code: 2, err: expect.stringContaining('"watchPlain" has no epoch') });
    const other = await iml(['run', '.', 'epoch:absolute']);
    expect(other.err).toContain('"absolute" is of type search');
  });
});

describe('the old names of iml run', () => {
  it.each([
    [
      ['rpc', '.', 'names'],
      ['run', '.', 'rpc:names'],
    ],
    [
      ['rpc', '.', 'rpc://names'],
      ['run', '.', 'rpc://names'],
    ],
    [
      ['epoch', '.', 'watchIds'],
      ['run', '.', 'epoch:watchIds'],
    ],
  ])('%j does what %j does', async (old, now) => {
    const result = await iml(old);
    expect(result).toEqual(await iml(now));
    expect(result.code).toBe(0);
  });

  it('are not in the help', async () => {
    const { out } = await iml(['help']);
    expect(out).not.toMatch(/^ {2}(?:rpc|epoch) /m);
    expect((await iml(['rpc', '--help'])).out).toContain('iml run [app folder] <module>');
  });

  it.each([
    [['run', '.', 'rpc:names', '--limit', '5'], '--limit is for modules, and "names" is an RPC.'],
    [['run', '.', 'rpc:names', '--defaults'], '--defaults is for modules, and "names" is an RPC.'],
    [['run', '.', 'epoch:watchIds', '--start', 'all'], '--start is for modules, and "watchIds" is an epoch.'],
  ])('refuse %j', async (args, message) => {
    expect(await iml(args)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});

describe('iml run of a polling trigger', () => {
  it.each([
    ['watchIds', 'all', [1, 2, 3]],
    ['watchIds', '2', [2, 3]],
    ['watchDates', 'all', [1, 2, 3]],
    ['watchDates', '2026-01-02', [2, 3]],
    ['watchDates', '2026-01-02T00:00:01Z', [3]],
    ['watchDates', '2', [2, 3]],
  ])('%s starts with --start %s', async (module, start, expected) => {
    const { code, out, err } = await iml(['run', '.', module, '--start', start]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(ids(out)).toEqual(expected);
  });

  it('stores the state in a file', async () => {
    const args = ['run', '.', 'watchIds', '--state', 'watch.json', '--start', '2'];
    expect(ids((await iml([...args, '-n', '1'])).out)).toEqual([2]);
    expect(JSON.parse(readFileSync(path.join(cwd, 'watch.json'), 'utf8'))).toEqual({ lastId: 2 });
    expect(ids((await iml(args)).out)).toEqual([3]);
    const third = await iml(args);
    expect(third).toMatchObject({ code: 0, out: '' });
    expect(third.err).toContain('no new items since {"lastId":3}');
  });

  it('leaves the file unchanged if the run fails', async () => {
    writeFileSync(path.join(cwd, 'watch.json'), '{"lastId":1}\n');
    const failed = await cli(
      [
        'run',
        '.',
        'watchIds',
        '--state',
        'watch.json',
        '--map',
        'https://api.example.com=http://127.0.0.1:1',
      ],
      { cwd },
    );
    expect(failed.code).toBe(1);
    expect(readFileSync(path.join(cwd, 'watch.json'), 'utf8')).toBe('{"lastId":1}\n');
  });

  it.each([
    [['watchIds', '--state', 'no-json'], 'the file "no-json" has no state of a trigger'],
    [['watchIds', '--state', 'makecomapp.json'], 'has no state of a trigger, such as {"lastId":7}'],
    [['watchIds', '--state', '{1}'], '--state: the value given is not valid JSON'],
    [['watchIds', '--state', '@x.json'], '--state: the file "x.json" cannot be read (ENOENT).'],
    [
      ['watchIds', '--start', 'all', '--state', '{"lastId":1}'],
      '--start and a --state of JSON or @FILE exclude each other.',
    ],
    [
      ['absolute', '--start', 'all'],
      '--start: only polling triggers have a state, and "absolute" is of type search.',
    ],
    [['watchPlain', '--start', '2'], '"2" is not a date such as'],
    [['watchDates', '--start', '99'], '"99" is neither a date'],
    [
      ['watchIds', '--state', 'missing/x.json'],
      '--state: the file "missing/x.json" cannot be written (ENOENT)',
    ],
  ])('refuses %j', async (args, message) => {
    writeFileSync(path.join(cwd, 'no-json'), '[1]');
    const { code, err } = await iml(['run', '.', ...args]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(existsSync(path.join(cwd, 'x.json'))).toBe(false);
  });

  it('reads the state of --state @FILE without writing it', async () => {
    const state = path.join(cwd, 'read-only.json');
    writeFileSync(state, '{"lastId":1}');
    const { out, code } = await iml(['run', '.', 'watchIds', '--state', '@read-only.json']);
    expect(code).toBe(0);
    expect(await iml(['run', '.', 'watchIds', '--state', '{"lastId":1}'])).toMatchObject({ code: 0, out });
    expect(readFileSync(state, 'utf8')).toBe('{"lastId":1}');
  });

  it('explains why there are no bundles', async () => {
    const { code, out, err } = await iml(['run', '.', 'watchDates']);
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toContain('a trigger without state starts here');
    expect(err).toContain('--start all');
    const instant = await iml(['run', '.', 'watchEvents']);
    expect(instant).toMatchObject({ code: 0, err: expect.stringContaining('Pass one with --payload') });
    const other = await iml(['run', '.', 'watchDates', '--state', '{"lastId":3}']);
    expect(other.err).toContain('The state has another type');
    expect(other.err).toContain('a trigger without state starts here');
  });
});

describe('iml webhook', () => {
  const EVENTS = '{"events":[{"n":1},{"n":2}]}';

  it('processes a call from options: bundles, and the response on standard error', async () => {
    const { code, out, err } = await iml(['webhook', '.', 'events', '--body', EVENTS]);
    expect(code).toBe(0);
    expect(jsonLines(out)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(err).toBe('answer: 202 application/json, 11 bytes: {"taken":2}\n');
    expect(asked).toEqual([]);
  });

  it.each([
    ['JSON', JSON.stringify({ headers: { 'X-Kind': 'event' }, body: { events: [{ n: 1 }] } })],
    [
      'JSON with a text',
      JSON.stringify({ headers: [['Content-Type', 'application/json']], body: '{"events":[{"n":1}]}' }),
    ],
    ['HTTP', 'POST /hook?x=1 HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"events":[{"n":1}]}'],
    ['HTTP of an editor', 'POST /hook\nContent-Type: application/json\n\n{"events":[{"n":1}]}'],
  ])('reads a call from a file: %s', async (_, text) => {
    writeFileSync(path.join(cwd, 'call'), text);
    const { code, out } = await iml(['webhook', '.', 'events', '--call', 'call']);
    expect({ code, out }).toEqual({ code: 0, out: '{"n":1}\n' });
    const named = await iml(['webhook', '.', 'events', '--call', '@call']);
    expect(named).toMatchObject({ code: 0, out: '{"n":1}\n' });
    for (const source of ['-', '@-']) {
      const stdin = await iml(['webhook', '.', 'events', '--call', source], { stdin: text });
      expect(stdin.out).toBe('{"n":1}\n');
    }
    const over = await iml(['webhook', '.', 'events', '--call', 'call', '-H', 'x-kind: ping']);
    expect(over.out).toBe('');
    expect(over.err).toContain('No bundles. The condition is false');
  });

  it('reads an inline call', async () => {
    const call = { method: 'POST', headers: { 'x-kind': 'event' }, body: { events: [{ n: 1 }] } };
    const { code, out } = await iml(['webhook', '.', 'events', '--call', JSON.stringify(call)]);
    expect({ code, out }).toEqual({ code: 0, out: '{"n":1}\n' });
    const broken = await iml(['webhook', '.', 'events', '--call', '{"apiKey":"key-of-ann"']);
    expect(broken).toMatchObject({ code: 2, out: '' });
    expect(broken.err).toContain('--call: what is given is not a JSON object.');
    expect(broken.err).not.toContain('key-of-ann');
  });

  it('prints the report', async () => {
    const { out } = await iml(['webhook', '.', 'events', '--body', EVENTS, '--json']);
    expect(JSON.parse(out)).toMatchObject({
      answer: { status: 202, body: '{"taken":2}' },
      bundles: [{ n: 1 }, { n: 2 }],
      verification: false,
    });
  });

  it('reports the step at which a call failed', async () => {
    const { code, err } = await iml([
      'webhook',
      '.',
      'events',
      '-d',
      '{',
      '-H',
      'content-type: application/json',
    ]);
    expect(code).toBe(1);
    expect(err).toContain('The call failed in the phase payload.');
    expect(err).toContain('answer: 400');
  });

  it('attaches and prints the data to store', async () => {
    const hook = '{"url":"https://me.example.com/1"}';
    const { code, out } = await iml(['webhook', '.', 'events', 'attach', '--hook-data', hook]);
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { hookId: 'h1' } });
    expect(asked).toEqual(['POST /hooks']);
    const none = await iml(['webhook', '.', 'events', 'detach']);
    expect(none.err).toBe('The webhook has no detach: nothing was sent.\n');
  });

  it.each([
    [['events', 'atach'], 'Unknown action "atach". Did you mean "attach"?'],
    [['event'], 'Did you mean "events"?'],
    [['events', '--call', 'none'], '--call: the file "none" cannot be read (ENOENT).'],
    [['events', '--call', 'makecomapp.json', '-X', 'a b'], '--method: "a b" is not an HTTP method.'],
    [['events', '--call', 'text'], 'what is in "text" is neither a JSON object nor an HTTP request'],
    [['events', '-H', 'nonsense'], '--header: "NAME: VALUE" is expected'],
  ])('refuses %j', async (args, message) => {
    writeFileSync(path.join(cwd, 'text'), 'hello');
    const { code, err } = await iml(['webhook', '.', ...args]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('the hosts of an app', () => {
  const far = ['run', '.', 'away', '-p', 'to=https://far.example.net/items', '--no-check'];
  const linked = ['run', '.', 'linked', '--connection', '{"key":"key-of-ann"}'];
  const all = (args: readonly string[], env: Record<string, string> = {}): Promise<CliResult> =>
    cli([...args, '--map', `*=${origin}`], { cwd, env });

  it('are the only allowed hosts with only-declared, with those of app-host', async () => {
    expect(await all(far)).toMatchObject({ code: 0, out: IDS });
    asked = [];
    const refused = await all(far, { IML_ONLY_DECLARED: '1' });
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('far.example.net');
    expect(refused.err).toContain('app-host in iml.config.json');
    expect(asked).toEqual([]);
    const named = await all(far, { IML_ONLY_DECLARED: '1', IML_APP_HOST: '*.example.net' });
    expect(named).toMatchObject({ code: 0, out: IDS });
  });

  it('receive its credentials; others only with app-host or cross-host-secrets', async () => {
    const withheld = await all(linked);
    expect({ code: withheld.code, keys }).toEqual({ code: 0, keys: ['key-of-ann', undefined] });
    expect(withheld.err).toContain('app-host in iml.config.json');
    for (const env of [{ IML_APP_HOST: 'far.example.net' }, { IML_CROSS_HOST_SECRETS: '1' }]) {
      keys = [];
      expect(await all(linked, env)).toMatchObject({ code: 0 });
      expect(keys).toEqual(['key-of-ann', 'key-of-ann']);
    }
  });

  it.each([
    ['run', '.', 'linked'],
    ['rpc', '.', 'names'],
    ['epoch', '.', 'watchIds'],
    ['webhook', '.', 'events', '--call', 'makecomapp.json'],
    ['connect', '.'],
    ['serve', '.', '--port', '0'],
  ])('are read by %s', async (...args) => {
    const { code, err } = await cli(args, { cwd, env: { IML_APP_HOST: 'a/b' } });
    expect(code).toBe(2);
    expect(err).toContain('IML_APP_HOST: app-host has the entry "a/b"; expected a host');
  });
});

describe('--map', () => {
  it('sends requests of one or all hosts to another server', async () => {
    const one = await cli(['run', '.', 'absolute', '--map', `https://other.example.com=${origin}`], { cwd });
    expect(one).toMatchObject({ code: 0, out: IDS });
    const all = await cli(['run', '.', 'absolute', '--map', `*=${origin}`], { cwd });
    expect(all).toMatchObject({ code: 0, out: IDS });
  });

  it('is suggested if an absolute URL is refused by --base-url', async () => {
    const args = ['run', '.', 'absolute', '--base-url', origin, '--allow-local'];
    const refused = await cli(args, { cwd });
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('--map https://other.example.com=');
    expect(refused.err).not.toContain('--allow-local');
    expect(asked).toEqual([]);
    expect(await cli([...args, '--map', `https://other.example.com=${origin}`], { cwd })).toMatchObject({
      code: 0,
    });
  });

  it.each([
    ['x', '--map: "x" is not of the form'],
    ['=http://127.0.0.1', '--map: "=http://127.0.0.1" is not of the form'],
    ['https://a.example.com=ftp://x', '--map: "https://a.example.com" is mapped to "ftp://x"'],
    ['https://a.example.com/path=http://x', '--map: "https://a.example.com/path" is not a valid key'],
  ])('refuses %j', async (map, message) => {
    const { code, err } = await cli(['run', '.', 'absolute', '--map', map], { cwd });
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
