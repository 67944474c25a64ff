import { createPatternIndex, type PatternIndex } from './pattern-index.js';
import { type Alphabet, buildTextFinder, readUnit, SKIPPED, type TextFinder } from './text-finder.js';

/** Units that are built a finder of at once, in some 10 ms. */
const MAX_BUILT_AT_ONCE = 100_000;

/** Patterns that become more while texts are searched. */
export interface PatternSet {
  readonly add: (pattern: string) => void;
  /** Makes what was added ready to be searched for in texts of any kind, and stops in between. A search needs no such thing. */
  readonly settle: () => Generator<void, void>;
  readonly scan: TextFinder['scan'];
  readonly isIn: TextFinder['isIn'];
}

/**
 * A set of patterns over a few finders of ever larger size: adding one rebuilds small ones mostly, so that a set that
 * learns between searches costs little more than one that was complete from the start (Bentley and Saxe, 1980).
 *
 * What is too much to build a finder of at once is kept in an index until somebody settles the set: most runs that fail look
 * through one short message.
 *
 * @param maxBuiltAtOnce in units
 */
export function createPatternSet(maxBuiltAtOnce: number = MAX_BUILT_AT_ONCE): PatternSet {
  const known = new Set<string>();
  let finders: readonly TextFinder[] = [];
  let pending: string[] = [];
  /** What no finder was built of, and, of that, what one is being built of. */
  let waiting = createPatternIndex();
  let underWay: readonly PatternIndex[] = [];

  /** Adds a finder of these patterns, and of those of smaller ones as long as that is no more than `most` units. */
  function* build(patterns: readonly string[], most: number): Generator<void, void> {
    let merged = patterns;
    let size = countUnits(patterns);
    let kept = finders.length;
    for (let last = finders[kept - 1]; last !== undefined; last = finders[kept - 1]) {
      if (last.size > size || size + last.size > most) break;
      kept--;
      merged = [...last.patterns, ...merged];
      size += last.size;
    }
    const replaced = finders.slice(kept);
    const finder = yield* buildTextFinder(merged);
    // A search meanwhile has built finders of its own: what is in two of them is found twice.
    finders = [...finders.filter((each) => !replaced.includes(each)), finder].toSorted(
      (a, b) => b.size - a.size,
    );
  }
  const buildAtOnce = (patterns: readonly string[], most: number): void => {
    for (const _ of build(patterns, most));
  };
  /** Leaves in the index what is too much to build a finder of; what is too short for it stays pending. */
  const putAside = (): void => {
    if (countUnits(pending) > maxBuiltAtOnce) pending = pending.filter((pattern) => !waiting.add(pattern));
  };
  const takeIn = (): void => {
    putAside();
    if (pending.length === 0) return;
    buildAtOnce(pending, maxBuiltAtOnce);
    pending = [];
  };
  /** Looks through what no finder was built of, or builds one where that takes too long. */
  const scanWaiting = (units: Uint16Array, onMatch: (last: number, length: number) => void): void => {
    for (const index of [waiting, ...underWay]) {
      if (index.scan(units, onMatch)) continue;
      buildAtOnce(index.patterns, Number.POSITIVE_INFINITY);
      if (index === waiting) waiting = createPatternIndex();
      else underWay = underWay.filter((each) => each !== index);
    }
  };
  const isWaiting = (): boolean => waiting.patterns.length > 0 || underWay.length > 0;

  return {
    add: (pattern) => {
      if (pattern === '' || known.has(pattern)) return;
      known.add(pattern);
      pending.push(pattern);
    },
    *settle() {
      putAside();
      const taken = pending;
      const count = taken.length;
      const own = waiting;
      if (count + own.patterns.length === 0) return;
      if (own.patterns.length > 0) {
        underWay = [...underWay, own];
        waiting = createPatternIndex();
      }
      yield* build([...own.patterns, ...taken], Number.POSITIVE_INFINITY);
      underWay = underWay.filter((index) => index !== own);
      if (pending === taken) pending = taken.slice(count);
    },
    scan: (units, onMatch) => {
      takeIn();
      if (isWaiting()) scanWaiting(units, onMatch);
      for (const finder of finders) finder.scan(units, onMatch);
    },
    isIn: (text, alphabet) => {
      takeIn();
      let isFound = false;
      if (isWaiting()) {
        scanWaiting(readThrough(text, alphabet), () => {
          isFound = true;
        });
      }
      return isFound || finders.some((finder) => finder.isIn(text, alphabet));
    },
  };
}

function countUnits(patterns: readonly string[]): number {
  return patterns.reduce((sum, pattern) => sum + pattern.length, 0);
}

/** The units of a text as they are read through an alphabet. */
function readThrough(text: string, alphabet: Alphabet): Uint16Array {
  const units = new Uint16Array(text.length);
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const read = readUnit(text.charCodeAt(index), alphabet);
    if (read !== SKIPPED) units[count++] = read;
  }
  return units.subarray(0, count);
}
