import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work at a time: far below the 50 ms that `docs/limits.md` promises to everybody else on the thread. */
const TURN_MS = 15;

/** Long work on a thread others need, done a turn at a time: whoever works asks `isOver` often, and waits for `next` then. */
export class Turns {
  readonly #begin: () => void;
  #startedAt: number = performance.now();

  /** @param begin called at the start of every turn but the first; throws to end the work. Default: nothing. */
  constructor(begin: () => void = () => {}) {
    this.#begin = begin;
  }

  get isOver(): boolean {
    return performance.now() - this.#startedAt > TURN_MS;
  }

  /**
   * Does `work` for one item after the other, from `from` on, until the turn is over or `work` gives false. A loop that
   * may wait in the middle makes an object for each item and is optimized late, if ever; this one waits for nothing.
   *
   * @returns where to go on in the next turn; `items.length` where nothing is left to do
   */
  forEach<T>(items: readonly T[], from: number, work: (item: T) => boolean): number {
    for (let index = from; index < items.length; index++) {
      if (this.isOver) return index;
      if (!work(items[index] as T)) return items.length;
    }
    return items.length;
  }

  /** `forEach` over all items, in as many turns as that takes. Rejects with what `begin` throws. */
  async all<T>(items: readonly T[], work: (item: T) => boolean): Promise<void> {
    for (let next = this.forEach(items, 0, work); next < items.length; ) {
      await this.next();
      next = this.forEach(items, next, work);
    }
  }

  /** Lets others do what is due. Rejects with what `begin` throws. */
  async next(): Promise<void> {
    await setImmediate();
    this.#begin();
    this.#startedAt = performance.now();
  }
}
