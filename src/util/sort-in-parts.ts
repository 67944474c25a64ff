import type { Turns } from './turns.js';

/** Items that are looked at between two stops: few, as each may take long to compare. */
const PART = 32;

/**
 * A sorted copy, made a part at a time: short runs that are sorted each, then merged by twos. As stable as what the host does at
 * once.
 *
 * @param part items that are looked at between two stops
 */
export function* sortInParts<T>(
  items: Iterable<T>,
  order: (a: T, b: T) => number,
  part: number = PART,
): Generator<undefined, T[], undefined> {
  let runs: T[][] = [];
  let run: T[] = [];
  for (const item of items) {
    run.push(item);
    if (run.length < part) continue;
    runs.push(run.sort(order));
    run = [];
    yield;
  }
  runs.push(run.sort(order));
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* mergeInParts(runs[index] ?? [], runs[index + 1] ?? [], order, part));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** `sortInParts` on a thread that others need. */
export async function sortInTurns<T>(
  items: Iterable<T>,
  order: (a: T, b: T) => number,
  turns: Turns,
): Promise<readonly T[]> {
  const parts = sortInParts(items, order);
  for (let step = parts.next(); ; step = parts.next()) {
    if (step.done === true) return step.value;
    if (turns.isOver) await turns.next();
  }
}

function* mergeInParts<T>(
  left: readonly T[],
  right: readonly T[],
  order: (a: T, b: T) => number,
  part: number,
): Generator<undefined, T[], undefined> {
  const merged: T[] = [];
  for (let at = 0, other = 0; at < left.length || other < right.length; ) {
    // Of two that are equal the earlier one stays in front.
    const takesLeft =
      other === right.length || (at < left.length && order(left[at] as T, right[other] as T) <= 0);
    merged.push((takesLeft ? left[at++] : right[other++]) as T);
    if (merged.length % part === 0) yield;
  }
  return merged;
}
