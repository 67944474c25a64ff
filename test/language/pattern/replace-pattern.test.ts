import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/language/pattern/compile-pattern.js';
import { parsePattern } from '../../../src/language/pattern/parse-pattern.js';
import { MAX_RESULT_LENGTH, MAX_STEPS, parseFlags } from '../../../src/language/pattern/pattern-node.js';
import {
  type ReplaceRequest,
  replacePattern,
  TextBuilder,
  tracePattern,
} from '../../../src/language/pattern/replace-pattern.js';
import { flagLists, patterns, replacements, texts } from './random-pattern.js';

const INVALID = Symbol('invalid');

function hostResult({ text, pattern, flags, replacement }: ReplaceRequest): string | typeof INVALID {
  try {
    return text.replace(new RegExp(pattern, flags), replacement);
  } catch {
    return INVALID;
  }
}

function ourResult(request: ReplaceRequest, engine: 'auto' | 'own'): string | typeof INVALID {
  try {
    return tracePattern(request, engine).result;
  } catch (error) {
    if (codeOf(error) === 'IML_FUNCTION') return INVALID;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error;
}

function thrownBy(run: () => unknown): { code: unknown; message: string } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return { code: codeOf(error), message: error instanceof Error ? error.message : '' };
  }
}

/** Texts per pattern, because compiling a pattern costs more than running it. */
const TEXTS_PER_PATTERN = 10;

/** Number of random patterns. */
const RANDOM_PATTERNS = { legacy: 1_400, unicode: 800 };

describe('random patterns have the results of the host engine', () => {
  const uses = fc.array(fc.tuple(texts, replacements), {
    minLength: TEXTS_PER_PATTERN,
    maxLength: TEXTS_PER_PATTERN,
  });

  function agrees(request: ReplaceRequest): void {
    const expected = hostResult(request);
    for (const engine of ['own', 'auto'] as const) {
      const result = ourResult(request, engine);
      // An assertion costs more than a replacement, so compare first.
      if (result !== expected)
        expect({ request, engine, result }).toEqual({ request, engine, result: expected });
    }
  }

  // Excludes backreferences with flag `u`, because the host engine may crash on them.
  for (const [title, unicode, numRuns] of [
    ['without flag u', false, RANDOM_PATTERNS.legacy],
    ['with flag u', true, RANDOM_PATTERNS.unicode],
  ] as const) {
    it(`${title}`, () => {
      const generated = patterns({ unicode, backreferences: !unicode });
      const property = fc.property(generated, flagLists, uses, (pattern, letters, pairs) => {
        const flags = unicode ? `${letters}u` : letters;
        for (const [text, replacement] of pairs) agrees({ text, pattern, flags, replacement });
      });
      fc.assert(property, { numRuns: numRuns });
    });
  }

  it('for random pattern text, valid or not', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'()[]{}|*+?.^$\\=!<:,-ab10cuxpkw/'), maxLength: 14 });
    const property = fc.property(noise, texts, fc.constantFrom('', 'g', 'u'), (pattern, text, flags) => {
      fc.pre(!(pattern.includes('(?<') && !/\(\?<[=!]/.test(pattern)));
      fc.pre(!(flags === 'u' && /\\[1-9]/.test(pattern)));
      const request = { text, pattern, flags, replacement: '<$1>' };
      const expected = hostResult(request);
      const ours = ourResult(request, 'own');
      // A named group is valid in the host engine and an error here.
      if (!(ours === INVALID && /\(\?<[^=!]/.test(pattern))) expect(ours).toBe(expected);
    });
    fc.assert(property, { numRuns: 5_000 });
  });
});

describe('the own matcher', () => {
  function replacesTo(pattern: string, flags: string, text: string, result: string): void {
    it(`replaces /${pattern}/${flags} in ${JSON.stringify(text)}`, () => {
      expect(tracePattern({ text, pattern, flags, replacement: '[$1|$2]' }, 'own')).toMatchObject({
        result,
        engine: 'own',
      });
    });
  }
  replacesTo('(a*)*', '', 'b', '[|$2]b');
  replacesTo('(?:(a)|b)*', '', 'ab', '[|$2]');
  replacesTo('(z)((a+)?(b+)?(c))*', '', 'zaacbbbcac', '[z|ac]');
  replacesTo('(?=(a+))a*b\\1', '', 'baaabac', 'baa[a|$2]c');
  replacesTo('(?<=(\\d+)(\\d+))$', '', '1053', '1053[1|053]');
  replacesTo('(?<=\\1(a))b', '', 'aab', 'aa[a|$2]');
  replacesTo('(.)\\1', 'giu', 'kK\u212a\u{10400}\u{10428}', '[k|$2]\u212a[\u{10400}|$2]');
  replacesTo('(\ude00)\\1', 'u', '\ude00\ud83d\ude00', '\ude00\ud83d\ude00');
  replacesTo('(?<=\\1(\ude00))x', 'u', '😀\ude00x', '😀\ude00x');
  replacesTo('(?=(a*)b)a', 'g', 'aab', '[aa|$2][a|$2]b');
  replacesTo('(?:a|(?!(.*)c)b)*', 'g', 'abab', '[|$2][|$2]');
  replacesTo('(a{2,3}?)(a{0,2})', 'g', 'aaaaaaa', '[aa|aa][aa|a]');
});

describe('an invalid pattern', () => {
  function throws(pattern: string, flags: string, message: string): void {
    it(`/${pattern}/${flags} throws ${JSON.stringify(message)}`, () => {
      const thrown = thrownBy(() => replacePattern('text', pattern, flags, ''));
      expect(thrown).toEqual({ code: 'IML_FUNCTION', message });
    });
  }
  throws('a**', '', 'Invalid regular expression: nothing to repeat at position 3.');
  throws('a(b', '', 'Invalid regular expression: unterminated group at position 2.');
  throws('a)b', '', 'Invalid regular expression: unmatched ) at position 2.');
  throws('x[b-a]', '', 'Invalid regular expression: invalid character class at position 2.');
  throws('x[a', '', 'Invalid regular expression: unterminated character class at position 2.');
  throws('ab\\', '', 'Invalid regular expression: \\ at the end at position 3.');
  throws('a{3,2}', '', 'Invalid regular expression: numbers of a quantifier out of order at position 2.');
  throws('(?<name>a)', '', 'Invalid regular expression: named groups are not supported at position 1.');
  throws('(?#a)', '', 'Invalid regular expression: unknown kind of group at position 1.');
  throws('(?<=a)+', '', 'Invalid regular expression: nothing to repeat at position 7.');
  throws('\\p{Nothing}', 'u', 'Invalid regular expression: invalid escape at position 1.');
  throws('(a)\\2', 'u', 'Invalid regular expression: invalid escape at position 4.');
  throws('a{1', 'u', 'Invalid regular expression: incomplete quantifier at position 2.');
  throws('a]', 'u', 'Invalid regular expression: lone bracket at position 2.');
  throws('?', '', 'Invalid regular expression: nothing to repeat at position 1.');
  throws('+a', '', 'Invalid regular expression: nothing to repeat at position 1.');
  throws('a|*', '', 'Invalid regular expression: nothing to repeat at position 3.');
  throws('({2})', '', 'Invalid regular expression: nothing to repeat at position 2.');
  throws('a{', 'u', 'Invalid regular expression: incomplete quantifier at position 2.');
  throws('{', 'u', 'Invalid regular expression: nothing to repeat at position 1.');
  throws('a}', 'u', 'Invalid regular expression: lone bracket at position 2.');
  throws('^*', '', 'Invalid regular expression: nothing to repeat at position 2.');
  throws('a\\b+', '', 'Invalid regular expression: nothing to repeat at position 4.');
  throws('(?=a)*', 'u', 'Invalid regular expression: nothing to repeat at position 6.');
  throws('(?<!a)*', '', 'Invalid regular expression: nothing to repeat at position 7.');
  throws('[a\\]', '', 'Invalid regular expression: unterminated character class at position 1.');
  throws('[a\\', '', 'Invalid regular expression: unterminated character class at position 1.');
  throws('\\c', 'u', 'Invalid regular expression: invalid escape at position 1.');
  throws('\\-', 'u', 'Invalid regular expression: invalid escape at position 1.');
  throws('a', 'gg', "Duplicate flag 'g' of a regular expression.");
  throws('a', 'gx', "Unknown flag 'x' of a regular expression. Known flags: dgimsuy.");
  throws('a', 'v', "Unknown flag 'v' of a regular expression. Known flags: dgimsuy.");
});

describe('the chosen engine', () => {
  function choosesFor(pattern: string, length: number, engine: 'host' | 'own'): void {
    it(`is ${engine} for /${pattern}/ and ${length} characters`, () => {
      expect(tracePattern({ text: 'b'.repeat(length), pattern, flags: 'g', replacement: '' }).engine).toBe(
        engine,
      );
    });
  }
  choosesFor('[^0-9]', 2_000_000, 'host');
  choosesFor('\\s+', 1_000_000, 'host');
  choosesFor('^\\s+|\\s+$', 1_000, 'host');
  choosesFor('^\\s+|\\s+$', 100_000, 'own');
  choosesFor('(\\d{4})-(\\d\\d)-(\\d\\d)', 1_000_000, 'host');
  choosesFor('(a+)+$', 100, 'own');
  choosesFor('(?:a|a)(?:a|a){30}$', 100, 'own');
  choosesFor(`${'a?'.repeat(40)}b`, 100, 'own');
  choosesFor('(a)\\1', 10, 'own');
});

describe('limits', () => {
  const limits = (run: () => unknown): boolean => thrownBy(run)?.code === 'IML_LIMIT';

  const tooLong = {
    code: 'IML_LIMIT',
    message: 'Regular expression is too long: expected at most 32768 characters, not 32769.',
  };
  const tooDeep = {
    code: 'IML_LIMIT',
    message: 'Regular expression is nested too deeply: expected at most 200 levels.',
  };
  const nested = (depth: number): string => `${'(?:'.repeat(depth)}a${')*'.repeat(depth)}`;

  it.each([
    ['32 768 characters', 'a'.repeat(32_768), undefined],
    ['32 769 characters', 'a'.repeat(32_769), tooLong],
    ['200 nested groups', nested(200), undefined],
    ['201 nested groups', nested(201), tooDeep],
    ['unterminated groups', '('.repeat(32_000), tooDeep],
    ['1000 adjacent groups', '(?:a)?(b)'.repeat(1_000), undefined],
  ])('of a pattern: %s', (_title, pattern, expected) => {
    expect(thrownBy(() => parsePattern(pattern, parseFlags('g')))).toEqual(expected);
  });

  it('replaces with a pattern of 32 768 characters and throws for a longer pattern', () => {
    expect(replacePattern('b', 'a'.repeat(32_768), '', '')).toBe('b');
    expect(limits(() => replacePattern('b', 'a'.repeat(32_769), '', ''))).toBe(true);
  });

  it('replaces with 200 nested groups and throws for 201', () => {
    expect(replacePattern('aab', nested(200), '', 'x')).toBe('xb');
    expect(limits(() => replacePattern('aab', nested(201), '', 'x'))).toBe(true);
    expect(limits(() => replacePattern('a', '('.repeat(32_000), '', ''))).toBe(true);
  });

  it('throws for a result of more than 2^25 characters of the host engine', () => {
    const replacement = 'r'.repeat(MAX_RESULT_LENGTH / 1024);
    for (const last of ['', '$1']) {
      expect(replacePattern('a'.repeat(1024), 'a()', 'g', replacement + last).length).toBe(MAX_RESULT_LENGTH);
      expect(limits(() => replacePattern(`${'a'.repeat(1024)}b`, 'a()', 'g', replacement + last))).toBe(true);
    }
  });

  // None of these reaches the end of its text.
  it.each([
    [2_048, 'a', '$`'.repeat(17)],
    [2_048, 'a', "$'".repeat(17)],
    [1_000, '(?=(a*))a', '$1'.repeat(75)],
    [1_000, '(?<=(a*))a', '$1'.repeat(75)],
    [60_000, 'a+', '$&'.repeat(600)],
    [60_000, '(a+)', '$1'.repeat(600)],
    [1_000, '', 'r'.repeat(40_000)],
    [60_000, 'a', 'r'.repeat(600)],
  ])('throws while the result grows: %i characters, /%s/', (length, pattern, replacement) => {
    expect(limits(() => replacePattern('a'.repeat(length), pattern, 'g', replacement))).toBe(true);
  });

  it('counts references in the length of the result', () => {
    const text = 'a'.repeat(100_000);
    for (const replacement of ['$`', "$'", '$&'.repeat(1_000)]) {
      expect(limits(() => replacePattern(text, 'a', 'g', replacement))).toBe(true);
    }
    expect(limits(() => replacePattern(text, 'a()', 'g', '$1'.repeat(1_000)))).toBe(true);
  });

  it.each([
    ['(?:(?:a)){1000000000}|b', 'aaax'],
    ['(?:(a)){1000000000}|b\\1', 'aaax'],
    ['(?:(a)){2,1000000000}b\\1', 'aaab'],
    ['(?:a){2,1000000000}b|(c)\\1', 'x'],
    ['(?:){1000000000}b', 'aaax'],
    ['(?:){1000000000,}b', 'aaax'],
    ['(?:){0,1000000000}b', 'aaax'],
  ])('does not unroll repetitions beyond the length of the text: /%s/', (pattern, result) => {
    expect(tracePattern({ text: 'aaab', pattern, flags: '', replacement: 'x' }, 'own').result).toBe(result);
  });

  // Two instructions save the match, and one ends it.
  it.each([
    ['(?:\\b){99997}', undefined],
    [
      '(?:\\b){99998}',
      {
        code: 'IML_LIMIT',
        message: 'Regular expression has too many repetitions for a text of this length.',
      },
    ],
  ])('unrolls repetitions of empty matches up to 100 000 instructions: /%s/', (pattern, expected) => {
    const flags = parseFlags('');
    const parsed = parsePattern(pattern, flags);
    const compile = (): unknown => compilePattern(parsed, { flags, textLength: 1, sets: new Map() });
    expect(thrownBy(compile)).toEqual(expected);
  });

  it('throws for too many repetitions of a group that may be empty', () => {
    expect(limits(() => replacePattern('aaab', '(?:(a?)){1000000000}\\1', '', 'x'))).toBe(true);
  });

  it('counts the steps of all matches of a call', () => {
    const { steps } = tracePattern({
      text: 'aab'.repeat(1_000),
      pattern: '(a)\\1',
      flags: 'g',
      replacement: '',
    });
    expect(steps).toBeGreaterThan(1_000);
    expect(steps).toBeLessThan(MAX_STEPS / 1_000);
  });
});

describe('the cache of patterns', () => {
  it('starts each replacement at the beginning of the text', () => {
    for (const engine of ['host', 'own'] as const) {
      for (const text of ['aab', 'b', 'aab']) {
        for (const flags of ['gy', 'y', 'g', '']) {
          const request = { text, pattern: 'a', flags, replacement: '<$&>' };
          expect(tracePattern(request, engine).result).toBe(hostResult(request));
        }
      }
    }
  });

  it('evicts old patterns', () => {
    for (let round = 0; round < 200; round += 1)
      expect(replacePattern(`x${round}y`, `x${round}`, '', '')).toBe('y');
  });
});

describe('TextBuilder', () => {
  it.each([0, 1, 4_095, 4_096, 4_097, 9_000])('concatenates %i pieces', (count) => {
    const builder = new TextBuilder();
    const pieces = Array.from({ length: count }, (_, index) => `${index},`);
    for (const piece of pieces) builder.append(piece);
    expect(builder.text()).toBe(pieces.join(''));
  });

  it('throws above 2^25 UTF-16 units', () => {
    const builder = new TextBuilder();
    const half = 'x'.repeat(MAX_RESULT_LENGTH / 2);
    for (const piece of [half, '', half]) expect(thrownBy(() => builder.append(piece))).toBeUndefined();
    expect(thrownBy(() => builder.append('x'))).toEqual({
      code: 'IML_LIMIT',
      message:
        'Result of the replacement is too long: expected at most 33554432 characters in 16777216 pieces.',
    });
  });
});

describe('a pattern with catastrophic backtracking on 100 000 characters', () => {
  const length = 100_000;
  const as = 'a'.repeat(length);
  const words = 'word '.repeat(length / 5);

  function returns(pattern: string, text: string, expected: { result: string; maxSteps: number }): void {
    it(`/${pattern}/ returns a result`, () => {
      const trace = tracePattern({ text, pattern, flags: 'g', replacement: '' });
      expect(trace.result === expected.result).toBe(true);
      expect(trace.steps).toBeLessThan(expected.maxSteps);
    });
  }
  function unchanged(pattern: string, text: string, maxSteps: number): void {
    returns(pattern, text, { result: text, maxSteps });
  }
  unchanged('(a+)+$', `${as}!`, 4e6);
  unchanged('(a|a)*b', as, 4e6);
  returns('(a|a)*', as, { result: '', maxSteps: 4e6 });
  unchanged('(.*a){20}', 'b'.repeat(length), 2e6);
  unchanged('(.*a){20}$', `${as}b`, 25e6);
  unchanged('^(\\w+\\s?)*$', `${words}!`, 4e6);
  unchanged('^(\\w+\\s?)*$', `${as}!`, 4e6);
  unchanged('(x+x+)+y', 'x'.repeat(length), 6e6);
  unchanged('(((((a*)*)*)*)*)*b', as, 25e6);
  unchanged('\\s+$', `${' '.repeat(length)}x`, 2e6);
  unchanged('(?=.*x)y', `${as}x`, 2e6);
  unchanged('(?!.*x)y', `${as}x`, 2e6);
  unchanged('(?:(?=.*x).)*y', `${as}x`, 4e6);
  unchanged('(?<=a*)b', as, 2e6);
  unchanged('((?=(?:a|aa)+$)a)*b', as, 6e6);

  function exceedsLimit(pattern: string, text: string): void {
    it(`/${pattern.slice(0, 30)}/ throws IML_LIMIT`, () => {
      expect(() => replacePattern(text, pattern, 'g', '')).toThrow(
        expect.objectContaining({ code: 'IML_LIMIT' }),
      );
    });
  }
  exceedsLimit('(a*)*\\1b', as);
  exceedsLimit('(?=(.*)x)y', `${as}x`);
  exceedsLimit('(a{0,1000}){0,1000}b', as);
  exceedsLimit(
    Array.from({ length: 2_000 }, (_, index) => `${'a'.repeat(index % 12)}${index}`).join('|'),
    as,
  );
});
