import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/iml/pattern/compile-pattern.js';
import { parsePattern } from '../../../src/iml/pattern/parse-pattern.js';
import { MAX_RESULT_LENGTH, MAX_STEPS, parseFlags } from '../../../src/iml/pattern/pattern-node.js';
import {
  type ReplaceRequest,
  replacePattern,
  tracePattern,
} from '../../../src/iml/pattern/replace-pattern.js';
import { portionsOf } from '../portions.js';
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

/** Each pattern runs over so many texts, as making patterns costs more than running them. */
const TEXTS_PER_PATTERN = 10;

/** Runs of the random tests. For a long run set more here: 50 000 patterns are 500 000 cases. */
const RANDOM_PATTERNS = { legacy: 1_400, unicode: 800 };

describe('random patterns give what the host gives', () => {
  const uses = fc.array(fc.tuple(texts, replacements), {
    minLength: TEXTS_PER_PATTERN,
    maxLength: TEXTS_PER_PATTERN,
  });

  function agrees(request: ReplaceRequest): void {
    const expected = hostResult(request);
    for (const engine of ['own', 'auto'] as const) {
      const result = ourResult(request, engine);
      // A plain comparison first: an assertion costs more than a replacement.
      if (result !== expected)
        expect({ request, engine, result }).toEqual({ request, engine, result: expected });
    }
  }

  // Backreferences with `u` are left out: the host itself may crash on them.
  for (const [title, unicode, numRuns] of [
    ['without flag u', false, RANDOM_PATTERNS.legacy],
    ['with flag u', true, RANDOM_PATTERNS.unicode],
  ] as const) {
    it.each(portionsOf(numRuns, 10))(`${title}, part %#`, (portion) => {
      const generated = patterns({ unicode, backreferences: !unicode });
      const property = fc.property(generated, flagLists, uses, (pattern, letters, pairs) => {
        const flags = unicode ? `${letters}u` : letters;
        for (const [text, replacement] of pairs) agrees({ text, pattern, flags, replacement });
      });
      fc.assert(property, portion);
    });
  }

  it.each(portionsOf(5_000, 100))('and any pattern text is a pattern or an error, part %#', (portion) => {
    const noise = fc.string({ unit: fc.constantFrom(...'()[]{}|*+?.^$\\=!<:,-ab10cuxpkw/'), maxLength: 14 });
    const property = fc.property(noise, texts, fc.constantFrom('', 'g', 'u'), (pattern, text, flags) => {
      fc.pre(!(pattern.includes('(?<') && !/\(\?<[=!]/.test(pattern)));
      fc.pre(!(flags === 'u' && /\\[1-9]/.test(pattern)));
      const request = { text, pattern, flags, replacement: '<$1>' };
      const expected = hostResult(request);
      const ours = ourResult(request, 'own');
      // A named group is valid for the host and refused by us.
      if (!(ours === INVALID && /\(\?<[^=!]/.test(pattern))) expect(ours).toBe(expected);
    });
    fc.assert(property, portion);
  });
});

describe('our own matcher', () => {
  function replacesTo(pattern: string, flags: string, text: string, result: string): void {
    it(`/${pattern}/${flags} in ${JSON.stringify(text)}`, () => {
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

describe('what is not a pattern', () => {
  function refuses(pattern: string, flags: string, message: string): void {
    it(`/${pattern}/${flags}`, () => {
      const thrown = thrownBy(() => replacePattern('text', pattern, flags, ''));
      expect(thrown).toEqual({ code: 'IML_FUNCTION', message });
    });
  }
  refuses('a**', '', 'Invalid regular expression: nothing to repeat at position 3.');
  refuses('a(b', '', 'Invalid regular expression: unterminated group at position 2.');
  refuses('a)b', '', 'Invalid regular expression: unmatched ) at position 2.');
  refuses('x[b-a]', '', 'Invalid regular expression: invalid character class at position 2.');
  refuses('x[a', '', 'Invalid regular expression: unterminated character class at position 2.');
  refuses('ab\\', '', 'Invalid regular expression: \\ at the end at position 3.');
  refuses('a{3,2}', '', 'Invalid regular expression: numbers of a quantifier out of order at position 2.');
  refuses('(?<name>a)', '', 'Invalid regular expression: named groups are not supported at position 1.');
  refuses('(?#a)', '', 'Invalid regular expression: unknown kind of group at position 1.');
  refuses('(?<=a)+', '', 'Invalid regular expression: nothing to repeat at position 7.');
  refuses('\\p{Nothing}', 'u', 'Invalid regular expression: invalid escape at position 1.');
  refuses('(a)\\2', 'u', 'Invalid regular expression: invalid escape at position 4.');
  refuses('a{1', 'u', 'Invalid regular expression: incomplete quantifier at position 2.');
  refuses('a]', 'u', 'Invalid regular expression: lone bracket at position 2.');
  refuses('?', '', 'Invalid regular expression: nothing to repeat at position 1.');
  refuses('+a', '', 'Invalid regular expression: nothing to repeat at position 1.');
  refuses('a|*', '', 'Invalid regular expression: nothing to repeat at position 3.');
  refuses('({2})', '', 'Invalid regular expression: nothing to repeat at position 2.');
  refuses('a{', 'u', 'Invalid regular expression: incomplete quantifier at position 2.');
  refuses('{', 'u', 'Invalid regular expression: nothing to repeat at position 1.');
  refuses('a}', 'u', 'Invalid regular expression: lone bracket at position 2.');
  refuses('^*', '', 'Invalid regular expression: nothing to repeat at position 2.');
  refuses('a\\b+', '', 'Invalid regular expression: nothing to repeat at position 4.');
  refuses('(?=a)*', 'u', 'Invalid regular expression: nothing to repeat at position 6.');
  refuses('(?<!a)*', '', 'Invalid regular expression: nothing to repeat at position 7.');
  refuses('[a\\]', '', 'Invalid regular expression: unterminated character class at position 1.');
  refuses('[a\\', '', 'Invalid regular expression: unterminated character class at position 1.');
  refuses('\\c', 'u', 'Invalid regular expression: invalid escape at position 1.');
  refuses('\\-', 'u', 'Invalid regular expression: invalid escape at position 1.');
  refuses('a', 'gg', "Flag 'g' of a regular expression is given twice.");
  refuses('a', 'gx', "Unknown flag 'x' of a regular expression. Known flags: dgimsuy.");
  refuses('a', 'v', "Unknown flag 'v' of a regular expression. Known flags: dgimsuy.");
});

describe('the engine', () => {
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
    message: 'A regular expression may have 32768 characters, this one has 32769.',
  };
  const tooDeep = { code: 'IML_LIMIT', message: 'Groups of a regular expression may nest 200 deep.' };
  const nested = (depth: number): string => `${'(?:'.repeat(depth)}a${')*'.repeat(depth)}`;

  it.each([
    ['32 768 characters', 'a'.repeat(32_768), undefined],
    ['32 769 characters', 'a'.repeat(32_769), tooLong],
    ['200 groups in each other', nested(200), undefined],
    ['201 groups in each other', nested(201), tooDeep],
    ['groups that are not closed', '('.repeat(32_000), tooDeep],
    ['1000 groups side by side', '(?:a)?(b)'.repeat(1_000), undefined],
  ])('a pattern is read: %s', (_title, pattern, expected) => {
    expect(thrownBy(() => parsePattern(pattern, parseFlags('g')))).toEqual(expected);
  });

  it('a pattern has 32 768 characters', () => {
    expect(replacePattern('b', 'a'.repeat(32_768), '', '')).toBe('b');
    expect(limits(() => replacePattern('b', 'a'.repeat(32_769), '', ''))).toBe(true);
  });

  it('groups nest 200 deep', () => {
    expect(replacePattern('aab', nested(200), '', 'x')).toBe('xb');
    expect(limits(() => replacePattern('aab', nested(201), '', 'x'))).toBe(true);
    expect(limits(() => replacePattern('a', '('.repeat(32_000), '', ''))).toBe(true);
  });

  it('a result has 2^25 characters, by either way through the host', () => {
    const replacement = 'r'.repeat(MAX_RESULT_LENGTH / 1024);
    for (const last of ['', '$1']) {
      expect(replacePattern('a'.repeat(1024), 'a()', 'g', replacement + last).length).toBe(MAX_RESULT_LENGTH);
      expect(limits(() => replacePattern(`${'a'.repeat(1024)}b`, 'a()', 'g', replacement + last))).toBe(true);
    }
  });

  // None of these gets as far as its text.
  it.each([
    [2_048, 'a', '$`'.repeat(17)],
    [2_048, 'a', "$'".repeat(17)],
    [1_000, '(?=(a*))a', '$1'.repeat(75)],
    [1_000, '(?<=(a*))a', '$1'.repeat(75)],
    [60_000, 'a+', '$&'.repeat(600)],
    [60_000, '(a+)', '$1'.repeat(600)],
    [1_000, '', 'r'.repeat(40_000)],
    [60_000, 'a', 'r'.repeat(600)],
  ])('a result is bounded as it is made: %i characters, /%s/', (length, pattern, replacement) => {
    expect(limits(() => replacePattern('a'.repeat(length), pattern, 'g', replacement))).toBe(true);
  });

  it('references that repeat the text are part of the result', () => {
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
  ])('counted repetitions are not written out beyond the text: /%s/', (pattern, result) => {
    expect(tracePattern({ text: 'aaab', pattern, flags: '', replacement: 'x' }, 'own').result).toBe(result);
  });

  // Two instructions belong to the match, and one ends it.
  it.each([
    ['(?:\\b){99997}', undefined],
    [
      '(?:\\b){99998}',
      {
        code: 'IML_LIMIT',
        message: 'The repetitions of a regular expression are too many for a text of this length.',
      },
    ],
  ])(
    'what may consume nothing is written out, in at most 100 000 instructions: /%s/',
    (pattern, expected) => {
      const flags = parseFlags('');
      const parsed = parsePattern(pattern, flags);
      const compile = (): unknown => compilePattern(parsed, { flags, textLength: 1, sets: new Map() });
      expect(thrownBy(compile)).toEqual(expected);
    },
  );

  it('a program has an end where a group may be empty', () => {
    expect(limits(() => replacePattern('aaab', '(?:(a?)){1000000000}\\1', '', 'x'))).toBe(true);
  });

  it('the steps of all matches of a call count together', () => {
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

describe('one pattern used again', () => {
  it('starts over at the beginning, whatever flags and text came before', () => {
    for (const engine of ['host', 'own'] as const) {
      for (const text of ['aab', 'b', 'aab']) {
        for (const flags of ['gy', 'y', 'g', '']) {
          const request = { text, pattern: 'a', flags, replacement: '<$&>' };
          expect(tracePattern(request, engine).result).toBe(hostResult(request));
        }
      }
    }
  });

  it('is forgotten for newer ones', () => {
    for (let round = 0; round < 200; round += 1)
      expect(replacePattern(`x${round}y`, `x${round}`, '', '')).toBe('y');
  });
});
