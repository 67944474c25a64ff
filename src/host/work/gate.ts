/** Lets work run beside other work or alone. */
export interface Gate {
  /** Resolves when the work may start, with an idempotent function that ends it. */
  readonly enter: (isAlone: boolean) => Promise<() => void>;
}

export function createGate(): Gate {
  const waiting: { readonly isAlone: boolean; readonly begin: () => void }[] = [];
  let running = 0;
  let isHeldAlone = false;

  function next(): void {
    for (;;) {
      const [first] = waiting;
      if (first === undefined || isHeldAlone || (first.isAlone && running > 0)) return;
      waiting.shift();
      running++;
      isHeldAlone = first.isAlone;
      first.begin();
    }
  }

  return {
    enter: (isAlone) =>
      new Promise((resolve) => {
        const begin = (): void => {
          let isOver = false;
          resolve(() => {
            if (isOver) return;
            isOver = true;
            running--;
            if (isAlone) isHeldAlone = false;
            next();
          });
        };
        waiting.push({ isAlone, begin });
        next();
      }),
  };
}
