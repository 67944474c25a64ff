import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePattern } from '../../../src/language/pattern/parse-pattern.js';
import { worstCaseSteps } from '../../../src/language/pattern/pattern-cost.js';
import { type PatternNode, parseFlags } from '../../../src/language/pattern/pattern-node.js';
import { stepsOfNaiveMatcher } from './naive-matcher.js';
import { busyPatterns } from './random-pattern.js';

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
