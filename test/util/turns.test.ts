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
