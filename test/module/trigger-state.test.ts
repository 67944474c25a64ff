import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareIds,
  compareItems,
  createNewTest,
  findSeenIds,
  type ItemPosition,
  idText,
  MovingState,
  readTriggerState,
  startFromItem,
  stateBefore,
  stateOfAll,
  stateOfStart,
  type TriggerOrder,
  type TriggerType,
} from '../../src/engine/module/trigger-state.js';
import type { TriggerState } from '../../src/index.js';
import { engineOf } from '../component/engine-of.js';
import { service } from '../run/helpers.js';

const day = (date: number): number => Date.UTC(2024, 0, date);
const at = (id: string | number, date: number): ItemPosition => ({ id, dateMs: day(date) });
/** Returns the state of a run that has output these items. */
function stateAfter(before: TriggerState, items: readonly ItemPosition[]): TriggerState {
  const moving = new MovingState(before, findSeenIds(before));
  for (const item of items) moving.take(item);
  return moving.state;
}

const isNew = (state: TriggerState, item: ItemPosition): boolean =>
  createNewTest(state, findSeenIds(state))(item);
const throughJson = (state: TriggerState, type: TriggerType): TriggerState | undefined =>
  readTriggerState(JSON.parse(JSON.stringify(state)), type);

describe('start choices', () => {
  const stateOf = (
    ...[start, type, nowMs = 0]: [Parameters<typeof stateOfStart>[0], TriggerType, number?]
  ): TriggerState => {
    const state = stateOfStart(start, type, nowMs);
    return state ?? expect.fail('The start has no state.');
  };

  it('all: every item is new, whatever its date or id', () => {
    expect(isNew(stateOf('all', 'date'), { id: 1, dateMs: Date.UTC(1960) })).toBe(true);
    expect(isNew(stateOf('all', 'id'), { id: '', dateMs: 0 })).toBe(true);
    expect(stateOf('all', 'date')).toMatchObject({ lastDate: '1970-01-01T00:00:00.000Z' });
  });

  it('since a date: includes that instant', () => {
    const state = stateOf({ since: '2024-01-05' }, 'date');
    expect([at(1, 4), at(1, 5), at(1, 6)].map((item) => isNew(state, item))).toEqual([false, true, true]);
  });

  it('from now on: excludes earlier items', () => {
    const state = stateOf('now', 'date', day(5));
    expect([at(1, 4), at(1, 6)].map((item) => isNew(state, item))).toEqual([false, true]);
  });

  it('an item: includes or excludes it', () => {
    for (const type of ['id', 'date'] as const) {
      const items = [at(1, 4), at(2, 5), at(3, 6)];
      const including = startFromItem(at(2, 5), type);
      const behind = startFromItem(at(2, 5), type, false);
      expect(items.map((item) => isNew(including, item))).toEqual([false, true, true]);
      expect(items.map((item) => isNew(behind, item))).toEqual([false, false, true]);
      expect(including.matchEqual).toBe(true);
      expect(behind.matchEqual).toBeUndefined();
    }
  });
});

describe('states', () => {
  it('survive a JSON round trip', () => {
    const states: [TriggerState, TriggerType][] = [
      [{ lastId: null }, 'id'],
      [{ lastId: 5, matchEqual: true }, 'id'],
      [{ lastId: '1234567890123456789' }, 'id'],
      [{ lastDate: '2024-01-01T00:00:00.000Z', sameDateIds: ['a', 1] }, 'date'],
    ];
    for (const [state, type] of states) expect(throughJson(state, type)).toEqual(state);
  });

  it('accept a Date, or another date text', () => {
    const expected = { lastDate: '2024-01-05T00:00:00.000Z', sameDateIds: [] };
    expect(readTriggerState({ lastDate: new Date(day(5)) }, 'date')).toEqual(expected);
    expect(readTriggerState({ lastDate: '2024-01-05' }, 'date')).toEqual(expected);
  });

  it('of the other type are ignored', () => {
    expect(readTriggerState({ lastId: 5 }, 'date')).toBeUndefined();
    expect(readTriggerState({ lastDate: '2024-01-05' }, 'id')).toBeUndefined();
    expect(readTriggerState(undefined, 'id')).toBeUndefined();
  });

  it.each([
    [{ lastId: {} }, 'id'],
    [{ lastId: Number.NaN }, 'id'],
    [{ lastDate: 'soon' }, 'date'],
    [{ lastDate: 7 }, 'date'],
    [{ lastDate: '2024-01-05', sameDateIds: 'a' }, 'date'],
    [{ lastDate: '2024-01-05', sameDateIds: [null] }, 'date'],
  ] as const)('are rejected if invalid: %j', (data, type) => {
    expect(() => readTriggerState(data, type)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it('collect the ids of one date, and reset them with the next', () => {
    let state: TriggerState = { lastDate: new Date(day(5)).toISOString(), sameDateIds: [1] };
    state = stateAfter(state, [at('2', 5)]);
    expect(state).toMatchObject({ sameDateIds: [1, '2'] });
    state = stateAfter(state, [at(2, 5)]);
    expect(state).toMatchObject({ sameDateIds: [1, '2'] });
    expect(stateAfter(state, [at(3, 6)])).toEqual({
      lastDate: '2024-01-06T00:00:00.000Z',
      sameDateIds: [3],
    });
  });

  it('are equal whether items are consumed one by one or at once', () => {
    const before: TriggerState = { lastDate: new Date(day(5)).toISOString(), sameDateIds: [1, 'x'] };
    const items = [at(1, 5), at('2', 5), at(3, 5), at('a', 6), at(4, 6), at('40', 6), at(5, 7)];
    let state: TriggerState = before;
    for (const [index, item] of items.entries()) {
      expect(stateAfter(before, items.slice(0, index))).toEqual(state);
      state = stateAfter(state, [item]);
    }
    expect(state).toEqual({ lastDate: '2024-01-07T00:00:00.000Z', sameDateIds: [5] });
    const many = Array.from({ length: 100_000 }, (_, id) => at(id, 8));
    expect(stateAfter(before, many.slice(0, 60_000))).toMatchObject({ sameDateIds: { length: 60_000 } });
  });

  it('before the newest items treat all others as done, including those of the same date', () => {
    const items = [at(1, 4), at(2, 5), at(3, 5), at(4, 5)];
    const state = stateBefore(items, 1, 'date');
    expect(items.filter((item) => isNew(state, item))).toEqual([at(4, 5)]);
    expect(stateBefore(items, 9, 'date')).toEqual(stateOfStart('all', 'date', 0));
    expect(stateBefore(items, 0, 'id')).toEqual({ lastId: 4 });
    expect(stateBefore([], 3, 'id')).toEqual({ lastId: null });
  });
});

const sorted = (...ids: Parameters<typeof compareIds>[0][]): Parameters<typeof compareIds>[0][] =>
  [...ids].sort(compareIds);

describe('compareIds', () => {
  it('orders numbers and numeric texts by value', () => {
    expect(sorted(10, '9', 2, '-3', -20)).toEqual([-20, '-3', 2, '9', 10]);
    expect(sorted('0100', '0099', '1000', '0999')).toEqual(['0099', '0100', '0999', '1000']);
  });

  it('orders numeric texts beyond 53 bits to the last digit', () => {
    expect(compareIds('1234567890123456789', '1234567890123456788')).toBeGreaterThan(0);
    expect(compareIds('1700000000.000200', '1700000000.000100')).toBeGreaterThan(0);
    expect(compareIds(1e21, '1000000000000000000000')).toBe(0);
    expect(compareIds(1e-7, 0.00001)).toBeLessThan(0);
  });

  it('orders other texts by code units, after numbers', () => {
    expect(sorted('b', 'a', 'B', '7', 'á')).toEqual(['7', 'B', 'a', 'b', 'á']);
  });

  it('treats a number and its text as equal, and two notations of a number as different', () => {
    expect(compareIds(5, '5')).toBe(0);
    expect(compareIds('007', '7')).not.toBe(0);
    expect(compareIds('1.1', '1.10')).toBeLessThan(0);
  });

  const id = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer().map(String),
    fc.stringMatching(/^-?\d{0,3}(\.\d{0,2})?[a-e]?$/),
    fc.string({ maxLength: 4 }),
  );

  it('is a total order', () => {
    fc.assert(
      fc.property(id, id, id, (a, b, c) => {
        expect(Math.sign(compareIds(a, b))).toBe(-Math.sign(compareIds(b, a)) + 0);
        expect(compareIds(a, b) === 0).toBe(idText(a) === idText(b));
        if (compareIds(a, b) <= 0 && compareIds(b, c) <= 0) expect(compareIds(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });
});

interface Item {
  readonly id: number | string;
  readonly at: string;
}

interface Plan {
  readonly type: TriggerType;
  readonly order: TriggerOrder;
  readonly hasTextIds: boolean;
  readonly pageSize: number;
  /** Undefined: one run outputs all new items. */
  readonly limit: number | undefined;
  /** Items added before each run, by the number of days between their dates. */
  readonly arrivals: readonly (readonly number[])[];
  /** Number of bundles the consumer of each run reads before it leaves. */
  readonly takes: readonly number[];
  readonly seed: number;
}

const PLAN: fc.Arbitrary<Plan> = fc.record({
  type: fc.constantFrom('id', 'date'),
  order: fc.constantFrom('asc', 'desc', 'unordered'),
  hasTextIds: fc.boolean(),
  pageSize: fc.integer({ min: 1, max: 4 }),
  limit: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  arrivals: fc.array(fc.array(fc.constantFrom(0, 0, 0, 1, 3), { maxLength: 5 }), {
    minLength: 1,
    maxLength: 5,
  }),
  takes: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 5 }),
  seed: fc.nat(),
});

/** Items of one date come in any order, as APIs sort by date only. */
function arrange(items: readonly Item[], { type, order, seed }: Plan): readonly Item[] {
  const shuffled = items
    .map((item, index) => ({ item, rank: ((index + 1) * 7919 + seed) % 104_729 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
  if (order === 'unordered') return shuffled;
  const direction = order === 'asc' ? 1 : -1;
  const key = (item: Item): ItemPosition =>
    type === 'id' ? { id: item.id, dateMs: 0 } : { id: 0, dateMs: Date.parse(item.at) };
  return shuffled.sort((a, b) => direction * compareItems(key(a), key(b)));
}

function positionOf({ id, at }: Item, type: TriggerType): ItemPosition {
  return { id, dateMs: type === 'id' ? 0 : Date.parse(at) };
}

function appOf({ type, order, limit }: Plan): Parameters<typeof engineOf>[0] {
  const trigger = { type, order, id: '{{item.id}}', date: '{{item.at}}' };
  const response = { iterate: '{{body}}', limit, trigger };
  const pagination = { qs: { page: '{{pagination.page}}' } };
  return { modules: { watch: { type: 'trigger', communication: { url: '/n', response, pagination } } } };
}

it('repeated runs output every item once for any order and pagination, and the state skips none', async () => {
  await fc.assert(
    fc.asyncProperty(PLAN, async (plan) => {
      const items: Item[] = [];
      const { transport } = service((request) => {
        const page = Number(new URL(request.url).searchParams.get('page') ?? 1);
        const start = (page - 1) * plan.pageSize;
        return { json: arrange(items, plan).slice(start, start + plan.pageSize) };
      });
      const { engine } = engineOf(appOf(plan), { http: { transport } });
      const taken: Item[] = [];
      let state: TriggerState = stateOfAll(plan.type);
      let day = 1;

      const poll = async (take: number): Promise<number> => {
        const run = engine.module('watch').run({ state });
        let count = 0;
        for await (const bundle of run) {
          if (count === take) break;
          taken.push(bundle as Item);
          count++;
        }
        const after = JSON.parse(JSON.stringify(run.report().state));
        state = readTriggerState(after, plan.type) ?? state;
        const isNew = createNewTest(state, findSeenIds(state));
        const isTaken = new Set(taken.map(({ id }) => id));
        const waiting = items.filter(({ id }) => !isTaken.has(id));
        expect(waiting.every((item) => isNew(positionOf(item, plan.type)))).toBe(true);
        return count;
      };

      for (const [round, days] of plan.arrivals.entries()) {
        for (const step of days) {
          day += step;
          const id = items.length + 1;
          const at = new Date(Date.UTC(2024, 0, day)).toISOString();
          items.push({ id: plan.hasTextIds ? `x${String(id).padStart(3, '0')}` : id, at });
        }
        await poll(plan.takes[round % plan.takes.length] ?? 0);
      }
      for (let rounds = 0; (await poll(plan.limit ?? Number.POSITIVE_INFINITY)) > 0; rounds++)
        expect(rounds).toBeLessThan(100);

      expect(taken.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id).sort());
      const keys = taken.map((item) => (plan.type === 'id' ? positionOf(item, 'id').id : item.at));
      expect(keys).toEqual([...keys].sort((a, b) => (a < b ? -1 : Number(a > b))));
      await engine.close();
    }),
    { numRuns: 120 },
  );
});
