import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeApp, runFixtures } from '../../src/tools/testing/index.js';

let folder: string;

const write = (file: string, content: unknown): void => {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), JSON.stringify(content));
};

beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'iml-describe-')));
  write('makecomapp.json', {
    components: { module: { get: { moduleType: 'action', codeFiles: { communication: 'get.imljson' } } } },
  });
  write('get.imljson', { url: 'https://a.example/{{parameters.id}}', response: { output: '{{body}}' } });
  const exchanges = [
    { request: { url: 'https://a.example/1' }, response: { body: { at: '2026-01-31T12:00:00Z', id: 7 } } },
  ];
  const right = { bundles: [{ at: { $iso: true }, id: { $type: 'integer' } }] };
  const input = { parameters: { id: 1 } };
  write('tests/get/right.test.json', { component: 'module:get', input, exchanges, expect: right });
  write('tests/get/wrong.test.json', {
    component: 'module:get',
    input,
    exchanges,
    expect: { bundles: [{ at: { $uuid: true }, id: 7 }] },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('describeApp', () => {
  it('defines a test per case with the functions of any test runner', async () => {
    const tests = new Map<string, () => Promise<void>>();
    const names: string[] = [];
    describeApp(folder, {
      describe: (name, define) => {
        names.push(name);
        define();
      },
      it: (name, run) => tests.set(name, run),
    });
    expect(names).toEqual([path.basename(folder)]);
    expect([...tests.keys()]).toEqual(['tests/get/right.test.json', 'tests/get/wrong.test.json']);
    await tests.get('tests/get/right.test.json')?.();
    await expect(tests.get('tests/get/wrong.test.json')?.()).rejects.toThrow(
      /wrong\.test\.json:1:\d+: bundles\[0\]\.at\n {2}expected \{"\$uuid":true\}\n {2}got {6}"2026-01-31T12:00:00Z"/,
    );
  });

  it('refuses a folder without tests', () => {
    expect(() => describeApp(path.join(folder, 'nowhere'), { describe: () => {}, it: () => {} })).toThrow(
      'No tests in',
    );
  });
});

describe('runFixtures', () => {
  it('returns all results, or those that match a filter', async () => {
    const report = await runFixtures(folder);
    expect(report).toMatchObject({ ok: false, passed: 1, failed: 1, skipped: 0 });
    expect(report.results.map(({ name, status }) => [name, status])).toEqual([
      ['get/right', 'passed'],
      ['get/wrong', 'failed'],
    ]);
    expect(await runFixtures(folder, { filter: (name) => name.endsWith('right') })).toMatchObject({
      ok: true,
    });
    expect(await runFixtures(folder, { filter: () => false })).toMatchObject({ ok: false, results: [] });
  });
});
