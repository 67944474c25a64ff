import type { CharacterSet } from './character-set.js';
import type { AssertionKind } from './pattern-node.js';

/**
 * What one instruction does with its operands `x` and `y`; targets are indexes of instructions.
 * Those that consume go forward or backward by the sign of `y`.
 */
export type Opcode =
  /** Consumes the character `x`. */
  | 'character'
  /** Consumes a character of `set`. */
  | 'set'
  /** Consumes what group `x` captured. */
  | 'backreference'
  /** Goes on at `x`, and at `y` if that fails. */
  | 'split'
  | 'jump'
  /** Where ways of an alternation meet: goes on, and remembers a failure of what follows. */
  | 'meet'
  /** Writes the position into register `x`. */
  | 'save'
  /** Clears the registers from `x` (inclusive) to `y` (exclusive). */
  | 'clear'
  /** Fails if the position still is that in register `x`: an iteration that consumed nothing. */
  | 'progress'
  | AssertionKind
  /** Runs the instructions after it up to `lookEnd`, then goes on at `x`. Negative if `y` is 1. */
  | 'look'
  | 'lookEnd'
  | 'fail'
  | 'match';

/** Where a split or meet remembers its outcomes. */
export interface MemoPlace {
  /** First row. There is a row more than `loops`, see `loops`. -1 while captures may change the outcome. */
  row: number;
  /**
   * Registers with the starts of the surrounding iterations that must not be empty, outer first. The outcome depends on
   * how many of them have consumed something, which is a number: if an inner one has, so have the outer ones.
   */
  readonly loops: readonly number[];
  /** Whether success ends a lookaround whose captures nobody sees, so that it can be remembered too. */
  readonly success: boolean;
}

export interface Instruction {
  readonly op: Opcode;
  x: number;
  y: number;
  readonly set: CharacterSet | undefined;
  readonly memo: MemoPlace | undefined;
}

export interface PatternProgram {
  readonly code: readonly Instruction[];
  readonly groupCount: number;
  /** Two for each group and the whole match (start, end), then one for each loop that must consume. */
  readonly registerCount: number;
}
