import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareIds,
  createNewTest,
  findSeenIds,
  type ItemPosition,
  idText,
  MovingState,
  readTriggerState,
  startFromItem,
  stateBefore,
  stateOfStart,
  type TriggerType,
} from '../../src/engine/module/trigger-state.js';
import type { TriggerState } from '../../src/index.js';

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
