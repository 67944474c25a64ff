import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/language/pattern/compile-pattern.js';
import { IntegerStack, OutcomeMemo } from '../../../src/language/pattern/match-pattern.js';
import { parsePattern } from '../../../src/language/pattern/parse-pattern.js';
import { worstCaseSteps } from '../../../src/language/pattern/pattern-cost.js';
import { type PatternNode, parseFlags } from '../../../src/language/pattern/pattern-node.js';
import { tracePattern } from '../../../src/language/pattern/replace-pattern.js';
import { stepsOfNaiveMatcher } from './naive-matcher.js';
import { busyPatterns } from './random-pattern.js';

const REPLACEMENT = '[$&|$1|$2|$3]';

function ours(pattern: string, flags: string, text: string): string {
  return tracePattern({ text, pattern, flags, replacement: REPLACEMENT }, 'own').result;
}

function hosts(pattern: string, flags: string, text: string): string {
  return text.replace(new RegExp(pattern, flags), REPLACEMENT);
}

describe('the own matcher returns the matches of the host engine', () => {
  it.each([
    // Characters at the edges of the lookup table, of UTF-16 units and of surrogate pairs.
    ['[^ÿ]', 'g', 'ÿĀþ'],
    ['ÿ', 'gi', 'ÿŸĀ'],
    ['[Āā]', 'gi', 'ĀāÿĂ'],
    ['\uffffa', 'g', '\uffffa \uffff'],
    ['\uffffa', 'gu', '\uffffa \uffff'],
    ['\uffff', 'gi', '\uffff uuu'],
    ['\uffff', 'giu', '\uffff uuu'],
    ['\u{10000}|\uffff', 'giu', '\uffff\u{10000}'],
    ['.', 'g', 'a\nb\u2028c\rd'],
    ['.', 'gs', 'a\nb\u2028c\rd'],
    ['.', 'gsu', '😀\n\ud83d'],
    ['[^]', 'gu', '😀\ude00\ud83d'],
    ['a.', 'gsi', 'a\nA\u2029'],
    ['(?<=😀)|(?<=\ude00)', 'gu', '😀\ude00'],
    ['\ude00', 'gu', '😀\ude00'],
    ['[\ude00x]', 'gu', 'x😀\ude00'],
    ['(?<=\ude00)b', 'gu', '😀b\ude00b'],
    ['\ude00', 'g', '😀\ude00'],
    ['(?<=\ud83d)', 'g', '😀a'],
    ['.', 'g', '😀a'],
    ['(?:)', 'gu', '\uffffa'],
    // Lines and words.
    ['^|$', 'g', 'a\nb'],
    ['^|$', 'gm', 'a\nb\rc\u2028d\u2029\n'],
    ['^a$', 'gm', 'a\nab\na'],
    ['\\b', 'g', ' ab_1 é-'],
    ['\\B', 'g', ' ab_1 é-'],
    ['\\b.', 'giu', 'a\u212as ſ'],
    // Escapes and classes with unusual ends.
    ['[\\]a]+', 'g', 'a]b\\'],
    ['[a\\]b]c', 'g', 'ac ]c bc \\c'],
    ['[\\\\]', 'g', 'a\\]'],
    ['\\c', 'g', 'a\\cb c'],
    ['x\\c1', 'g', 'x\\c1 xc1'],
    ['\\cA|\\cj', 'g', 'a\u0001\nj'],
    ['[\\c]', 'g', '\\c'],
    ['a{', 'g', 'a{ a'],
    ['a{1', 'g', 'a{1 a'],
    ['a{,2}', 'g', 'a{,2} aa'],
    ['{', 'g', 'a{'],
    ['a]}', 'g', 'a]} a'],
    // Counts.
    ['a{5}', 'g', 'aa'],
    ['a{2}', 'g', ''],
    ['a{2}', 'g', 'aaaaa'],
    ['a{2,3}', 'g', 'aaaa'],
    ['(?:a|ab){1,2}', 'g', 'aab'],
    ['(a{1,2}?)(a{2,4})', 'g', 'aaaaaaa'],
    ['a{0}b', 'g', 'ab'],
    ['(a{0,3}){0,4}b', 'g', 'aaaaab'],
    ['(?:){3}a', 'g', 'aa'],
    ['(a?){2}', 'g', 'aaa'],
    ['(a){1,2}?b', 'g', 'aab'],
    ['(a|ab){2,3}(c|bc)', 'g', 'aababcac'],
    ['(a?){3,}b', 'g', 'aab'],
    // An iteration after the minimum that consumes nothing fails, and its captures are undone.
    ['(?:a|(?=(b)))*', 'g', 'aab'],
    ['(?:a|(?=(b))){0,2}', 'g', 'aaab'],
    ['(?:a|(?=(b))){1,2}', 'g', 'b--'],
    ['(?:(?:a|(?=(b)))*){0,2}', 'g', 'ab--'],
    ['(?:(?:(?:a|(?=(b)))*)*)*b', 'g', 'aab'],
    ['(?:(a)|(b)|(c))*', 'g', 'abcab-c'],
    ['(?:(a)|b)*?c', 'g', 'abc'],
    ['(?:(?=(a))|a)+b', 'g', 'aab'],
    // Groups after a loop with a group are kept, also from right to left.
    ['(?<=(a)*(b))c', 'g', 'aabc'],
    ['(?<=(b)(a)*)c', 'g', 'baac'],
    ['(?<=([ab]+)([bc]+))$', 'g', 'abc'],
    ['(?<=a|bc)d', 'g', 'ad bcd cd'],
    ['(?<=^|-)a', 'g', 'a-aa'],
    ['(?<!a(?=b))b', 'g', 'ab bb'],
    // One position, before and after an iteration has consumed a character.
    ['(?<=c(?:a?(?:b|))*)[abc]', 'g', 'cba'],
    ['(?<=c(?:a?(?:b|))+)[abc]', 'g', 'cbaa'],
    ['(?<=bc(?:a?(?:b|)){0,3})[abc]', 'g', 'bcba'],
    ['(?<=(?!b)(?:(?:b|)a?)*)[abc]', 'g', 'ab'],
    ['(?<=c(?:(?:b|)a?){0,3})[abc]', 'g', 'caa'],
    ['(?<=c(?:(?:a?(?:b|))*c?)*)[abc]', 'g', 'cbacba'],
    ['(?:(?=(?:(?:a?b?)*)*c)[abc])+', 'g', 'aaac'],
    ['(?:(?=(?:(?:a?b?)*)*$)[abc])+', 'g', 'aaa'],
    // Nested lookarounds.
    ['(?!(?:(?=a)b|a)c)a', 'g', 'acab'],
    ['(?=(?!ab)(a))a', 'g', 'abaa'],
    ['(?!(?!(?=a)a)a)a', 'g', 'aba'],
    ['(?:(?!(?:a|b)*c)[abd])*', 'g', 'abdabc'],
    ['(?=(a+?)(b?))(?=(a*))', 'g', 'aab'],
    ['(?=a)*b', 'g', 'ab'],
    ['(?!a)?b', 'g', 'ab'],
    ['(?<=(?=(a)).)(?=(b))', 'g', 'ab'],
    // Backreferences: to several characters, to an open group, to a later group, case-insensitive.
    ['(ab)\\1', 'g', 'abab abac abcb cbab'],
    ['(abc)\\1', 'g', 'abcabc abcabd abcxbc'],
    ['(ab)\\1', 'gi', 'abAB aBbA abAC'],
    ['(ab)(?!\\1)', 'g', 'ababac'],
    ['(a\\1)b', 'g', 'ab'],
    ['(?:b(a\\1))+', 'g', 'bababa'],
    ['(?<=(\\1a))b', 'g', 'ab'],
    ['(?<=(\\1a)b)', 'g', 'aab'],
    ['\\1(a)', 'g', 'aa'],
    ['(?:\\2b|(a)(b))+', 'g', 'ababb'],
    ['(a+)\\1', 'g', 'aaaaa'],
    ['(a+?)\\1b', 'g', 'aaaab'],
    ['(a)\\1', 'g', 'a'],
    ['(?<=\\1(ab))c', 'g', 'ababc abc'],
    ['(?<=(ab)\\1)c', 'g', 'ababc abc'],
    ['(?<=\\1(a))b', 'g', 'ab'],
    ['(a|ab)(?:c|bcd)(d*)\\1', 'g', 'abcda abcdab'],
    ['(?:(a)|(b)|c)*\\1-', 'g', 'abca- cba-'],
    ['(?:(a|ab)|b)*c\\1', 'g', 'abcab aabca'],
    ['(?:(a)|b)*?\\1c', 'g', 'abaac abc'],
    ['(.)(?:x|\\1)*y', 'g', 'aaxay'],
    ['(?:(?:\\1x|(a|ab))-?)+b', 'g', 'a-ax-ab'],
    ['(?:(a*)|b)+\\1c', 'g', 'abaac'],
    ['(?=(a|ab))\\1c', 'g', 'abc ac'],
    // One position of the text, reached with different captures.
    ['^(a|aa)(a|)(?:\\1b|(?:c|d)e)*$', 'g', 'aaceaab'],
    ['^(a|aa)(a|)(?:(?:c|d)e|\\1b)*$', 'g', 'aaceaab'],
    ['^(a|aa)(a|)(?:c|d)(?=\\1b)', 'g', 'aacaab'],
    ['^(a|aa)(a|)(?:c|d)(?!\\1c)', 'g', 'aacaca'],
    ['^(a|aa)(a|)(?:c|d)*(?:e|f)\\1b', 'g', 'aaceaab'],
    ['(?:(?=(a+))|a)+\\1', 'g', 'aaa'],
    ['(😀)\\1', 'gu', '😀😀 😀\ud83d'],
    // Matches do not overlap, and the search advances after an empty match.
    ['a*', 'g', 'baac'],
    ['a*?', 'g', 'aa'],
    ['(?:)', 'gu', '😀a'],
    ['a', 'y', 'aab'],
    ['a', 'gy', 'aaba'],
    ['b', 'y', 'ab'],
    ['$', 'gy', ''],
    ['', 'g', ''],
  ])('for /%s/%s in %j', (pattern, flags, text) => {
    expect(ours(pattern, flags, text)).toBe(hosts(pattern, flags, text));
  });

  const texts = fc
    .array(fc.constantFrom('a', 'a', 'b', 'c'), { maxLength: 7 })
    .map((units) => units.join(''));
  const uses = fc.array(texts, { minLength: 6, maxLength: 6 });

  it('for random patterns with backreferences', () => {
    const captured = fc
      .tuple(
        busyPatterns,
        busyPatterns,
        fc.constantFrom('\\1', '(?:\\1|a)', '(?:b|\\1)*', '\\1?'),
        busyPatterns,
      )
      .map(([first, second, again, last]) => `(${first})(?:${second})${again}(?:${last})`);
    const looped = fc
      .tuple(captured, fc.constantFrom('*', '+?', '{0,2}', '{2}'))
      .map(([pattern, count]) => `(?:c|${pattern})${count}`);
    const property = fc.property(fc.oneof(captured, looped), uses, (pattern, someTexts) => {
      for (const text of someTexts) agree(pattern, text);
    });
    fc.assert(property, { numRuns: 1_200 });
  });

  it('for random patterns with lookarounds', () => {
    const opening = fc.constantFrom('(?=', '(?!', '(?<=', '(?<!');
    const looking = fc
      .tuple(opening, busyPatterns, opening, busyPatterns, fc.constantFrom('', 'a', 'b*'))
      .map(
        ([outer, first, inner, second, last]) => `(?:${outer}(?:${inner}${second})${last}|${first})*)|.)+`,
      );
    const property = fc.property(looking, uses, (pattern, someTexts) => {
      for (const text of someTexts) agree(pattern, text);
    });
    fc.assert(property, { numRuns: 1_200 });
  });

  /** A pattern with backreferences may exceed the step limit, because its failures are not memoized. */
  function agree(pattern: string, text: string): void {
    let result: string;
    try {
      result = ours(pattern, 'g', text);
    } catch (error) {
      expect(error).toMatchObject({ code: 'IML_LIMIT' });
      return;
    }
    const expected = hosts(pattern, 'g', text);
    if (result !== expected) expect({ pattern, text, result }).toEqual({ pattern, text, result: expected });
  }
});

describe('the number of steps of the own matcher', () => {
  /** Steps per instruction and position: one to execute it, and one to backtrack to each of two alternatives. */
  const MOST_STEPS = 3;

  function program(pattern: string, length: number): { instructions: number; loops: number } {
    const flags = parseFlags('g');
    const { code } = compilePattern(parsePattern(pattern, flags), {
      flags,
      textLength: length,
      sets: new Map(),
    });
    return {
      instructions: code.length,
      loops: Math.max(0, ...code.map(({ memo }) => memo?.loops.length ?? 0)),
    };
  }

  /** Each loop whose iterations must consume adds one state per position. */
  function mostSteps(pattern: string, length: number): number {
    const { instructions, loops } = program(pattern, length);
    return MOST_STEPS * instructions * (1 + loops) * (length + 1);
  }

  it.each([
    ['(a+)+$', 'a', '!'],
    ['(a|a)*b', 'a', ''],
    ['(a|a)*', 'a', ''],
    ['(.*a){20}', 'b', ''],
    ['(.*a){20}$', 'a', 'b'],
    ['^(\\w+\\s?)*$', 'word ', '!'],
    ['(x+x+)+y', 'x', ''],
    ['(((((a*)*)*)*)*)*b', 'a', ''],
    ['\\s+$', ' ', 'x'],
    ['(?=.*x)y', 'a', 'x'],
    ['(?!.*x)y', 'a', 'x'],
    ['(?:(?=.*x).)*y', 'a', 'x'],
    ['(?:(?!.*x).)*y', 'a', ''],
    ['(?:(?=.*?x).)*y', 'a', 'x'],
    ['(?<=a*)b', 'a', ''],
    ['(?<!a*)b', 'a', ''],
    ['(?<!(a|aa)*)b', 'a', 'b'],
    ['((?=(?:a|aa)+$)a)*b', 'a', ''],
    ['(?!(?:a|aa)*(b))a', 'a', 'b'],
    ['(?:a?){30}b', 'a', ''],
    ['(?:a|a){30}b', 'a', ''],
    ['(?:a{0,3}){0,4}b', 'a', ''],
    ['(?:(?:a?b?)*c?)*d', 'ab', ''],
    ['(?:a*?)*?b', 'a', ''],
    ['(?:(a)|b)*c', 'ab', ''],
    ['(?:(?:a|b)|(?:b|a))*c', 'ab', ''],
    ['(?:[ab]|b|a)*c', 'ab', 'd'],
    [`(?:${Array.from({ length: 20 }, () => 'a').join('|')})${'a'.repeat(20)}b`, 'a', ''],
    [`a{0,20}${'a'.repeat(20)}b`, 'a', ''],
  ])('is linear for /%s/', (pattern, unit, end) => {
    const text = unit.repeat(200) + end;
    const { steps } = tracePattern({ text, pattern, flags: 'g', replacement: '' }, 'own');
    expect(steps).toBeGreaterThan(0);
    expect(steps).toBeLessThanOrEqual(mostSteps(pattern, text.length));
  });

  it('is linear for random patterns', () => {
    const texts = fc
      .array(fc.constantFrom('a', 'a', 'a', 'b'), { maxLength: 60 })
      .map((units) => units.join(''));
    const property = fc.property(busyPatterns, texts, (pattern, text) => {
      // States with captures of a lookaround are not memoized.
      fc.pre(!(/\(\?<?=/.test(pattern) && /\((?!\?)/.test(pattern)));
      const { steps } = tracePattern({ text, pattern, flags: 'g', replacement: '' }, 'own');
      const most = mostSteps(pattern, text.length);
      if (steps > most) expect({ pattern, text, steps }).toEqual({ pattern, text, steps: `at most ${most}` });
    });
    fc.assert(property, { numRuns: 1_500 });
  });
});

describe('IntegerStack', () => {
  it('grows and keeps its items', () => {
    const stack = new IntegerStack();
    for (let index = 0; index < 5_000; index += 1) {
      stack.reserve(1);
      stack.set(index, -index);
      stack.length += 1;
    }
    expect(Array.from({ length: 5_000 }, (_, index) => stack.at(index) + index).some(Boolean)).toBe(false);
  });

  it('throws above 2^24 items', () => {
    const stack = new IntegerStack();
    for (let capacity = 1_024; capacity < 2 ** 24; capacity *= 2) {
      stack.length = capacity;
      stack.reserve(1);
    }
    stack.length = 2 ** 24 - 2;
    expect(() => stack.reserve(2)).not.toThrow();
    expect(() => stack.reserve(3)).toThrow(
      expect.objectContaining({
        code: 'IML_LIMIT',
        message: 'Regular expression needs too much memory for this text.',
      }),
    );
  });
});

describe('OutcomeMemo', () => {
  it('contains the pairs that were added', () => {
    const length = 100;
    const pairs = fc.array(fc.tuple(fc.nat(5), fc.nat(length)), { maxLength: 80 });
    const property = fc.property(pairs, (added) => {
      const memo = new OutcomeMemo(length);
      const expected = new Set<string>();
      for (const [row, position] of added) {
        memo.add(row, position);
        expected.add(`${row} ${position}`);
      }
      const all = Array.from(
        { length: 6 * (length + 1) },
        (_, index) => [index % 6, Math.floor(index / 6)] as const,
      );
      const known = all.filter(([row, position]) => memo.has(row, position)).map((pair) => pair.join(' '));
      expect(new Set(known)).toEqual(expected);
    });
    fc.assert(property, { numRuns: 10 });
  });

  it('ignores pairs after 2^27 bits', () => {
    const length = 2 ** 25 - 1;
    const memo = new OutcomeMemo(length);
    for (const row of [7, 1, 2, 3, 4]) for (const position of [0, 31, 32, length]) memo.add(row, position);
    const kept = [7, 1, 2, 3, 4].filter(
      (row) => memo.has(row, 0) && memo.has(row, 31) && memo.has(row, length),
    );
    expect(kept).toEqual([7, 1, 2, 3]);
    expect(memo.has(4, 0)).toBe(false);
    memo.add(3, 33);
    expect(memo.has(3, 33)).toBe(true);
    expect(memo.has(3, 34)).toBe(false);
  });
});

/** Step limit of the naive matcher. Cases above it are not compared. */
const MOST_STEPS = 5_000;

/** Each match ends with a failing iteration, which the bound counts once per position. */
const ITERATIONS_THAT_FAIL = 2;

function rootOf(pattern: string): PatternNode {
  return parsePattern(pattern, parseFlags('')).root;
}

describe('the worst-case steps of a pattern', () => {
  const texts = fc.array(fc.constantFrom('a', 'a', 'b'), { maxLength: 14 }).map((units) => units.join(''));
  const uses = fc.array(texts, { minLength: 5, maxLength: 5 });

  it('are an upper bound of the steps of a naive matcher', () => {
    const property = fc.property(busyPatterns, uses, (pattern, someTexts) => {
      const root = rootOf(pattern);
      for (const text of someTexts) {
        const steps = stepsOfNaiveMatcher(root, text, MOST_STEPS);
        const bound = ITERATIONS_THAT_FAIL * worstCaseSteps(root, text.length);
        if (steps === undefined || steps <= bound) continue;
        expect({ pattern, text, steps }).toEqual({ pattern, text, steps: `at most ${bound}` });
      }
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it.each([
    ['(?:a|a){4}a{10}b', 'a'],
    ['(?:a|a){2,4}a{10}b', 'a'],
    ['(?:a|a|a){3}(?=a{10})b', 'a'],
    ['(?<=b{10}(?:a|a){4})c', 'b'],
    ['(?:a|b)(?:a|a)(?:a|a)[ab]{20}c', 'ab'],
  ])('of /%s/ count the following nodes once per way to match', (pattern, unit) => {
    const root = rootOf(pattern);
    const text = unit.repeat(60);
    const steps = stepsOfNaiveMatcher(root, text, 100 * MOST_STEPS);
    expect(steps).toBeLessThanOrEqual(ITERATIONS_THAT_FAIL * worstCaseSteps(root, text.length));
    expect(steps).toBeGreaterThan(0);
  });

  // An estimate that is far too high would keep cheap patterns from the host engine.
  it.each([
    ['a', 1, 1],
    ['\\b', 1, 1],
    ['[a-f0-9]', 1, 1],
    ['abc', 1, 4],
    ['ab|cd|ef', 1, 10],
    ['\\s+', 1, 4],
    ['\\s*', 1, 2],
    ['<[^>]', 1, 3],
    ['-\\d+', 1, 6],
    ['(a|b)*', 1, 4],
    ['(?:a|b|c)+', 1, 16],
    ['(\\d{4})-(\\d\\d)-(\\d\\d)', 1, 30],
    ['(?=a)b', 1, 4],
    ['(?<!a)b', 1, 4],
    ['(?<=ba)c', 1, 6],
    ['a{2,5}b', 1, 30],
    ['(?:a?){2}', 1, 40],
    ['a+b', 2, 6],
    ['^\\s+|\\s+$', 2, 12],
    ['<[^>]*>', 2, 8],
    ['(?=a*)b', 2, 6],
    ['(?<!a*b)c', 2, 6],
    ['a{2,}b', 2, 6],
    ['a*a*b', 3, 10],
    ['(?<=ba*a*)c', 3, 10],
    ['a*a*a*b', 4, 10],
  ])('of /%s/ grow with the power %i of the length', (pattern, power, most) => {
    const root = rootOf(pattern);
    const steps = worstCaseSteps(root, 1_000);
    expect(worstCaseSteps(root, 2_000) / steps).toBeCloseTo(2 ** power, 1);
    expect(steps / 1_001 ** power).toBeLessThanOrEqual(most);
  });

  it.each(['(a+)+b', '(?:a|a)*b', '(.*a){20}b', '(?:a|a)(?:a|a){30}$', `${'a?'.repeat(40)}b`, '(a)\\1'])(
    'of /%s/ are too many for the host engine',
    (pattern) => {
      expect(worstCaseSteps(rootOf(pattern), 100)).toBeGreaterThan(1e9);
    },
  );
});
