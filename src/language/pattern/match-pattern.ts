import { limitError } from '../../shared/errors/iml-error.js';
import {
  type CharacterSet,
  createCaseComparison,
  HOST_TEST_STEPS,
  type Instruction,
  type MemoRows,
  type PatternProgram,
} from './compile-pattern.js';
import { MAX_STEPS, type PatternFlags } from './pattern-node.js';

/** A match: its text and the text of each group; undefined for a group that did not participate. */
export interface PatternMatch extends ReadonlyArray<string | undefined> {
  /** 0-based UTF-16 offset of the match. */
  readonly index: number;
}

/**
 * Integers per choice: the instruction (complemented if no alternative remains), the position, the mark of the registers,
 * and the memo row of a split or meet, or the outer frame of a lookaround.
 */
const CHOICE_SIZE = 4;

/** Cost of a case-insensitive comparison of two characters, in steps. */
const COMPARISON_STEPS = 16;

/**
 * A backtracking matcher with memoized failures for one program and one text.
 * It visits each pair of instruction and position a bounded number of times, over all starts and all matches together.
 * Exceptions are backreferences and captures inside a positive lookaround, which rely on MAX_STEPS.
 */
export class PatternMatcher {
  steps = 0;
  private readonly program: PatternProgram;
  private readonly subject: PatternSubject;
  private readonly flags: PatternFlags;
  private readonly failed: OutcomeMemo;
  private readonly succeeded: OutcomeMemo;
  private readonly sameIgnoringCase: (first: number, second: number) => boolean;
  private readonly registers: Registers;
  private readonly choices = new IntegerStack();
  /** Index of the choice that opened the innermost lookaround, or -1. */
  private frame = -1;
  private counter = 0;
  private position = 0;

  constructor(program: PatternProgram, text: string, flags: PatternFlags) {
    this.program = program;
    this.subject = new PatternSubject(text, flags.unicode);
    this.flags = flags;
    this.failed = new OutcomeMemo(text.length);
    this.succeeded = new OutcomeMemo(text.length);
    this.sameIgnoringCase = createCaseComparison(flags);
    this.registers = new Registers(program.registerCount);
  }

  /**
   * Finds the first match at or after `from`; with flag `y` only at `from`.
   * @throws IML_LIMIT after MAX_STEPS, counted over all calls.
   */
  find(from: number): PatternMatch | undefined {
    const last = this.flags.sticky ? from : this.subject.length;
    // V8 tries every UTF-16 unit, even with `u`. Only an empty match can start inside a surrogate pair.
    for (let start = from; start <= last; start += 1) {
      if (start <= this.subject.length && this.matchAt(start)) return this.result();
    }
    return undefined;
  }

  private result(): PatternMatch {
    this.spend(this.program.groupCount >>> 2);
    const groups = Array.from({ length: this.program.groupCount + 1 }, (_, group) => {
      const end = this.registers.read(2 * group + 1);
      return end < 0 ? undefined : this.subject.text.slice(this.registers.read(2 * group), end);
    });
    return Object.assign(groups, { index: this.registers.read(0) });
  }

  private matchAt(start: number): boolean {
    this.registers.reset();
    this.spend(this.registers.count >>> 4);
    this.choices.length = 0;
    this.frame = -1;
    this.counter = 0;
    this.position = start;
    const { code } = this.program;
    for (;;) {
      this.spend(1);
      const instruction = code[this.counter];
      if (instruction?.op === 'match') return true;
      if (instruction !== undefined && this.perform(instruction)) continue;
      if (!this.backtrack()) return false;
    }
  }

  /** Runs one instruction. Returns false if it fails. */
  private perform(instruction: Instruction): boolean {
    switch (instruction.op) {
      case 'character':
      case 'set':
        return this.consume(instruction);
      case 'split':
        return this.split(instruction);
      case 'meet':
        return this.meet(instruction);
      case 'jump':
        this.counter = instruction.x;
        return true;
      case 'save':
        this.registers.write(instruction.x, this.position);
        break;
      case 'clear':
        this.spend((instruction.y - instruction.x) >>> 2);
        for (let index = instruction.x; index < instruction.y; index += 1) this.registers.write(index, UNSET);
        break;
      case 'progress':
        if (this.registers.read(instruction.x) === this.position) return false;
        break;
      case 'start':
        if (!this.subject.atLineStart(this.position, this.flags.multiline)) return false;
        break;
      case 'end':
        if (!this.subject.atLineEnd(this.position, this.flags.multiline)) return false;
        break;
      case 'boundary':
      case 'notBoundary':
        if (this.atBoundary(instruction.set) !== (instruction.op === 'boundary')) return false;
        break;
      case 'backreference':
        if (!this.repeatGroup(instruction)) return false;
        break;
      case 'look':
        this.choose(this.counter, this.frame);
        this.frame = this.choices.length - CHOICE_SIZE;
        break;
      case 'lookEnd':
        return this.endLook();
      default:
        return false;
    }
    this.counter += 1;
    return true;
  }

  private consume(instruction: Instruction): boolean {
    const forward = instruction.y > 0;
    const character = forward
      ? this.subject.characterAt(this.position)
      : this.subject.characterBefore(this.position);
    if (this.subject.insidePair(this.position)) return false;
    if (instruction.op === 'character' ? character !== instruction.x : !this.isIn(instruction.set, character))
      return false;
    const width = widthOf(character);
    this.position += forward ? width : -width;
    this.counter += 1;
    return true;
  }

  private isIn(set: CharacterSet | undefined, character: number): boolean {
    if (set === undefined || character === NO_CHARACTER) return false;
    if (character > 0xff) this.spend(HOST_TEST_STEPS);
    return set.has(character);
  }

  private split(instruction: Instruction): boolean {
    const row = this.row(instruction.memo);
    if (row >= 0) {
      if (this.failed.has(row, this.position)) return false;
      if (instruction.memo?.success && this.succeeded.has(row, this.position)) return this.endLook();
    }
    this.choose(this.counter, row);
    this.counter = instruction.x;
    return true;
  }

  private meet(instruction: Instruction): boolean {
    const row = this.row(instruction.memo);
    if (row >= 0) {
      if (this.failed.has(row, this.position)) return false;
      if (instruction.memo?.success && this.succeeded.has(row, this.position)) return this.endLook();
      this.choose(~this.counter, row);
    }
    this.counter += 1;
    return true;
  }

  private row(memo: MemoRows | undefined): number {
    if (memo === undefined || memo.row < 0) return -1;
    let { row } = memo;
    for (const register of memo.loops) {
      if (this.registers.read(register) === this.position) break;
      row += 1;
    }
    return row;
  }

  private choose(counter: number, extra: number): void {
    const { choices } = this;
    choices.reserve(CHOICE_SIZE);
    choices.set(choices.length, counter);
    choices.set(choices.length + 1, this.position);
    choices.set(choices.length + 2, this.registers.mark);
    choices.set(choices.length + 3, extra);
    choices.length += CHOICE_SIZE;
  }

  /** Returns to the last choice with an untried alternative. Returns false if no choice remains. */
  private backtrack(): boolean {
    const { choices } = this;
    while (choices.length > 0) {
      this.spend(1);
      const base = choices.length - CHOICE_SIZE;
      const counter = choices.at(base);
      const extra = choices.at(base + 3);
      this.position = choices.at(base + 1);
      this.registers.unwind(choices.at(base + 2));
      const instruction = this.program.code[counter];
      if (instruction?.op === 'split') {
        // The entry remains while the second alternative runs. If that fails, the entry records the failure of both.
        if (extra >= 0) choices.set(base, ~counter);
        else choices.length = base;
        this.counter = instruction.y;
        return true;
      }
      choices.length = base;
      if (instruction === undefined) {
        this.failed.add(extra, this.position);
        continue;
      }
      this.frame = extra;
      if (instruction.y === 0) continue;
      this.counter = instruction.x;
      return true;
    }
    return false;
  }

  /** Leaves a lookaround whose body matched, and drops its choices. Returns false if it is negative. */
  private endLook(): boolean {
    const base = this.frame;
    const instruction = this.program.code[this.choices.at(base)];
    for (let index = base + CHOICE_SIZE; index < this.choices.length; index += CHOICE_SIZE)
      this.noteSuccess(index);
    this.choices.length = base;
    this.position = this.choices.at(base + 1);
    this.frame = this.choices.at(base + 3);
    this.counter = instruction?.x ?? 0;
    return instruction?.y === 0;
  }

  private noteSuccess(index: number): void {
    this.spend(1);
    const counter = this.choices.at(index);
    const row = this.choices.at(index + 3);
    const memo = this.program.code[counter < 0 ? ~counter : counter]?.memo;
    if (memo?.success && row >= 0) this.succeeded.add(row, this.choices.at(index + 1));
  }

  /** Consumes the text of a group again. A group that did not participate is empty text. */
  private repeatGroup(instruction: Instruction): boolean {
    const start = this.registers.read(2 * instruction.x);
    const end = this.registers.read(2 * instruction.x + 1);
    if (start < 0 || end < 0) return true;
    const length = end - start;
    const from = instruction.y > 0 ? this.position : this.position - length;
    if (from < 0 || from + length > this.subject.length) return false;
    if (!this.sameText(start, from, length)) return false;
    this.position = instruction.y > 0 ? from + length : from;
    return !this.subject.insidePair(this.position);
  }

  private sameText(first: number, second: number, length: number): boolean {
    let offset = 0;
    while (offset < length) {
      this.spend(1);
      const one = this.subject.characterAt(first + offset);
      const other = this.subject.characterAt(second + offset);
      if (one !== other) {
        if (!this.flags.ignoreCase) return false;
        this.spend(COMPARISON_STEPS);
        if (!this.sameIgnoringCase(one, other)) return false;
      }
      offset += widthOf(one);
    }
    return true;
  }

  private atBoundary(word: CharacterSet | undefined): boolean {
    return (
      this.isIn(word, this.subject.characterBefore(this.position)) !==
      this.isIn(word, this.subject.characterAt(this.position))
    );
  }

  private spend(count: number): void {
    this.steps += count;
    if (this.steps > MAX_STEPS) throw limitError('Regular expression needs too many steps for this text.');
  }
}

/** The character before the first and after the last character. */
const NO_CHARACTER = -1;

/** The text to match, read by UTF-16 units, or by code points with flag `u`. */
export class PatternSubject {
  readonly text: string;
  readonly length: number;
  private readonly unicode: boolean;

  constructor(text: string, unicode: boolean) {
    this.text = text;
    this.length = text.length;
    this.unicode = unicode;
  }

  characterAt(position: number): number {
    if (position >= this.length) return NO_CHARACTER;
    return (this.unicode ? this.text.codePointAt(position) : this.text.charCodeAt(position)) ?? NO_CHARACTER;
  }

  characterBefore(position: number): number {
    if (position <= 0) return NO_CHARACTER;
    if (this.insidePair(position - 1)) return this.text.codePointAt(position - 2) ?? NO_CHARACTER;
    return this.text.charCodeAt(position - 1);
  }

  /** Whether the position is inside a surrogate pair. */
  insidePair(position: number): boolean {
    return this.unicode && position > 0 && (this.text.codePointAt(position - 1) ?? 0) > 0xffff;
  }

  atLineStart(position: number, multiline: boolean): boolean {
    return position === 0 || (multiline && isLineTerminator(this.text.charCodeAt(position - 1)));
  }

  atLineEnd(position: number, multiline: boolean): boolean {
    return position === this.length || (multiline && isLineTerminator(this.text.charCodeAt(position)));
  }
}

/** Returns the number of UTF-16 units of a character. */
function widthOf(character: number): 1 | 2 {
  return character > 0xffff ? 2 : 1;
}

function isLineTerminator(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d || unit === 0x2028 || unit === 0x2029;
}

/** Value of an unset register. */
const UNSET = -1;

/** Positions of a matcher, with a trail of previous values for backtracking. */
export class Registers {
  private readonly values: Int32Array;
  /** Pairs of a register and its previous value. */
  private readonly trail = new IntegerStack();

  constructor(count: number) {
    this.values = new Int32Array(count).fill(UNSET);
  }

  get count(): number {
    return this.values.length;
  }

  /** Current state of the trail, for `unwind`. */
  get mark(): number {
    return this.trail.length;
  }

  reset(): void {
    this.values.fill(UNSET);
    this.trail.length = 0;
  }

  read(register: number): number {
    return this.values[register] ?? UNSET;
  }

  /** @throws IML_LIMIT if the trail is too long. */
  write(register: number, value: number): void {
    const old = this.read(register);
    if (old === value) return;
    const { trail } = this;
    trail.reserve(2);
    trail.set(trail.length, register);
    trail.set(trail.length + 1, old);
    trail.length += 2;
    this.values[register] = value;
  }

  unwind(mark: number): void {
    const { trail } = this;
    while (trail.length > mark) {
      trail.length -= 2;
      this.values[trail.at(trail.length)] = trail.at(trail.length + 1);
    }
  }
}

const FIRST_CAPACITY = 1024;

/** 64 MB. */
const MAX_CAPACITY = 2 ** 24;

/** A growable stack of 32-bit integers. */
export class IntegerStack {
  length = 0;
  private items = new Int32Array(FIRST_CAPACITY);

  /**
   * Reserves space for more items.
   * @throws IML_LIMIT
   */
  reserve(count: number): void {
    if (this.length + count <= this.items.length) return;
    if (this.items.length >= MAX_CAPACITY)
      throw limitError('Regular expression needs too much memory for this text.');
    const larger = new Int32Array(this.items.length * 2);
    larger.set(this.items);
    this.items = larger;
  }

  at(index: number): number {
    return this.items[index] ?? 0;
  }

  set(index: number, item: number): void {
    this.items[index] = item;
  }
}

/** 16 MB. */
const MAX_WORDS = 2 ** 22;

/** A bounded set of pairs of row and position. A full set ignores further pairs, which affects only time. */
export class OutcomeMemo {
  private readonly rows: (Uint32Array | undefined)[] = [];
  private readonly wordsPerRow: number;
  private freeWords = MAX_WORDS;

  constructor(textLength: number) {
    this.wordsPerRow = (textLength >>> 5) + 1;
  }

  has(row: number, position: number): boolean {
    const words = this.rows[row];
    return words !== undefined && ((words[position >>> 5] ?? 0) & (1 << (position & 31))) !== 0;
  }

  add(row: number, position: number): void {
    const words = this.rows[row] ?? this.newRow(row);
    if (words === undefined) return;
    words[position >>> 5] = (words[position >>> 5] ?? 0) | (1 << (position & 31));
  }

  private newRow(row: number): Uint32Array | undefined {
    if (this.wordsPerRow > this.freeWords) return undefined;
    this.freeWords -= this.wordsPerRow;
    const words = new Uint32Array(this.wordsPerRow);
    this.rows[row] = words;
    return words;
  }
}
