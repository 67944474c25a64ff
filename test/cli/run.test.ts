import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bookshop, createBooks, startBookshop } from '../../spec-fixtures/bookshop/service.mjs';
import { writeApp } from '../app/temp-app.js';
import { type CliResult, cli, type FakeIoOptions, jsonLines } from './fake-io.js';

const APP = 'spec-fixtures/bookshop';
let shop: Bookshop;
beforeAll(async () => {
  shop = await startBookshop();
});
afterAll(() => shop.close());

function run(module: string, args: readonly string[] = [], options: FakeIoOptions = {}): Promise<CliResult> {
  return runAt(shop, module, args, options);
}

function runAt(
  { apiKey, baseUrl }: Bookshop,
  module: string,
  args: readonly string[],
  options: FakeIoOptions = {},
): Promise<CliResult> {
  const connection = JSON.stringify({ apiKey });
  const common = ['--base-url', baseUrl, '--allow-local', '--connection', connection];
  return cli(['run', APP, module, ...common, ...args], options);
}

/** An app with one module, `go`, in `go.iml.json`. */
function manifestOf(moduleType: string): unknown {
  return {
    generalCodeFiles: {},
    components: { module: { go: { moduleType, codeFiles: { communication: 'go.iml.json' } } } },
  };
}

const titles = (out: string): unknown[] =>
  jsonLines(out).map((bundle) => (bundle as { title: string }).title);

describe('iml run prints', () => {
  it('NDJSON of all pages in a pipe', async () => {
    const { code, out, err } = await run('listBooks');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(titles(out)).toEqual(createBooks().map((book) => book.title));
    expect(jsonLines(out)[1]).toEqual({
      isbn: '978-0-00-000002-6',
      title: 'The Northern Orchard',
      author: 'Tomáš Vrba',
      genre: 'travel',
      price: '13.49 EUR',
      published: '1992-03-07T00:00:00.000Z',
    });
  });

  it('bundles before the next page arrives', async () => {
    const before = shop.requests.length;
    const requestsSoFar: number[] = [];
    await run('listBooks', [], { onOut: () => void requestsSoFar.push(shop.requests.length - before) });
    expect(requestsSoFar[0]).toBeLessThanOrEqual(2);
    expect(shop.requests.length - before).toBe(5);
  });

  it('a table and a summary line on a terminal', async () => {
    const { out, err } = await run('listBooks', ['-n', '2'], { terminal: true, columns: 120 });
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^isbn +title +author +genre +price +published$/);
    expect(lines[2]).toContain('The Quiet Lighthouse');
    expect(lines).toHaveLength(5);
    expect(err).toMatch(/2 bundles, [12] requests/);
  });

  it('one bundle as a block', async () => {
    const { out } = await run('getBook', ['-p', 'isbn=978-0-00-000001-9', '--table']);
    expect(out).toContain('title      The Quiet Lighthouse\n');
    expect(out).toContain('author     {"name":"Ida Brandt","country":"DK"}\n');
  });

  it('the report with --json', async () => {
    const { out } = await run('listBooks', ['--json', '-p', 'limit=15']);
    const report = JSON.parse(out) as Record<string, unknown>;
    expect(report).toMatchObject({
      stats: { requests: 2, followUpPages: 1, records: 15, stopReason: 'response-limit' },
    });
    expect(report).toMatchObject({ bundles: { length: 15 }, warnings: [] });
    expect(report).not.toHaveProperty('trace');
  });

  it('the result of --query', async () => {
    const query = '{"count": $count(bundles), "requests": stats.requests, "first": bundles[0].title}';
    const { out } = await run('listBooks', ['--query', query]);
    expect(JSON.parse(out)).toEqual({ count: 42, requests: 5, first: 'The Quiet Lighthouse' });
    expect((await run('listBooks', ['-n', '1', '-q', 'nothing'])).out).toBe('null\n');
  });

  it('a progress line only on a terminal', async () => {
    const { err } = await run('listBooks', [], { terminal: true });
    expect(err).toContain('listBooks: page 1, 0 of 100 requests, 0 of 3200 records, 0.0 of 40 s');
    expect(err).toContain('42 bundles, 5 requests, 4 follow-up pages');
    const dumb = await run('listBooks', [], { terminal: true, env: { TERM: 'dumb' } });
    expect(dumb.err).not.toContain('listBooks: page');
  });

  it('the time of timeout-ms in the progress line', async () => {
    const { err } = await run('getBook', ['-p', 'isbn=978-0-00-000001-9'], {
      terminal: true,
      env: { IML_TIMEOUT_MS: '5000' },
    });
    expect(err).toContain('of 5 s');
  });

  it('a trace without secrets', async () => {
    const { err } = await run('getBook', ['-p', 'isbn=978-0-00-000001-9', '--trace']);
    expect(err).toContain(`GET ${shop.baseUrl}/books/978-0-00-000001-9 (0 bytes)`);
    expect(err).toContain('X-Api-Key: [SANITIZED]');
    expect(err).toMatch(/\[1\.1\] 200 after \d+ ms \(\d+ bytes\)/);
    expect(err).not.toContain(shop.apiKey);
    expect(err).not.toContain('Quiet Lighthouse');
    const full = await run('getBook', ['-p', 'isbn=978-0-00-000001-9', '--trace-bodies']);
    expect(full.err).toContain('Quiet Lighthouse');
  });
});

describe('iml run --trace-file FILE', () => {
  it('writes the whole run without secrets, and prints nothing of it', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'iml-trace-'));
    try {
      const file = path.join(folder, 'run.jsonl');
      const { err, out, code } = await run('listBooks', ['--trace-file', file]);
      expect(code).toBe(0);
      expect(out).not.toBe('');
      expect(err).toBe(`The run is in ${file}.\n`);
      const text = readFileSync(file, 'utf8');
      expect(text).not.toContain(shop.apiKey);
      const lines = jsonLines(text).map(Object);
      expect(lines[0]).toMatchObject({ line: 'run', kind: 'module', name: 'listBooks' });
      expect(lines.at(-1)).toMatchObject({ line: 'end', state: 'ok', bundles: 42 });
      expect(lines.filter(({ event }) => event?.kind === 'request')).toHaveLength(5);
      const documents = lines.filter(({ line }) => line === 'document');
      expect(documents.map(({ role }) => role)).toEqual(['communication', 'base']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is separate from --trace', async () => {
    const { err } = await run('getBook', ['--trace', '-p', 'isbn=978-0-00-000001-9']);
    expect(err).toContain('GET ');
    const nowhere = await run('getBook', [
      '-p',
      'isbn=978-0-00-000001-9',
      '--trace-file=no/such/folder/run.jsonl',
    ]);
    expect(nowhere.code).toBe(2);
    expect(nowhere.err).toContain('--trace-file: cannot write "no/such/folder/run.jsonl": ENOENT.');
  });
});

describe('iml run --limit', () => {
  it('stops pagination', async () => {
    const before = shop.requests.length;
    const { out } = await run('listBooks', ['--limit', '3']);
    expect(titles(out)).toHaveLength(3);
    // The page after the one that is printed is under way already.
    expect(shop.requests.length - before).toBeLessThanOrEqual(2);
  });

  it('has no effect above the number of bundles', async () => {
    expect(titles((await run('listBooks', ['--limit', '43'])).out)).toHaveLength(42);
  });
});

describe('iml run reads parameters', () => {
  it('of several options, converted by the type of the field', async () => {
    const cwd = writeApp({ 'p.json': { genre: 'crime', limit: 1 }, 'key.json': { apiKey: shop.apiKey } });
    const { out } = await cli(
      [
        ...['run', `${process.cwd()}/${APP}`, 'listBooks', '--base-url', shop.baseUrl, '--allow-local'],
        ...['--connection', '@key.json', '-p', '@p.json', '-p', '{"search":"the"}', '--param', 'limit=2'],
      ],
      { cwd },
    );
    expect(jsonLines(out)).toHaveLength(2);
    expect(shop.requests.at(-1)?.url).toContain('genre=crime&search=the');
  });

  it('with their declared types: a date is a date in the app', async () => {
    const { out } = await run('createBook', [
      '-p',
      'title=New',
      '-p',
      'price=12.5',
      '-p',
      'published=2020-01-02',
    ]);
    expect(jsonLines(out)[0]).toMatchObject({
      title: 'New',
      price: { cents: 1250, currency: 'EUR' },
      published: '2020-01-02',
    });
  });

  it('and fills in defaults only with --defaults', async () => {
    expect(titles((await run('listBooks', ['--defaults'])).out)).toHaveLength(10);
  });

  it('and warns of unknown names', async () => {
    const { code, err } = await run('listBooks', ['-p', 'limt=2', '-n', '1']);
    expect({ code, err }).toEqual({
      code: 0,
      err: 'warning: The module has no parameter "limt". Did you mean "limit"?\n',
    });
  });

  it('and sends nothing if one is missing or invalid', async () => {
    const before = shop.requests.length;
    const missing = await run('getBook');
    expect(missing.code).toBe(1);
    expect(missing.err).toContain("BundleValidationError: Missing value of required parameter 'isbn'.");
    expect(missing.err).toContain('modules/get-book/get-book.mappable-params.iml.json:2:3');
    // No missing field has a default.
    expect(missing.err).toContain('Nothing was sent. --no-check skips this check.');
    const wrong = await run('listBooks', ['-p', 'limit=many']);
    expect(wrong.err).toContain("Invalid uinteger in parameter 'limit'");
    expect(shop.requests.length).toBe(before);
  });

  it('unless --no-check is set', async () => {
    const { code, err } = await run('getBook', ['--no-check', '-p', 'isbn=1']);
    expect(code).toBe(1);
    expect(err).toContain('DataError: [404] There is no book 1.');
  });
});

describe('iml run reports errors of the app', () => {
  it('with type, message, status, place and frame', async () => {
    const { code, out, err } = await run('getBook', ['-p', 'isbn=1']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe(
      [
        'DataError: [404] There is no book 1.',
        '  status    404',
        '  request   1, page 1',
        '  at        spec-fixtures/bookshop/general/base.iml.json:13:14',
        '  pointer   /response/error/404',
        `  sent      GET ${shop.baseUrl}/books/1`,
        '  response  {"error":{"message":"There is no book 1."}}',
        '  sent at   spec-fixtures/bookshop/modules/get-book/get-book.communication.iml.json:2:10',
        '',
        '13 |       "404": {',
        '   |              ^',
        '',
      ].join('\n'),
    );
  });

  it('with the delay and Retry-After of a rate limit', async () => {
    // The next caller of the same API would wait, too.
    const own = await startBookshop();
    const { code, err } = await runAt(own, 'makeApiCall', ['-p', 'url=/errors/429']);
    await own.close();
    expect(code).toBe(1);
    expect(err).toContain('RateLimitError: [429] You asked for status 429.');
    expect(err).toMatch(/retry-after +30 s/);
    expect(err).toMatch(/delay +1200 s/);
  });

  it('in the report too', async () => {
    const { code, out } = await run('makeApiCall', ['-p', 'url=/errors/503', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      bundles: [],
      error: { type: 'ConnectionError', statusCode: 503, retryable: true },
    });
  });

  it('of an expression with its place in the file and the hint', async () => {
    const cwd = writeApp({
      'makecomapp.json': manifestOf('action'),
      'go.iml.json': '{\n  "url": "/x/{{uper(\'a\')}}"\n}',
    });
    const { code, err } = await cli(['run', '.', 'go', '--base-url', shop.baseUrl, '--allow-local'], { cwd });
    expect(code).toBe(1);
    expect(err).toContain('RuntimeError');
    expect(err).toContain('Did you mean');
    expect(err).toMatch(/code +IML_UNKNOWN_FUNCTION/);
    expect(err).toContain('at       go.iml.json:2:16');
    expect(err).toContain('2 |   "url": "/x/{{uper(\'a\')}}"\n  |                ^');
  });

  it('of a refused host, with the option that allows it', async () => {
    const { code, err } = await cli(['run', APP, 'listBooks', '--base-url', shop.baseUrl]);
    expect(code).toBe(1);
    expect(err).toMatch(/code +NETWORK_REFUSED/);
    expect(err).toContain('Allow requests to this machine with --allow-local');
    const allowed = await cli(['run', APP, 'listBooks', '--base-url', shop.baseUrl, '--allow', '127.0.0.1']);
    expect(allowed.err).toContain('InvalidAccessTokenError: [401]');
  });

  it('without the secrets of the connection, also in the frame', async () => {
    const secret = 'sk-live-0123456789';
    const cwd = writeApp({
      'makecomapp.json': manifestOf('action'),
      'go.iml.json': {
        url: '/books/x',
        headers: { 'X-Api-Key': shop.apiKey },
        response: { error: `{{connection.token}} ${secret}` },
      },
    });
    const { code, err } = await cli(
      [
        ...['run', '.', 'go', '--base-url', shop.baseUrl, '--allow-local', '--trace-bodies'],
        ...['--connection', JSON.stringify({ token: secret })],
      ],
      { cwd },
    );
    expect(code).toBe(1);
    expect(err).toContain('RuntimeError: [SANITIZED]');
    expect(err).toMatch(/\d+ \| .*"error": .*\[SANITIZED\]/);
    expect(err).not.toContain(secret);
  });
});

describe('iml run warns', () => {
  it('of a few diagnostics of the running components, and counts the others', async () => {
    const keys = Array.from({ length: 7 }, (_, index) => [`unknown${index}`, 1]);
    const cwd = writeApp({
      'makecomapp.json': manifestOf('action'),
      'go.iml.json': { ...Object.fromEntries(keys), response: { output: { a: 1 } } },
    });
    const { code, out, err } = await cli(['run', '.', 'go'], { cwd });
    expect({ code, out }).toEqual({ code: 0, out: '{"a":1}\n' });
    expect(err.match(/^go\.iml\.json.*$/gm)).toHaveLength(5);
    expect(err).toMatch(/^go\.iml\.json:2:3: warning: Unknown key "unknown0".*\[unknown-directive\]$/m);
    expect(err).toMatch(/\niml check \. reports 2 more in this component\.\n$/);
  });

  it('of nothing if it prints a report', async () => {
    const cwd = writeApp({
      'makecomapp.json': manifestOf('action'),
      'go.iml.json': { unknown: 1, response: { output: { a: '{{temp.x}}' } } },
    });
    expect(await cli(['run', '.', 'go', '--json'], { cwd })).toMatchObject({ code: 0, err: '' });
    expect(await cli(['run', '.', 'go', '--query', 'bundles'], { cwd })).toMatchObject({ code: 0, err: '' });
  });

  it('once of a mistake that ends the run', async () => {
    const cwd = writeApp({
      'makecomapp.json': manifestOf('action'),
      'go.iml.json': { response: { output: { a: '{{shout(1)}}', b: '{{temp.x}}' } } },
    });
    const { code, err } = await cli(['run', '.', 'go'], { cwd });
    expect(code).toBe(1);
    expect(err.match(/shout/g)).toHaveLength(2);
    expect(err).toContain('[unwritten-temp]');
    expect(err).not.toContain('[unknown-function]');
  });

  it('of warnings of the run', async () => {
    const cwd = writeApp({
      'makecomapp.json': manifestOf('search'),
      'go.iml.json': {
        url: '/books?page=1',
        headers: { 'X-Api-Key': shop.apiKey },
        response: { iterate: '{{body.books}}', output: { isbn: '{{item.isbn}}' } },
        pagination: { condition: '{{pagination.page <= 2}}' },
      },
    });
    const args = ['run', '.', 'go', '--base-url', shop.baseUrl, '--allow-local'];
    const warned = await cli(args, { cwd });
    expect(warned).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^warning: go\.iml\.json:.* repeats an earlier page/m),
    });
    expect(jsonLines(warned.out)).toHaveLength(20);
    const stopped = await cli(args, { cwd, env: { IML_ON_PAGE_LOOP: 'stop' } });
    expect(jsonLines(stopped.out)).toHaveLength(10);
    expect(await cli(args, { cwd, env: { IML_ON_PAGE_LOOP: 'error' } })).toMatchObject({ code: 1 });
  });
});

describe('iml run ends', () => {
  it('with 130 after an interruption, without further requests', async () => {
    const before = shop.requests.length;
    const { code, out, err } = await run('listBooks', [], { onOut: (_text, interrupt) => interrupt() });
    expect({ code, err }).toEqual({ code: 130, err: 'Interrupted.\n' });
    expect(jsonLines(out).length).toBeLessThan(42);
    expect(shop.requests.length - before).toBeLessThan(5);
  });

  it('without an error if the reader of its output closes', async () => {
    let lines = 0;
    const before = shop.requests.length;
    const { code, err } = await run('listBooks', [], {
      onOut: () => {
        if (++lines > 1) throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
      },
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(shop.requests.length - before).toBeLessThan(5);
  });

  it.each([
    [['listBoks'], 'has no module "listBoks". Did you mean "listBooks"?'],
    [['listBooks', '--json', '--table'], '--json and --table exclude each other.'],
    [['listBooks', '--limit', '0'], '--limit: "0" is not a whole number of at least 1.'],
    [['listBooks', '--limit=-1'], '--limit: "-1" is not a whole number'],
    [
      ['listBooks', '-p', 'limit'],
      '--param: expected name=value, name=@file, a JSON object or @file of one.',
    ],
    [['listBooks', '-p', '@absent.json'], '--param: the file "absent.json" cannot be read (ENOENT).'],
    [['listBooks', '--connection', '[1]'], '--connection: expected a JSON object.'],
    [['listBooks', '--base-url', 'shop.example'], '--base-url: "shop.example" is not an address'],
    [['listBooks', '--query', '$count('], '--query: '],
    [['listBooks', '--allow', 'http://x/'], 'Invalid entry "http://x/" in http.allow'],
    [[], 'Missing <module>'],
  ])('with 2 for %j', async (args, message) => {
    const before = shop.requests.length;
    const { code, out, err } = await cli(['run', APP, ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(shop.requests.length).toBe(before);
  });
});
