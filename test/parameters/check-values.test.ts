import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentKey } from '../../src/engine/parameters/check-choice.js';
import { treatTags } from '../../src/engine/parameters/check-fields.js';
import { testPattern } from '../../src/engine/parameters/test-pattern.js';
import { cpuMsOf } from '../cpu-time.js';

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

describe('contentKey', () => {
  it.each<readonly [unknown, unknown]>([
    [
      { a: 1, b: [2, null] },
      { b: [2, null], a: 1 },
    ],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    [new Date(5), new Date(5)],
    [Buffer.from('a'), new Uint8Array([0x61])],
    [null, null],
  ])('is equal for %o and %o', (one, other) => {
    expect(contentKey(one)).toBeTypeOf('string');
    expect(contentKey(one)).toBe(contentKey(other));
  });

  it.each<readonly [unknown, unknown]>([
    [{ a: 1 }, { a: '1' }],
    [{ a: 1 }, { a: 1, b: undefined }],
    [[1, 2], [[1, 2]]],
    [[[1, 2]], [[1], 2]],
    [{ a: { b: 1 }, c: 2 }, { a: { b: 1, c: 2 } }],
    [['a,"b'], ['a', 'b']],
    [[], {}],
    [new Date(5), new Date(6)],
    [new Date(5), { date: 5 }],
    [Buffer.from('a'), ['a']],
  ])('differs for %o and %o', (one, other) => {
    expect(contentKey(one)).not.toBe(contentKey(other));
  });

  const cycle: unknown[] = [];
  cycle.push(cycle);
  const throwing = {
    get a(): never {
      throw new Error('no');
    },
  };

  it.each<readonly [string, unknown]>([
    ['a function', { a: () => 1 }],
    ['an instance of a class', [new Map()]],
    ['a value that holds itself', cycle],
    ['a value that is too deep', deep(100)],
    ['what throws', throwing],
  ])('is undefined for %s', (_, value) => {
    expect(contentKey(value)).toBeUndefined();
  });

  it.each<readonly [string, unknown, number]>([
    ['a list', [1, 'é'], 7],
    ['a collection', { a: 1 }, 7],
    ['a text', { a: 'x'.repeat(100) }, 108],
    ['bytes', [Buffer.alloc(30)], 49],
  ])('is undefined if the key of %s exceeds the limit', (_, value, length) => {
    expect(contentKey(value, length)).toHaveLength(length);
    expect(contentKey(value, length - 1)).toBeUndefined();
  });

  it('stops early for a value that contains one object very often', () => {
    let value: unknown = {};
    for (let level = 0; level < 64; level++) value = { x: value, y: [value, value] };
    expect(contentKey(value, 1000)).toBeUndefined();
  });
});

const text = fc.string({ unit: fc.constantFrom('<', '>', 'b', '/', '!', ' ', '\ud800', 'é') });

describe('treatTags', () => {
  it('removes comments and closing tags', () => {
    expect(treatTags('a<!-- x --></p>b<br/>', 'strip')).toBe('ab');
  });

  it('leaves no tag in any text', () => {
    fc.assert(
      fc.property(text, (value) => {
        const stripped = treatTags(value, 'strip');
        expect(stripped).not.toMatch(/<[a-z/!?][^>]*>/i);
        expect(treatTags(stripped, 'strip')).toBe(stripped);
      }),
    );
  });

  it('leaves no start of a tag with stripall', () => {
    fc.assert(fc.property(text, (value) => !/<[a-z/!?]/i.test(treatTags(value, 'stripall'))));
  });

  it('leaves no markup with escape', () => {
    fc.assert(fc.property(text, (value) => !/[<>]/.test(treatTags(value, 'escape'))));
  });

  it('takes linear time', () => {
    expect(treatTags('<b'.repeat(500_000), 'stripall')).toBe('');
    expect(treatTags(`${'<'.repeat(500_000)}${'b>'.repeat(500_000)}`, 'strip')).toBe('');
  });
});

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
