import { isWideBlank } from './blanks.js';

/** Finds any of many texts in one pass, however many there are and however they overlap (Aho and Corasick, 1975). */
export interface TextFinder {
  /** Units of all patterns together. */
  readonly size: number;
  readonly patterns: readonly string[];
  /** Tells of each place where a pattern ends the longest one that does: index of its last unit, and its length. */
  readonly scan: (units: Uint16Array, onMatch: (last: number, length: number) => void) => void;
  /** Whether any pattern stands in a text whose units are read through an alphabet. */
  readonly isIn: (text: string, alphabet: Alphabet) => boolean;
}

/** How units of a text are read before they are compared. */
export interface Alphabet {
  /** What a unit below 128 is read as: itself, another one, 0 for what no pattern holds, or `SKIPPED`. */
  readonly ascii: Uint16Array;
  /** Whether patterns may hold further units; where not, blanks among those are read over. */
  readonly goesOn: boolean;
}

/** In an alphabet: a unit that is read over. */
export const SKIPPED = 0xffff;

/** What a unit is read as. */
export function readUnit(unit: number, { ascii, goesOn }: Alphabet): number {
  if (unit < 128) return ascii[unit] ?? 0;
  if (goesOn) return unit;
  return isWideBlank(unit) ? SKIPPED : 0;
}

/** A state with more followers gets a table of its own; a list is faster for the few that nearly all states have. */
const MAX_LISTED = 8;

const ROOT = 0;
const DIRECT_UNITS = 256;

/**
 * The states of an automaton as columns: a trie of the patterns whose states know where to go on when no follower fits.
 * State 0 is the root, and stands for "none" as a follower.
 */
interface States {
  readonly unit: Uint16Array;
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  readonly fail: Int32Array;
  /** Length of the longest pattern that ends here; 0 for none. */
  readonly found: Int32Array;
  /** Followers of the root by unit, where they are few enough to be listed so. */
  readonly direct: Int32Array;
  readonly tables: Map<number, Map<number, number>>;
  /** How many followers a state has, up to one more than are listed. */
  readonly listed: Uint8Array;
  count: number;
}

/** Units that are built in between two stops. */
const STEP = 10_000;

/** Building takes time (some 100 ns for a unit) and memory in proportion to the patterns; it stops in between. */
export function* buildTextFinder(patterns: readonly string[]): Generator<void, TextFinder> {
  const size = patterns.reduce((sum, pattern) => sum + pattern.length, 0);
  const states = allocate(size + 1);
  let built = 0;
  for (const pattern of patterns) {
    insert(states, pattern);
    built += pattern.length;
    if (built < STEP) continue;
    built = 0;
    yield;
  }
  yield* linkFailures(states);
  return {
    size,
    patterns,
    scan: (units, onMatch) => scan(states, units, onMatch),
    isIn: (text, alphabet) => isIn(states, text, alphabet),
  };
}

function allocate(length: number): States {
  return {
    unit: new Uint16Array(length),
    firstChild: new Int32Array(length),
    nextSibling: new Int32Array(length),
    fail: new Int32Array(length),
    found: new Int32Array(length),
    direct: new Int32Array(DIRECT_UNITS),
    tables: new Map(),
    listed: new Uint8Array(length),
    count: 1,
  };
}

function insert(states: States, pattern: string): void {
  let state = ROOT;
  for (let index = 0; index < pattern.length; index++) {
    const unit = pattern.charCodeAt(index);
    state = findChild(states, state, unit) || addChild(states, state, unit);
  }
  if (state !== ROOT) states.found[state] = pattern.length;
}

function addChild(states: States, parent: number, unit: number): number {
  const child = states.count++;
  states.unit[child] = unit;
  states.nextSibling[child] = states.firstChild[parent] ?? ROOT;
  states.firstChild[parent] = child;
  if (parent === ROOT && unit < DIRECT_UNITS) states.direct[unit] = child;
  const listed = (states.listed[parent] ?? 0) + 1;
  if (listed <= MAX_LISTED) {
    states.listed[parent] = listed;
    return child;
  }
  const table = states.tables.get(parent) ?? indexChildren(states, parent);
  table.set(unit, child);
  return child;
}

/** Followers of a state by unit, from when they are too many for a list. */
function indexChildren(states: States, parent: number): Map<number, number> {
  const table = new Map<number, number>();
  let child = states.firstChild[parent] ?? ROOT;
  for (; child !== ROOT; child = states.nextSibling[child] ?? ROOT) table.set(states.unit[child] ?? 0, child);
  states.tables.set(parent, table);
  return table;
}

function findChild(states: States, state: number, unit: number): number {
  if (state === ROOT && unit < DIRECT_UNITS) return states.direct[unit] ?? ROOT;
  const table = states.tables.size === 0 ? undefined : states.tables.get(state);
  if (table !== undefined) return table.get(unit) ?? ROOT;
  let child = states.firstChild[state] ?? ROOT;
  while (child !== ROOT && states.unit[child] !== unit) child = states.nextSibling[child] ?? ROOT;
  return child;
}

/** Level by level: where a state fails to is nearer to the root and known by then. */
function* linkFailures(states: States): Generator<void, void> {
  const { firstChild, nextSibling, fail, found, unit } = states;
  const queue = new Int32Array(states.count);
  let end = 0;
  for (let at = -1; at < end; at++) {
    if (at % STEP === STEP - 1) yield;
    const state = at < 0 ? ROOT : (queue[at] ?? ROOT);
    let child = firstChild[state] ?? ROOT;
    for (; child !== ROOT; child = nextSibling[child] ?? ROOT) {
      const fallback = state === ROOT ? ROOT : follow(states, fail[state] ?? ROOT, unit[child] ?? 0);
      fail[child] = fallback;
      // What ends here of its own is the whole way from the root, and so the longest.
      if (found[child] === 0) found[child] = found[fallback] ?? 0;
      queue[end++] = child;
    }
  }
}

/** The state for what has been read with one more unit; falls back as far as it has to. */
function follow(states: States, from: number, unit: number): number {
  let state = from;
  for (;;) {
    const child = findChild(states, state, unit);
    if (child !== ROOT || state === ROOT) return child;
    state = states.fail[state] ?? ROOT;
  }
}

function scan(states: States, units: Uint16Array, onMatch: (last: number, length: number) => void): void {
  let state = ROOT;
  for (let index = 0; index < units.length; index++) {
    state = follow(states, state, units[index] ?? 0);
    const length = states.found[state] ?? 0;
    if (length > 0) onMatch(index, length);
  }
}

function isIn(states: States, text: string, alphabet: Alphabet): boolean {
  let state = ROOT;
  for (let index = 0; index < text.length; index++) {
    const read = readUnit(text.charCodeAt(index), alphabet);
    if (read === SKIPPED) continue;
    state = follow(states, state, read);
    if ((states.found[state] ?? 0) > 0) return true;
  }
  return false;
}
