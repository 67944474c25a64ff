import { describe, expect, it } from 'vitest';
import { functionError, ImlError } from '../../src/errors/iml-error.js';
import { compileExpression } from '../../src/iml/compile/compile-expression.js';
import type { FunctionTable, ImlFunction } from '../../src/iml/environment/environment.js';
import { acceptDebug, type Branch, SCOPE_LISTENER } from '../../src/iml/environment/scope-listener.js';
import { FUNCTIONS } from '../../src/iml/functions/table.js';
import type { Expression } from '../../src/iml/syntax/ast.js';
import { parseTemplate } from '../../src/iml/syntax/parser.js';
import { createCaseless } from '../../src/iml/values/collection.js';
import { contextOf } from './core-environment.js';
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
  const run = (expression: string, scope: Scope = DATA): unknown => {
    const source = `{{${expression}}}`;
    return compileExpression(parseTemplate(source).parts[0] as Expression, contextOf(source))(scope);
  };

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
  ])('%s stands for a value', (expression, value) => expect(run(expression)).toStrictEqual(value));

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
  ])('%s is found', (path, value) => expect(run(path)).toStrictEqual(value));

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
    ['-word', Number.NaN],
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

  it('emptyarray is a new one each time', () => {
    expect(run('emptyarray')).not.toBe(run('emptyarray'));
    expect(run('emptyarray = emptyarray')).toBe(false);
  });

  it('an unknown function is found only where it is called', () => {
    expect(failureOf(() => run('1 + nope(2)'))).toEqual({
      kind: 'unknown-function',
      code: 'IML_UNKNOWN_FUNCTION',
      line: 1,
      column: 7,
    });
  });
  it('names of the host are no functions', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'eval', 'Function']) {
      expect(imlErrorOf(() => run(`${name}()`)).message).toBe(`Function '${name}' not found!`);
    }
  });
  it('functions in data are never called', () => {
    const scope = { f: () => 'called', o: { f: () => 'called' } };
    expect(imlErrorOf(() => run('f()', scope)).kind).toBe('unknown-function');
    expect(run('o.f', scope)).toBeUndefined();
    expect(run('f', scope)).toBeUndefined();
  });
  it('a function of the app goes before if and ifempty', () => {
    const functions = { if: (_: unknown, ...args: unknown[]) => args, ifempty: () => 'own' };
    const given = ['if(1; 2; word)', "ifempty(''; 2)"].map((expression) => {
      const source = `{{${expression}}}`;
      return compileExpression(parseTemplate(source).parts[0] as Expression, {
        ...contextOf(source),
        functions,
      })(DATA);
    });
    expect(given).toEqual([[1, 2, 'text'], 'own']);
  });
  it('two texts are compared as the environment says', () => {
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
        const node = parseTemplate(source).parts[0] as Expression;
        return compileExpression(node, { ...context, environment })(DATA);
      },
    );
    expect(outcomes).toEqual([true, false, false, true, true, false]);
    expect(compared).toEqual(['ab cd', 'ab cd', 'text a']);
  });
  it('a function may tell the listener of the scope, where there is one', () => {
    const told: unknown[] = [];
    const speak = acceptDebug(({ onDebug }, ...values) => {
      onDebug?.({ function: 'speak', values, place: { pointer: '' } });
      return values.length;
    });
    const source = '{{speak(1; word)}}';
    const node = parseTemplate(source).parts[0] as Expression;
    const evaluate = compileExpression(node, { ...contextOf(source), functions: { speak } });
    const onDebug = ({ values }: { values: readonly unknown[] }): void => void told.push(values);
    expect(evaluate({ ...DATA, [SCOPE_LISTENER]: { onMissing: () => {}, onDebug } })).toBe(2);
    expect(evaluate({ ...DATA, [SCOPE_LISTENER]: { onMissing: () => {} } })).toBe(2);
    expect(evaluate(DATA)).toBe(2);
    expect(told).toEqual([[1, 'text']]);
  });
  it('an error of such a function names it, too', () => {
    const speak = acceptDebug(() => {
      throw functionError('Nothing to say.');
    });
    const source = '{{1 + speak()}}';
    const node = parseTemplate(source).parts[0] as Expression;
    const error = imlErrorOf(() =>
      compileExpression(node, { ...contextOf(source), functions: { speak } })(DATA),
    );
    expect(error).toMatchObject({
      message: "Function 'speak' finished with error! Nothing to say.",
      position: { line: 1, column: 7 },
    });
  });
  it('an error names each call it passes, and keeps its innermost place', () => {
    const error = imlErrorOf(() => run('if(true;\n same(1 + fail()))'));
    expect(error.message).toBe(
      "Function 'if' finished with error! Function 'same' finished with error! Function 'fail' finished with error! No.",
    );
    expect(error).toMatchObject({ kind: 'function-error', position: { line: 2, column: 11 } });
  });
});

describe('an if that is observed', () => {
  it('tells the listener of its scope which side it chose, and gives what it gives', () => {
    const source = '{{if(word; if(zero; 1; 2))}}';
    const context = contextOf(source);
    const environment = { ...context.environment, reportsBranches: true };
    const node = parseTemplate(source).parts[0] as Expression;
    const evaluate = compileExpression(node, { ...context, pointer: '/a', environment });
    const told: Branch[] = [];
    const onBranch = (branch: Branch): void => void told.push(branch);
    expect(evaluate({ ...DATA, [SCOPE_LISTENER]: { onMissing: () => {}, onBranch } })).toBe(2);
    expect(told).toEqual([
      { pointer: '/a', offset: 2, isTrue: true },
      { pointer: '/a', offset: 11, isTrue: false },
    ]);
    expect(evaluate({ ...DATA, [SCOPE_LISTENER]: { onMissing: () => {} } })).toBe(2);
    expect(evaluate(DATA)).toBe(2);
  });
});

describe('a deep expression', () => {
  const evaluateSource = (source: string): unknown =>
    compileExpression(parseTemplate(source).parts[0] as Expression, contextOf(source))({ a: 1 });

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
        message: 'An expression can nest at most 256 levels.',
        position: { line: 1, column: 4 },
      });
    },
  );
});

describe('too many arguments', () => {
  it('allows 100,000', () => {
    const call = { kind: 'call', name: 'count', args: Array(100_000), start: 2, end: 9, height: 1 } as const;
    expect(compileExpression(call, contextOf('{{count()}}'))(DATA)).toBe(100_000);
  });
  it('throws IML_LIMIT with the name of the call for more', () => {
    const call = { kind: 'call', name: 'count', args: Array(100_001), start: 2, end: 9, height: 1 } as const;
    const error = imlErrorOf(() => compileExpression(call, contextOf('{{count()}}'))(DATA));
    expect(error).toMatchObject({
      code: 'IML_LIMIT',
      message: "Function 'count' finished with error! Too many arguments: expected at most 100000.",
    });
  });
});

describe('a date that is parsed and written anew', () => {
  /** What an expression gives, or how it fails. */
  const outcome = (expression: string, functions: FunctionTable): unknown => {
    const source = `{{${expression}}}`;
    const context = { ...contextOf(source), functions };
    const evaluate = compileExpression(parseTemplate(source).parts[0] as Expression, context);
    try {
      return evaluate({ day: '2024-03-05', date: new Date(0), never: new Date(Number.NaN), no: null });
    } catch (error) {
      if (!(error instanceof ImlError)) throw error;
      const { code, message, offset } = error;
      return { code, message, offset };
    }
  };
  const parse = [
    ...[
      "day; 'YYYY-MM-DD'",
      'day',
      "day; 'YYYY-MM-DD'; 'Europe/Prague'",
      "day; 'YYYY-MM-DD'; 'Nowhere'; 1; 2",
    ],
    ...[
      '',
      'no',
      'date',
      "date; 'YYYY'",
      'never',
      'list',
      "20240305; 'YYYYMMDD'",
      '5',
      "'x'; 'YYYY'",
      'fail()',
    ],
    ...["'16:03'; 'HH:mm'", "day; 'YYYY-MM-DD'; fail()", "day; 'D. M.'"],
  ].map((args) => `parseDate(${args})`);
  const format = [
    ...[
      "; 'DD.MM.YYYY'",
      '',
      "; ''",
      "; 'LLL'; 'Asia/Tokyo'",
      "; 'HH'; 'Nowhere'; 1; 2",
      '; fail()',
      '; fail(); no',
    ],
    `; '${'Y'.repeat(10_001)}'`,
  ];
  const tables: readonly [string, FunctionTable][] = [
    ['as built in', FUNCTIONS],
    ["with an app's parseDate", { ...FUNCTIONS, parseDate: () => new Date(1e12) }],
    ["with an app's formatDate", { ...FUNCTIONS, formatDate: (_, date) => date instanceof Date }],
  ];
  it.each(tables)('is what the two calls give, one after the other, %s', (_, table) => {
    const functions: FunctionTable = { ...table, fail: contextOf('').functions['fail'] as ImlFunction };
    const parseDate = functions['parseDate'];
    // A wrapper is not known to the compiler, so that the two functions are called one after the other.
    const unjoined = { ...functions, parseDate: ((...args) => parseDate?.(...args)) satisfies ImlFunction };
    for (const parsed of parse)
      for (const rest of format) {
        const expression = `formatDate(${parsed}${rest})`;
        expect(outcome(expression, functions), expression).toEqual(outcome(expression, unjoined));
      }
  });
});
