import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findCases } from '../../src/tools/testing/conformance/find-cases.js';

const FIXTURE = {
  kind: 'action',
  app: { communication: { response: { output: { a: 1 } } } },
  expect: { bundles: [{ a: 1 }] },
};

const SERVER = { kind: 'pages', path: '/a', pageParam: 'page', pageSize: 1, itemsKey: 'items' };

function calls(exchange: object): object {
  return { ...FIXTURE, exchanges: [exchange] };
}

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

  it.each([
    ['a folder without files', undefined, /no JSON file/],
    ['a file without cases', [], /no case/],
    [
      'an app file of another format',
      { formatVersion: 2, app: { corpus: 'x' }, fixtures: [FIXTURE] },
      /formatVersion/,
    ],
    ['an app file that names no app', { fixtures: [FIXTURE] }, /app\.corpus/],
  ])('reports %s: nothing was checked there', async (_, content, problem) => {
    if (content !== undefined) await write('cases.json', content);
    const { cases, unreadable } = await findCases([folder]);
    expect(cases).toEqual([]);
    expect(unreadable).toMatchObject([{ problem: expect.stringMatching(problem) }]);
  });

  it.each([
    [
      'a member nobody knows',
      { ...FIXTURE, expect: { bundle: [] } },
      /^expect must not have a member "bundle"\.$/,
    ],
    ['calls beside a generated service', { ...FIXTURE, exchanges: [], server: SERVER }, /exclude each other/],
    [
      'an event that is nothing',
      { kind: 'scenario', expect: {}, input: { events: [{ delay: 1 }] } },
      /needs ok or error/,
    ],
    ['a scenario without events', { kind: 'scenario', expect: {} }, /input\.events/],
    [
      'a component of another type',
      { ...FIXTURE, component: { type: 'rpc', name: 'a' } },
      /no runs of the kind action/,
    ],
    [
      'a response beside a broken connection',
      calls({ response: { status: 200, networkError: 'ECONNRESET' } }),
      /there is no status/,
    ],
    [
      'a part with two contents',
      calls({ request: { parts: [{ name: 'a', text: 'b', base64: 'YQ==' }] } }),
      /exclude/,
    ],
    ['a result and an error', { id: 'a', template: '1', expect: '1', error: 'syntax' }, /exclude each other/],
    ['neither result nor error', { id: 'a', template: '1' }, /needs expect or error/],
    [
      'a moment that is none',
      { id: 'a', template: '1', expect: '1', now: 'yesterday' },
      /^now must match format/,
    ],
  ])('fails %s', async (_, entry, difference) => {
    await write('case.json', entry);
    const { cases } = await findCases([folder]);
    const differences = await Promise.all(cases.map(({ run }) => run()));
    expect(differences.flat()).toEqual([expect.stringMatching(difference)]);
  });
});
