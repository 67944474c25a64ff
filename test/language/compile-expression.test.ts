import { describe, expect, it } from 'vitest';
import { compileExpression } from '../../src/language/compile/compile-expression.js';
import {
  acceptDebug,
  type Branch,
  findRewrite,
  MAX_REWRITTEN_ARGUMENTS,
  SCOPE_LISTENER,
} from '../../src/language/environment.js';
import { compile, type Expression, evaluate, functions, ImlError, parse } from '../../src/language/index.js';
import { createCaseless } from '../../src/language/values/value.js';
import { contextOf, FUNCTIONS } from './core-environment.js';
import { failureOf, imlErrorOf } from './template-failure.js';

type Scope = Record<string, unknown>;

const DATA: Scope = {
  a: { b: { c: { d: 'deep' } }, 'X-Y': 1, list: ['x', 'y', 'z'], '1': 'one', run: () => 'called' },
  list: [{ n: 1 }, { n: 2 }, { n: 3 }],
  i: 2,
  word: 'text',
  zero: 0,
  no: null,
  headers: createCaseless([['Retry-After', '5']]),
  '1': { email: 'one@example.com', '0': 'column' },
  now: 'mine',
  true: 'never seen',
};

describe('compileExpression', () => {
  const run = (expression: string, scope: Scope = DATA): unknown =>
    evaluate(`{{${expression}}}`, scope, { functions: FUNCTIONS });

  it.each([
    ["'a'", 'a'],
    ['12.5', 12.5],
    ['true', true],
    ['false', false],
    ['null', null],
    ['erase', null],
    ['ignore', undefined],
    ['emptystring', ''],
    ['emptyarray', []],
    ['space', ' '],
    ['tab', '\t'],
    ['newline', '\n'],
    ['carriagereturn', '\r'],
    ['nbsp', '\u00a0'],
    ['undefined', undefined],
  ])('%s is a constant', (expression, value) => expect(run(expression)).toStrictEqual(value));

  it.each([
    ['word', 'text'],
    ['a.b.c.d', 'deep'],
    ['a.b.c', { d: 'deep' }],
    ['a.`X-Y`', 1],
    ["a['X-Y']", 1],
    ['a.list[1]', 'x'],
    ['a.list[-1]', 'z'],
    ['a.list[-3]', 'x'],
    ['a.list[]', 'x'],
    ['a.list.2', 'y'],
    ['a.list.`2`', 'y'],
    ['list[i].n', 2],
    ['list[i + 1].n', 3],
    ['list[].n', 1],
    ['word[]', 'text'],
    ['a[1]', 'one'],
    ['1.email', 'one@example.com'],
    ['1.`0`', 'column'],
    ['`1`.email', 'one@example.com'],
    ['headers.`retry-after`', '5'],
    ['headers.`RETRY-AFTER`', '5'],
    ['now', 'mine'],
    ['`now`', 'mine'],
    ['`true`', 'never seen'],
    ['true', true],
    ['same(a).b.c.d', 'deep'],
    ['(list)[2].n', 2],
  ])('%s has a value', (path, value) => expect(run(path)).toStrictEqual(value));

  it.each([
    'missing',
    'missing.a.b.c.d',
    'no.a',
    'zero.a',
    'word.length',
    'word[1]',
    'list.length',
    'list[0]',
    'list.0',
    'list[4]',
    'list[-4]',
    'list[1.5]',
    "list['n']",
    'list[true]',
    'list[missing]',
    'a.list.map',
    'a.run',
    'constructor',
    'a.constructor',
    'a.__proto__',
    'a.b.toString',
    '__proto__.a',
    '`pi`',
    '`timestamp`',
  ])('%s is undefined', (path) => expect(run(path)).toBeUndefined());

  it.each([
    ['if(true; 1; 2)', 1],
    ['if(false; 1; 2)', 2],
    ['if(false; 1)', undefined],
    ['if()', undefined],
    ["if('', 1, 2)", 2],
    ['if(emptyarray; 1; 2)', 1],
    ['if(true; 1; unknown())', 1],
    ['if(false; fail(); 2)', 2],
    ["ifempty(''; 2)", 2],
    ['ifempty(null; 2)', 2],
    ['ifempty(missing; 2)', 2],
    ['ifempty(zero; 2)', 0],
    ['ifempty(false; 2)', false],
    ['ifempty(emptyarray; 2)', []],
    ['ifempty(1; unknown())', 1],
    ['ifempty(1; 2; 3)', 1],
    ['ifempty()', undefined],
    ['count()', 0],
    ['count(1,)', 2],
    ['count(,)', 2],
    ['count(1; 2, 3; 4, 5)', 5],
    ['same(1, 2)', 1],
    ['same()', undefined],
    ['no & fail()', null],
    ['word & 2', 2],
    ['word | fail()', 'text'],
    ["no | ''", ''],
    ['!no', true],
    ['!emptyarray', false],
    ['-word', null],
    ["-'3'", -3],
    ['--3', 3],
    ['i - zero', 2],
    ['i - 5', -3],
    ['7 - i', 5],
    ['i * i', 4],
    ['3 * i', 6],
    ['i / 4', 0.5],
    ['7 / i', 3.5],
    ['i % i', 0],
    ['i % 3', 2],
    ['7 % i', 1],
    ['i < 2', false],
    ['i <= 2', true],
    ['i > 2', false],
    ['i >= 2', true],
    ['i < 3', true],
    ['i <= 1', false],
    ['i > 1', true],
    ['i >= 3', false],
    ['1 + (i & 2)', 3],
    ['1 + (no & 2)', 1],
    ['1 + (i | 5)', 3],
    ['1 + (no | 2)', 3],
    ["1 + ifempty(''; 2)", 3],
    ['1 + ifempty(i; 5)', 3],
    ['1 + if(i; 2; 3)', 3],
    ['1 + if(no; 2; 3)', 4],
    ["'2' < i", false],
    ["'2' <= i", true],
    ["'2' > i", false],
    ["'2' >= i", true],
    ['i = 2', true],
    ['i != 2', false],
  ])('%s', (expression, value) => expect(run(expression)).toStrictEqual(value));

  it('emptyarray creates a new array each time', () => {
    expect(run('emptyarray')).not.toBe(run('emptyarray'));
    expect(run('emptyarray = emptyarray')).toBe(false);
  });

  it('an unknown function has the location of its call', () => {
    expect(failureOf(() => run('1 + nope(2)'))).toEqual({
      kind: 'unknown-function',
      code: 'IML_UNKNOWN_FUNCTION',
      line: 1,
      column: 7,
    });
  });
  it('JavaScript names are not functions', () => {
    for (const name of ['constructor', 'valueOf', '__proto__', 'hasOwnProperty', 'eval', 'Function']) {
      expect(imlErrorOf(() => run(`${name}()`)).message).toBe(`Function '${name}' not found!`);
    }
  });
  it('functions in data are never called', () => {
    const scope = { f: () => 'called', o: { f: () => 'called' } };
    expect(imlErrorOf(() => run('f()', scope)).kind).toBe('unknown-function');
    expect(run('o.f', scope)).toBeUndefined();
    expect(run('f', scope)).toBeUndefined();
  });
  it('functions of the app replace if and ifempty', () => {
    const functions = { if: (_: unknown, ...args: unknown[]) => args, ifempty: () => 'own' };
    expect(evaluate(['{{if(1; 2; word)}}', "{{ifempty(''; 2)}}"], DATA, { functions })).toEqual([
      [1, 2, 'text'],
      'own',
    ]);
  });
  it('texts are compared with sameText of the environment', () => {
    const compared: string[] = [];
    const sameText = (left: string, right: string): boolean => {
      compared.push(`${left} ${right}`);
      return left.length === right.length;
    };
    const outcomes = ["'ab' = 'cd'", "'ab' != 'cd'", "word = 'a'", 'i = 2', "i = '2'", "'2' != i"].map(
      (expression) => {
        const source = `{{${expression}}}`;
        const context = contextOf(source);
        const environment = { ...context.environment, sameText };
        const node = parse(source).parts[0] as Expression;
        return compileExpression(node, { ...context, environment })(DATA);
      },
    );
    expect(outcomes).toEqual([true, false, false, true, true, false]);
    expect(compared).toEqual(['ab cd', 'ab cd', 'text a']);
  });
  it('a function with debug output calls the listener of the scope', () => {
    const reported: unknown[] = [];
    const speak = acceptDebug(({ onDebug }, ...values) => {
      onDebug?.({ function: 'speak', values, place: { pointer: '' } });
      return values.length;
    });
    const evaluateLater = compile('{{speak(1; word)}}', { functions: { speak } });
    const onDebug = ({ values }: { values: readonly unknown[] }): void => void reported.push(values);
    expect(evaluateLater({ ...DATA, [SCOPE_LISTENER]: { onMissing: () => {}, onDebug } })).toBe(2);
    expect(evaluateLater({ ...DATA, [SCOPE_LISTENER]: { onMissing: () => {} } })).toBe(2);
    expect(evaluateLater(DATA)).toBe(2);
    expect(reported).toEqual([[1, 'text']]);
  });
  it('an error of a function with debug output has the call in its message', () => {
    const speak = acceptDebug(() => {
      throw new ImlError('IML_FUNCTION', 'No output.', { kind: 'function-error' });
    });
    const error = imlErrorOf(() => evaluate('{{1 + speak()}}', DATA, { functions: { speak } }));
    expect(error).toMatchObject({
      message: "Function 'speak' finished with error! No output.",
      position: { line: 1, column: 7 },
    });
  });
  it('an error has all enclosing calls in its message and the innermost location', () => {
    const error = imlErrorOf(() => run('if(true;\n same(1 + fail()))'));
    expect(error.message).toBe(
      "Function 'if' finished with error! Function 'same' finished with error! Function 'fail' finished with error! No.",
    );
    expect(error).toMatchObject({ kind: 'function-error', position: { line: 2, column: 11 } });
  });
});

describe('an if with reportsBranches', () => {
  it('reports the chosen branch to the listener of the scope', () => {
    const source = '{{if(word; if(zero; 1; 2))}}';
    const context = contextOf(source);
    const environment = { ...context.environment, reportsBranches: true };
    const node = parse(source).parts[0] as Expression;
    const evaluate = compileExpression(node, { ...context, pointer: '/a', environment });
    const reported: Branch[] = [];
    const onBranch = (branch: Branch): void => void reported.push(branch);
    expect(evaluate({ ...DATA, [SCOPE_LISTENER]: { onMissing: () => {}, onBranch } })).toBe(2);
    expect(reported).toEqual([
      { pointer: '/a', offset: 2, isTrue: true },
      { pointer: '/a', offset: 11, isTrue: false },
    ]);
    expect(evaluate({ ...DATA, [SCOPE_LISTENER]: { onMissing: () => {} } })).toBe(2);
    expect(evaluate(DATA)).toBe(2);
  });
});

describe('a deep expression', () => {
  const evaluateSource = (source: string): unknown => evaluate(source, { a: 1 });

  it('evaluates up to 256 levels', () => {
    expect(evaluateSource(`{{${'!'.repeat(255)}a}}`)).toBe(false);
    expect(evaluateSource(`{{${'1 + '.repeat(255)}1}}`)).toBe(256);
  });

  it.each([`{{ ${'!'.repeat(256)}a}}`, `{{ 1${' + 1'.repeat(256)}}}`, `{{ ${'!'.repeat(16_000)}a}}`])(
    'throws IML_LIMIT with its location beyond that (case %#)',
    (source) => {
      const error = imlErrorOf(() => evaluateSource(source));
      expect(error).toMatchObject({
        code: 'IML_LIMIT',
        message: 'The expression is nested too deeply: expected at most 256 levels.',
        position: { line: 1, column: 4 },
      });
    },
  );
});

const OPTIONS = { now: () => Date.UTC(2024, 1, 29, 22, 30), timezone: 'America/New_York' };

/** Returns the value or the JSON of the error. */
function outcome(template: string, scope: Record<string, unknown>): unknown {
  try {
    return evaluate(template, scope, OPTIONS);
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    return error.toJSON();
  }
}

const TEXTS: readonly unknown[] = [
  ...['2024-02-29', '2023-02-29', '29.02.2024 23:59', '2024-02-29T10:00:00Z', '1709161200', '10:00'],
  ...['nonsense', '', null, undefined, 5, true, new Date(0), new Date(Number.NaN), ['2024-02-29'], { a: 1 }],
];
const FORMATS: readonly unknown[] = [undefined, 'YYYY-MM-DD', 'DD.MM.YYYY HH:mm', 'X', 'HH:mm', '', 5];
const ZONES: readonly unknown[] = [undefined, 'Asia/Tokyo', 'No/Where'];
const OUTPUT_FORMATS: readonly unknown[] = [undefined, 'D.M.YYYY H:mm z', 'x', '', 7];

describe('formatDate(parseDate(...))', () => {
  it('is the only rewritten pair of functions', () => {
    const { formatDate, parseDate, addDays } = functions;
    if (formatDate === undefined || parseDate === undefined) throw new Error('Missing function.');
    expect(findRewrite(formatDate, parseDate)).toBeDefined();
    expect(findRewrite(formatDate, addDays)).toBeUndefined();
    expect(findRewrite(formatDate, undefined)).toBeUndefined();
    expect(findRewrite(parseDate, formatDate)).toBeUndefined();
    expect(MAX_REWRITTEN_ARGUMENTS).toBe(3);
  });

  // A fourth argument disables the rewrite.
  it.each(TEXTS.map((text, index) => [text, index] as const))(
    'has the result or error of the separate calls: %j (%i)',
    (text) => {
      for (const format of FORMATS) {
        for (const zone of ZONES) {
          for (const written of OUTPUT_FORMATS) {
            for (const shown of ZONES) {
              const scope = { text, format, zone, written, shown };
              const call = (more: string): string =>
                `{{formatDate(parseDate(text; format; zone${more}); written; shown)}}`;
              expect(outcome(call('    '), scope)).toEqual(outcome(call('; no'), scope));
            }
          }
        }
      }
    },
  );

  it.each([
    ["parseDate('2024-02-29')", ''],
    ["parseDate('2024-02-29')", "; 'YYYY'"],
    ["parseDate('2024-02-29'; ; 'Asia/Tokyo')", '; ; '],
    ["parseDate('29.2.2024'; 'D.M.YYYY')", "; 'YYYY-MM-DD'; 'UTC'; 1; 2"],
  ])(
    'has the result of the separate calls with any number of arguments: formatDate(%s%s)',
    (inner, others) => {
      const date = evaluate(`{{${inner}}}`, {}, OPTIONS);
      expect(date).toBeInstanceOf(Date);
      const expected = evaluate(`{{formatDate(date${others})}}`, { date }, OPTIONS);
      expect(evaluate(`{{formatDate(${inner}${others})}}`, {}, OPTIONS)).toBe(expected);
    },
  );

  it('is not rewritten if the app replaces a function', () => {
    const template = "{{formatDate(parseDate('x'; 'YYYY'); 'YYYY')}}";
    expect(evaluate(template, {}, { functions: { parseDate: () => new Date(1e12) } })).toBe('2001');
    const isDate = "{{formatDate(parseDate('2001'; 'YYYY'); 'YYYY')}}";
    expect(evaluate(isDate, {}, { functions: { formatDate: (_, date) => date instanceof Date } })).toBe(true);
  });
});
