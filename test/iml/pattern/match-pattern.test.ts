import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/iml/pattern/compile-pattern.js';
import { parsePattern } from '../../../src/iml/pattern/parse-pattern.js';
import { parseFlags } from '../../../src/iml/pattern/pattern-node.js';
import { tracePattern } from '../../../src/iml/pattern/replace-pattern.js';
import { portionsOf } from '../portions.js';
import { busyPatterns } from './random-pattern.js';

const REPLACEMENT = '[$&|$1|$2|$3]';

function ours(pattern: string, flags: string, text: string): string {
  return tracePattern({ text, pattern, flags, replacement: REPLACEMENT }, 'own').result;
}

function hosts(pattern: string, flags: string, text: string): string {
  return text.replace(new RegExp(pattern, flags), REPLACEMENT);
}

describe('our own matcher gives what the host gives', () => {
  it.each([
    // Characters at the edges of what is looked up in a table, of units and of pairs.
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
    // Escapes and classes that end in odd places.
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
    // An iteration beyond the minimum that consumes nothing fails, and what it captured is undone.
    ['(?:a|(?=(b)))*', 'g', 'aab'],
    ['(?:a|(?=(b))){0,2}', 'g', 'aaab'],
    ['(?:a|(?=(b))){1,2}', 'g', 'b--'],
    ['(?:(?:a|(?=(b)))*){0,2}', 'g', 'ab--'],
    ['(?:(?:(?:a|(?=(b)))*)*)*b', 'g', 'aab'],
    ['(?:(a)|(b)|(c))*', 'g', 'abcab-c'],
    ['(?:(a)|b)*?c', 'g', 'abc'],
    ['(?:(?=(a))|a)+b', 'g', 'aab'],
    // What follows a loop with a group of its own stays, also from right to left.
    ['(?<=(a)*(b))c', 'g', 'aabc'],
    ['(?<=(b)(a)*)c', 'g', 'baac'],
    ['(?<=([ab]+)([bc]+))$', 'g', 'abc'],
    ['(?<=a|bc)d', 'g', 'ad bcd cd'],
    ['(?<=^|-)a', 'g', 'a-aa'],
    ['(?<!a(?=b))b', 'g', 'ab bb'],
    // One place, before and after an iteration has consumed something.
    ['(?<=c(?:a?(?:b|))*)[abc]', 'g', 'cba'],
    ['(?<=c(?:a?(?:b|))+)[abc]', 'g', 'cbaa'],
    ['(?<=bc(?:a?(?:b|)){0,3})[abc]', 'g', 'bcba'],
    ['(?<=(?!b)(?:(?:b|)a?)*)[abc]', 'g', 'ab'],
    ['(?<=c(?:(?:b|)a?){0,3})[abc]', 'g', 'caa'],
    ['(?<=c(?:(?:a?(?:b|))*c?)*)[abc]', 'g', 'cbacba'],
    ['(?:(?=(?:(?:a?b?)*)*c)[abc])+', 'g', 'aaac'],
    ['(?:(?=(?:(?:a?b?)*)*$)[abc])+', 'g', 'aaa'],
    // Lookarounds inside of lookarounds.
    ['(?!(?:(?=a)b|a)c)a', 'g', 'acab'],
    ['(?=(?!ab)(a))a', 'g', 'abaa'],
    ['(?!(?!(?=a)a)a)a', 'g', 'aba'],
    ['(?:(?!(?:a|b)*c)[abd])*', 'g', 'abdabc'],
    ['(?=(a+?)(b?))(?=(a*))', 'g', 'aab'],
    ['(?=a)*b', 'g', 'ab'],
    ['(?!a)?b', 'g', 'ab'],
    ['(?<=(?=(a)).)(?=(b))', 'g', 'ab'],
    // Backreferences: to more than a character, to what is open, to what comes later, without case.
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
    // One place of the text, reached with other captures before.
    ['^(a|aa)(a|)(?:\\1b|(?:c|d)e)*$', 'g', 'aaceaab'],
    ['^(a|aa)(a|)(?:(?:c|d)e|\\1b)*$', 'g', 'aaceaab'],
    ['^(a|aa)(a|)(?:c|d)(?=\\1b)', 'g', 'aacaab'],
    ['^(a|aa)(a|)(?:c|d)(?!\\1c)', 'g', 'aacaca'],
    ['^(a|aa)(a|)(?:c|d)*(?:e|f)\\1b', 'g', 'aaceaab'],
    ['(?:(?=(a+))|a)+\\1', 'g', 'aaa'],
    ['(😀)\\1', 'gu', '😀😀 😀\ud83d'],
    // Nothing is found twice, and an empty match goes one further.
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

  it.each(portionsOf(1_200, 8))('for groups that come again, part %#', (portion) => {
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
    fc.assert(property, portion);
  });

  it.each(portionsOf(1_200, 8))('for what looks around, part %#', (portion) => {
    const opening = fc.constantFrom('(?=', '(?!', '(?<=', '(?<!');
    const looking = fc
      .tuple(opening, busyPatterns, opening, busyPatterns, fc.constantFrom('', 'a', 'b*'))
      .map(
        ([outer, first, inner, second, last]) => `(?:${outer}(?:${inner}${second})${last}|${first})*)|.)+`,
      );
    const property = fc.property(looking, uses, (pattern, someTexts) => {
      for (const text of someTexts) agree(pattern, text);
    });
    fc.assert(property, portion);
  });

  /** What needs too many steps is given up, as nothing is remembered where a group comes again. */
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

describe('the steps of our own matcher', () => {
  /** Of an instruction at one place of a text: to go through it, and to come back to a choice, for each of its two ways. */
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

  /** Loops that must consume double what has to be told apart at a place. */
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
  ])('of /%s/ are a few for each instruction and place', (pattern, unit, end) => {
    const text = unit.repeat(200) + end;
    const { steps } = tracePattern({ text, pattern, flags: 'g', replacement: '' }, 'own');
    expect(steps).toBeGreaterThan(0);
    expect(steps).toBeLessThanOrEqual(mostSteps(pattern, text.length));
  });

  it.each(portionsOf(1_500, 15))('of random patterns, too, part %#', (portion) => {
    const texts = fc
      .array(fc.constantFrom('a', 'a', 'a', 'b'), { maxLength: 60 })
      .map((units) => units.join(''));
    const property = fc.property(busyPatterns, texts, (pattern, text) => {
      // What a lookaround captures is not remembered.
      fc.pre(!(/\(\?<?=/.test(pattern) && /\((?!\?)/.test(pattern)));
      const { steps } = tracePattern({ text, pattern, flags: 'g', replacement: '' }, 'own');
      const most = mostSteps(pattern, text.length);
      if (steps > most) expect({ pattern, text, steps }).toEqual({ pattern, text, steps: `at most ${most}` });
    });
    fc.assert(property, portion);
  });
});
