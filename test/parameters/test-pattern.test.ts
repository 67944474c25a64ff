import { describe, expect, it } from 'vitest';
import { testPattern } from '../../src/parameters/check/test-pattern.js';
import { cpuMsOf } from '../cpu-time.js';

describe('testPattern', () => {
  it.each<[string, string, string]>([
    ['^a+$', 'aaa', 'match'],
    ['^a+$', 'ab', 'mismatch'],
    ['b', 'abc', 'match'],
    ['', '', 'match'],
    ['(?<year>\\d{4})-(?<month>\\d\\d)', '2024-05', 'match'],
    ['[(?<a>]+$', 'a<?(>', 'match'],
    ['\\(?<x>', '<x>', 'match'],
    ['(', 'a', 'invalid'],
    ['[b-a]', 'a', 'invalid'],
    ['a{2', 'a{2', 'match'],
  ])('%s on %s: %s', (pattern, text, outcome) => {
    expect(testPattern(pattern, text)).toBe(outcome);
  });

  it.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*a){20}b', '^(\\w+\\s?)*$', '(?<g>a+)+c'])(
    'matches %s on a long text in bounded time',
    async (pattern) => {
      const cpuMs = await cpuMsOf(() => {
        expect(['mismatch', 'exhausted']).toContain(testPattern(pattern, `${'a'.repeat(5000)}!`));
      });
      expect(cpuMs).toBeLessThan(5000);
    },
  );
});
