/** Threads of a process at a time, each with a memory of its own of 10 MB and more. [choice] */
const MOST_THREADS = 8;

let taken = 0;

/** Who waits for a place, the one first who has waited longest. */
const waiting: (() => void)[] = [];

/** How those end that rest, the one first that has rested longest. */
const resting: Set<() => void> = new Set();

/** Resolves once there is a place for a thread more; one that rests makes room. */
export function takePlace(): Promise<void> {
  if (taken < MOST_THREADS) {
    taken++;
    return Promise.resolve();
  }
  const [end] = resting;
  return new Promise((resolve) => {
    waiting.push(resolve);
    end?.();
  });
}

/** Gives the place of a thread to whoever waits. */
export function givePlace(): void {
  const next = waiting.shift();
  if (next === undefined) taken--;
  else next();
}

/** Says that a thread has nothing to do. @param end ends it; called where somebody waits for its place */
export function restInPlace(end: () => void): void {
  if (waiting.length > 0) end();
  else resting.add(end);
}

/** Says that it has, or has ended. */
export function leaveRest(end: () => void): void {
  resting.delete(end);
}
