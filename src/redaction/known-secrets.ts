import type { Turns } from '../util/turns.js';
import { createPatternSet, type PatternSet } from './pattern-set.js';
import { type FormsOfSecret, MIN_SECRET_LENGTH, secretForms } from './secret-forms.js';
import {
  addStretch,
  cleanStart,
  mergeStretches,
  replaceStretches,
  type SecretStretch,
  type Stretch,
} from './stretches.js';
import {
  BASE64_ALPHABET,
  base64View,
  decodedView,
  endIn,
  foldedView,
  foldSpaces,
  hexUnits,
  hexView,
  MAX_LAYERS,
  mayHoldHex,
  PLAIN_ALPHABET,
  plainView,
  readView,
  startIn,
  type TextView,
  undoEscapes,
} from './text-view.js';

/** Secrets that are looked for, all in one pass, in every form they are known to take. */
export interface KnownSecrets {
  /** Grows with every secret that was not known. */
  readonly version: () => number;
  /** Characters of the longest secret. */
  readonly longest: () => number;
  /** @returns whether it is looked for: it is neither too short nor too long, and there is room */
  readonly add: (secret: string) => boolean;
  /** Whether there was room for all that was added. */
  readonly isWhole: () => boolean;
  /**
   * The first `length` characters of a text with every stretch that holds a secret replaced, also one that goes on behind
   * them. Takes time in proportion to what it gives.
   */
  readonly clean: (text: string, length: number) => string;
  /** Texts that follow one another, without what they hold of a secret that was cut into several of them. */
  readonly cleanPieces: (pieces: readonly string[]) => readonly string[];
  /** Characters at the end of a text that one begins with which would go on behind it: the most there are, 0 for fewer than 4. */
  readonly beginningIn: (text: string) => number;
  /** Whether a number is one of them, whatever zeros one was written with. */
  readonly isNumber: (value: number | bigint) => boolean;
  /** Makes ready for the next search what was added, which takes a while for thousands. */
  readonly settle: (turns: Turns) => Promise<void>;
  /** Whether a text holds a secret. */
  readonly isIn: (text: string) => boolean;
  /** All stretches of a text that hold secrets, in order, none touching another. */
  readonly find: (text: string) => readonly SecretStretch[];
}

/** Values that one run remembers; a service that answers with ever new secrets cannot fill the memory. */
export const MAX_KNOWN_SECRETS = 5000;
/** Secrets that are looked for in all forms; a run that knows more has learned them from an answer. */
const MAX_RARE = 32;
/** Secrets that are looked for in the common ones; data of few connections give more. */
const MAX_COMMON = 1000;
/**
 * Units of what is looked for, of all secrets together, up to which a further one is looked for in so many forms: a long one
 * takes fifty times its length in all of them, seven times in the common ones. [choice]
 */
const MAX_UNITS: Readonly<Record<FormsOfSecret, number>> = {
  all: 1_000_000,
  common: 1_250_000,
  written: 2_500_000,
};

interface Patterns {
  readonly plain: PatternSet;
  readonly hex: PatternSet;
  readonly base64: PatternSet;
}

/** Knows all that `base` knows, and of what is added `base` learns nothing. */
export function knowMore(base: KnownSecrets): KnownSecrets {
  const own = createKnownSecrets();
  const find = (text: string): readonly Stretch[] => {
    const [known, more] = [base.find(text), own.find(text)];
    return more.length === 0 ? known : mergeStretches([...known, ...more]);
  };
  return {
    version: () => base.version() + own.version(),
    longest: () => Math.max(base.longest(), own.longest()),
    add: own.add,
    isWhole: () => base.isWhole() && own.isWhole(),
    clean: (text, length) => cleanStart(text, length, find),
    cleanPieces: (pieces) => own.cleanPieces(base.cleanPieces(pieces)),
    beginningIn: (text) => Math.max(base.beginningIn(text), own.beginningIn(text)),
    isNumber: (value) => base.isNumber(value) || own.isNumber(value),
    settle: own.settle,
    isIn: (text) => base.isIn(text) || own.isIn(text),
    find,
  };
}

/** What a redactor knows to be secret; empty at first. */
export function createKnownSecrets(): KnownSecrets {
  const secrets = new Set<string>();
  const patterns: Patterns = {
    plain: createPatternSet(),
    hex: createPatternSet(),
    base64: createPatternSet(),
  };
  const numbers = new Set<number>();
  let units = 0;
  let longest = 0;
  let isWhole = true;
  let beginnings: Beginnings | undefined;
  const find = (text: string): readonly Stretch[] =>
    secrets.size > 0 && mayHold(text, patterns) ? findSecrets(text, patterns) : [];
  return {
    version: () => secrets.size,
    longest: () => longest,
    add: (secret) => {
      if (secrets.has(secret)) return true;
      if (secrets.size >= MAX_KNOWN_SECRETS || units >= MAX_UNITS.written) {
        isWhole = false;
        return false;
      }
      const forms = secretForms(secret, chooseForms(secrets.size, units));
      if (forms === undefined) return false;
      secrets.add(secret);
      beginnings = undefined;
      longest = Math.max(longest, secret.length);
      const number = readNumber(secret);
      if (number !== undefined) numbers.add(number);
      for (const form of forms.plain) patterns.plain.add(foldSpaces(form));
      for (const form of forms.hex) patterns.hex.add(form);
      for (const form of forms.base64) patterns.base64.add(form);
      for (const form of [...forms.plain, ...forms.hex, ...forms.base64]) units += form.length;
      return true;
    },
    isWhole: () => isWhole,
    clean: (text, length) => cleanStart(text, length, find),
    cleanPieces: (pieces) => {
      const text = pieces.join('');
      if (secrets.size === 0 || !patterns.plain.isIn(text, PLAIN_ALPHABET)) return pieces;
      const found: Stretch[] = [];
      collect(patterns.plain, foldedView(plainView(text)), found);
      return cutOut(pieces, mergeStretches(found));
    },
    beginningIn: (text) => {
      if (secrets.size === 0) return 0;
      beginnings ??= sortBeginnings(secrets);
      return findBeginning(text.slice(-longest), beginnings);
    },
    isNumber: (value) => numbers.size > 0 && numbers.has(Math.abs(Number(value))),
    settle: async (turns) => {
      for (const set of [patterns.plain, patterns.hex, patterns.base64]) {
        await turns.finish(set.settle());
      }
    },
    isIn: (text) => find(text).length > 0,
    find,
  };
}

/** The number a secret may stand as in JSON; undefined for other text, and for one whose digits turn up by chance. */
function readNumber(secret: string): number | undefined {
  if (!DECIMAL.test(secret)) return undefined;
  const number = Math.abs(Number(secret));
  return String(number).length >= MIN_SECRET_LENGTH ? number : undefined;
}

const DECIMAL = /^\s*-?\d+(?:\.\d+)?\s*$/;

/** What is too little of a secret to help anybody. */
const MIN_BEGINNING = 4;

/** Secrets in order, and what they begin with. */
interface Beginnings {
  readonly sorted: readonly string[];
  readonly heads: ReadonlySet<string>;
}

function sortBeginnings(secrets: ReadonlySet<string>): Beginnings {
  const sorted = [...secrets].sort();
  return { sorted, heads: new Set(sorted.map((secret) => secret.slice(0, MIN_BEGINNING))) };
}

/** @param text no more than the longest has */
function findBeginning(text: string, { sorted, heads }: Beginnings): number {
  for (let at = 0; at <= text.length - MIN_BEGINNING; at++) {
    if (!heads.has(text.slice(at, at + MIN_BEGINNING))) continue;
    const rest = text.slice(at);
    // What begins with it stands right behind it in order, and is longer.
    let low = 0;
    for (let high = sorted.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? '') > rest) high = middle;
      else low = middle + 1;
    }
    if (sorted[low]?.startsWith(rest) === true) return rest.length;
  }
  return 0;
}

function chooseForms(known: number, units: number): FormsOfSecret {
  if (known < MAX_RARE && units < MAX_UNITS.all) return 'all';
  return known < MAX_COMMON && units < MAX_UNITS.common ? 'common' : 'written';
}

/**
 * Most texts hold none: said without noting where in the text as written each sign stands, which takes several times as
 * long.
 */
function mayHold(text: string, { plain, hex, base64 }: Patterns): boolean {
  if (text.length < MIN_SECRET_LENGTH) return false;
  let read: string | undefined = text;
  for (let layer = 0; read !== undefined && layer <= MAX_LAYERS; layer++) {
    if (mayHoldHex(read, MIN_SECRET_LENGTH) && holdsAny(hex, hexUnits(read))) return true;
    if (plain.isIn(read, PLAIN_ALPHABET) || base64.isIn(read, BASE64_ALPHABET)) return true;
    read = undoEscapes(read);
  }
  return false;
}

function holdsAny(patterns: PatternSet, units: Uint16Array): boolean {
  let isFound = false;
  patterns.scan(units, () => {
    isFound = true;
  });
  return isFound;
}

/** Stretches that hold secrets, in order, none touching another. */
function findSecrets(text: string, patterns: Patterns): readonly Stretch[] {
  const found: Stretch[] = [];
  let view: TextView | undefined = plainView(text);
  for (let layer = 0; view !== undefined; layer++) {
    const read: string = layer === 0 ? text : readView(view);
    if (patterns.plain.isIn(read, PLAIN_ALPHABET)) collect(patterns.plain, foldedView(view), found);
    if (mayHoldHex(read, MIN_SECRET_LENGTH)) collect(patterns.hex, hexView(view), found);
    if (patterns.base64.isIn(read, BASE64_ALPHABET)) {
      const inBase64: Stretch[] = [];
      collect(patterns.base64, base64View(view), inBase64);
      for (const stretch of inBase64) found.push(withNeighbours(text, stretch));
    }
    view = layer < MAX_LAYERS ? decodedView(view, read) : undefined;
  }
  return mergeStretches(found);
}

function collect(patterns: PatternSet, view: TextView, found: Stretch[]): void {
  patterns.scan(view.units, (index, length) => {
    addStretch(found, startIn(view, index - length + 1), endIn(view, index));
  });
}

/**
 * The digits at both ends of a piece of base64 hold bits of the secret, too: three of them, five where it was encoded twice.
 * What is left to the end of the digits, and their padding, goes with them: it may be the padding of an inner layer.
 */
function withNeighbours(text: string, { start, end }: Stretch): Stretch {
  const before = /[\w+/-]{0,5}$/.exec(text.slice(Math.max(0, start - 5), start))?.[0].length ?? 0;
  const after = BEHIND_BASE64.exec(text.slice(end, end + 16))?.[0].length ?? 0;
  return { start: start - before, end: end + after };
}

/** As it is, or percent-encoded. */
const BEHIND_BASE64 = /^(?:[\w+/-]{0,9}(?![\w+/-])(?:=|%3d){0,2}|[\w+/-]{0,5})/i;

/** Takes stretches of the joined pieces out of each piece. One within a single piece is left to `clean`. */
function cutOut(pieces: readonly string[], stretches: readonly Stretch[]): readonly string[] {
  let at = 0;
  let start = 0;
  return pieces.map((piece) => {
    const end = start + piece.length;
    while ((stretches[at]?.end ?? end) < start) at++;
    const own: Stretch[] = [];
    for (let next = at; (stretches[next]?.start ?? end) < end; next++) {
      const stretch = stretches[next];
      if (stretch === undefined || stretch.end <= start) continue;
      if (stretch.start >= start && stretch.end <= end) continue;
      own.push({ start: Math.max(stretch.start - start, 0), end: Math.min(stretch.end, end) - start });
    }
    start = end;
    return replaceStretches(piece, own);
  });
}
