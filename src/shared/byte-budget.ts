interface Waiting<Holder> {
  readonly holder: Holder;
  readonly bytes: number;
  readonly resolve: () => void;
}

/**
 * A byte budget shared by many holders. A holder waits if too few bytes are left. The oldest holder never waits, which
 * prevents a deadlock of holders that wait for each other.
 */
export class ByteBudget<Holder> {
  readonly #maxBytes: number;
  /** Bytes by holder, oldest holder first. */
  readonly #held = new Map<Holder, number>();
  #used = 0;
  #waiting: Waiting<Holder>[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes in use. */
  get used(): number {
    return this.#used;
  }

  /** Waits until the holder may hold this many bytes in total. */
  async hold(holder: Holder, bytes: number): Promise<void> {
    if (this.#waiting.length === 0 && this.#take(holder, bytes)) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ holder, bytes, resolve });
      this.#serve();
    });
  }

  /** Releases all bytes of a holder and ends its wait. */
  release(holder: Holder): void {
    this.#used -= this.#held.get(holder) ?? 0;
    this.#held.delete(holder);
    const left = this.#waiting.filter((waiting) => waiting.holder === holder);
    this.#waiting = this.#waiting.filter((waiting) => waiting.holder !== holder);
    for (const { resolve } of left) resolve();
    this.#serve();
  }

  /** Serves in order of arrival; the oldest holder goes first. */
  #serve(): void {
    const waiting: Waiting<Holder>[] = [];
    for (const next of this.#waiting) {
      const isNext = waiting.length === 0 || this.#isOldest(next.holder);
      if (isNext && this.#take(next.holder, next.bytes)) next.resolve();
      else waiting.push(next);
    }
    this.#waiting = waiting;
  }

  #take(holder: Holder, bytes: number): boolean {
    const held = this.#held.get(holder) ?? 0;
    const more = Math.max(0, bytes - held);
    if (more > 0 && this.#used + more > this.#maxBytes && !this.#isOldest(holder)) return false;
    this.#held.set(holder, held + more);
    this.#used += more;
    return true;
  }

  #isOldest(holder: Holder): boolean {
    const [oldest] = this.#held.keys();
    return this.#held.size === 0 || oldest === holder;
  }
}
