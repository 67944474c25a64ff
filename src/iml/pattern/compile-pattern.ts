import { limitError } from '../../errors/iml-error.js';
import { assertNever } from '../../util/plain-object.js';
import type { ParsedPattern } from './parse-pattern.js';
import {
  type AlternativesNode,
  type AssertionKind,
  type GroupNode,
  type LookNode,
  MAX_PROGRAM_LENGTH,
  type PatternFlags,
  type PatternNode,
  type RepeatNode,
} from './pattern-node.js';

export interface PatternOptions {
  readonly flags: PatternFlags;
  /** Longest text the program is for: higher counts than that need not be told apart. */
  readonly textLength: number;
  /** Sets of this pattern made before, by their pattern text. Filled. */
  readonly sets: Map<string, CharacterSet>;
}

/**
 * Compiles a pattern for the matcher of this folder.
 * @throws IML_LIMIT if the repetitions need too long a program.
 */
export function compilePattern(pattern: ParsedPattern, options: PatternOptions): PatternProgram {
  const compiler = new PatternCompiler(pattern.groupCount, options);
  const code = compiler.compile(pattern.root);
  placeMemos(code);
  return { code, groupCount: pattern.groupCount, registerCount: compiler.registerCount };
}

/** What surrounds the part that is compiled. */
interface Surroundings {
  readonly direction: 1 | -1;
  readonly loops: readonly number[];
  readonly success: boolean;
}

class PatternCompiler {
  registerCount: number;
  private readonly code: Instruction[] = [];
  private readonly options: PatternOptions;

  constructor(groupCount: number, options: PatternOptions) {
    this.registerCount = 2 * groupCount + 2;
    this.options = options;
  }

  compile(root: PatternNode): Instruction[] {
    this.emit('save', 0);
    this.node(root, { direction: 1, loops: [], success: false });
    this.emit('save', 1);
    this.emit('match');
    return this.code;
  }

  private emit(op: Opcode, x = 0, y = 0, memo?: MemoPlace): Instruction {
    return this.push({ op, x, y, set: undefined, memo });
  }

  private push(instruction: Instruction): Instruction {
    if (this.code.length >= MAX_PROGRAM_LENGTH) {
      throw limitError('The repetitions of a regular expression are too many for a text of this length.');
    }
    this.code.push(instruction);
    return instruction;
  }

  private branch(op: Opcode, around: Surroundings): Instruction {
    return this.emit(op, 0, 0, { row: -1, loops: around.loops, success: around.success });
  }

  private node(node: PatternNode, around: Surroundings): void {
    switch (node.kind) {
      case 'character':
        if (this.options.flags.ignoreCase) this.set(characterSource(node.code), around);
        else this.emit('character', node.code, around.direction);
        return;
      case 'set':
        this.set(node.source, around);
        return;
      case 'assertion': {
        const word = node.assertion === 'boundary' || node.assertion === 'notBoundary';
        this.push({
          op: node.assertion,
          x: 0,
          y: 0,
          set: word ? this.compileSet('\\w') : undefined,
          memo: undefined,
        });
        return;
      }
      case 'backreference':
        this.emit('backreference', node.group, around.direction);
        return;
      case 'sequence':
        this.sequence(node.items, around);
        return;
      case 'alternatives':
        this.alternatives(node, around);
        return;
      case 'group':
        this.group(node, around);
        return;
      case 'look':
        this.look(node);
        return;
      case 'repeat':
        this.repeat(node, around);
        return;
      default:
        assertNever(node);
    }
  }

  private sequence(items: readonly PatternNode[], around: Surroundings): void {
    for (const item of around.direction === 1 ? items : items.toReversed()) this.node(item, around);
  }

  private set(source: string, around: Surroundings): void {
    this.push({ op: 'set', x: 0, y: around.direction, set: this.compileSet(source), memo: undefined });
  }

  private compileSet(source: string): CharacterSet {
    const known = this.options.sets.get(source);
    if (known !== undefined) return known;
    const made = new CharacterSet(source, this.options.flags);
    this.options.sets.set(source, made);
    return made;
  }

  private alternatives(node: AlternativesNode, around: Surroundings): void {
    const exits: Instruction[] = [];
    for (const [index, item] of node.items.entries()) {
      if (index === node.items.length - 1) {
        this.node(item, around);
        break;
      }
      const split = this.branch('split', around);
      split.x = this.code.length;
      this.node(item, around);
      exits.push(this.emit('jump'));
      split.y = this.code.length;
    }
    for (const exit of exits) exit.x = this.code.length;
    this.branch('meet', around);
  }

  private group(node: GroupNode, around: Surroundings): void {
    const before = around.direction === 1 ? 0 : 1;
    this.emit('save', 2 * node.group + before);
    this.node(node.body, around);
    this.emit('save', 2 * node.group + 1 - before);
  }

  private look(node: LookNode): void {
    const look = this.emit('look', 0, node.negative ? 1 : 0);
    const success = node.negative || node.groups.first === node.groups.end;
    this.node(node.body, { direction: node.behind ? -1 : 1, loops: [], success });
    this.emit('lookEnd');
    look.x = this.code.length;
  }

  // Source: ECMA-262, RepeatMatcher: each iteration clears its groups; one beyond `min` that consumes nothing fails. [doc]
  private repeat(node: RepeatNode, around: Surroundings): void {
    const { textLength } = this.options;
    if (node.min > textLength && !node.nullable) {
      this.emit('fail');
      return;
    }
    for (let count = 0; count < node.min; count += 1) {
      const start = this.code.length;
      this.iteration(node, around);
      if (this.code.length === start) break;
    }
    if (node.max === node.min) return;
    const inner = node.nullable ? { ...around, loops: [...around.loops, this.newRegister()] } : around;
    // Each iteration consumes something, so that a text of this length never reaches a higher maximum.
    if (node.max - node.min >= textLength) this.loop(node, around, inner);
    else this.countedIterations(node, around, inner);
  }

  private newRegister(): number {
    this.registerCount += 1;
    return this.registerCount - 1;
  }

  private loop(node: RepeatNode, around: Surroundings, inner: Surroundings): void {
    const start = this.code.length;
    const split = this.branch('split', around);
    const body = this.code.length;
    this.iteration(node, inner, inner === around ? undefined : inner.loops.at(-1));
    this.emit('jump', start);
    direct(split, node.lazy, body, this.code.length);
  }

  private countedIterations(node: RepeatNode, around: Surroundings, inner: Surroundings): void {
    const splits: { readonly split: Instruction; readonly body: number }[] = [];
    for (let count = node.min; count < node.max; count += 1) {
      splits.push({ split: this.branch('split', around), body: this.code.length });
      this.iteration(node, inner, inner === around ? undefined : inner.loops.at(-1));
    }
    for (const { split, body } of splits) direct(split, node.lazy, body, this.code.length);
    if (splits.length > 1) this.branch('meet', around);
  }

  private iteration(node: RepeatNode, around: Surroundings, register?: number): void {
    const { first, end } = node.groups;
    if (first < end) this.emit('clear', 2 * first, 2 * end);
    if (register !== undefined) this.emit('save', register);
    this.node(node.body, around);
    if (register !== undefined) this.emit('progress', register);
  }
}

/** Points a split at the body and the exit of a repetition, greedy or lazy. */
function direct(split: Instruction, lazy: boolean, body: number, exit: number): void {
  split.x = lazy ? exit : body;
  split.y = lazy ? body : exit;
}

/** Gives rows to the splits and meets from where no backreference can be reached: their outcome is a matter of the position alone. */
function placeMemos(code: readonly Instruction[]): void {
  const open = reachesBackreference(code);
  let rows = 0;
  for (const [index, { memo }] of code.entries()) {
    if (memo === undefined || open[index]) continue;
    memo.row = rows;
    rows += memo.loops.length + 1;
  }
}

/** For each instruction whether a backreference can follow in the same lookaround or the main pattern. */
function reachesBackreference(code: readonly Instruction[]): boolean[] {
  const reaches = code.map((instruction) => instruction.op === 'backreference');
  if (!reaches.includes(true)) return reaches;
  // Only the jumps of loops go back, so a few passes settle it.
  for (let changed = true; changed; ) {
    changed = false;
    for (let index = code.length - 1; index >= 0; index -= 1) {
      if (reaches[index] || !successors(code, index).some((next) => reaches[next])) continue;
      reaches[index] = true;
      changed = true;
    }
  }
  return reaches;
}

function successors(code: readonly Instruction[], index: number): readonly number[] {
  const instruction = code[index];
  switch (instruction?.op) {
    case 'split':
      return [instruction.x, instruction.y];
    case 'jump':
      return [instruction.x];
    case 'look':
      return [index + 1, instruction.x];
    case 'lookEnd':
    case 'match':
    case 'fail':
      return [];
    default:
      return [index + 1];
  }
}

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
function characterSource(code: number): string {
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
