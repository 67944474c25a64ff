import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CliResult, cli, type FakeIoOptions, jsonLines, startCli } from './fake-io.js';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'iml-test-')));
  write('makecomapp.json', {
    components: {
      module: {
        list: {
          label: 'List',
          moduleType: 'search',
          codeFiles: { communication: 'list.imljson', mappableParams: 'list.params.imljson' },
        },
      },
      function: { twice: { codeFiles: { code: 'functions/twice/twice.js' } } },
    },
  });
  write('list.params.imljson', [{ name: 'limit', type: 'number' }]);
  write('list.imljson', {
    url: 'https://a.example/items',
    qs: { page: '1' },
    headers: { 'X-Key': '{{connection.key}}' },
    response: { iterate: '{{body.items}}', output: { id: '{{item.id}}', twice: '{{twice(item.id)}}' } },
  });
  write('functions/twice/twice.js', 'function twice(n) {\n  return n * 2;\n}\n');
  write(
    'functions/twice/twice.test.js',
    "describe('twice', () => {\n  it('doubles', () => {\n    assert.strictEqual(twice(2), 4);\n  });\n});\n",
  );
  write('tests/list/one.test.json', CASE);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const CASE = {
  component: 'module:list',
  input: { connection: { key: '{{secret:key}}' } },
  exchanges: [
    {
      request: {
        method: 'GET',
        url: 'https://a.example/items?page=1',
        headers: { 'X-Key': '{{secret:key}}' },
      },
      response: { body: { items: [{ id: 1 }, { id: 2 }] } },
    },
  ],
  expect: {
    bundles: [
      { id: 1, twice: 2 },
      { id: 2, twice: { $type: 'number' } },
    ],
    query: '$count(bundles) = 2 and requests[0].method = "GET"',
  },
};

function write(file: string, content: unknown): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
  writeFileSync(path.join(folder, file), text);
}

function change(file: string, from: string, to: string): void {
  const text = readFileSync(path.join(folder, file), 'utf8');
  expect(text).toContain(from);
  write(file, text.replace(from, to));
}

const test = (args: readonly string[] = [], options: FakeIoOptions = {}): Promise<CliResult> =>
  cli(['test', ...args], { cwd: folder, ...options });

describe('iml test', () => {
  it('runs cases and function tests, and counts the passed ones', async () => {
    const { code, out } = await test();
    expect(out).toMatch(/^2 passed in /);
    expect(code).toBe(0);
  });

  it('shows differences with the locations in case and app', async () => {
    change('list.imljson', '{{item.id}}', '{{item.ids}}');
    const { code, out } = await test();
    expect(code).toBe(1);
    expect(out).toContain('FAILED list/one');
    expect(out).toContain('expected 1\n    got      nothing\n    made in  list.imljson:');
    expect(out).toContain('"id": "{{item.ids}}"');
    expect(out).not.toContain('\u001b');
  });

  it('shows the nearest exchange of a request, field by field', async () => {
    change('list.imljson', '"page": "1"', '"page": "2"');
    const { out } = await test();
    expect(out).toContain('matches no exchange; the nearest is exchange 1.');
    expect(out).toMatch(
      /request\.query\.page\n {4}expected "1"\n {4}got {6}"2"\n {4}made in {2}list\.imljson:4:13 {2}\/qs\/page/,
    );
  });

  it('shows the line of a failed test of a function', async () => {
    change('functions/twice/twice.js', 'n * 2', 'n * 3');
    const { out } = await test(['functions/twice/twice.test.js']);
    expect(out).toContain('functions/twice/twice.test.js:3:');
    expect(out).toContain('expected 4, got 6');
  });

  it('uses colors only on a terminal', async () => {
    expect((await test([], { terminal: true })).out).toContain('\u001b[32m');
    const plain = await test([], { terminal: true, env: { NO_COLOR: '1' } });
    expect(plain.out).not.toContain('\u001b');
  });

  it('runs the tests of a filter, folder or file, and refuses one without tests', async () => {
    write('tests/list/two.test.json', CASE);
    expect((await test(['--filter', 'TWO'])).out).toMatch(/^1 passed/);
    expect((await test(['tests/list'])).out).toMatch(/^2 passed/);
    expect((await test(['tests/list/two.test.json'])).out).toMatch(/^1 passed/);
    const { code, err } = await test(['--filter', 'three']);
    expect([code, err]).toEqual([2, expect.stringContaining('No test has a name with "three"')]);
    expect((await test(['nowhere'])).code).toBe(2);
    expect((await test(['list.imljson'])).code).toBe(2);
  });

  it('stops at the first failure with --bail', async () => {
    change('list.imljson', '{{item.id}}', '{{item.ids}}');
    write('tests/list/two.test.json', CASE);
    expect((await test(['--bail'])).out).toMatch(/1 failed, 0 passed, 2 did not run in /);
  });

  it('reports the location of an invalid case and runs the others', async () => {
    write('tests/list/a.test.json', '{ "component": "module:lst", "expect": { "bundleCount": 1 } }');
    write('tests/list/b.test.json', '{ "component": ');
    write('tests/list/c.test.json', { ...CASE, name: 'same' });
    write('tests/list/d.test.json', { ...CASE, name: 'same' });
    write('tests/list/e.test.json', {
      ...CASE,
      exchanges: [{ response: { bodyFile: '../one.test.json' } }],
    });
    const { code, out } = await test();
    expect(code).toBe(1);
    expect(out).toContain('tests/list/a.test.json:1:16: The app has no module "lst". Did you mean "list"?');
    expect(out).toContain('tests/list/b.test.json:1:16: Expected a value, found the end of the file.');
    expect(out).toContain('Another case has the name "same": ');
    expect(out).toContain('The body file "../one.test.json" is outside e.bodies/.');
    expect(out).toMatch(/4 failed, 3 passed in /);
  });

  it('refuses a case whose kind does not read a member of the input', async () => {
    write('tests/list/a.test.json', { ...CASE, input: { ...CASE.input, request: { method: 'POST' } } });
    const { code, out } = await test();
    expect(code).toBe(1);
    expect(out).toMatch(/a\.test\.json:\d+:\d+: input\.request: a run of the kind search does not read it/);
  });

  it('reports an app that does not load, and runs the others', async () => {
    write('other/makecomapp.json', '{ "components": ');
    write('other/tests/x.test.json', CASE);
    const { code, out } = await test(['.', 'other']);
    expect(code).toBe(1);
    expect(out).toContain('other/makecomapp.json:1:17: The app does not load:');
    expect(out).toMatch(/1 failed, 2 passed, 1 did not run in /);
  });

  it('writes several reports to separate files', async () => {
    change('list.imljson', '{{item.id}}', '{{item.ids}}');
    const reporters = ['human', 'json=out/r.json', 'junit=out/r.xml', 'github=out/r.txt'];
    const { code } = await test(reporters.flatMap((name) => ['--reporter', name]));
    expect(code).toBe(1);
    const read = (file: string): string => readFileSync(path.join(folder, 'out', file), 'utf8');
    const report = JSON.parse(read('r.json')) as { ok: boolean; tests: { failures: object[] }[] };
    expect(report.ok).toBe(false);
    expect(report.tests[0]?.failures[0]).toMatchObject({
      message: 'bundles[0].id',
      expected: 1,
      got: { $undefined: true },
      place: { file: 'tests/list/one.test.json', pointer: '/expect/bundles/0/id' },
      origin: { file: 'list.imljson', pointer: '/response/output/id' },
    });
    expect(read('r.xml')).toContain('<testsuites name="iml test" tests="2" failures="1"');
    expect(read('r.xml')).toContain('bundles[0].id: expected 1, got nothing (made in list.imljson:');
    expect(read('r.txt')).toMatch(
      /^::error file=tests\/list\/one\.test\.json,line=\d+,col=\d+,title=list\/one::/,
    );
    expect((await test(['--reporter', 'xml'])).code).toBe(2);
    expect((await test(['--reporter', 'human', '--reporter', 'json'])).code).toBe(2);
  });

  it('writes the trace of a failed case, and removes it once the case passes', async () => {
    change('list.imljson', '{{item.id}}', '{{item.ident}}');
    change('tests/list/one.test.json', '"input": {', '"note": "{{secret:key}}",\n  "input": {');
    const failed = await test(['--trace-files', '--reporter', 'human', '--reporter', 'json=out.json']);
    expect(failed.code).toBe(1);
    expect(failed.out).toContain('  trace   test-traces/list/one.jsonl\n');
    expect(failed.out).toContain('iml dev <app folder> <trace> shows such a run on a page.');
    const file = path.join(folder, 'test-traces/list/one.jsonl');
    const lines = jsonLines(readFileSync(file, 'utf8')).map(Object);
    expect(lines[0]).toMatchObject({ line: 'run', kind: 'module', name: 'list' });
    expect(lines.at(-1)).toMatchObject({ line: 'end', state: 'ok', bundles: 2 });
    expect(lines.some(({ event }) => event?.kind === 'scope')).toBe(true);
    const documents = lines.filter(({ line }) => line === 'document');
    expect(documents.map(({ role }) => role)).toEqual(['communication', 'part', 'part', 'case']);
    const tested = lines.find(({ line }) => line === 'test');
    expect(tested).toMatchObject({
      name: 'list/one',
      file: 'tests/list/one.test.json',
      status: 'failed',
    });
    expect(tested.failures[0]).toMatchObject({
      message: 'bundles[0].id',
      expected: '1',
      got: 'nothing',
      place: { file: 'tests/list/one.test.json', line: expect.any(Number) },
      origin: { file: 'list.imljson', pointer: '/response/output/id' },
      originFrame: expect.stringContaining('item.ident'),
    });
    expect(readFileSync(file, 'utf8')).not.toContain(folder);
    expect(readFileSync(file, 'utf8')).not.toContain('fake-key');
    expect(JSON.parse(readFileSync(path.join(folder, 'out.json'), 'utf8')).tests[0].trace).toBe(
      'test-traces/list/one.jsonl',
    );
    change('list.imljson', '{{item.ident}}', '{{item.id}}');
    expect(await test(['--trace-files'])).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(false);
    await test(['--trace-files', 'always=kept/here']);
    expect(jsonLines(readFileSync(path.join(folder, 'kept/here/list/one.jsonl'), 'utf8'))).toContainEqual(
      expect.objectContaining({ line: 'test', status: 'passed' }),
    );
    expect((await test(['--trace-files', 'off'])).out).toMatch(/^2 passed/);
    expect(await test(['--trace-files=sometimes'])).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        '--trace-files: Expected one of on-failure, always, off; got "sometimes".',
      ),
    });
    expect(await test(['--trace-files', 'always=out.json'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--trace-files: cannot write "out.json.list.one.jsonl"/),
    });
  });

  it('neither writes nor removes a trace through a link out of the folder', async () => {
    const outside = mkdtempSync(path.join(tmpdir(), 'iml-outside-'));
    const kept = path.join(outside, 'one.jsonl');
    writeFileSync(kept, 'of somebody else');
    mkdirSync(path.join(folder, 'named'));
    symlinkSync(outside, path.join(folder, 'named/list'));
    symlinkSync(outside, path.join(folder, 'test-traces'));
    symlinkSync(path.join(outside, 'missing'), path.join(folder, 'nowhere'));
    for (const mode of ['on-failure', 'always=named', 'always=nowhere']) {
      expect(await test(['--trace-files', mode]), mode).toMatchObject({
        code: 2,
        err: expect.stringMatching(
          /--trace-files: cannot write "[^"]+": the path leads through a symbolic link, /,
        ),
      });
    }
    expect(readdirSync(outside)).toEqual(['one.jsonl']);
    expect(readFileSync(kept, 'utf8')).toBe('of somebody else');
    // A folder elsewhere was named by who runs the tests.
    await test(['--trace-files', `always=${outside}`]);
    expect(existsSync(path.join(outside, 'list/one.jsonl'))).toBe(true);
    rmSync(outside, { recursive: true });
  });

  it('shows how a case would pass, asks for confirmation, and writes it', async () => {
    change('list.imljson', '"page": "1"', '"page": "2"');
    change('list.imljson', '{{twice(item.id)}}', '{{item.id}}');
    const before = readFileSync(path.join(folder, 'tests/list/one.test.json'), 'utf8');
    const file = (): string => readFileSync(path.join(folder, 'tests/list/one.test.json'), 'utf8');
    const nobody = await test(['--update']);
    expect([nobody.code, file()]).toEqual([1, before]);
    expect(nobody.err).toContain('-         "url": "https://a.example/items?page=1"');
    expect(nobody.err).toContain('+         "url": "https://a.example/items?page=2"');
    expect((await test(['--update'], { ask: async () => 'n' })).code).toBe(1);
    expect((await test(['--update'], { env: { CI: 'true' }, ask: async () => 'y' })).code).toBe(2);
    expect(file()).toBe(before);
    expect((await test(['--update=expect', '--yes'])).code).toBe(0);
    expect((await test()).code).toBe(1);
    expect((await test(['--update', 'exchanges'], { ask: async () => 'y' })).code).toBe(0);
    expect((await test()).code).toBe(0);
    expect(file()).toBe(before.replace('?page=1', '?page=2').replace('"twice": 2', '"twice": 1'));
    expect(file()).toContain('{{secret:key}}');
    expect((await test(['--yes'])).code).toBe(2);
  });

  it('updates body files of requests without secrets', async () => {
    const [exchange] = CASE.exchanges;
    const request = { ...exchange?.request, method: 'POST', url: 'https://a.example/items' };
    const file = (name: string): string => readFileSync(path.join(folder, 'tests/list', name), 'utf8');
    const send = (body: unknown, type: string): void =>
      write('list.imljson', {
        url: 'https://a.example/items',
        method: 'POST',
        headers: { 'X-Key': '{{connection.key}}' },
        type,
        body,
        response: { iterate: '{{body.items}}', output: { id: '{{item.id}}' } },
      });
    write('tests/list/one.bodies/a.json', { key: '{{secret:key}}', name: 'old', list: [1, 2] });
    write('tests/list/one.test.json', {
      ...CASE,
      exchanges: [{ ...exchange, request: { ...request, bodyFile: 'a.json' } }],
      expect: { bundleCount: 2 },
    });
    send({ key: '{{connection.key}}', name: 'new', list: [1, 3], more: '{{connection.key}}' }, 'json');
    const { code, err } = await test(['--update', '--yes']);
    expect([code, err]).toEqual([0, expect.stringContaining('one.bodies/a.json\n')]);
    expect(err).toMatch(/-[^\n]*"name": "old"[\s\S]*\+[^\n]*"name": "new"/);
    expect(JSON.parse(file('one.bodies/a.json'))).toEqual({
      key: '{{secret:key}}',
      name: 'new',
      list: [1, 3],
      more: '{{secret:key}}',
    });
    expect((await test()).code).toBe(0);
    write('tests/list/one.bodies/b.txt', 'old');
    change('tests/list/one.test.json', 'a.json', 'b.txt');
    send('key={{connection.key}}', 'raw');
    expect((await test(['--update', 'exchanges'], { ask: async () => 'y' })).code).toBe(0);
    expect(file('one.bodies/b.txt')).toBe('key={{secret:key}}');
    expect((await test()).code).toBe(0);
  });

  it('keeps expected bundles when the run fails, and writes bundles after a removed error', async () => {
    const response = (status: number): object => ({
      ...CASE,
      exchanges: [{ ...CASE.exchanges[0], response: { status, body: { items: [] } } }],
    });
    write('tests/list/one.test.json', response(500));
    const { code, err } = await test(['--update', '--yes']);
    expect(code).toBe(1);
    expect(err).toContain('write "expect": {"error": {"type": "ConnectionError"}}. It was: Service');
    expect(JSON.parse(readFileSync(path.join(folder, 'tests/list/one.test.json'), 'utf8'))).toEqual(
      response(500),
    );
    write('tests/list/one.test.json', { ...response(200), expect: { error: { type: 'ConnectionError' } } });
    expect(await test(['--update', '--yes'])).toMatchObject({
      code: 0,
      err: expect.stringContaining('Updated tests/list/one.test.json.\n1 failed case was updated.'),
    });
    expect((await test()).code).toBe(0);
  });

  it('keeps recorded exchanges when a run fails before it sends them', async () => {
    const failing = {
      ...CASE,
      exchanges: [{ ...CASE.exchanges[0], response: { status: 404, body: {} } }],
      expect: { error: { type: 'RuntimeError' } },
    };
    write('list.params.imljson', [{ name: 'limit', type: 'number', required: true }]);
    for (const written of [CASE, failing]) {
      write('tests/list/one.test.json', written);
      const { code, err } = await test(['--update', '--yes']);
      expect(code).toBe(1);
      expect(err).toContain('"type": "BundleValidationError"');
      expect(JSON.parse(readFileSync(path.join(folder, 'tests/list/one.test.json'), 'utf8'))).toEqual(
        written,
      );
    }
  });

  it.each([
    ['a text instead of an expected date', { $date: '2026-01-02T03:04:05.678Z' }, '{{body.at}}'],
    ['a date instead of an expected text', '2026-01-02T03:04:05.678Z', '{{parseDate(body.at)}}'],
  ])('fails for %s', async (_, at, output) => {
    write('list.imljson', {
      url: 'https://a.example/items?page=1',
      response: { iterate: '{{body.items}}', output: { at: output } },
    });
    write('list.params.imljson', []);
    write('tests/list/one.test.json', {
      component: 'module:list',
      input: {},
      exchanges: [
        {
          request: { method: 'GET', url: 'https://a.example/items?page=1' },
          response: { body: { at: '2026-01-02T03:04:05.678Z', items: [1] } },
        },
      ],
      expect: { bundles: [{ at }] },
    });
    expect(await test()).toMatchObject({ code: 1, out: expect.stringContaining('bundles[0].at') });
  });

  it('reports uncovered parts as text, JSON and lcov', async () => {
    write('list.imljson', {
      url: 'https://a.example/items',
      qs: { page: '1' },
      headers: { 'X-Key': "{{if(connection.key = 'x', 'y', connection.key)}}" },
      response: {
        error: { message: 'It failed', 404: { message: 'None' } },
        iterate: { container: '{{body.items}}', condition: '{{item.id > 1}}' },
        output: '{{item}}',
      },
      pagination: { condition: '{{body.more}}', qs: { page: '{{pagination.page}}' } },
    });
    write('tests/list/one.test.json', { ...CASE, expect: { bundles: [{ id: 2 }] } });
    const { code, out } = await test(['--coverage', '--coverage', 'json', '--coverage=lcov=lcov.info']);
    expect(code).toBe(0);
    expect(out).toContain('modules        1 of 1');
    expect(out).toContain('error entries  0 of 2');
    expect(out).toContain('branches       4 of 6');
    expect(out).toContain('never seen: if is true');
    expect(out).toContain('never seen: pagination.condition is true');
    expect(out).toMatch(/list\.imljson:11:\d+: error response\.error\.404/);
    expect(out).not.toContain('directive url');
    const json = JSON.parse(readFileSync(path.join(folder, 'coverage/coverage.json'), 'utf8')) as {
      apps: { totals: object }[];
    };
    expect(json.apps[0]?.totals).toMatchObject({ branch: { reached: 4, total: 6 } });
    const lcov = readFileSync(path.join(folder, 'lcov.info'), 'utf8');
    expect(lcov).toMatch(/^TN:\nSF:list\.imljson\nDA:2,1\n/);
    expect(lcov).toContain('BRF:6\nBRH:4\nend_of_record\n');
    expect((await test(['--coverage=html'])).code).toBe(2);
  });

  it('reruns the tests of a changed file', async () => {
    write('tests/list/two.test.json', CASE);
    const started = startCli(['test', '--watch'], { cwd: folder });
    const seen = async (text: RegExp): Promise<void> =>
      vi.waitFor(() => expect(started.output()).toMatch(text), { timeout: 20_000, interval: 20 });
    await vi.waitFor(() => expect(started.errors()).toContain('Watching.'), { timeout: 20_000 });
    expect(started.output()).toMatch(/^3 passed/);
    change('tests/list/two.test.json', '"id": 1,', '"id": 7,');
    await seen(/FAILED list\/two[\s\S]*\n1 failed, 0 passed in/);
    change('tests/list/two.test.json', '"id": 7,', '"id": 1,');
    await seen(/0 passed in [^\n]*\n1 passed in/);
    change('list.imljson', '"page": "1"', '"page": "2"');
    await seen(/FAILED list\/one[\s\S]*\n2 failed, 0 passed in/);
    started.stop();
    expect(await started.code).toBe(130);
  });

  it('watches files saved by renaming, and new folders', async () => {
    const started = startCli(['test', '--watch'], { cwd: folder });
    const runs = async (count: number): Promise<void> =>
      vi.waitFor(() => expect(started.output().match(/ in \d/g)).toHaveLength(count), {
        timeout: 20_000,
        interval: 20,
      });
    await vi.waitFor(() => expect(started.errors()).toContain('Watching.'), { timeout: 20_000 });
    const file = path.join(folder, 'list.imljson');
    const text = readFileSync(file, 'utf8');
    for (let round = 1; round <= 3; round++) {
      writeFileSync(`${file}.new`, `${text}\n`.repeat(1) + ' '.repeat(round));
      renameSync(`${file}.new`, file);
      await runs(1 + round);
    }
    write('tests/other/new.test.json', CASE);
    await runs(5);
    change('tests/other/new.test.json', '"id": 1,', '"id": 7,');
    await vi.waitFor(() => expect(started.output()).toContain('FAILED other/new'), { timeout: 20_000 });
    started.stop();
    expect(await started.code).toBe(130);
  });

  it('lists a todo case without running it, and counts it separately', async () => {
    change('tests/list/one.test.json', '"id": 1,', '"id": 7,');
    change('tests/list/one.test.json', '{', '{ "todo": "The second page is missing.",');
    const { code, out } = await test();
    expect(code).toBe(0);
    expect(out).toContain('todo list/one\n  The second page is missing.\n');
    expect(out).toMatch(/\n1 passed, 1 todo in /);
    expect((await test(['--reporter', 'junit'])).out).toContain(
      '<skipped message="The second page is missing."/>',
    );
    expect(JSON.parse((await test(['--reporter', 'json'])).out)).toMatchObject({
      ok: true,
      summary: { passed: 1, failed: 0, skipped: 0, todo: 1 },
    });
  });

  it('does not succeed if no test ran', async () => {
    change('tests/list/one.test.json', '{', '{ "todo": "The second page is missing.",');
    const { code, err } = await test(['--filter', 'one']);
    expect(code).toBe(2);
    expect(err).toContain('No test ran');
  });

  it('does not run function tests through a link out of the app', async () => {
    const outside = path.join(folder, '..', `${path.basename(folder)}.txt`);
    writeFileSync(outside, 'canary = 1; throw new Error(canary)');
    rmSync(path.join(folder, 'functions/twice/twice.test.js'));
    symlinkSync(outside, path.join(folder, 'functions/twice/twice.test.js'));
    const { code, out, err } = await test();
    rmSync(outside);
    expect(code).toBe(1);
    expect(out).toContain("is outside the app's folder");
    expect(out + err).not.toContain('canary');
  });

  it('exits with 2 without tests', async () => {
    rmSync(path.join(folder, 'tests'), { recursive: true });
    rmSync(path.join(folder, 'functions/twice/twice.test.js'));
    const { code, err } = await test();
    expect([code, err]).toEqual([2, expect.stringContaining('iml init tests')]);
  });
});
