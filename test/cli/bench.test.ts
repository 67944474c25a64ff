import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpServer, type Loopback } from '../http/loopback.js';
import { writeBenchApp } from '../testing/bench-app.js';
import { cli } from './fake-io.js';

const LIST = {
  url: '/items',
  qs: { size: '{{parameters.size}}' },
  response: { iterate: '{{body.items}}', output: '{{item}}' },
  pagination: { qs: { page: '{{pagination.page}}' } },
};
const RESPONSES = [{ body: { items: [{ id: 1 }, { id: 2 }] } }, { body: { items: [] } }];

const appOf = (communication: unknown = LIST): string =>
  writeBenchApp({ communication, cases: { all: { responses: RESPONSES } } });

describe('iml bench', () => {
  it('prints a table of the recorded cases, and bars of page times on a terminal only', async () => {
    const folder = appOf();
    const { code, out } = await cli(['bench', folder, 'list', '--rounds', '1']);
    expect(code).toBe(0);
    expect(out).toMatch(/^list\/all: 2 pages, 2 records, latency 0 ms, 1 round of \d+ runs?\n/);
    for (const name of ['pages/s', 'records/s', 'page p50', 'waiting', 'decoding', 'evaluating', 'heap']) {
      expect(out).toContain(name);
    }
    expect(out).not.toContain('page times');
    const shown = await cli(['bench', folder, 'list', '--rounds', '1', '--pages', '300'], {
      terminal: true,
      columns: 60,
    });
    const plot = /^page times ([▁-█]+) up to [\d.]+ ms$/m.exec(shown.out);
    expect(plot?.[0].length).toBeLessThanOrEqual(60);
    expect(plot?.[1]).toContain('█');
  });

  it('prints a report in JSON, of the app in the current folder', async () => {
    const args = [
      'bench',
      'list',
      '--pages',
      '3',
      '--page-size',
      '7',
      '--latency',
      '1',
      '--rounds',
      '2',
      '--json',
    ];
    const { code, out, err } = await cli(args, { cwd: appOf() });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      module: 'list',
      service: 'pages',
      latencyMs: 1,
      workloads: [{ name: 'list/all', pages: 3, records: 14, rounds: 2, current: { pages: { length: 3 } } }],
    });
  });

  it('compares the app with a git revision of it', async () => {
    const folder = appOf();
    const git = (...args: string[]): unknown =>
      execFileSync('git', ['-C', folder, ...args], { stdio: 'pipe' });
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'first');
    const args = ['bench', folder, 'list', '--rounds', '1', '--compare'];
    const same = await cli([...args, 'main', '--fail-if-slower', '5000']);
    expect({ code: same.code, err: same.err }).toEqual({ code: 0, err: '' });
    expect(same.out).toMatch(/^current {2}\s*\d/m);
    expect(same.out).toMatch(/^current \/ main: [\d.]+ \(rounds [\d.]+ to [\d.]+\), CPU [\d.]+$/m);
    const file = path.join(folder, 'communication.imljson');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"{{item}}"', '{ "id": "{{item.id + 1}}" }'));
    const changed = await cli([...args, 'main']);
    expect(changed.code).toBe(1);
    expect(changed.err).toContain('The bundles of the two versions differ at bundles[0].id');
    const unknown = await cli([...args, 'v9']);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('is neither a folder nor a git revision with an app');
  });

  it('ends with 1 if the app is slower than the tolerance allows', async () => {
    const wait = {
      url: '/ping',
      repeat: { condition: '{{body.isBusy}}', delay: 150, limit: 1 },
      response: { output: '{{null}}' },
    };
    const slow = writeBenchApp({
      communication: [LIST, wait],
      cases: { all: { responses: [...RESPONSES, { body: { isBusy: true } }, { body: {} }] } },
    });
    const args = ['--rounds', '1', '--compare', appOf(), '--fail-if-slower', '50%'];
    const { code, out } = await cli(['bench', slow, 'list', ...args]);
    expect(code).toBe(1);
    expect(out).toMatch(/^current \/ .*, slower$/m);
  });

  it('names the line of the pagination or the case that cannot be measured', async () => {
    const folder = writeBenchApp({
      communication: { ...LIST, pagination: { condition: '{{body.next}}' } },
      cases: { one: { responses: [{ body: { items: [{ id: 1 }] } }] } },
    });
    const { code, err } = await cli(['bench', folder, 'list', '--pages', '3']);
    expect(code).toBe(1);
    expect(err).toContain('The module asked for 1 of 3 pages (pagination-condition)');
    expect(err).toMatch(/communication\.imljson:\d+:\d+/);
    const failing = writeBenchApp({
      communication: LIST,
      cases: { all: { responses: RESPONSES, expect: { bundleCount: 9 } } },
    });
    const refused = await cli(['bench', failing, 'list']);
    expect(refused.err).toContain('tests/list/all.test.json:1:1');
    expect(refused.err).toContain('The case "list/all" fails');
  });

  it.each([
    [['--live', '--pages', '2'], '--live and --pages exclude each other.'],
    [['--connection', '{}'], '--connection is for --live: a mock service gets its input from a case.'],
    [['-p', 'size=1'], '--param is for --pages and --live: a recorded case has its own parameters.'],
    [['--fail-if-slower', '5'], '--fail-if-slower is for --compare.'],
    [
      ['--compare', '.', '--fail-if-slower', 'much'],
      '--fail-if-slower: "much" is not a percentage such as 10.',
    ],
    [['--format', 'xml'], '--format: Expected one of table, json; got "xml".'],
    [['--pages', '0'], '--pages: "0" is not a whole number of at least 1.'],
    [['--case', 'list/nine'], 'The module "list" has no case "list/nine". It has list/all.'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await cli(['bench', appOf(), 'list', ...args]);
    expect({ code, err }).toEqual({ code: 2, err: `iml bench: ${message}\nSee iml bench --help.\n` });
  });
});

describe('iml bench --live', () => {
  let requests: string[] = [];
  let service: Loopback;
  beforeAll(async () => {
    service = await httpServer((request, response) => {
      requests.push(`${request.method} ${request.url} ${request.headers['x-key']}`);
      const page = Number(new URL(request.url ?? '', 'http://api').searchParams.get('page') ?? 1);
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify({ items: page < 3 ? [{ id: page }] : [] }));
    });
  });
  afterAll(() => service.close());

  it('runs the module once for the check and once per round', async () => {
    requests = [];
    const folder = appOf({ ...LIST, headers: { 'X-Key': '{{connection.key}}' } });
    const args = ['--live', '--base-url', service.origin, '--allow-local', '-p', 'size=5'];
    const { code, out, err } = await cli([
      ...['bench', folder, 'list', ...args, '--connection', '{"key":"k-1"}', '--no-check', '--json'],
    ]);
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('k-1') });
    expect(JSON.parse(out)).toMatchObject({
      service: 'live',
      workloads: [{ name: 'live', pages: 3, records: 2, rounds: 3, runsPerRound: 1 }],
    });
    expect(requests).toHaveLength(4 * 3);
    expect(requests[0]).toBe('GET /items?size=5 k-1');
  });

  it('sends no request that may change data, unless it is allowed', async () => {
    requests = [];
    const folder = appOf({ ...LIST, method: 'POST' });
    const args = [
      'bench',
      folder,
      'list',
      '--live',
      '--base-url',
      service.origin,
      '--allow-local',
      '--rounds',
      '1',
    ];
    const refused = await cli(args);
    expect({ code: refused.code, requests }).toEqual({ code: 1, requests: [] });
    expect(refused.err).toContain('Allow it with --allow-changes.');
    const { code } = await cli([...args, '--allow-changes']);
    expect({ code, methods: new Set(requests.map((line) => line.split(' ')[0])) }).toEqual({
      code: 0,
      methods: new Set(['POST']),
    });
  });
});
