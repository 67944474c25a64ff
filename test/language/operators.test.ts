import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile, evaluate } from '../../src/language/index.js';

const DAY = 86_400_000;
const SCOPE = {
  n: 6,
  t: '7',
  x: 'abc',
  e: '',
  no: null,
  yes: true,
  d: new Date(DAY),
  same: new Date(DAY),
  later: new Date(2 * DAY),
  list: [1, 2],
  one: [1],
  o: {},
};

const evaluates = (expression: string, options = {}): unknown =>
  evaluate(`{{${expression}}}`, SCOPE, options);

describe('+', () => {
  it.each([
    ['n + 1', 7],
    ['n + t', '67'],
    ['t + n', '76'],
    ['x + x', 'abcabc'],
    ['n + no', 6],
    ['no + n', 6],
    ['missing + x', 'abc'],
    ['no + missing', null],
    ['missing + missing', null],
    ['e + n', '6'],
    ['yes + 1', 'true1'],
    ['1 + yes', '1true'],
    ['n + list', '61,2'],
    ['n + o', '6{object}'],
    ['x + list', 'abc1,2'],
    ['o + x', '{object}abc'],
    ['d + 1', DAY + 1],
    ['d + later', 3 * DAY],
    ["d + ''", '1970-01-02T00:00:00.000Z'],
    ['n + 1 + x', '7abc'],
    ['x + n + 1', 'abc61'],
  ])('%s', (expression, value) => expect(evaluates(expression)).toBe(value));
});

describe('arithmetic', () => {
  it.each([
    ['n - t', -1],
    ['t * t', 49],
    ['n / 4', 1.5],
    ['n % 4', 2],
    ['-n % 4', -2],
    ['later - d', DAY],
    ['(later - d) / 1000 / 60', 1440],
    ["' 5 ' * 2", 10],
    ["'1e3' * 1", 1000],
    ['yes * 3', 3],
    ['no * 3', 0],
    ['0.1 + 0.2', 0.3],
    ['4.35 * 100', 435],
    ['0.3 / 0.1', 3],
    ['1 % 0.1', 0],
    ['0.1 - 0.3', -0.19999999999999998],
    ["'' - 1", -1],
    ["'0x10' - 1", 15],
    ["'1' ++ 2", 3],
    ["'' ++ no", 0],
    ['missing ++ 1', null],
    ['n / 0', null],
    ['0 / 0', null],
    ['x * 2', null],
    ['missing - 1', null],
    ['o * 1', null],
    ['list * 1', null],
    ["'0x10' * 1", null],
    ['-x', null],
  ])('%s', (expression, value) => expect(evaluates(expression)).toBe(value));
  it('NaN inside an expression stays NaN', () => expect(evaluates('(0 / 0) = (0 / 0)')).toBe(false));
  it('a non-finite result of a function is null', () => {
    const functions = { odd: () => Number.NaN, large: () => Number.POSITIVE_INFINITY };
    expect(evaluate(['{{odd()}}', '{{large()}}', '{{odd()}}x'], {}, { functions })).toEqual([
      null,
      null,
      'x',
    ]);
  });
  it('a non-finite number inside text is empty', () => expect(evaluate('a{{0 / 0}}{{1 / 0}}b')).toBe('ab'));
});

describe('equality with documented semantics is strict', () => {
  it.each([
    ["'0' = 0", false],
    ["'' = 0", false],
    ["'a' = 'a'", true],
    ["'a' = 'A'", false],
    ['no = missing', true],
    ["no = ''", false],
    ['no = 0', false],
    ['no = false', false],
    ['d = same', true],
    ['d = later', false],
    ['d = 86400000', false],
    ['list = list', true],
    ['emptyarray = emptyarray', false],
    ['o != o', false],
    ["'0' != 0", true],
    ['n == 6', true],
    ['n === 6', true],
    ['n !== 6', false],
    ['true = yes', true],
  ])('%s is %s', (expression, value) =>
    expect(evaluates(expression, { semantics: 'documented' })).toBe(value),
  );
});

describe('equality of the runtime is loose', () => {
  it.each([
    ["'6' = n", true],
    ["'' = 0", true],
    ['yes = 1', true],
    ["'abc' = 0", false],
    ['no = 0', false],
    ["'1,2' = list", true],
    ['list = list', true],
    ['o = o', true],
    ["o = '{object}'", false],
    ['d = 86400000', false],
    ["no = ''", false],
    ['no = missing', true],
    ["'6' != n", false],
    ['d = same', true],
  ])('%s is %s', (expression, value) => expect(evaluates(expression)).toBe(value));
});

describe('relations', () => {
  it.each([
    ['n < 7', true],
    ['n <= 6', true],
    ['n > 6', false],
    ['n >= 6', true],
    ["'a' < 'b'", true],
    ["'a' < 'B'", false],
    ["'10' < '9'", true],
    ["'10' < 9", false],
    ['t > n', true],
    ['x > 1', false],
    ['x <= 1', false],
    ['d < later', true],
    ['d <= same', true],
    ["d < '1970-01-03'", true],
    ["'1970-01-01' >= d", false],
    ["d < 'no date'", false],
    ["d >= 'no date'", false],
    ['d > 0', true],
    ['no < 1', true],
    ['missing < 1', false],
    ['missing >= 0', false],
    ['list < 1', false],
    ['one < 2', false],
    ['0 < one', false],
    ['one <= 1', false],
    ['1 <= one', false],
    ['one > 0', false],
    ['2 > one', false],
    ['one >= 1', false],
    ['1 >= one', false],
    ['missing < no', false],
    ['missing >= missing', false],
    ["missing <= ''", false],
    ['o >= o', false],
    ['yes > 0', true],
  ])('%s is %s', (expression, value) => expect(evaluates(expression)).toBe(value));
  it('text is compared with a date in the scenario timezone', () => {
    const scope = { d: new Date('2024-03-05T05:30:00Z') };
    expect(evaluate("{{d < '2024-03-05'}}", scope, { timezone: 'America/New_York' })).toBe(false);
    expect(evaluate("{{d > '2024-03-05'}}", scope, { timezone: 'America/New_York' })).toBe(true);
    expect(evaluate("{{d > '2024-03-05'}}", scope, { timezone: 'America/Los_Angeles' })).toBe(false);
  });
});

describe('& and | return an operand', () => {
  it.each([
    ['n & x', 'abc'],
    ['e & x', ''],
    ['e | x', 'abc'],
    ['missing | no', null],
    ['0 | 0', 0],
    ['list & 1', 1],
    ['o | 1', SCOPE.o],
  ])('%s', (expression, value) => expect(evaluates(expression)).toBe(value));
});

describe('arithmetic with decimals', () => {
  const Exact = Decimal.clone({ defaults: true });
  const decimal = fc
    .tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 9 }))
    .map(([digits, scale]) => digits / 10 ** scale);
  const number = fc.oneof(decimal, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));

  it.each([
    ['+', (a: Decimal, b: Decimal) => a.plus(b)],
    ['*', (a: Decimal, b: Decimal) => a.times(b)],
    ['/', (a: Decimal, b: Decimal) => a.dividedBy(b)],
    ['%', (a: Decimal, b: Decimal) => a.modulo(b)],
  ])('gives the result of decimal.js for %s', (operator, compute) => {
    const run = compile(`{{a ${operator} b}}`);
    fc.assert(
      fc.property(number, number, (a, b) => {
        const expected = compute(new Exact(a), new Exact(b)).toNumber();
        const result = run({ a, b });
        // Adding 0 removes the sign of zero, which is not compared.
        expect(typeof result === 'number' ? result + 0 : result).toBe(
          Number.isFinite(expected) ? expected + 0 : null,
        );
      }),
      { seed: 20, numRuns: 5000 },
    );
  });
});
