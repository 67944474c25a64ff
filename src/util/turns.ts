import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work at a time: far below the 50 ms that `docs/limits.md` promises to everybody else on the thread. */
const TURN_MS = 15;

/** Long work on a thread others need, done a turn at a time: whoever works asks `isOver` often, and waits for `next` then. */
export class Turns {
  readonly #begin: () => void;
  #startedAt: number = performance.now();

  /** @param begin called at the start of every turn but the first; throws to end the work */
  constructor(begin: () => void) {
    this.#begin = begin;
  }

  get isOver(): boolean {
    return performance.now() - this.#startedAt > TURN_MS;
  }

  /** Lets others do what is due. Rejects with what `begin` throws. */
  async next(): Promise<void> {
    await setImmediate();
    this.#begin();
    this.#startedAt = performance.now();
  }
}
