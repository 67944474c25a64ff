import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../src/engine/sandbox/create-sandbox.js';
import { ImlError } from '../../src/language/index.js';
import { cpuMsOf } from '../cpu-time.js';
import { BUILTINS, callIn, failureOf, openSandbox } from './open-sandbox.js';

describe('errors of custom functions', () => {
  const thrown: readonly (readonly [string, string, string])[] = [
    [
      'an Error',
      "function f(x) {\n  const y = 1;\n  throw new Error('no ' + x);\n}",
      "Custom function 'f' failed: no 1 (functions/f/code.js:3:18)",
    ],
    [
      'a TypeError',
      'function f(x) {\r\n  return null.foo;\r\n}',
      "Custom function 'f' failed: cannot read property 'foo' of null (functions/f/code.js:2:14)",
    ],
    ['a text', "function f() { throw 'plain' }", "Custom function 'f' failed: plain (functions/f/code.js)"],
    [
      'undefined',
      'function f() { throw undefined }',
      "Custom function 'f' failed: undefined (functions/f/code.js)",
    ],
    ['null', 'function f() { throw null }', "Custom function 'f' failed: null (functions/f/code.js)"],
    [
      'an object with a message',
      "function f() { throw { message: 'mine' } }",
      "Custom function 'f' failed: mine (functions/f/code.js)",
    ],
    [
      'an object',
      'function f() { throw { a: 1 } }',
      `Custom function 'f' failed: {"a":1} (functions/f/code.js)`,
    ],
    [
      'a symbol',
      "function f() { throw Symbol('s') }",
      "Custom function 'f' failed: Symbol(s) (functions/f/code.js)",
    ],
    [
      'something unreadable',
      'function f() { throw { get message() { throw 1 } } }',
      "Custom function 'f' failed: It threw a value that cannot be read (functions/f/code.js)",
    ],
  ];

  it.each(thrown)('%s', async (_title, code, message) => {
    using sandbox = await openSandbox({ f: code });
    expect(failureOf(sandbox, 'f', 1)).toEqual({ code: 'IML_FUNCTION', message });
  });

  it('have the source location as data in their cause', async () => {
    using sandbox = await openSandbox({ f: 'function f() {\n\n  throw new Error("x") }' });
    const error = (() => {
      try {
        return callIn(sandbox, 'f');
      } catch (caught) {
        return caught;
      }
    })() as Error;
    expect(error.cause).toMatchObject({ place: { file: 'functions/f/code.js', line: 3, column: 18 } });
  });

  it('are truncated if large', async () => {
    using sandbox = await openSandbox({ f: "function f() { throw new Error('x'.repeat(1e6)) }" });
    expect(failureOf(sandbox, 'f').message.length).toBeLessThan(2200);
  });

  it('name the file in which the error was thrown, even if another function was called', async () => {
    using sandbox = await openSandbox({
      outer: 'function outer() { return iml.inner() }',
      inner: 'function inner() {\n  return x.y\n}',
    });
    expect(failureOf(sandbox, 'outer').message).toBe(
      "Custom function 'outer' failed: 'x' is not defined (functions/inner/code.js:2:10)",
    );
  });

  it('can be caught by a function that calls another', async () => {
    using sandbox = await openSandbox({
      outer: 'function outer() { try { iml.inner() } catch (e) { return e.message } }',
      inner: "function inner() { throw new Error('seen') }",
    });
    expect(callIn(sandbox, 'outer')).toBe('seen');
  });
});

describe('files without a function', () => {
  const codes = {
    good: 'function good() { return 1 }',
    bad: 'function bad() {\n  let = = 1\n}',
    caller: 'function caller() { return iml.bad() }',
    nothing: 'const nothing = 1',
    deepCode: `function deepCode() { return ${'('.repeat(3e4)}1${')'.repeat(3e4)} }`,
  };

  it('stop only the functions that call them', async () => {
    using sandbox = await openSandbox(codes);
    expect(
      sandbox.warnings.filter((warning) => warning.code === 'syntax').map((warning) => warning.place),
    ).toEqual(
      [{ file: 'functions/bad/code.js', line: 2, column: 9 }, { file: 'functions/deepCode/code.js' }].map(
        (place) => expect.objectContaining(place),
      ),
    );
    expect(callIn(sandbox, 'good')).toBe(1);
    expect(failureOf(sandbox, 'bad')).toEqual({
      code: 'IML_FUNCTION',
      message: expect.stringMatching(/'bad' does not compile: .* \(functions\/bad\/code\.js:2:9\)/),
    });
    expect(failureOf(sandbox, 'caller').message).toMatch(
      /'caller' failed: Custom function 'bad' does not compile/,
    );
    expect(failureOf(sandbox, 'nothing').message).toMatch(/declares no function/);
    expect(failureOf(sandbox, 'deepCode').code).toBe('IML_FUNCTION');
  });

  it('reports an absent file', async () => {
    using sandbox = await createSandbox({
      functions: [{ name: 'f', code: undefined, file: undefined }],
      builtins: {},
    });
    expect(sandbox.warnings).toEqual([
      {
        code: 'missing-file',
        message: "Custom function 'f' has no code (functions/f/code.js)",
        place: { file: 'functions/f/code.js' },
      },
    ]);
    expect(failureOf(sandbox, 'f').code).toBe('IML_FUNCTION');
  });

  it('reports a file of comments', async () => {
    using sandbox = await openSandbox({ f: '// nothing' });
    expect(failureOf(sandbox, 'f').message).toBe(
      "Custom function 'f' is not declared: expected `function f(...) { ... }` (functions/f/code.js)",
    );
  });
});

describe('the detection of a function', () => {
  it.each([
    [
      'by its name among helpers',
      'function g() { return 0 } function f() { return g() + 1 } function h() { return 5 }',
      1,
      0,
    ],
    ['as an arrow', 'const f = (x) => 2', 2, 0],
    ['as an assigned function', 'var f = function (x) { return 3 };', 3, 0],
    ['as the last one if none has the name', 'function a() { return 0 }\nfunction b() { return 4 }', 4, 1],
    ['not in a comment', '// function f() {}\nfunction b() { function f() {} return 5 }', 5, 0],
    ['after a byte order mark', '\ufefffunction f() { return 6 }', 6, 0],
    ['in strict mode', "'use strict'; function f() { return this.timezone }", 'Europe/Prague', 0],
    [
      'beside reserved words in strings',
      "function f() { return 'function if, function class' }",
      'function if, function class',
      0,
    ],
  ])('%s', async (_title, code, expected, warnings) => {
    using sandbox = await openSandbox({ f: code });
    expect(callIn(sandbox, 'f')).toBe(expected);
    expect(sandbox.warnings).toHaveLength(warnings);
  });

  it('reads hostile text in bounded time', async () => {
    const cpuMs = await cpuMsOf(async () => {
      using sandbox = await openSandbox({
        f: `// function ${' '.repeat(2e4)}; ${'var '.repeat(1e4)}\nfunction f() { return 1 }`,
      });
      expect(callIn(sandbox, 'f')).toBe(1);
    });
    expect(cpuMs).toBeLessThan(5000);
  });
});

describe('function names', () => {
  it('cannot be those of another function', async () => {
    const functions = ['f', 'f'].map((name) => ({ name, code: `function ${name}() {}`, file: undefined }));
    await expect(createSandbox({ functions, builtins: BUILTINS })).rejects.toMatchObject({
      name: 'SpecError',
      code: 'SPEC_INVALID',
      message: expect.stringMatching(/'f' has the name of another custom function/),
    });
  });

  it('of a built-in function replace it, also within iml, with a warning', async () => {
    using sandbox = await openSandbox({
      join: "function join() { return 'own' }",
      f: "function f() { return iml.join(['a']) }",
    });
    expect([callIn(sandbox, 'join'), callIn(sandbox, 'f')]).toEqual(['own', 'own']);
    expect(sandbox.warnings).toEqual([
      {
        code: 'function-replaced',
        message: expect.stringContaining("'join' replaces the built-in function"),
        place: { file: 'functions/join/code.js' },
      },
    ]);
  });

  it.each(['', ' \n\t', '\ufeff'])('are not declared by an empty file (%j)', async (code) => {
    using sandbox = await openSandbox({ join: code, f: "function f() { return iml.join(['a', 'b'], '-') }" });
    expect(Object.keys(sandbox.functions)).toEqual(['f']);
    expect(callIn(sandbox, 'f')).toBe('a-b');
    expect(sandbox.warnings).toEqual([]);
  });

  it('may be __proto__ and toString', async () => {
    const functions = ['__proto__', 'toString', 'constructor'].map((name) => ({
      name,
      code: `function ${name}() { return '${name}' }`,
      file: undefined,
    }));
    using sandbox = await createSandbox({ functions, builtins: BUILTINS });
    expect(Object.keys(sandbox.functions)).toEqual(['__proto__', 'toString', 'constructor']);
    expect(callIn(sandbox, '__proto__')).toBe('__proto__');
  });
});

describe('iml', () => {
  it('calls built-in and other functions, nested', async () => {
    using sandbox = await openSandbox({
      a: "function a(list) { return 'a:' + iml.b(list) }",
      b: "function b(list) { return iml.join(list.map((x) => iml.same(x) * 2), '-') }",
      fib: 'function fib(n) { return n < 2 ? n : iml.fib(n - 1) + iml.fib(n - 2) }',
    });
    expect(callIn(sandbox, 'a', [1, 2, 3])).toBe('a:2-4-6');
    expect(callIn(sandbox, 'fib', 12)).toBe(144);
  });

  it('keeps types in both directions', async () => {
    using sandbox = await openSandbox({
      f: 'function f(x) { const y = iml.same(x); return [y.d instanceof Date, Buffer.isBuffer(y.b), y.u === undefined && "u" in y, y] }',
    });
    const value = { d: new Date(5), b: new Uint8Array([1, 2]), u: undefined };
    expect(callIn(sandbox, 'f', value)).toStrictEqual([true, true, true, value]);
  });

  it('throws errors of built-in functions as exceptions', async () => {
    using sandbox = await openSandbox({
      caught:
        'function caught() { try { iml.join(1) } catch (e) { return [e instanceof Error, e.message] } }',
      free: 'function free() {\n  return iml.join(1)\n}',
    });
    const message = "Function 'join' finished with error! Invalid array";
    expect(callIn(sandbox, 'caught')).toEqual([true, message]);
    expect(failureOf(sandbox, 'free')).toEqual({
      code: 'IML_FUNCTION',
      message: expect.stringMatching(
        /^Custom function 'free' failed: Function 'join' .* Invalid array \(functions\/free\/code\.js:2:\d+\)$/,
      ),
    });
  });

  it('keeps limit errors of a built-in function uncatchable, and survives its defects', async () => {
    using sandbox = await openSandbox(
      {
        limit: 'function limit() { return iml.greedy() }',
        defect: 'function defect() { return iml.broken() }',
        shape: 'function shape() { return typeof iml.odd() }',
      },
      {
        builtins: {
          greedy: () => {
            throw new ImlError('IML_LIMIT', 'too much', { kind: 'limit' });
          },
          broken: () => (undefined as unknown as { x: number }).x,
          odd: () => () => new ImlError('IML_FUNCTION', 'never called', { kind: 'function-error' }),
        },
      },
    );
    expect(failureOf(sandbox, 'limit').code).toBe('IML_LIMIT');
    expect(failureOf(sandbox, 'defect').code).toBe('IML_FUNCTION');
    expect(callIn(sandbox, 'shape')).toBe('undefined');
  });

  it('refuses a built-in function that calls back', async () => {
    const back: { call?: () => unknown } = {};
    using sandbox = await openSandbox(
      { f: 'function f() { return iml.back() }', g: 'function g() { return 1 }' },
      { builtins: { back: () => back.call?.() } },
    );
    back.call = () => callIn(sandbox, 'g');
    expect(failureOf(sandbox, 'f').message).toMatch(/was called by a built-in function/);
    expect(callIn(sandbox, 'g')).toBe(1);
  });
});
