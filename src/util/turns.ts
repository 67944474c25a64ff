import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work at a time: far below the 50 ms that `docs/limits.md` promises to everybody else on the thread. */
const TURN_MS = 15;

/**
 * Steps between two looks at the clock while steps are short: a look takes longer than many a step. Few enough that even
 * steps of some milliseconds, after short ones, do not make a turn too long.
 */
const MAX_STRIDE = 8;
/** Milliseconds between two looks up to which the steps in between count as short. */
const SHORT_MS = 1;

/** Long work on a thread others need, done a turn at a time: whoever works asks `isOver` often, and waits for `next` then. */
export class Turns {
  readonly #begin: () => void;
  #startedAt: number = performance.now();
  #lookedAt: number = this.#startedAt;
  #stride = 1;
  #stepsLeft = 1;

  /** @param begin called at the start of every turn but the first; throws to end the work */
  constructor(begin: () => void) {
    this.#begin = begin;
  }

  /** To be asked at every step: the clock is not looked at each time. */
  get isOver(): boolean {
    if (--this.#stepsLeft > 0) return false;
    const now = performance.now();
    this.#stride = now - this.#lookedAt > SHORT_MS ? 1 : Math.min(this.#stride * 2, MAX_STRIDE);
    this.#stepsLeft = this.#stride;
    this.#lookedAt = now;
    return now - this.#startedAt > TURN_MS;
  }

  /** Lets others do what is due. Rejects with what `begin` throws. */
  async next(): Promise<void> {
    await setImmediate();
    this.#begin();
    this.#startedAt = performance.now();
    this.#lookedAt = this.#startedAt;
  }
}
