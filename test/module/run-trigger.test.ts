import { describe, expect, it } from 'vitest';
import type { RunReport, TriggerState } from '../../src/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { engineOf } from '../component/engine-of.js';
import { service } from '../run/helpers.js';
import { type ScriptedItem, TRIGGER, watching } from './trigger-service.js';

const ids = (report: RunReport): unknown[] =>
  (report.bundles ?? []).map((bundle) => (bundle as ScriptedItem).id);
const codes = (report: RunReport): string[] => report.warnings.map(({ code }) => code);

describe('the state of a run', () => {
  it('is passed from run to run as JSON', async () => {
    const { run } = watching([1, 2, 3, 4, 5], { limit: 2 });
    let state: TriggerState | undefined;
    const seen: unknown[][] = [];
    for (let round = 0; round < 4; round++) {
      const report = await run({ start: 'all', state });
      seen.push(ids(report));
      state = JSON.parse(JSON.stringify(report.state));
    }
    expect(seen).toEqual([[1, 2], [3, 4], [5], []]);
    expect(state).toEqual({ lastId: 5 });
  });

  it('does not advance past the bundle at which a consumer leaves', async () => {
    const { engine } = watching([1, 2, 3], { limit: 3 });
    const run = engine.module('watch').run({ state: { lastId: null } });
    for await (const bundle of run) if ((bundle as ScriptedItem).id === 2) break;
    expect(run.report().state).toEqual({ lastId: 1 });
  });

  it('covers all items even if the consumer exceeds the time limit', async () => {
    const clock = createVirtualClock();
    const { engine } = watching([1, 2, 3], { limit: 3 }, { clock });
    const run = engine.module('watch').run({ state: { lastId: null } });
    const taken: unknown[] = [];
    for await (const bundle of run) {
      taken.push((bundle as ScriptedItem).id);
      clock.advance(60_000);
      // Longer than the time limit of the run.
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    expect(taken).toEqual([1, 2, 3]);
    expect(run.report()).toMatchObject({ ok: true, state: { lastId: 3 } });
  });

  it('is undefined after an error', async () => {
    const { run } = watching([1], { output: '{{missing()}}' });
    const report = await run({ state: { lastId: null } });
    expect(report.error).toMatchObject({
      type: 'RuntimeError',
      place: { pointer: expect.stringContaining('/output') },
    });
    expect(report.state).toBeUndefined();
  });

  describe('with two million characters of ids', () => {
    /** Ids that count as a thousand characters each. */
    const listed = (count: number): string[] =>
      Array.from({ length: count }, (_, index) => `${index}`.padStart(992, '0'));
    const all = { lastDate: '1970-01-01T00:00:00.000Z', sameDateIds: [] };

    it.each<[string, number, TriggerState, boolean]>([
      ['is kept', 2000, all, true],
      ['is all that is kept', 2001, all, false],
      [
        'is kept with those of before',
        1000,
        { lastDate: '2024-01-01', sameDateIds: listed(2500).slice(1500) },
        true,
      ],
      [
        'counts those of before',
        1001,
        { lastDate: '2024-01-01', sameDateIds: listed(2500).slice(1500) },
        false,
      ],
      [
        'is kept of another date',
        1500,
        { lastDate: '2023-01-01', sameDateIds: listed(2500).slice(1500) },
        true,
      ],
      ['is kept where nothing is new', 0, { lastDate: '2024-01-01', sameDateIds: listed(2000) }, true],
    ])('%s', async (_title, count, state, isKept) => {
      const { run } = watching(listed(count), { type: 'date' });
      const report = await run({ state });
      expect(report.ok).toBe(isKept);
      if (isKept) return expect(report.bundles).toHaveLength(count);
      expect(report.error).toMatchObject({
        type: 'RuntimeError',
        message: expect.stringContaining('exceeds 2000000 characters of ids'),
        place: { pointer: '/modules/watch/communication/response/trigger' },
      });
      expect(report.bundles ?? []).toEqual([]);
    });

    it('counts the last id alone', async () => {
      const { run } = watching(['a'.repeat(2_000_000)], {});
      expect((await run({ state: { lastId: null } })).error).toMatchObject({ type: 'RuntimeError' });
      expect((await watching(['a'.repeat(1_900_000)], {}).run({ state: { lastId: null } })).ok).toBe(true);
    });
  });

  it('of another type is ignored with a warning', async () => {
    const { run } = watching([1, 2], {});
    const report = await run({ state: { lastDate: '2024-01-01', sameDateIds: [] } });
    expect(codes(report)).toEqual(['trigger-state']);
    expect(ids(report)).toEqual([2]);
  });

  it('is a mistake of the caller if invalid', async () => {
    const { run } = watching([1], {});
    await expect(run({ state: { lastId: {} } as never })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('the first run', () => {
  it('starts with all, the newest, future items, or an item, unless there is a state', async () => {
    const { run } = watching([1, 2, 3], {});
    expect(ids(await run({ start: 'all' }))).toEqual([1, 2, 3]);
    expect(ids(await run({ start: 'newest' }))).toEqual([3]);
    expect(ids(await run({ start: 'now' }))).toEqual([]);
    expect(ids(await run({ start: { id: 2 } }))).toEqual([2, 3]);
    expect(ids(await run({ start: { id: '2' } }))).toEqual([2, 3]);
    expect(ids(await run({ start: 'all', state: { lastId: 2 } }))).toEqual([3]);
  });

  it('starts with items of a date or later', async () => {
    const start = (since: Date | string) => watching([1, 2], { type: 'date' }).run({ start: { since } });
    expect(ids(await start('2024-01-01'))).toEqual([1, 2]);
    expect(ids(await start(new Date('2024-01-01')))).toEqual([1, 2]);
    expect(ids(await start('2024-01-02'))).toEqual([]);
  });

  it.each([
    ['id', { since: '2024-01-01' }, '"since" needs a trigger by date'],
    ['date', { id: 1 }, '"id" needs a trigger by id'],
    ['date', { since: 'soon' }, '"start"'],
    ['id', { id: Number.NaN }, '"start"'],
    ['id', { id: 1, since: '2024-01-01' }, '"start"'],
    ['id', 'later', '"start"'],
  ] as const)('by %s refuses the start %j', async (type, start, message) => {
    const { run } = watching([1], { type });
    await expect(run({ start } as never)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(message),
    });
  });

  it('refuses a state as data, and a state of a module that is no polling trigger', async () => {
    const { run } = watching([1], {});
    await expect(run({ data: { lastId: 1 } })).rejects.toMatchObject({ code: 'USAGE' });
    const { engine } = engineOf({ modules: { m: { type: 'action', communication: { url: '/' } } } }, {});
    expect(() => engine.module('m').run({ state: { lastId: 1 } })).toThrow(
      /Only polling triggers accept "state"/,
    );
  });

  it.each(['asc', 'desc', 'unordered'] as const)(
    'by id outputs the newest item without a limit, and the next run all newer ones (%s)',
    async (order) => {
      const first = await watching([1, 2, 3], { order }).run();
      expect(ids(first)).toEqual([3]);
      expect(ids(await watching([1, 2, 3, 4, 5, 6], { order }).run({ state: first.state }))).toEqual([
        4, 5, 6,
      ]);
    },
  );

  it('rejects an unknown start', () => {
    const { engine } = watching([1], {});
    const start = JSON.parse('"soon"');
    expect(() => engine.module('watch').run({ start })).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it('by date and newest includes all items of the cut-off date', async () => {
    const { run } = watching([1, 2, 3], { type: 'date', date: '2024-05-01' });
    const report = await run({ start: 'newest' });
    expect(ids(report)).toEqual([3]);
    expect(report.state).toEqual({ lastDate: '2024-05-01T00:00:00.000Z', sameDateIds: [1, 2, 3] });
  });
});

describe('invalid trigger definitions', () => {
  it.each([
    ['no trigger', undefined],
    ['an unknown type', { ...TRIGGER, type: 'name' }],
    ['a type without value', { ...TRIGGER, type: '{{parameters.none}}' }],
    ['an unknown order', { ...TRIGGER, order: 'down' }],
  ])('%s is an InvalidConfigurationError', async (_, trigger) => {
    const { run } = watching([1], { trigger });
    const report = await run({ state: { lastId: null } });
    expect(report.error?.type).toBe('InvalidConfigurationError');
    expect(report.stats.requests).toBe(0);
  });

  it('skip items without id with one warning', async () => {
    const { run } = watching([1, '', 2], { limit: 5, order: 'unordered' });
    const report = await run({ state: { lastId: null } });
    expect(ids(report)).toEqual([1, 2]);
    expect(codes(report)).toEqual(['trigger-key']);
  });

  it('evaluate a type that depends on temp', async () => {
    const { run } = watching([1, 2], {
      trigger: { ...TRIGGER, type: '{{temp.kind}}' },
      temp: { kind: 'id' },
    });
    expect(ids(await run({ state: { lastId: 1 } }))).toEqual([2]);
  });
});

describe('pagination limits', () => {
  it('newest first: warns if a limit hides new items', async () => {
    const many = Array.from({ length: 8 }, (_, index) => index + 1);
    const paged = { limit: 2, pageSize: 2 };
    const cut = await watching(many, paged, { limits: { maxPages: 1 } }).run({ state: { lastId: 1 } });
    expect(codes(cut)).toEqual(['limit-reached', 'trigger-incomplete']);
    expect(cut.stats.stopReason).toBe('max-pages');
    const whole = await watching(many, paged, { limits: { maxPages: 1 } }).run({ state: { lastId: 5 } });
    expect(ids(whole)).toEqual([6, 7]);
    expect(codes(whole)).toEqual([]);
    expect(whole.stats.stopReason).toBe('trigger');
  });

  it('count records of all pages, whether in the output or not', async () => {
    const { run } = watching([1, 2, 3, 4, 5], { pageSize: 2, order: 'unordered' });
    const { stats, bundles } = await run({ state: { lastId: null } });
    expect(stats).toMatchObject({ records: 5, requests: 4, followUpPages: 3, stopReason: 'empty-page' });
    expect(bundles).toHaveLength(5);
  });

  it.each([1, 2, 3])('asc with a limit of %i requests no unneeded page', async (limit) => {
    const { run } = watching([1, 2, 3, 4, 5], { limit, pageSize: 1, order: 'asc' });
    expect((await run({ state: { lastId: 1 } })).stats.requests).toBe(limit + 1);
  });
});

describe('an id that JSON rounded', () => {
  it('is a DataError that names the item', async () => {
    const { run } = watching([1, JSON.parse('9007199254740993')], { order: 'asc' });
    const { error } = await run({ start: 'all' });
    expect(error).toMatchObject({ name: 'DataError' });
    expect(error?.message).toBe(
      'trigger.id of item 2 of page 1 is the number 9007199254740992, which exceeds the exact range of JSON numbers. Use text.',
    );
  });
});

const ROWS = [3, 2, 1].map((id) => ({ id, name: `n${id}`, at: `2024-01-0${id}` }));

function epochOf(type: 'id' | 'date', epoch: unknown, chain = false): ReturnType<typeof engineOf>['engine'] {
  const trigger = { type, order: 'desc', id: '{{item.id}}', date: '{{item.at}}' };
  const request = { url: '/n', response: { iterate: '{{body}}', limit: 10, output: '{{item.id}}', trigger } };
  const communication = chain ? [{ url: '/first' }, request] : request;
  const { transport } = service(() => ({ json: ROWS }));
  return engineOf({ modules: { watch: { type: 'trigger', communication, epoch } } }, { http: { transport } })
    .engine;
}

const LABELLED = { response: { output: { label: '{{item.name}}', date: '{{item.at}}' } } };

describe('an epoch', () => {
  it.each(['id', 'date'] as const)('returns entries that a trigger by %s can start with', async (type) => {
    const engine = epochOf(type, LABELLED);
    const { entries, result, type: offered } = await engine.module('watch', 'trigger').epoch().orThrow();
    expect(result).toEqual(ROWS.map(({ name, at }) => ({ label: name, date: at })));
    expect(entries.map(({ id, label, date }) => [id, label, date])).toEqual(
      ROWS.map(({ id, name, at }) => [id, name, at]),
    );
    expect(offered).toBe(type);
    const { bundles } = await engine.module('watch').run({ state: entries[1]?.state });
    expect(bundles).toEqual([2, 3]);
  });

  it('overrides the last request of a chain', async () => {
    const { result, stats } = await epochOf('id', LABELLED, true).module('watch', 'trigger').epoch();
    expect(result).toHaveLength(3);
    expect(stats.requests).toBe(2);
  });

  it('warns about entries without a label', async () => {
    const { warnings, result } = await epochOf('id', { response: { output: '{{item.id}}' } })
      .module('watch', 'trigger')
      .epoch();
    expect(result).toEqual([3, 2, 1]);
    expect(warnings.map(({ code }) => code)).toEqual(['epoch-label']);
  });

  it('reports locations in the file that contains each part', async () => {
    const own = await epochOf('id', { response: { output: '{{bad()}}' } })
      .module('watch', 'trigger')
      .epoch();
    expect(own.error?.place?.pointer).toBe('/modules/watch/epoch/response/output');
    expect(own.entries).toBeUndefined();
    const { engine } = engineOf(
      {
        modules: {
          watch: { type: 'trigger', communication: { url: '/{{bad()}}' }, epoch: { response: {} } },
        },
      },
      { http: { transport: service(() => ({})).transport } },
    );
    const inherited = await engine.module('watch', 'trigger').epoch();
    expect(inherited.error?.place?.pointer).toBe('/modules/watch/communication/url');
  });

  it('is required', async () => {
    const missing = epochOf('id', undefined).module('watch', 'trigger').epoch();
    await expect(missing).rejects.toMatchObject({ code: 'USAGE' });
    const { engine } = engineOf({ modules: { get: { type: 'action', communication: { url: '/' } } } });
    expect(() => engine.module('get', 'trigger')).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
