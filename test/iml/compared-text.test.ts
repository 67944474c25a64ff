import { describe, expect, it } from 'vitest';
import { compileOperator } from '../../src/iml/compile/operations.js';
import { evaluate } from '../../src/iml/compile.js';
import type { Scope } from '../../src/iml/environment/environment.js';
import { FUNCTIONS } from '../../src/iml/functions/table.js';
import { createCaseless } from '../../src/iml/values/caseless.js';
import { createEqualityKey } from '../../src/iml/values/identity.js';
import { getPath, readIndex } from '../../src/iml/values/path.js';
import { sameText } from '../../src/util/same-text.js';
import { ENVIRONMENT, stepsOf } from './functions/call-function.js';

const call = (name: string, ...args: unknown[]): unknown => FUNCTIONS[name]?.(ENVIRONMENT, ...args);

/** Two texts that differ at their end. */
function almostSame(length: number): { a: string; b: string } {
  const start = 'x'.repeat(length - 1);
  return { a: `${start}1`, b: `${start}2` };
}

describe('texts that are compared', () => {
  const stepsOfExpression = (expression: string, scope: Scope, options = {}): number =>
    stepsOf(() => evaluate(`{{${expression}}}`, scope, options));

  const COMPARISONS: readonly (readonly [expression: string, options: object])[] = [
    ['a = b', {}],
    ['a != b', {}],
    ['a = b', { equality: 'loose' }],
    ['a < b', {}],
    ['a >= b', {}],
    ['switch(a; b; 1)', {}],
  ];

  it.each(COMPARISONS)('take steps by their length: %s with %j', (expression, options) => {
    const steps = (length: number): number => stepsOfExpression(expression, almostSame(length), options);
    expect(steps(10_000) - steps(1)).toBe(500);
    expect(steps(256)).toBe(steps(1));
  });

  it('take none for what need not be looked at', () => {
    const { a } = almostSame(10_000);
    for (const expression of ['a = b', 'a != b', 'switch(a; b; 1)']) {
      expect(stepsOfExpression(expression, { a, b: 'x' })).toBe(
        stepsOfExpression(expression, { a: 'xy', b: 'x' }),
      );
    }
    expect(stepsOfExpression('a < b', { a, b: 'x' })).toBe(0);
  });

  it('take steps for each that is written', () => {
    const scope = almostSame(10_000);
    expect(stepsOfExpression('(a = b) & 1 | (a = b)', scope)).toBe(2 * 500);
  });

  it('take steps where they are held against a number', () => {
    const scope = { a: `${' '.repeat(9_999)}1` };
    expect(stepsOfExpression('a < 1', scope)).toBe(400);
    expect(stepsOfExpression('a = 1', scope, { equality: 'loose' })).toBe(400);
    expect(evaluate('{{a = 1}}', scope, { equality: 'loose' })).toBe(true);
  });

  it('take steps as secrets', () => {
    const equal = compileOperator('=', { ...ENVIRONMENT, sameText });
    const { a, b } = almostSame(10_000);
    expect(stepsOf(() => equal(a, b))).toBe(500);
    expect([equal(a, b), equal(a, `${a.slice(0, 5)}${a.slice(5)}`), equal(a, 1)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('take steps in a list that is searched', () => {
    const steps = (length: number, ...more: unknown[]): number => {
      const { a, b } = almostSame(length);
      return stepsOf(() => call('contains', [a, 1, a], b, ...more));
    };
    expect(steps(10_000) - steps(100)).toBe(2 * 500);
    expect(steps(10_000, true) - steps(100, true)).toBe(2 * 500 + 3 * 990);
  });

  it('take steps as keys of a set: the host hashes each of them', () => {
    const steps = (length: number): number => stepsOf(() => createEqualityKey()('x'.repeat(length)));
    expect(steps(256)).toBe(0);
    expect(steps(10_000)).toBe(600);
  });
});

describe('a number that a list is searched for', () => {
  it.each<[list: unknown[], search: number, isFound: boolean]>([
    [[1, 2], 2, true],
    [['2'], 2, false],
    [[0], -0, true],
    [[Number.NaN], Number.NaN, true],
    [[null], 0, false],
  ])('%j holds %d: %s', (list, search, isFound) => {
    expect(call('contains', list, search)).toBe(isFound);
  });
});

describe('a long name', () => {
  const name = 'n'.repeat(20_000);

  it('is found', () => {
    expect(readIndex({ [name]: 1 }, name)).toBe(1);
    expect(getPath({ a: { [name]: 1 } }, `a.${name}`)).toBe(1);
    expect(getPath(createCaseless([[name, 1]]), name.toUpperCase())).toBe(1);
    expect(readIndex({ [name]: () => 1 }, name)).toBeUndefined();
    expect(readIndex({ a: 1 }, name)).toBeUndefined();
    expect(readIndex([5], `${'0'.repeat(20_000)}1`)).toBe(5);
    expect(readIndex(new Date(0), name)).toBeUndefined();
  });

  it.each([1001, 16_000])('of %i characters takes steps to be looked up, shorter ones none', (length) => {
    expect(stepsOf(() => readIndex({}, 'n'.repeat(1000)))).toBe(0);
    expect(stepsOf(() => readIndex({}, 'n'.repeat(length)))).toBe(Math.ceil(0.12 * length));
  });

  // The host would keep each of them, and hold the next one against all.
  it('is not looked up in the table of all names', () => {
    const steps = (collection: object): number => stepsOf(() => readIndex(collection, name));
    expect(steps({ a: 1, b: 2 }) - steps({})).toBe(2 * 16);
    expect(steps({ [`${name.slice(1)}m`]: 1 }) - steps({ a: 1 })).toBe(1000);
  });

  it('takes steps in a path, whether there is a dot in it or not', () => {
    expect(stepsOf(() => call('get', {}, 'n'.repeat(10_000)))).toBe(2 * 1200);
    const dotted = `${'n'.repeat(10_000)}.a`;
    expect(stepsOf(() => call('get', {}, dotted))).toBeGreaterThan(10_000 + 2 * 1200);
  });

  it('takes steps to be picked, the more the more there are of its length', () => {
    const steps = (length: number): number =>
      stepsOf(() => call('pick', {}, 'a'.repeat(length), 'b'.repeat(length)));
    expect(steps(10_000) - steps(1)).toBe(2 * 1200);
    expect(steps(20_000) - steps(1)).toBe(2 * 2400 + 200);
  });
});

describe('a path of many steps', () => {
  it('takes steps for each value it is read of', () => {
    const list = [{ a: 1 }, { a: 1 }];
    const steps = (path: string): number => stepsOf(() => call('map', list, path));
    expect(steps('a.'.repeat(40)) - steps('a.'.repeat(7)) - 66).toBe(2 * 41);
  });
});

describe('collections that are spread', () => {
  it('take steps for each of their names', () => {
    const steps = (count: number): number => {
      const all = Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 1]));
      return stepsOf(() => evaluate({ '{{...}}': '{{all}}', own: { '{{...}}': '{{all}}' } }, { all }));
    };
    expect(steps(200) - steps(100)).toBe(2 * 100 * 16);
  });

  it('take steps for long names that are evaluated', () => {
    const steps = (length: number): number =>
      stepsOf(() => evaluate({ '{{a}}1': 1, '{{a}}2': 2 }, { a: 'x'.repeat(length) }));
    expect(steps(9_999) - steps(1)).toBe(2 * 1200);
    expect(steps(16_500)).toBeGreaterThan(2 * 0.12 * 16_500 + 0.01 * 16_500);
  });
});
