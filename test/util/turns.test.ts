import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/util/turns.js';
import { CountedTurns } from './counted-turns.js';

const ITEMS = [1, 2, 3, 4, 5];

/** Over for every second question. */
class ShortTurns extends Turns {
  taken = 0;
  #asked = 0;

  constructor() {
    super(() => {
      this.taken++;
    });
  }

  override get isOver(): boolean {
    return ++this.#asked % 2 === 0;
  }
}

describe('work on items', () => {
  it('is done at once where a turn is enough: nobody has to wait', () => {
    const done: number[] = [];
    expect(new Turns().forEach(ITEMS, (item) => done.push(item) > 0)).toBeUndefined();
    expect(done).toEqual(ITEMS);
  });

  it('goes on in the next turn with the item behind the last', async () => {
    const turns = new ShortTurns();
    const done: number[] = [];
    const rest = turns.forEach(ITEMS, (item) => done.push(item) > 0);
    expect(done).toEqual([1]);
    await rest;
    expect(done).toEqual(ITEMS);
    expect(turns.taken).toBe(4);
  });

  it('ends where it is told to, in the first turn and in a later one', async () => {
    const upTo = (last: number) => (item: number) => item < last;
    expect(new Turns().forEach(ITEMS, upTo(2))).toBeUndefined();
    const turns = new ShortTurns();
    await turns.forEach(ITEMS, upTo(2));
    expect(turns.taken).toBe(1);
  });

  it('of no items takes no turn', () => {
    expect(new CountedTurns().forEach([], () => true)).toBeUndefined();
  });

  it('rejects with what ends it between two turns', async () => {
    const turns = new (class extends ShortTurns {
      override async next(): Promise<void> {
        throw new Error('over');
      }
    })();
    await expect(turns.forEach(ITEMS, () => true)).rejects.toThrow('over');
  });
});

describe('work of many at once', () => {
  /** Works for whole turns; tells of the begin of each. */
  async function work(turnsWanted: number, tell: () => void): Promise<void> {
    const turns = new Turns();
    for (let turn = 0; turn < turnsWanted; turn++) {
      await turns.next();
      tell();
      while (!turns.isOver);
    }
  }

  it('shares the turns, and whoever has waited longest is next', async () => {
    const told: { readonly worker: number; readonly round: number }[] = [];
    let round = 0;
    let isDone = false;
    const counting = (async () => {
      for (; !isDone; round++) await setImmediate();
    })();
    const workers = [0, 1, 2, 3, 4].map((worker) => work(4, () => told.push({ worker, round })));
    await Promise.all(workers);
    isDone = true;
    await counting;
    expect(told.map(({ worker }) => worker)).toEqual([
      0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4,
    ]);
    // What of a turn is left when one has ended is the next one's.
    const inRound = told.map((one) => told.filter((other) => other.round === one.round).length);
    expect(Math.max(...inRound)).toBeLessThanOrEqual(2);
  });

  it('has little time where it begins in a turn that is over', async () => {
    const timeOf = (turns: Turns): number => {
      const from = performance.now();
      while (!turns.isOver);
      return performance.now() - from;
    };
    await setImmediate();
    const first = new Turns();
    expect(timeOf(first)).toBeGreaterThan(6);
    const others = Array.from({ length: 5 }, () => timeOf(new Turns()));
    expect(Math.min(...others)).toBeLessThan(5);
    await first.next();
    expect(timeOf(first)).toBeGreaterThan(6);
  });

  it('that takes no time is done many times in a round', async () => {
    let rounds = 0;
    let isDone = false;
    const counting = (async () => {
      for (; !isDone; rounds++) await setImmediate();
    })();
    const turns = Array.from({ length: 500 }, () => new Turns());
    await Promise.all(turns.map((each) => each.next()));
    isDone = true;
    await counting;
    expect(rounds).toBeLessThan(50);
  });
});
