import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runFixtures } from '../../src/tools/testing/index.js';
import { API_KEY, startDev, type TestDev } from './start-dev.js';

type Test = Awaited<ReturnType<TestDev['test']>>;

const SPEC = 'modules/list-books/list-books.communication.iml.json';
const CASE = 'tests/listBooks/three.test.json';

let dev: TestDev;
beforeAll(async () => {
  dev = await startDev();
});
afterAll(() => dev.close());

/** Polls until a test has the expected state, because the server watches files with a delay. */
async function settled(id: string, isSo: (test: Test) => boolean): Promise<Test> {
  for (;;) {
    const { tests } = await dev.tests();
    if (tests.some((test) => test.id === id)) {
      const test = await dev.test(id);
      if (isSo(test)) return test;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function save(run: string, name: string, more: Record<string, unknown> = {}): Promise<unknown> {
  const { ref: shown } = await dev.draft(run);
  return dev.post(`/api/runs/${run}/case/write`, { name, shown, ...more });
}

it('shows a run as a case and writes it to a new file, where it passes', async () => {
  const run = await dev.run({ name: 'listBooks', parameters: { limit: 3 } });
  expect(run.canReplay).toBe(true);
  const draft = await dev.draft(run.id);
  expect(draft).toMatchObject({ folder: 'tests/listBooks', placeholders: ['apiKey'], taken: [] });
  expect(draft.text).not.toContain(API_KEY);
  expect(existsSync(path.join(dev.root, 'tests'))).toBe(false);
  expect(await save(run.id, 'three')).toEqual({ test: CASE });
  expect(readFileSync(path.join(dev.root, CASE), 'utf8')).toBe(draft.text);
  expect(await runFixtures(path.join(dev.root, CASE))).toMatchObject({ ok: true, passed: 1 });
  const again = await dev.draft(run.id);
  expect(again.taken).toEqual(['three']);
});

it('overwrites a case only on request, and writes only below the tests of the app', async () => {
  const run = await dev.run({ name: 'getBook', parameters: { isbn: 'none' } });
  const before = readFileSync(path.join(dev.root, CASE), 'utf8');
  const list = await dev.run({ name: 'listBooks', parameters: { limit: 4 } });
  expect(await save(list.id, 'three')).toMatchObject({
    message: expect.stringContaining('A case "three" already exists'),
  });
  const { ref: shown } = await dev.draft(run.id);
  for (const name of ['', '../x', 'a/b', '.hidden', 'a\\b', 'x'.repeat(90), 'a\u0000b', '..']) {
    expect(await dev.post(`/api/runs/${run.id}/case/write`, { name, shown }), name).toMatchObject({
      code: 'USAGE',
    });
  }
  const ref = { name: 'x', shown: 'other' };
  expect(await dev.post(`/api/runs/${run.id}/case/write`, ref)).toMatchObject({
    message: expect.stringContaining('has changed since the preview'),
  });
  // A folder of cases that leads out of the app.
  const outside = path.join(dev.root, '../outside');
  mkdirSync(outside);
  symlinkSync(outside, path.join(dev.root, 'tests/getBook'));
  expect(await save(run.id, 'x')).toMatchObject({ message: expect.stringContaining('is outside the app') });
  expect(existsSync(path.join(outside, 'x.test.json'))).toBe(false);
  rmSync(path.join(dev.root, 'tests/getBook'));
  expect(readFileSync(path.join(dev.root, CASE), 'utf8')).toBe(before);
  expect(await save(list.id, 'three', { replace: true })).toEqual({ test: CASE });
  expect(readFileSync(path.join(dev.root, CASE), 'utf8')).not.toBe(before);
});

it('refuses an unknown or incomplete run', async () => {
  const left = await dev.run({ name: 'listBooks', parameters: {}, limit: 2 });
  expect(await dev.post(`/api/runs/${left.id}/case`)).toMatchObject({
    message: expect.stringContaining('stopped after 2 bundles'),
  });
  const trace = await (await dev.fetch(`/api/runs/${left.id}/trace`)).text();
  const init = { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body: trace };
  const { id } = (await (await dev.fetch('/api/traces', init)).json()) as { id: string };
  expect(await dev.post(`/api/runs/${id}/case`)).toMatchObject({
    message: expect.stringContaining('no longer available'),
  });
});

it('reruns a test if its files change, and shows the change that broke it', async () => {
  const passed = await settled(CASE, ({ status }) => status === 'passed');
  const text = readFileSync(path.join(dev.root, SPEC), 'utf8');
  dev.write(SPEC, text.replace('"{{item.title}}"', '"{{item.titel}}"'));
  const failed = await settled(CASE, ({ status }) => status === 'failed');
  expect(failed.passedRun).toBe(passed.run);
  expect(failed.failures[0]).toMatchObject({
    message: 'bundles[0].title',
    expected: '"The Quiet Lighthouse"',
    got: 'nothing',
    place: { file: CASE, line: expect.any(Number) },
    frame: expect.stringContaining('The Quiet Lighthouse'),
    origin: { file: SPEC, line: expect.any(Number) },
    originFrame: expect.stringContaining('item.titel'),
  });
  const run = await dev.detail(failed.run);
  expect(run).toMatchObject({ source: 'test', name: 'listBooks', bundles: 4, testRun: { status: 'failed' } });
  const diff = await dev.diff(failed.passedRun, failed.run);
  expect(diff.documents.map(({ file }) => file)).toEqual([SPEC]);
  expect(diff.documents[0]?.lines.filter((line) => /^[-+]/.test(line))).toEqual([
    expect.stringMatching(/^-.*item\.title\}\}/),
    expect.stringMatching(/^\+.*item\.titel\}\}/),
  ]);
  expect(diff.bundles.changes[0]).toMatchObject({ path: '[1].title' });
  dev.write(SPEC, text);
  await settled(CASE, ({ status }) => status === 'passed');
  // The list of runs has no test.
  const runs = await dev.runs();
  expect(runs.filter(({ source }) => source === 'test')).toEqual([]);
  // After any number of runs: the current and the previous result.
  for (let turn = 0; turn < 3; turn++) await dev.server.backend.tests.run(({ id }) => id === CASE);
  const kept = await dev.server.backend.history.list({ source: 'tests', limit: 200 });
  expect(kept.filter(({ test }) => test?.file === CASE)).toHaveLength(2);
  expect(JSON.stringify(kept)).not.toContain(API_KEY);
});

it('reports an unreadable case, forgets a deleted one, and runs a single one', async () => {
  const broken = 'tests/listBooks/broken.test.json';
  writeFileSync(
    path.join(dev.root, broken),
    '{"component": "module:listBook", "expect": {"bundleCount": 1}}',
  );
  const test = await settled(broken, ({ status }) => status === 'failed');
  expect(test.run).toBeUndefined();
  expect(test.failures[0]?.message).toContain('listBook');
  expect(await dev.post('/api/tests/run', { id: broken })).toEqual({});
  expect(await dev.post('/api/tests/run', { id: 'none' })).toMatchObject({ code: 'HOST_MISSING' });
  rmSync(path.join(dev.root, broken));
  for (;;) {
    const { tests } = await dev.tests();
    if (!tests.some(({ id }) => id === broken)) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(dev.problems).toEqual([]);
});

it('ends a test whose run cannot be stored', async () => {
  const { tests, history } = dev.server.backend;
  const full = vi.spyOn(history, 'saveRun').mockRejectedValue(new Error('the disk is full'));
  // A change of the previous test can be detected here and start a run, which this one joins.
  await vi.waitFor(() => expect(tests.run(({ id }) => id === CASE)).rejects.toThrow('the disk is full'), {
    timeout: 10_000,
  });
  full.mockRestore();
  const shown = await vi.waitFor(
    async () => {
      const state = await dev.tests();
      expect(state.isRunning).toBe(false);
      return state.tests;
    },
    { timeout: 10_000 },
  );
  expect(shown.map(({ status }) => status)).not.toContain('running');
  await tests.run(({ id }) => id === CASE);
  await settled(CASE, ({ status }) => status === 'passed');
});
