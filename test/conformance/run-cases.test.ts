import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CaseLists,
  type CaseStatus,
  readCaseLists,
  runCases,
} from '../../src/tools/testing/conformance/run-cases.js';

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

  it('counts a case that its own file marks as disputed only where it passes', async () => {
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
    [{ a: ' ' }, {}, /known-gaps\.json does not say enough about a/],
    [{}, { a: 'why' }, /disputed\.json does not say enough about a/],
    [{}, { a: { reason: 'why' } }, /disputed\.json does not say enough about a/],
    [{ a: 'why' }, { a: { reason: 'why', source: 'page 1' } }, /either a gap or disputed/],
    [[], {}, /has to be an object/],
  ])('refuses %j with %j', async (gaps, disputed, message) => {
    await expect(read(gaps, disputed)).rejects.toThrow(message);
  });
});
