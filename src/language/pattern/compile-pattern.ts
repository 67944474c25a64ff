import { limitError } from '../../shared/errors/iml-error.js';
import { assertNever } from '../../shared/plain-object.js';
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
  /** Maximum length of the text. A larger minimum of repetitions never matches, a larger maximum is no limit. */
  readonly textLength: number;
  /** Cache of the sets of this pattern by pattern text. The compiler adds to it. */
  readonly sets: Map<string, CharacterSet>;
}

/**
 * Compiles a pattern for `PatternMatcher`.
 * @throws IML_LIMIT if the repetitions need a program that is too long.
 */
export function compilePattern(pattern: ParsedPattern, options: PatternOptions): PatternProgram {
  const compiler = new PatternCompiler(pattern.groupCount, options);
  const code = compiler.compile(pattern.root);
  assignMemoRows(code);
  return { code, groupCount: pattern.groupCount, registerCount: compiler.registerCount };
}

/** Context of a node during compilation. */
interface NodeContext {
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

  private emit(op: Opcode, x = 0, y = 0, memo?: MemoRows): Instruction {
    return this.push({ op, x, y, set: undefined, memo });
  }

  private push(instruction: Instruction): Instruction {
    if (this.code.length >= MAX_PROGRAM_LENGTH) {
      throw limitError('Regular expression has too many repetitions for a text of this length.');
    }
    this.code.push(instruction);
    return instruction;
  }

  private branch(op: Opcode, around: NodeContext): Instruction {
    return this.emit(op, 0, 0, { row: -1, loops: around.loops, success: around.success });
  }

  private node(node: PatternNode, around: NodeContext): void {
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

  private sequence(items: readonly PatternNode[], around: NodeContext): void {
    for (const item of around.direction === 1 ? items : items.toReversed()) this.node(item, around);
  }

  private set(source: string, around: NodeContext): void {
    this.push({ op: 'set', x: 0, y: around.direction, set: this.compileSet(source), memo: undefined });
  }

  private compileSet(source: string): CharacterSet {
    const cached = this.options.sets.get(source);
    if (cached !== undefined) return cached;
    const set = new CharacterSet(source, this.options.flags);
    this.options.sets.set(source, set);
    return set;
  }

  private alternatives(node: AlternativesNode, around: NodeContext): void {
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

  private group(node: GroupNode, around: NodeContext): void {
    const before = around.direction === 1 ? 0 : 1;
    this.emit('save', 2 * node.group + before);
    this.node(node.body, around);
    this.emit('save', 2 * node.group + 1 - before);
  }

  private look(node: LookNode): void {
    const look = this.emit('look', 0, node.negative ? 1 : 0);
    const success = node.negative || node.groups.first === node.groups.end;
    this.node(node.body, { direction: node.lookbehind ? -1 : 1, loops: [], success });
    this.emit('lookEnd');
    look.x = this.code.length;
  }

  // Each iteration clears its groups. An iteration after `min` that consumes nothing fails. Source: ECMA-262, RepeatMatcher. [doc]
  private repeat(node: RepeatNode, around: NodeContext): void {
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
    // Each iteration consumes a character, so a text of this length never reaches a larger maximum.
    if (node.max - node.min >= textLength) this.loop(node, around, inner);
    else this.countedIterations(node, around, inner);
  }

  private newRegister(): number {
    this.registerCount += 1;
    return this.registerCount - 1;
  }

  private loop(node: RepeatNode, around: NodeContext, inner: NodeContext): void {
    const start = this.code.length;
    const split = this.branch('split', around);
    const body = this.code.length;
    this.iteration(node, inner, inner === around ? undefined : inner.loops.at(-1));
    this.emit('jump', start);
    setTargets(split, node.lazy, body, this.code.length);
  }

  private countedIterations(node: RepeatNode, around: NodeContext, inner: NodeContext): void {
    const splits: { readonly split: Instruction; readonly body: number }[] = [];
    for (let count = node.min; count < node.max; count += 1) {
      splits.push({ split: this.branch('split', around), body: this.code.length });
      this.iteration(node, inner, inner === around ? undefined : inner.loops.at(-1));
    }
    for (const { split, body } of splits) setTargets(split, node.lazy, body, this.code.length);
    if (splits.length > 1) this.branch('meet', around);
  }

  private iteration(node: RepeatNode, around: NodeContext, register?: number): void {
    const { first, end } = node.groups;
    if (first < end) this.emit('clear', 2 * first, 2 * end);
    if (register !== undefined) this.emit('save', register);
    this.node(node.body, around);
    if (register !== undefined) this.emit('progress', register);
  }
}

/** Sets the targets of a split to the body and the exit of a repetition, greedy or lazy. */
function setTargets(split: Instruction, lazy: boolean, body: number, exit: number): void {
  split.x = lazy ? exit : body;
  split.y = lazy ? body : exit;
}

/** Assigns memo rows to the splits and meets that cannot reach a backreference: their outcome depends only on the position. */
function assignMemoRows(code: readonly Instruction[]): void {
  const open = reachesBackreference(code);
  let rows = 0;
  for (const [index, { memo }] of code.entries()) {
    if (memo === undefined || open[index]) continue;
    memo.row = rows;
    rows += memo.loops.length + 1;
  }
}

/** Computes for each instruction whether it can reach a backreference in the same lookaround or the main pattern. */
function reachesBackreference(code: readonly Instruction[]): boolean[] {
  const reaches = code.map((instruction) => instruction.op === 'backreference');
  if (!reaches.includes(true)) return reaches;
  // Only the jumps of loops go backward, so a few passes reach the fixed point.
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
 * Operations with operands `x` and `y`. Targets are indexes of instructions.
 * An instruction that consumes characters moves forward or backward by the sign of `y`.
 */
export type Opcode =
  /** Consumes the character `x`. */
  | 'character'
  /** Consumes a character of `set`. */
  | 'set'
  /** Consumes the text of group `x`. */
  | 'backreference'
  /** Continues at `x`, and at `y` if that fails. */
  | 'split'
  | 'jump'
  /** Joins the branches of an alternation: continues, and memoizes a failure of the following instructions. */
  | 'meet'
  /** Writes the position into register `x`. */
  | 'save'
  /** Clears the registers from `x` (inclusive) to `y` (exclusive). */
  | 'clear'
  /** Fails if the position equals register `x`: an iteration that consumed nothing. */
  | 'progress'
  | AssertionKind
  /** Runs the next instructions up to `lookEnd`, then continues at `x`. Negative if `y` is 1. */
  | 'look'
  | 'lookEnd'
  | 'fail'
  | 'match';

/** Memo rows of a split or meet. */
export interface MemoRows {
  /** First of `loops.length + 1` rows; -1 if captures may change the outcome. */
  row: number;
  /**
   * Registers with the starts of the enclosing iterations that must not be empty, outermost first. The row depends on how
   * many of them have consumed a character. If an inner iteration has, so have the outer ones.
   */
  readonly loops: readonly number[];
  /** Whether success ends a lookaround whose captures are not visible, so that success can be memoized, too. */
  readonly success: boolean;
}

export interface Instruction {
  readonly op: Opcode;
  x: number;
  y: number;
  readonly set: CharacterSet | undefined;
  readonly memo: MemoRows | undefined;
}

export interface PatternProgram {
  readonly code: readonly Instruction[];
  readonly groupCount: number;
  /** Two for each group and the whole match (start, end), then one for each loop whose iterations must consume. */
  readonly registerCount: number;
}

const UNKNOWN = 0;
const OUTSIDE = 1;
const INSIDE = 2;
const TABLE_SIZE = 256;

/** Cost of testing one character with the host engine, in steps. */
export const HOST_TEST_STEPS = 4;

/** Maximum number of sets that a case comparison caches. */
const MAX_COMPARED = 1024;

/**
 * The characters that a class, escape or dot matches.
 * The host engine tests each character, so case folding and Unicode properties are the same as in native expressions.
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
    if (code >= TABLE_SIZE) return this.testByHost(code);
    if (this.table[code] === UNKNOWN) this.table[code] = this.testByHost(code) ? INSIDE : OUTSIDE;
    return this.table[code] === INSIDE;
  }

  private testByHost(code: number): boolean {
    return this.expression.test(String.fromCodePoint(code));
  }
}

/** Returns the pattern text of one literal character, valid in every mode. */
function characterSource(code: number): string {
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Creates the case-insensitive comparison of backreferences: whether the first character, as a pattern, matches the second. */
export function createCaseComparison(flags: PatternFlags): (first: number, second: number) => boolean {
  const sets = new Map<number, CharacterSet>();
  return (first, second) => {
    const set = sets.get(first) ?? new CharacterSet(characterSource(first), flags);
    if (sets.size < MAX_COMPARED) sets.set(first, set);
    return set.has(second);
  };
}
