import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findCases } from '../../src/testing/conformance/find-cases.js';

const FIXTURE = {
  kind: 'action',
  app: { communication: { response: { output: { a: 1 } } } },
  expect: { bundles: [{ a: 1 }] },
};

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cases-'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, content: unknown): Promise<void> =>
  writeFile(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));

describe('findCases', () => {
  it('reports a path that does not exist, and still reads the others', async () => {
    await write('one.json', FIXTURE);
    const { cases, unreadable } = await findCases([path.join(folder, 'none'), folder]);
    expect(cases).toHaveLength(1);
    expect(unreadable).toMatchObject([{ file: path.join(folder, 'none') }]);
  });

  it('runs a fixture without name and input, by the name of its file', async () => {
    await write('one.json', `\ufeff${JSON.stringify(FIXTURE)}`);
    const { cases } = await findCases([folder]);
    expect(cases[0]?.id).toBe(`${path.basename(folder)}/one`);
    expect(await cases[0]?.run()).toEqual([]);
  });

  it.each([5, null, {}, { kind: 'action', expect: null }, { ...FIXTURE, kind: 'constructor' }])(
    'fails %j alone in a list',
    async (entry) => {
      await write('list.json', [FIXTURE, entry, FIXTURE]);
      const { cases } = await findCases([folder]);
      const results = await Promise.all(cases.map(({ run }) => run()));
      expect(results.map((differences) => differences.length)).toEqual([0, 1, 0]);
    },
  );
});
