/** Lets work run beside other work or alone. */
export class Gate {
  readonly #waiting: { readonly isAlone: boolean; readonly begin: () => void }[] = [];
  #running = 0;
  #isHeldAlone = false;

  /** Resolves when the work may start, with an idempotent function that ends it. */
  enter(isAlone: boolean): Promise<() => void> {
    return new Promise((resolve) => {
      this.#waiting.push({ isAlone, begin: () => resolve(this.#createLeave(isAlone)) });
      this.#next();
    });
  }

  #createLeave(isAlone: boolean): () => void {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#running--;
      if (isAlone) this.#isHeldAlone = false;
      this.#next();
    };
  }

  #next(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || this.#isHeldAlone || (first.isAlone && this.#running > 0)) return;
      this.#waiting.shift();
      this.#running++;
      this.#isHeldAlone = first.isAlone;
      first.begin();
    }
  }
}
