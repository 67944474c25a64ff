import { describe, expect, it } from 'vitest';
import { replacePattern, tracePattern } from '../../../src/iml/pattern/replace-pattern.js';

describe('hostile patterns on 100 000 characters', () => {
  const length = 100_000;
  const as = 'a'.repeat(length);
  const words = 'word '.repeat(length / 5);

  function answers(pattern: string, text: string, expected: { result: string; maxSteps: number }): void {
    it(`/${pattern}/ answers`, () => {
      const trace = tracePattern({ text, pattern, flags: 'g', replacement: '' });
      expect(trace.result === expected.result).toBe(true);
      expect(trace.steps).toBeLessThan(expected.maxSteps);
    });
  }
  function unchanged(pattern: string, text: string, maxSteps: number): void {
    answers(pattern, text, { result: text, maxSteps });
  }
  unchanged('(a+)+$', `${as}!`, 4e6);
  unchanged('(a|a)*b', as, 4e6);
  answers('(a|a)*', as, { result: '', maxSteps: 4e6 });
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

  function gives(pattern: string, text: string): void {
    it(`/${pattern.slice(0, 30)}/ gives up`, () => {
      expect(() => replacePattern(text, pattern, 'g', '')).toThrow(
        expect.objectContaining({ code: 'IML_LIMIT' }),
      );
    });
  }
  gives('(a*)*\\1b', as);
  gives('(?=(.*)x)y', `${as}x`);
  gives('(a{0,1000}){0,1000}b', as);
  gives(Array.from({ length: 2_000 }, (_, index) => `${'a'.repeat(index % 12)}${index}`).join('|'), as);
});
