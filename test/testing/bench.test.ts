import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { EngineError } from '../../src/index.js';
import { benchModule } from '../../src/tools/testing/index.js';
import { type BenchCase, writeBenchApp } from './bench-app.js';

interface PageCase {
  readonly title: string;
  readonly communication: unknown;
  readonly type?: string;
  readonly samples?: unknown;
  readonly interface?: unknown;
  readonly parameters?: object;
  readonly start?: string;
  /** Whether the responses were recorded. Default: true. */
  readonly isRecorded?: boolean;
  readonly recorded?: readonly object[];
  readonly options: object;
  readonly expect?: { readonly pages: number; readonly records: number };
  readonly error?: { readonly code: string; readonly message: string; readonly pointer?: string };
}

const PAGES: readonly PageCase[] = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../spec-fixtures/bench/pages.json'), 'utf8'),
);

/** One short round. */
const QUICK = { rounds: 1, roundMs: 0 };

const errorOf = (work: Promise<unknown>): Promise<EngineError> =>
  work.then(
    () => expect.unreachable('The measurement did not fail.'),
    (error: unknown) => (error instanceof EngineError ? error : expect.unreachable(String(error))),
  );

describe('benchModule with generated pages', () => {
  it.each(PAGES)('$title', async (one) => {
    const {
      communication,
      type,
      samples,
      interface: fields,
      recorded,
      parameters,
      start,
      options,
      error,
    } = one;
    const given: BenchCase | undefined = recorded && {
      responses: recorded,
      isRecorded: one.isRecorded ?? true,
      ...(parameters && { parameters }),
      ...(start && { start }),
    };
    const folder = writeBenchApp({
      communication,
      ...(type && { type }),
      samples,
      interface: fields,
      cases: given === undefined ? {} : { first: given },
    });
    const measuring = benchModule(folder, 'list', { ...QUICK, ...options });
    if (error !== undefined) {
      const { code, message, place } = await errorOf(measuring);
      expect({ code, message }).toEqual({
        code: error.code,
        message: expect.stringContaining(error.message),
      });
      if (error.pointer !== undefined) expect(place?.pointer).toBe(error.pointer);
      return;
    }
    const { service, workloads } = await measuring;
    expect(service).toBe('pages');
    expect(workloads.map(({ pages, records }) => ({ pages, records }))).toEqual([one.expect]);
  });
});

const LIST = {
  url: '/items',
  response: { iterate: '{{body.items}}', output: '{{item}}' },
  pagination: { qs: { page: '{{pagination.page}}' } },
};
const TWO_PAGES = [
  { body: { items: [{ id: 1 }, { id: 2 }] } },
  { body: { items: [{ id: 3 }] } },
  { body: { items: [] } },
];

describe('benchModule with recorded cases', () => {
  it('measures each case and reports where the time went', async () => {
    const folder = writeBenchApp({
      communication: LIST,
      cases: { all: { responses: TWO_PAGES }, none: { responses: [{ body: { items: [] } }] } },
    });
    const report = await benchModule(folder, 'list', { rounds: 2, roundMs: 0, latencyMs: 5 });
    expect(report).toMatchObject({ module: 'list', service: 'cases', latencyMs: 5, skipped: [] });
    expect(
      report.workloads.map(({ name, pages, records, rounds }) => ({ name, pages, records, rounds })),
    ).toEqual([
      { name: 'list/all', pages: 3, records: 3, rounds: 2 },
      { name: 'list/none', pages: 1, records: 0, rounds: 2 },
    ]);
    for (const { current, pages, runsPerRound, comparison } of report.workloads) {
      const { waiting, decoding, evaluating } = current;
      expect(waiting + decoding + evaluating).toBeCloseTo(1);
      expect([waiting, decoding, evaluating].every((share) => share > 0 && share < 1)).toBe(true);
      expect(current.medianMs).toBeGreaterThanOrEqual(pages * 4);
      expect(current.pages).toHaveLength(pages);
      expect(current.roundMs).toHaveLength(2);
      expect(current.pageMs.p95).toBeGreaterThanOrEqual(current.pageMs.p50);
      expect([current.peakHeapBytes, current.cpuMs, report.maxRssBytes].every((figure) => figure > 0)).toBe(
        true,
      );
      expect({ runsPerRound, comparison }).toEqual({ runsPerRound: 1, comparison: undefined });
    }
  });

  it('repeats short runs until a round has its time', async () => {
    const folder = writeBenchApp({ communication: LIST, cases: { all: { responses: TWO_PAGES } } });
    const { workloads } = await benchModule(folder, 'list', { rounds: 1, roundMs: 500 });
    expect(workloads[0]?.runsPerRound).toBeGreaterThan(1);
  });

  it('skips cases that cannot be measured, with the reason', async () => {
    const folder = writeBenchApp({
      communication: LIST,
      cases: {
        all: { responses: TWO_PAGES },
        broken: { responses: [{ networkError: 'ECONNRESET' }], expect: { error: {} } },
        refused: { responses: [{ status: 403 }], expect: { error: { type: 'RuntimeError' } } },
      },
    });
    const { workloads, skipped } = await benchModule(folder, 'list', QUICK);
    expect(workloads.map(({ name }) => name)).toEqual(['list/all']);
    expect(skipped).toEqual([
      { name: 'list/broken', reason: 'It has a network error instead of a response.' },
      { name: 'list/refused', reason: 'It ends with an error.' },
    ]);
  });

  it('measures only the named case, and lists the known ones for a wrong name', async () => {
    const folder = writeBenchApp({
      communication: LIST,
      cases: { all: { responses: TWO_PAGES }, none: { responses: [{ body: { items: [] } }] } },
    });
    const { workloads } = await benchModule(folder, 'list', { ...QUICK, case: 'list/none' });
    expect(workloads.map(({ name }) => name)).toEqual(['list/none']);
    const { code, message } = await errorOf(benchModule(folder, 'list', { case: 'list/nine' }));
    expect({ code, message }).toEqual({
      code: 'USAGE',
      message: 'The module "list" has no case "list/nine". It has list/all, list/none.',
    });
  });

  it('follows recorded redirects, repeats and compressed responses', async () => {
    const folder = writeBenchApp({
      communication: {
        ...LIST,
        repeat: { condition: '{{body.isBusy}}', delay: 1, limit: 3 },
      },
      cases: {
        all: {
          responses: [
            { status: 302, headers: { location: 'https://api.example.com/other' } },
            { body: { isBusy: true, items: [] }, encoding: 'gzip' },
            { body: { items: [{ id: 1 }] }, encoding: 'gzip' },
            { body: { items: [] } },
          ],
          expect: { bundles: [{ id: 1 }] },
        },
      },
    });
    const { workloads } = await benchModule(folder, 'list', QUICK);
    expect(workloads[0]).toMatchObject({ pages: 3, records: 1 });
    const generated = await benchModule(folder, 'list', { ...QUICK, pages: 4, pageSize: 3 });
    expect(generated.workloads[0]).toMatchObject({ pages: 4, records: 9 });
  });

  it('refuses a case that fails, and a module without a case', async () => {
    const failing = writeBenchApp({
      communication: LIST,
      cases: { all: { responses: TWO_PAGES, expect: { bundleCount: 9 } } },
    });
    expect(await errorOf(benchModule(failing, 'list', QUICK))).toMatchObject({
      code: 'CASE_INVALID',
      message: expect.stringContaining(
        'The case "list/all" fails, and only a case that passes can be measured.',
      ),
    });
    const bare = writeBenchApp({ communication: LIST });
    expect(await errorOf(benchModule(bare, 'list', QUICK))).toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('has no recorded case that can be measured'),
    });
  });
});

describe('benchModule with another version', () => {
  it('alternates both versions and fails only beyond the tolerance, measured twice', async () => {
    const ping = {
      url: '/ping',
      repeat: { condition: '{{body.isBusy}}', delay: 150, limit: 2 },
      response: { output: '{{null}}' },
    };
    const slow = writeBenchApp({
      communication: [LIST, ping],
      cases: { all: { responses: [...TWO_PAGES, { body: { isBusy: true } }, { body: {} }] } },
    });
    const fast = writeBenchApp({ communication: LIST, cases: { all: { responses: TWO_PAGES } } });
    const slower = await benchModule(slow, 'list', { ...QUICK, tolerance: 50, compareWith: fast });
    expect(slower.workloads[0]).toMatchObject({ pages: 5, rounds: 2, comparison: { isSlower: true } });
    const { compared, comparison } = slower.workloads[0] ?? {};
    expect(compared?.roundMs).toHaveLength(2);
    expect(comparison?.ratio).toBeGreaterThan(1.5);
    expect(comparison?.lowest).toBeLessThanOrEqual(comparison?.highest ?? 0);
    const faster = await benchModule(fast, 'list', { ...QUICK, tolerance: 1000, compareWith: fast });
    expect(faster.workloads[0]).toMatchObject({ rounds: 1, comparison: { isSlower: false } });
  });

  it('refuses versions with different outputs, without their values', async () => {
    const now = writeBenchApp({ communication: LIST, cases: { all: { responses: TWO_PAGES } } });
    const before = writeBenchApp({
      communication: { ...LIST, response: { ...LIST.response, output: { id: '{{item.id + 1}}' } } },
    });
    expect(await errorOf(benchModule(now, 'list', { ...QUICK, compareWith: before }))).toMatchObject({
      code: 'CASE_INVALID',
      message:
        'The bundles of the two versions differ at bundles[0].id (list/all). Only versions with the same outputs can be compared.',
    });
  });
});
