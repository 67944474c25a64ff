import type { Clock } from './clock.js';

/** Does something every so often, counted from the end of the time before. @returns what ends it */
export function repeatEvery(
  clock: Clock,
  everyMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): () => void {
  let isOver = false;
  let cancel: () => void = () => {};
  const later = (): void => {
    if (isOver) return;
    cancel = clock.after(everyMs, () => {
      work().catch(onError).finally(later);
    });
  };
  later();
  return () => {
    isOver = true;
    cancel();
  };
}
