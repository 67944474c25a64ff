import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { APP_ERROR_TYPES } from '../../src/index.js';
import { findCases } from '../../src/tools/testing/conformance/find-cases.js';
import {
  type CaseLists,
  type CaseStatus,
  readCaseLists,
  runCases,
} from '../../src/tools/testing/conformance/run-cases.js';
import { caseLists, listCases } from './list-cases.js';

type ConformanceCase = Parameters<typeof runCases>[0][number];

const NONE = new Map<string, string>();
const LISTED = new Map([['a', 'why']]);

async function statusOf(passes: boolean, lists: Partial<CaseLists>, isMarked = false): Promise<CaseStatus> {
  const run = () => Promise.resolve(passes ? [] : ['differs']);
  const one: ConformanceCase = { id: 'a', title: 'a', file: 'a.json', isMarked, run };
  for await (const { status } of runCases([one], { gaps: NONE, disputed: NONE, ...lists })) return status;
  throw new Error('There was a case.');
}

describe('runCases', () => {
  it.each([
    ['passed', true, {}],
    ['failed', false, {}],
    ['gap', false, { gaps: LISTED }],
    ['closed', true, { gaps: LISTED }],
    ['disputed', false, { disputed: LISTED }],
    ['closed', true, { disputed: LISTED }],
  ] as const)('says %s where passing is %s and the lists are %j', async (status, passes, lists) => {
    expect(await statusOf(passes, lists)).toBe(status);
  });

  it('counts a case that its file marks as disputed only if it passes', async () => {
    expect(await statusOf(false, {}, true)).toBe('disputed');
    expect(await statusOf(true, {}, true)).toBe('passed');
  });
});

describe('readCaseLists', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'lists-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const read = async (gaps: unknown, disputed: unknown): Promise<CaseLists> => {
    await writeFile(path.join(folder, 'known-gaps.json'), JSON.stringify(gaps));
    await writeFile(path.join(folder, 'disputed.json'), JSON.stringify(disputed));
    return readCaseLists(pathToFileURL(`${folder}/`));
  };

  it('reads reasons, of disputes with the source', async () => {
    const { gaps, disputed } = await read(
      { a: 'not built' },
      { b: { reason: 'says more', source: 'page 1' } },
    );
    expect([...gaps]).toEqual([['a', 'not built']]);
    expect([...disputed]).toEqual([['b', 'says more (page 1)']]);
  });

  it.each([
    [{ a: ' ' }, {}, /known-gaps\.json has no explanation for the case a/],
    [{}, { a: 'why' }, /disputed\.json has no explanation for the case a/],
    [{}, { a: { reason: 'why' } }, /disputed\.json has no explanation for the case a/],
    [{ a: 'why' }, { a: { reason: 'why', source: 'page 1' } }, /either a gap or disputed/],
    [[], {}, /must be an object/],
  ])('refuses %j with %j', async (gaps, disputed, message) => {
    await expect(read(gaps, disputed)).rejects.toThrow(message);
  });
});

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
      await write('list.json', [FIXTURE, entry, { ...FIXTURE, name: 'last' }]);
      const { cases } = await findCases([folder]);
      const results = await Promise.all(cases.map(({ run }) => run()));
      expect(results.map((differences) => differences.length)).toEqual([0, 1, 0]);
    },
  );

  it('fails the second of two cases with one ID, and reads a file once', async () => {
    await write('one.json', FIXTURE);
    await write('two.json', { ...FIXTURE, name: 'one' });
    const { cases } = await findCases([folder, path.join(folder, 'one.json')]);
    const results = await Promise.all(cases.map(({ run }) => run()));
    const other = path.join(folder, 'one.json');
    expect(results).toEqual([[], [`another case has this ID: ${other}.`]]);
  });

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
      { kind: 'scenario', expect: { states: [{}] }, input: { events: [{ delay: 1 }] } },
      /needs ok or error/,
    ],
    ['a scenario without events', { kind: 'scenario', expect: { states: [{}] } }, /input\.events/],
    ['no expectation', { ...FIXTURE, expect: {} }, /cannot fail/],
    [
      'no state',
      { kind: 'scenario', expect: { states: [] }, input: { events: [] } },
      /states checks nothing/,
    ],
    ['no text to exclude', { ...FIXTURE, expect: { logExcludes: [] } }, /logExcludes checks nothing/],
    ['no header', { ...FIXTURE, expect: { respond: { headers: {} } } }, /headers checks nothing/],
    ['an empty part', { ...FIXTURE, expect: { bundles: { $contains: [] } } }, /^expect\.bundles\.\$contains/],
    ['an empty pattern', calls({ request: { url: { $regex: '' } } }), /request\.url\.\$regex/],
    [
      'a path that skips a member of expect',
      { ...FIXTURE, ignore: ['bundles.*'] },
      /the whole of expect\.bundles/,
    ],
    ['a dispute without a reason', { ...FIXTURE, disputed: false }, /^disputed must be string/],
    [
      'a component of another type',
      { ...FIXTURE, component: { type: 'rpc', name: 'a' } },
      /no runs of kind action/,
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

const FIXTURES = fileURLToPath(new URL('../../spec-fixtures', import.meta.url));

describe('fixtures of the runtime', async () => {
  await listCases(`${FIXTURES}/runtime`);
});

describe('runs of the apps of the corpus', async () => {
  await listCases(`${FIXTURES}/app-runs`);
});

it('every type of error ends a scenario run of a fixture', async () => {
  const names = (await readdir(`${FIXTURES}/runtime`)).filter((name) => name.startsWith('scenario-'));
  const texts = await Promise.all(names.map((name) => readFile(`${FIXTURES}/runtime/${name}`, 'utf8')));
  const events = texts.flatMap((text): { error?: string }[] => JSON.parse(text).input.events);
  const types = new Set(events.map(({ error }) => error));
  expect(APP_ERROR_TYPES.filter((type) => !types.has(type))).toEqual([]);
});

it('no gap is known', async () => {
  expect([...(await caseLists()).gaps]).toEqual([]);
});

it('every listed case is there', async () => {
  const folders = ['iml', 'runtime', 'app-runs'].map((name) => `${FIXTURES}/${name}`);
  const ids = new Set((await findCases(folders)).cases.map(({ id }) => id));
  const { gaps, disputed } = await caseLists();
  const listed = [...gaps.keys(), ...disputed.keys()];
  expect(listed.filter((id) => !ids.has(id))).toEqual([]);
});
