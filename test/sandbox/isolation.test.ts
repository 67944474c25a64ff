import { describe, expect, it } from 'vitest';
import { callIn, ENVIRONMENT, evaluate, openSandbox } from './open-sandbox.js';

/** State that one call may try to leave behind, and the view of the next call. */
const TRACES: readonly (readonly [title: string, leave: string, look: string])[] = [
  ['a member of the global object', 'globalThis.trace = 1', 'typeof trace'],
  ['an undeclared variable', 'trace = 1', 'typeof trace'],
  [
    'a global that cannot be deleted',
    "Object.defineProperty(globalThis, 'trace', { value: 1 })",
    'typeof trace',
  ],
  [
    'a symbol on the global object',
    "globalThis[Symbol.for('trace')] = 1",
    "typeof globalThis[Symbol.for('trace')]",
  ],
  ['a variable by indirect eval', "(0, eval)('var trace = 1; let other = 2')", 'typeof trace + typeof other'],
  ['a function by Function', "Function('trace = 1')()", 'typeof trace'],
  ['the prototype of the global object', 'Object.setPrototypeOf(globalThis, { trace: 1 })', 'typeof trace'],
  ['a global object that is not extensible', 'Object.preventExtensions(globalThis)', 'typeof (later = 1)'],
  ['Object.prototype', 'Object.prototype.trace = 1', 'typeof ({}).trace'],
  ['Array.prototype.push', 'Array.prototype.push = () => 9', '[].push(1)'],
  [
    'Array.prototype.map by defineProperty',
    "Object.defineProperty(Array.prototype, 'map', { value: () => 9 })",
    '[1].map((x) => x)',
  ],
  ['String.prototype.trim', 'String.prototype.trim = () => 9', '" x ".trim()'],
  ['JSON.parse', 'JSON.parse = () => 9', "JSON.parse('1')"],
  ['Math.max', 'Math.max = () => 9', 'Math.max(1)'],
  [
    'the iterator of arrays',
    'Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true })',
    '[...[1, 2]].length',
  ],
  [
    'generators',
    'Object.getPrototypeOf(function* () {}).prototype.next = () => 9',
    '(function* () { yield 1 })().next().value',
  ],
  [
    'the Function constructor',
    '(() => {}).constructor.prototype.call = () => 9',
    '(function () { return 1 }).call()',
  ],
  ['Error.prototype', 'Error.prototype.trace = 1', 'typeof new Error().trace'],
  ['Buffer', 'Buffer.from = () => 9', "Buffer.from('a').length"],
  ['Buffer.prototype', 'Buffer.prototype.toString = () => 9', "Buffer.from('a').toString()"],
  ['iml', 'iml.join = () => 9; iml.trace = 1', "iml.join([1, 2], '-') + typeof iml.trace"],
  [
    'environment',
    "environment.timezone = 'x'; environment.trace = 1",
    'environment.timezone + typeof environment.trace',
  ],
  ['this', 'this.trace = 1', 'typeof this.trace'],
  ['a replaced global', 'JSON = Math = Date = null', 'typeof JSON + typeof Math + typeof Date'],
  ['RegExp results', "/(x)/.exec('x')", 'String(RegExp.$1)'],
  ['a pending job', 'Promise.resolve().then(() => { globalThis.trace = 1 })', 'typeof trace'],
];

describe('isolation between calls', () => {
  it.each(TRACES)('%s leaves nothing behind', async (_title, leave, look) => {
    const codes = {
      leave: `function leave() { try { ${leave} } catch { } return 0 }`,
      look: `function look() { return ${look} }`,
    };
    using clean = await openSandbox(codes);
    using used = await openSandbox(codes);
    const expected = callIn(clean, 'look');
    callIn(used, 'leave');
    expect(callIn(used, 'look')).toEqual(expected);
    callIn(used, 'leave');
    expect(callIn(used, 'look')).toEqual(expected);
  });

  it('top-level variables are new in each call', async () => {
    using sandbox = await openSandbox({
      f: 'let n = 0; const seen = []; function f() { seen.push(++n); return seen }',
    });
    expect([callIn(sandbox, 'f'), callIn(sandbox, 'f')]).toEqual([[1], [1]]);
  });
});

describe('isolation between apps', () => {
  it('shares nothing', async () => {
    using one = await openSandbox({
      f: 'function f() { globalThis.x = 1; try { Object.prototype.y = 1 } catch {} return typeof x + typeof ({}).y }',
    });
    using two = await openSandbox({ f: 'function f() { return typeof x + typeof ({}).y }' });
    expect(callIn(one, 'f')).toBe('numberundefined');
    expect(callIn(two, 'f')).toBe('undefinedundefined');
  });
});

describe('language features that stay available', () => {
  it.each([
    ['undeclared loop variables', 'let sum = 0; for (i = 0; i < 4; i++) sum += i; return sum', 6],
    [
      'members named like built-in ones',
      "const count = {}; for (const w of ['constructor', 'toString', 'valueOf', 'x']) count[w] = 1; return count",
      { constructor: 1, toString: 1, valueOf: 1, x: 1 },
    ],
    [
      'own errors',
      "class Bad extends Error { constructor(m) { super(m); this.name = 'Bad'; this.message += '!' } } try { throw new Bad('m') } catch (e) { return e.name + e.message + (e instanceof Bad) }",
      'Badm!true',
    ],
    [
      'own toString',
      "function P() {} P.prototype.toString = () => 'p'; P.prototype.constructor = P; return '' + new P()",
      'p',
    ],
    [
      'recursion, closures, generators',
      'function* g(n) { if (n) { yield n; yield* g(n - 1) } } return [...g(3)].map((x) => x * 2)',
      [6, 4, 2],
    ],
    [
      'named groups, Intl-free dates, BigInt inside',
      "return [/(?<y>\\d+)/.exec('a12').groups.y, new Date(2020, 0, 31).toISOString(), Number(2n ** 10n)]",
      ['12', '2020-01-31T00:00:00.000Z', 1024],
    ],
    ['eval and Function inside', "return eval('a + 1') + Function('return 2')()", 13],
  ])('%s', async (_title, body, expected) => {
    expect(await evaluate(body, 10)).toEqual(expected);
  });
});

describe('access to the host', () => {
  const absent = [
    'process',
    'require',
    'module',
    'global',
    'fetch',
    'setTimeout',
    'WebAssembly',
    'import',
    'host',
    'hostBytes',
    'dispatch',
    'callHost',
    'std',
    'os',
    'Deno',
    'URL',
  ];

  it.each(absent.filter((name) => name !== 'import'))('has no %s', async (name) => {
    expect(await evaluate(`return typeof ${name}`)).toBe('undefined');
  });

  it.each([
    ['Function', "return Function('return typeof process + typeof require + typeof host')()"],
    [
      'the constructor of iml functions',
      "return iml.join.constructor('return typeof process + typeof require + typeof host')()",
    ],
    ['indirect eval', "return (0, eval)('typeof process + typeof require + typeof host')"],
    [
      'the constructor of an argument',
      "return a.constructor.constructor('return typeof process + typeof require + typeof host')()",
    ],
    [
      'the constructor of an error of the host',
      "try { iml.join(1) } catch (e) { return e.constructor.constructor('return typeof process + typeof require + typeof host')() }",
    ],
  ])('is not opened by %s', async (_title, body) => {
    expect(await evaluate(body, [{}])).toBe('undefinedundefinedundefined');
  });

  it('is not opened by import()', async () => {
    expect(await evaluate("let r = 'none'; import('fs').then(() => { r = 'fs' }, () => {}); return r")).toBe(
      'none',
    );
  });

  it('refuses inherited names of the function table', async () => {
    expect(
      await evaluate('return [typeof iml.constructor, typeof iml.toString, typeof iml.__proto__]'),
    ).toEqual(['undefined', 'undefined', 'undefined']);
  });

  it('reports text that closes the wrapper around the code as a syntax error', async () => {
    using sandbox = await openSandbox({
      f: 'function f() { return 1 } }); globalThis.stolen = 1; (function () {',
      g: 'function g() { return typeof stolen }',
    });
    expect(sandbox.warnings.map((warning) => warning.code)).toEqual(['syntax']);
    expect(callIn(sandbox, 'g')).toBe('undefined');
  });
});

describe('time and randomness', () => {
  it('come from the environment of the call', async () => {
    using sandbox = await openSandbox({
      f: 'function f() { return [Date.now(), new Date().toISOString(), Math.random(), this.timezone, environment.timezone, iml.zone()] }',
    });
    const at = Date.UTC(2030, 0, 1);
    const environment = { ...ENVIRONMENT, now: () => at, random: () => 0.75, timezone: 'Asia/Tokyo' };
    expect(callIn(sandbox, 'f')).toEqual([
      ENVIRONMENT.now(),
      '2024-02-29T12:00:00.000Z',
      0.25,
      ...Array(3).fill('Europe/Prague'),
    ]);
    expect(sandbox.functions['f']?.(environment)).toEqual([
      at,
      '2030-01-01T00:00:00.000Z',
      0.75,
      ...Array(3).fill('Asia/Tokyo'),
    ]);
  });

  it('environment shows the values that the host adds', async () => {
    using sandbox = await openSandbox(
      { f: 'function f() { return [environment.region, environment.timezone] }' },
      { environment: { region: 'eu1' } },
    );
    expect(callIn(sandbox, 'f')).toEqual(['eu1', 'Europe/Prague']);
  });

  it('use UTC as local time regardless of the machine', async () => {
    const before = process.env['TZ'];
    process.env['TZ'] = 'America/New_York';
    try {
      expect(new Date(2020, 0, 1).toISOString()).toBe('2020-01-01T05:00:00.000Z');
      expect(
        await evaluate(
          "return [new Date(2020, 0, 1).toISOString(), new Date('2020-07-01T00:00:00').getHours(), new Date().getTimezoneOffset()]",
        ),
      ).toEqual(['2020-01-01T00:00:00.000Z', 0, 0]);
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });
});
