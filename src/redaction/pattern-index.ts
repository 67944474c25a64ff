import { plainView } from './text-view.js';

/** Units of a pattern that it is known by: as many as the shortest secret has. */
const BEGINNING = 6;

/** Slots for beginnings by a hash of them: most places of a text are told from all beginnings by it. */
const SLOTS = 2 ** 17;

/** Units of patterns that are compared with one text, in some 10 ms. */
const MAX_COMPARED = 4_000_000;

/**
 * Patterns by their first units (Karp and Rabin, 1987). A pattern takes next to no time to add, however long it is; a text that holds
 * much of many patterns, again and again, takes long to look through.
 */
export interface PatternIndex {
  readonly patterns: readonly string[];
  /** @returns false for a pattern that is shorter than what patterns are known by */
  readonly add: (pattern: string) => boolean;
  /**
   * Tells of each pattern in a text: index of its last unit, and its length.
   *
   * @returns false where it takes too long: not all are told then
   */
  readonly scan: (units: Uint16Array, onMatch: (last: number, length: number) => void) => boolean;
}

/** An index of no pattern yet. */
export function createPatternIndex(): PatternIndex {
  const patterns: string[] = [];
  const byBeginning = new Map<string, string[]>();
  let isTaken: Uint8Array | undefined;
  return {
    patterns,
    add: (pattern) => {
      if (pattern.length < BEGINNING) return false;
      patterns.push(pattern);
      const beginning = pattern.slice(0, BEGINNING);
      const known = byBeginning.get(beginning);
      if (known === undefined) byBeginning.set(beginning, [pattern]);
      else known.push(pattern);
      isTaken ??= new Uint8Array(SLOTS);
      isTaken[findSlot(plainView(beginning).units, 0)] = 1;
      return true;
    },
    scan: (units, onMatch) => {
      if (isTaken === undefined) return true;
      let left = MAX_COMPARED;
      for (let start = 0; start <= units.length - BEGINNING; start++) {
        if (isTaken[findSlot(units, start)] === 0) continue;
        for (const pattern of byBeginning.get(beginningAt(units, start)) ?? []) {
          const same = countSame(units, start, pattern);
          if (same === pattern.length) onMatch(start + same - 1, same);
          left -= same;
        }
        if (left < 0) return false;
      }
      return true;
    },
  };
}

function findSlot(units: Uint16Array, start: number): number {
  let hash = 0;
  for (let index = start; index < start + BEGINNING; index++) {
    hash = (Math.imul(hash, 0x01000193) + (units[index] ?? 0)) | 0;
  }
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}

function beginningAt(units: Uint16Array, start: number): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = units.subarray(start, start + BEGINNING);
  return String.fromCharCode(a, b, c, d, e, f);
}

/** How many units of a pattern stand in a text from a place on. */
function countSame(units: Uint16Array, start: number, pattern: string): number {
  let same = 0;
  while (same < pattern.length && units[start + same] === pattern.charCodeAt(same)) same++;
  return same;
}
