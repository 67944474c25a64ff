/** Threads of a process at a time, each with a memory of its own of 10 MB and more. [choice] */
const MOST_THREADS = 8;

let taken = 0;

/** Who waits for a place, the one first who has waited longest. @param isGiven whether there is one */
const waiting: Set<(isGiven: boolean) => void> = new Set();

/** How those end that rest, the one first that has rested longest. */
const resting: Set<() => void> = new Set();

/** Somebody's wait for a place. */
export interface PlaceWait {
  /** Whether there is one; false for who has left. */
  readonly isGiven: Promise<boolean>;
  /** Ends the wait; who has a place keeps it. */
  readonly leave: () => void;
}

/** Waits for a place for a thread more; one that rests makes room. */
export function takePlace(): PlaceWait {
  if (taken < MOST_THREADS) {
    taken++;
    return { isGiven: Promise.resolve(true), leave: () => {} };
  }
  let tell = (_isGiven: boolean): void => {};
  const isGiven = new Promise<boolean>((resolve) => {
    tell = resolve;
  });
  waiting.add(tell);
  const [end] = resting;
  if (end !== undefined) {
    // It takes a while to end: whoever comes meanwhile needs the place of another.
    resting.delete(end);
    end();
  }
  const leave = (): void => {
    if (waiting.delete(tell)) tell(false);
  };
  return { isGiven, leave };
}

/** Whether somebody waits for a place. */
export function isPlaceWanted(): boolean {
  return waiting.size > 0;
}

/** Gives the place of a thread to whoever waits. */
export function givePlace(): void {
  const [next] = waiting;
  if (next === undefined) {
    taken--;
    return;
  }
  waiting.delete(next);
  next(true);
}

/** Says that a thread has nothing to do. @param end ends it; called where somebody waits for its place */
export function restInPlace(end: () => void): void {
  if (isPlaceWanted()) end();
  else resting.add(end);
}

/** Says that it has, or has ended. */
export function leaveRest(end: () => void): void {
  resting.delete(end);
}
