import { setImmediate } from 'node:timers';

/** Milliseconds of work at a time: far below the 50 ms that `docs/limits.md` promises to everybody else on the thread. */
const TURN_MS = 8;

/** What any work may take at once, though the turn be over: most is small, and waiting costs more than doing it. */
const LEAST_MS = 1;

/**
 * When the turn began that all long work of the process shares; undefined where none has worked yet since the event loop came by. Were
 * it a turn for each, ten at work would hold up everybody else ten times as long.
 */
let begunAt: number | undefined;

/** Who waits for a turn, the one first who has waited longest. */
const waiting: (() => void)[] = [];

/** @returns when the turn began */
function beginTurn(now: number): number {
  if (begunAt !== undefined) return begunAt;
  begunAt = now;
  setImmediate(endTurn);
  return now;
}

function endTurn(): void {
  begunAt = undefined;
}

/** Whoever waits has one of these queued, and each lets in whoever has waited longest: what a turn has no time for stays in front. */
function letIn(): void {
  const now = performance.now();
  if (now - beginTurn(now) > TURN_MS) setImmediate(letIn);
  else waiting.shift()?.();
}

/** Until when what begins now may work. */
function findEnd(): number {
  const now = performance.now();
  return Math.max(beginTurn(now) + TURN_MS, now + LEAST_MS);
}

/** Whether the turn is over that all work of this run of the event loop shares. Whoever asks first begins it. */
export function isTurnOver(): boolean {
  const now = performance.now();
  return now - beginTurn(now) > TURN_MS;
}

function waitForTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    setImmediate(letIn);
  });
}

/**
 * Long work on a thread others need, done a turn at a time: whoever works asks `isOver` often, and waits for `next` then. All that
 * works like this shares the turns.
 */
export class Turns {
  readonly #begin: () => void;
  #endsAt: number = findEnd();

  /** @param begin called at the start of every turn but the first; throws to end the work. Default: nothing. */
  constructor(begin: () => void = () => {}) {
    this.#begin = begin;
  }

  get isOver(): boolean {
    return performance.now() > this.#endsAt;
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

  /** Does work a part at a time, in as many turns as it takes. Rejects with what it throws, and as `next` does. */
  async finish<T>(work: Generator<unknown, T, undefined>): Promise<T> {
    for (;;) {
      if (this.isOver) await this.next();
      const { done, value } = work.next();
      if (done === true) return value;
    }
  }

  /** Lets others do what is due. Rejects with what `begin` throws. */
  async next(): Promise<void> {
    await waitForTurn();
    this.#begin();
    this.#endsAt = findEnd();
  }
}
