interface Waiting<Holder> {
  readonly holder: Holder;
  readonly bytes: number;
  readonly resolve: () => void;
}

/**
 * Bytes that many holders together may hold. One that finds too few left waits; the one that has held some for longest never
 * does, so that two that wait for each other cannot stop everything.
 */
export class ByteBudget<Holder> {
  readonly #maxBytes: number;
  /** The oldest holder is first. */
  readonly #held = new Map<Holder, number>();
  #used = 0;
  #waiting: Waiting<Holder>[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that are held now. */
  get used(): number {
    return this.#used;
  }

  /** Waits until a holder may hold so many bytes, what it holds already included. */
  async hold(holder: Holder, bytes: number): Promise<void> {
    if (this.#waiting.length === 0 && this.#take(holder, bytes)) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ holder, bytes, resolve });
      this.#serve();
    });
  }

  /** Gives back all that a holder holds, and ends its waiting. */
  release(holder: Holder): void {
    this.#used -= this.#held.get(holder) ?? 0;
    this.#held.delete(holder);
    const left = this.#waiting.filter((waiting) => waiting.holder === holder);
    this.#waiting = this.#waiting.filter((waiting) => waiting.holder !== holder);
    for (const { resolve } of left) resolve();
    this.#serve();
  }

  /** In the order in which they came, but for the oldest holder. */
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
