import { functionError } from '../../shared/errors/iml-error.js';
import { assertNever } from '../../shared/plain-object.js';

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

/** A class, an escape or the dot: matches one character, described by its pattern text. */
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
  readonly lookbehind: boolean;
  readonly negative: boolean;
  readonly body: PatternNode;
  readonly groups: GroupRange;
}

export interface RepeatNode {
  readonly kind: 'repeat';
  readonly min: number;
  /** Larger than any text length if there is no maximum. */
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

/** Whether a node can match without consuming a character. May return true incorrectly, never false. */
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

/** The flags of a pattern that affect its matches. */
export interface PatternFlags {
  readonly global: boolean;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly unicode: boolean;
  readonly sticky: boolean;
}

/** `d` only adds match indices, which have no effect here. `v` is not supported: it changes the grammar of classes. */
const KNOWN_FLAGS = 'dgimsuy';

/**
 * Parses the letters after the closing slash of a pattern.
 * @throws IML_FUNCTION for an unknown or duplicate letter.
 */
export function parseFlags(flags: string): PatternFlags {
  const seen = new Set<string>();
  for (const letter of flags) {
    if (!KNOWN_FLAGS.includes(letter)) {
      throw functionError(`Unknown flag '${letter}' of a regular expression. Known flags: ${KNOWN_FLAGS}.`);
    }
    if (seen.has(letter)) throw functionError(`Duplicate flag '${letter}' of a regular expression.`);
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

/** Maximum length of a pattern in UTF-16 units, and maximum nesting of groups. */
export const PATTERN_LIMITS: Readonly<{ maxLength: number; maxDepth: number }> = Object.freeze({
  maxLength: 32_768,
  maxDepth: 200,
});

/** Maximum number of instructions. Counted repetitions are unrolled; no other pattern reaches this limit. */
export const MAX_PROGRAM_LENGTH = 100_000;

/** Maximum number of instructions that one replacement executes. */
export const MAX_STEPS = 30_000_000;

/** Maximum length of the result of a replacement, in UTF-16 units: 64 MB. */
export const MAX_RESULT_LENGTH: number = 2 ** 25;

/** Maximum number of pieces of a result, because empty pieces cost time, too. */
export const MAX_PIECES: number = 2 ** 24;
