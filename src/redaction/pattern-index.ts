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
  const byBeginning = new Map<string, Group>();
  let isTaken: Uint8Array | undefined;
  return {
    patterns,
    add: (pattern) => {
      if (pattern.length < BEGINNING) return false;
      patterns.push(pattern);
      const beginning = pattern.slice(0, BEGINNING);
      const known = byBeginning.get(beginning);
      if (known === undefined) byBeginning.set(beginning, { patterns: [pattern], inner: undefined });
      else {
        known.patterns.push(pattern);
        known.inner = undefined;
      }
      isTaken ??= new Uint8Array(SLOTS);
      isTaken[findSlot(plainView(beginning).units, 0)] = 1;
      return true;
    },
    scan: (units, onMatch) => {
      if (isTaken === undefined) return true;
      let left = MAX_COMPARED;
      for (let start = 0; start <= units.length - BEGINNING; start++) {
        if (isTaken[findSlot(units, start)] === 0) continue;
        const group = byBeginning.get(beginningAt(units, start));
        if (group === undefined) continue;
        left -= searchGroup(group, units, start, onMatch);
        if (left < 0) return false;
      }
      return true;
    },
  };
}

/** Patterns that begin alike, such as tokens of one service. */
interface Group {
  readonly patterns: string[];
  /**
   * For each pattern, once they are in order, the place of the longest other one it begins with, -1 for none. Undefined where they
   * are not in order.
   */
  inner: Int32Array | undefined;
}

/**
 * Tells of each pattern of a group that stands at a place. All of them are what the last one begins with that is not behind the text in
 * order: so that thousands that begin alike take no longer than a few.
 *
 * @returns units that were compared
 */
function searchGroup(
  group: Group,
  units: Uint16Array,
  start: number,
  onMatch: (last: number, length: number) => void,
): number {
  group.inner ??= sortGroup(group.patterns);
  const { inner, patterns } = group;
  let compared = 0;
  let low = 0;
  for (let high = patterns.length; low < high; ) {
    const middle = (low + high) >>> 1;
    const pattern = patterns[middle] ?? '';
    const same = countSame(units, start, pattern);
    compared += same + 1;
    const isBehind = same < pattern.length && !(pattern.charCodeAt(same) < (units[start + same] ?? 0));
    if (isBehind) high = middle;
    else low = middle + 1;
  }
  for (let at = low - 1; at >= 0; at = inner[at] ?? -1) {
    const pattern = patterns[at] ?? '';
    const same = countSame(units, start, pattern);
    compared += same + 1;
    if (same === pattern.length) onMatch(start + same - 1, same);
  }
  return compared;
}

/** Puts patterns in order. @returns see `Group` */
function sortGroup(patterns: string[]): Int32Array {
  patterns.sort();
  const inner = new Int32Array(patterns.length);
  const open: number[] = [];
  for (const [index, pattern] of patterns.entries()) {
    while (open.length > 0 && !pattern.startsWith(patterns[open.at(-1) ?? 0] ?? '')) open.pop();
    inner[index] = open.at(-1) ?? -1;
    open.push(index);
  }
  return inner;
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
