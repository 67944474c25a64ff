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
   * Does `work` for one item after the other, in as many turns as it takes, until `work` gives false.
   *
   * @returns undefined where one turn did for all of them: then nobody has to wait
   */
  forEach<T>(items: readonly T[], work: (item: T) => boolean): Promise<void> | undefined {
    const next = this.#doTurn(items, 0, work);
    return next < items.length ? this.#goOn(items, next, work) : undefined;
  }

  async #goOn<T>(items: readonly T[], from: number, work: (item: T) => boolean): Promise<void> {
    for (let next = from; next < items.length; ) {
      await this.next();
      next = this.#doTurn(items, next, work);
    }
  }

  /**
   * A loop that may wait in the middle makes an object for each item and is optimized late, if ever; this one waits for
   * nothing.
   *
   * @returns where to go on in the next turn; `items.length` where nothing is left to do
   */
  #doTurn<T>(items: readonly T[], from: number, work: (item: T) => boolean): number {
    for (let index = from; index < items.length; index++) {
      if (this.isOver) return index;
      if (!work(items[index] as T)) return items.length;
    }
    return items.length;
  }

  /** Lets others do what is due. Rejects with what `begin` throws. */
  async next(): Promise<void> {
    await setImmediate();
    this.#begin();
    this.#startedAt = performance.now();
  }
}
