import { functionError } from '../../errors/iml-error.js';
import { assertNever } from '../../util/plain-object.js';

export type AssertionKind = 'start' | 'end' | 'boundary' | 'notBoundary';

/** The groups opened inside a part of a pattern: numbers from `first` (inclusive) to `end` (exclusive). */
export interface GroupRange {
  readonly first: number;
  readonly end: number;
}

export interface CharacterNode {
  readonly kind: 'character';
  /** A UTF-16 unit, or a code point with flag `u`. */
  readonly code: number;
}

/** A class, an escape or the dot: one character, described by its own pattern text. */
export interface SetNode {
  readonly kind: 'set';
  readonly source: string;
}

export interface AssertionNode {
  readonly kind: 'assertion';
  readonly assertion: AssertionKind;
}

export interface BackreferenceNode {
  readonly kind: 'backreference';
  readonly group: number;
}

export interface SequenceNode {
  readonly kind: 'sequence';
  readonly items: readonly PatternNode[];
}

export interface AlternativesNode {
  readonly kind: 'alternatives';
  /** Two or more. */
  readonly items: readonly PatternNode[];
}

export interface GroupNode {
  readonly kind: 'group';
  /** 1-based. */
  readonly group: number;
  readonly body: PatternNode;
}

export interface LookNode {
  readonly kind: 'look';
  readonly behind: boolean;
  readonly negative: boolean;
  readonly body: PatternNode;
  readonly groups: GroupRange;
}

export interface RepeatNode {
  readonly kind: 'repeat';
  readonly min: number;
  /** Above any text length if there is none. */
  readonly max: number;
  readonly lazy: boolean;
  readonly body: PatternNode;
  /** Whether one iteration can match the empty text. */
  readonly nullable: boolean;
  readonly groups: GroupRange;
}

export type PatternNode =
  | CharacterNode
  | SetNode
  | AssertionNode
  | BackreferenceNode
  | SequenceNode
  | AlternativesNode
  | GroupNode
  | LookNode
  | RepeatNode;

/** Tells whether a part of a pattern can match without consuming a character. Errs towards true. */
export function isNullable(node: PatternNode): boolean {
  switch (node.kind) {
    case 'character':
    case 'set':
      return false;
    case 'assertion':
    case 'backreference':
    case 'look':
      return true;
    case 'sequence':
      return node.items.every(isNullable);
    case 'alternatives':
      return node.items.some(isNullable);
    case 'group':
      return isNullable(node.body);
    case 'repeat':
      return node.min === 0 || node.nullable;
    default:
      return assertNever(node);
  }
}

/** The flags that change what a pattern matches or how often. */
export interface PatternFlags {
  readonly global: boolean;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly unicode: boolean;
  readonly sticky: boolean;
}

/** `d` only adds data to a match that nothing here reads. `v` changes the grammar of classes and is not read. */
const KNOWN_FLAGS = 'dgimsuy';

/**
 * Reads the letters after the closing slash of a pattern.
 * @throws IML_FUNCTION for an unknown letter or one that stands twice.
 */
export function parseFlags(flags: string): PatternFlags {
  const seen = new Set<string>();
  for (const letter of flags) {
    if (!KNOWN_FLAGS.includes(letter)) {
      throw functionError(`Unknown flag '${letter}' of a regular expression. Known flags: ${KNOWN_FLAGS}.`);
    }
    if (seen.has(letter)) throw functionError(`Flag '${letter}' of a regular expression is given twice.`);
    seen.add(letter);
  }
  return {
    global: seen.has('g'),
    ignoreCase: seen.has('i'),
    multiline: seen.has('m'),
    dotAll: seen.has('s'),
    unicode: seen.has('u'),
    sticky: seen.has('y'),
  };
}

/** Ceilings of one pattern: UTF-16 units, and groups inside groups. */
export const PATTERN_LIMITS: Readonly<{ maxLength: number; maxDepth: number }> = Object.freeze({
  maxLength: 32_768,
  maxDepth: 200,
});

/** Counted repetitions are written out; together with all else they may have so many instructions. Above what any pattern without them needs. */
export const MAX_PROGRAM_LENGTH = 100_000;

/** Steps one replacement may take, an instruction each. About a second. */
export const MAX_STEPS = 30_000_000;

/** Longest result of a replacement, in UTF-16 units: 64 MB. */
export const MAX_RESULT_LENGTH: number = 2 ** 25;

/** Pieces of a result cost time even when they are empty. */
export const MAX_PIECES: number = 2 ** 24;
