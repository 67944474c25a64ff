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
