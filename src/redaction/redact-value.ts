import type { Parts } from '../iml/values/work.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../util/plain-object.js';
import type { Turns } from '../util/turns.js';
import { type HiddenPaths, NO_PATHS } from './sanitize-paths.js';
import { isSecretName } from './secret-names.js';

/** What stands in place of a secret. [choice] */
export const SANITIZED = '[SANITIZED]';

/** What stands in place of what is more than anybody reads. */
export const LEFT_OUT = '[left out]';

/** What stands behind a text of which more is left out. */
export const LEFT_OUT_MARK: string = `… ${LEFT_OUT}`;

/** How far behind the end of what is shown a secret is looked for that begins in it. */
export const MAX_OVERLAP = 8192;

/** Deeper levels are left out of a log. */
const MAX_DEPTH = 100;

/** What is left of what a call may show, and what is counted for what. */
export interface Budget extends ShownCosts {
  left: number;
}

/** What a character of text costs is 1. */
export interface ShownCosts {
  /** Of a member or item beside its text. */
  readonly value: number;
  /** Of a character of a text with escapes. */
  readonly encoded: number;
}

/** What is hidden in a value. */
export interface HidingRules {
  /** To members that are hidden whatever they are called. */
  readonly paths: HiddenPaths;
  /** Told of each hidden value, and whether a path named it or its name gave it away. */
  readonly onHidden: (value: unknown, because: 'path' | 'name') => void;
}

export interface ValueRules extends HidingRules {
  /** What one call may show altogether: cleaning takes time, and a log has readers. */
  readonly budget: Budget;
  /** Cleans text of known secrets, as much of it as the budget has left. */
  readonly text: (text: string) => string;
  /** Whether a number is a known secret. */
  readonly isSecretNumber: (value: number | bigint) => boolean;
  /** `text` for the name of a member: most come again in the next item of a list. */
  readonly name: (name: string) => string;
  /** Cleans texts that follow one another of secrets that were cut into several of them. */
  readonly pieces: (texts: readonly string[]) => readonly string[];
  /** Characters at the end of a text that a known secret begins with which would go on behind it; 0 for none. */
  readonly beginning: (text: string) => number;
}

/** Writes a body that has been read as it may be shown. */
export type ShowBody<T = unknown> = () => Parts<T>;

/**
 * A copy of a value as it may be shown. Lists are passed through: a path names the member of every item. What is beyond
 * the budget is left out.
 */
export function redactValue(value: unknown, rules: ValueRules): Parts<unknown> {
  return copyValue(value, rules.paths, { rules, depth: 0, untilPause: VALUES_OF_PART });
}

/** Values that are copied between two pauses: a process that has just started takes some 4 us for one. */
const VALUES_OF_PART = 500;

/** How far a copy has come. */
interface Copying {
  readonly rules: ValueRules;
  depth: number;
  untilPause: number;
}

function* copyValue(value: unknown, paths: HiddenPaths, copying: Copying): Parts<unknown> {
  const { rules } = copying;
  if (paths.isEnd) return hide(value, rules, 'path');
  if (typeof value !== 'object' || value === null) return copyPrimitive(value, rules);
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (value instanceof Date) return value;
  if (copying.depth >= MAX_DEPTH) return '[nested too deep to show]';
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return '[object]';
  copying.depth++;
  const shown = yield* isList ? copyItems(value, paths, copying) : copyMembers(value, paths, copying);
  copying.depth--;
  return shown;
}

function copyPrimitive(value: unknown, { text, isSecretNumber }: ValueRules): unknown {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'number' && typeof value !== 'bigint') return value;
  return isSecretNumber(value) ? SANITIZED : value;
}

function isPartOver(copying: Copying): boolean {
  if (--copying.untilPause > 0) return false;
  copying.untilPause = VALUES_OF_PART;
  return true;
}

/** A primitive needs no generator of its own, and most values are. */
function isPrimitive(value: unknown, paths: HiddenPaths): boolean {
  return !paths.isEnd && (typeof value !== 'object' || value === null);
}

function* copyItems(items: readonly unknown[], paths: HiddenPaths, copying: Copying): Parts<unknown[]> {
  const { rules } = copying;
  const { budget } = rules;
  const shown: unknown[] = [];
  for (const item of items) {
    if (budget.left <= 0) return [...shown, LEFT_OUT];
    budget.left -= budget.value;
    shown.push(
      isPrimitive(item, paths) ? copyPrimitive(item, rules) : yield* copyValue(item, paths, copying),
    );
    if (isPartOver(copying)) yield;
  }
  return shown;
}

function* copyMembers(value: PlainObject, paths: HiddenPaths, copying: Copying): Parts<PlainObject> {
  const { rules } = copying;
  const { budget } = rules;
  const shown: PlainObject = {};
  for (const name of Object.keys(value)) {
    if (budget.left <= 0) {
      setMember(shown, LEFT_OUT, LEFT_OUT);
      return shown;
    }
    const shownName = rules.name(name);
    budget.left -= budget.value;
    const member = ownMember(value, name);
    const below = stepInto(paths, name);
    let shownMember: unknown;
    if (isSecretName(name, 'body') && isPresent(member)) {
      shownMember = hide(member, rules, below.isEnd ? 'path' : 'name');
    } else if (isPrimitive(member, below)) shownMember = copyPrimitive(member, rules);
    else shownMember = yield* copyValue(member, below, copying);
    setMember(shown, shownName, shownMember);
    if (isPartOver(copying)) yield;
  }
  return shown;
}

/** Values that are looked at between two looks at the clock. A name that was not met before counts for several. */
const STEP = 500;
const NEW_NAME = 6;
const MAX_MET = 1000;

/**
 * Values a call looks through at once, in some 20 ms; runs look through larger ones in turns. More names than text has that is
 * read at once.
 */
const MAX_LOOKED = 280_000;

/**
 * Tells of all hidden values, as `redactValue` does while it copies. Done first, so that all are known before the first
 * text is cleaned of them.
 */
export function* findHidden(value: unknown, rules: HidingRules): Parts<void> {
  const walk = walkHidden(value, rules);
  for (let looked = 0; looked < MAX_LOOKED && walk.next().done !== true; looked += STEP) yield;
}

/** `findHidden` for a value of any size. */
export async function findHiddenInTurns(value: unknown, rules: HidingRules, turns: Turns): Promise<void> {
  await turns.finish(walkHidden(value, rules));
}

/** A list or collection that is walked through. */
interface Walk {
  readonly value: object;
  /** Names of a collection; undefined for a list. */
  readonly names: readonly string[] | undefined;
  readonly paths: HiddenPaths;
  /** Whether a list stands under a name that says secret. */
  readonly isSecret: boolean;
  next: number;
}

/** Without recursion, as it stops in between. */
function* walkHidden(root: unknown, { paths: rootPaths, onHidden }: HidingRules): Generator<void, void> {
  const open: Walk[] = [];
  const look = (value: unknown, paths: HiddenPaths, isSecret: boolean): void => {
    if (paths.isEnd) onHidden(value, 'path');
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
      if (isSecret && isPresent(value)) onHidden(value, 'name');
    } else if (Array.isArray(value)) {
      if (open.length < MAX_DEPTH) open.push({ value, names: undefined, paths, isSecret, next: 0 });
    } else if (isPlainObject(value) && open.length < MAX_DEPTH) {
      open.push({ value, names: Object.keys(value), paths, isSecret: false, next: 0 });
    }
  };
  look(root, rootPaths, false);
  let looked = 0;
  const met = new Set<string>();
  for (let walk = open.at(-1); walk !== undefined; walk = open.at(-1)) {
    const { value, names, paths, isSecret } = walk;
    const index = walk.next++;
    if (++looked >= STEP) {
      looked = 0;
      yield;
    }
    if (index >= (names ?? (value as unknown[])).length) open.pop();
    else if (names === undefined) look((value as unknown[])[index], paths, isSecret);
    else {
      const name = names[index] ?? '';
      if (!met.has(name)) {
        looked += NEW_NAME;
        if (met.size < MAX_MET) met.add(name);
      }
      const below = stepInto(paths, name);
      look(ownMember(value, name), below, isSecretName(name, 'body'));
    }
  }
}

function stepInto(paths: HiddenPaths, name: string): HiddenPaths {
  return paths.below.get(name) ?? NO_PATHS;
}

function hide(value: unknown, rules: ValueRules, because: 'path' | 'name'): string {
  rules.onHidden(value, because);
  return SANITIZED;
}

/** That a secret is missing, empty or only asked about (`hasPassword: true`) is worth seeing. */
function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '' && typeof value !== 'boolean';
}
