/** Calls that went out one after the other, and are counted until the last of them is out of the window. */
interface CallGroup {
  readonly firstMs: number;
  lastMs: number;
  calls: number;
}

/** Groups of one call before calls share one, and groups a window is then divided into. */
const GROUPS = 64;

/**
 * The calls of the last `windowMs` milliseconds, at every moment. Some 64 of them are known exactly; of more, those within a 64th of the window
 * are counted until the last of them is out of it, so that no stretch of that length ever holds more calls than are counted here.
 */
export class SlidingWindow {
  readonly #windowMs: number;
  readonly #groups: CallGroup[] = [];
  #calls = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  add(nowMs: number): void {
    this.#forget(nowMs);
    const last = this.#groups.at(-1);
    const isNear = last !== undefined && nowMs - last.firstMs < this.#windowMs / GROUPS;
    if (last !== undefined && (nowMs === last.lastMs || (isNear && this.#groups.length >= GROUPS))) {
      last.calls++;
      last.lastMs = nowMs;
    } else {
      this.#groups.push({ firstMs: nowMs, lastMs: nowMs, calls: 1 });
    }
    this.#calls++;
  }

  /** Milliseconds until another call is within `most` of a window; 0 if it is now. */
  waitFor(most: number, nowMs: number): number {
    this.#forget(nowMs);
    let left = this.#calls;
    let freeMs = nowMs;
    for (const { lastMs, calls } of this.#groups) {
      if (left < most) break;
      left -= calls;
      freeMs = lastMs + this.#windowMs;
    }
    return freeMs - nowMs;
  }

  isEmpty(nowMs: number): boolean {
    this.#forget(nowMs);
    return this.#calls === 0;
  }

  #forget(nowMs: number): void {
    let gone = 0;
    for (const { lastMs, calls } of this.#groups) {
      // Of a clock that was set back what is ahead says nothing.
      if (lastMs <= nowMs && nowMs < lastMs + this.#windowMs) break;
      gone++;
      this.#calls -= calls;
    }
    if (gone > 0) this.#groups.splice(0, gone);
  }
}
