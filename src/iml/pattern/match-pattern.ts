import { limitError } from '../../errors/iml-error.js';
import { type CharacterSet, createCaseComparison, HOST_TEST_STEPS } from './character-set.js';
import { IntegerStack } from './integer-stack.js';
import { OutcomeMemo } from './outcome-memo.js';
import type { PatternFlags } from './pattern-flags.js';
import { MAX_STEPS } from './pattern-limits.js';
import type { Instruction, MemoPlace, PatternProgram } from './pattern-program.js';
import { NO_CHARACTER, PatternSubject, widthOf } from './pattern-subject.js';
import { Registers, UNSET } from './registers.js';

/** One match: the whole text of it and that of each group, or undefined for a group that took no part. */
export interface PatternMatch extends ReadonlyArray<string | undefined> {
  /** 0-based UTF-16 offset of the match. */
  readonly index: number;
}

/**
 * Numbers of a choice: instruction (its complement once nothing is left to try), position, mark of the registers, and the
 * memo row of a split or meet or the outer frame of a lookaround.
 */
const CHOICE_SIZE = 4;

/** What comparing two characters without case costs, which may make a new set. */
const COMPARISON_STEPS = 16;

/**
 * A backtracking matcher that remembers from where it failed, over one program and one text.
 * Without backreferences it visits each instruction and position a bounded number of times, over all starts and all matches
 * of the text together. Backreferences, and captures inside a positive lookaround, are the exceptions: they rely on MAX_STEPS.
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
    // V8 tries every unit, also with `u`: inside a pair only a match of the empty text can start.
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

  /** Runs one instruction. False if it fails. */
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

  private row(memo: MemoPlace | undefined): number {
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

  /** Goes back to the last choice with something left to try. False if there is none. */
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
        // The entry stays while the second way is tried, and turns into the note that both failed.
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

  /** Leaves a lookaround whose body matched, with all its choices. False if it is negative. */
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

  /** Consumes the text of a group again. A group that took no part is the empty text. */
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
    if (this.steps > MAX_STEPS) throw limitError('A regular expression needs too many steps on this text.');
  }
}
