import type { PatternFlags } from './pattern-flags.js';

const UNKNOWN = 0;
const OUTSIDE = 1;
const INSIDE = 2;
const TABLE_SIZE = 256;

/** What asking the host about one character costs, in steps of the matcher. */
export const HOST_TEST_STEPS = 4;

/** Characters a case comparison keeps a set for. */
const MAX_COMPARED = 1024;

/**
 * The characters one class, escape or dot matches.
 * The host decides about each character, so case folding and Unicode properties are those of its own expressions.
 */
export class CharacterSet {
  private readonly expression: RegExp;
  private readonly table = new Uint8Array(TABLE_SIZE);

  constructor(source: string, flags: PatternFlags) {
    const letters = `${flags.ignoreCase ? 'i' : ''}${flags.dotAll ? 's' : ''}${flags.unicode ? 'u' : ''}`;
    this.expression = new RegExp(`^(?:${source})$`, letters);
  }

  /** `code` is a UTF-16 unit, or a code point with flag `u`. */
  has(code: number): boolean {
    if (code >= TABLE_SIZE) return this.ask(code);
    if (this.table[code] === UNKNOWN) this.table[code] = this.ask(code) ? INSIDE : OUTSIDE;
    return this.table[code] === INSIDE;
  }

  private ask(code: number): boolean {
    return this.expression.test(String.fromCodePoint(code));
  }
}

/** The pattern text of one character, written so that no mode reads it as syntax. */
export function characterSource(code: number): string {
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Compares two different characters as a backreference does that ignores case: whether the first, as a pattern, matches the second. */
export function createCaseComparison(flags: PatternFlags): (first: number, second: number) => boolean {
  const known = new Map<number, CharacterSet>();
  return (first, second) => {
    const set = known.get(first) ?? new CharacterSet(characterSource(first), flags);
    if (known.size < MAX_COMPARED) known.set(first, set);
    return set.has(second);
  };
}
