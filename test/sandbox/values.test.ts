import { describe, expect, it } from 'vitest';
import { callIn, evaluate, failureOf, openSandbox } from './open-sandbox.js';

const withProto = JSON.parse('{"__proto__":{"admin":true},"constructor":1,"a":{"__proto__":2}}');
const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { value };
  return value;
};

describe('values that round-trip', () => {
  const kept: readonly (readonly [string, unknown])[] = [
    ['text with anything', 'nul \0 quote " \\ \u2028 é 😀 lone \ud800 \udc00'],
    ['numbers', [0, -0, 1.5, -1e308, 5e-324, NaN, Infinity, -Infinity]],
    ['absence', { a: undefined, b: null, c: '', d: [undefined, null] }],
    ['dates', [new Date(0), new Date(8.64e15), { at: new Date('2024-02-29T23:59:59.999Z') }]],
    ['bytes', { one: new Uint8Array([0, 255, 128]), none: new Uint8Array(0), two: [new Uint8Array([7])] }],
    ['only empty bytes', new Uint8Array(0)],
    ['names', { 'a b': 1, '': 2, '1': 3, constructor: 4, toString: 5, length: 6, toJSON: 8 }],
    ['tags in data', [['u'], ['n', 'NaN'], ['d', 1], ['b', 0, 1], ['a'], { x: ['u'], y: undefined }]],
    ['depth at the limit', deep(255)],
  ];

  it.each(kept)('%s', async (_title, value) => {
    expect(await evaluate('return a', value)).toStrictEqual(value);
    expect(await evaluate('return iml.same(a)', value)).toStrictEqual(value);
  });

  it('keep an invalid date', async () => {
    expect(await evaluate('return a', new Date(NaN))).toStrictEqual(new Date(NaN));
  });

  it('keep members called __proto__ on both sides', async () => {
    const result = (await evaluate(
      'return { back: a, admin: a.admin, keys: Object.keys(a), proto: Object.getPrototypeOf(a) === Object.prototype, tagged: undefined }',
      withProto,
    )) as Record<string, unknown>;
    expect(result['admin']).toBeUndefined();
    expect(result['keys']).toEqual(['__proto__', 'constructor', 'a']);
    expect(result['proto']).toBe(true);
    expect(JSON.stringify(result['back'])).toBe(JSON.stringify(withProto));
    expect(Object.getPrototypeOf(result['back'])).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it('pass arguments as mutable copies', async () => {
    const given = { list: [1, 2], name: 'x' };
    expect(await evaluate("a.list.push(3); a.name = 'y'; delete a.list[0]; return a", given)).toEqual({
      list: [undefined, 2, 3],
      name: 'y',
    });
    expect(given).toEqual({ list: [1, 2], name: 'x' });
  });

  it('pass bytes as a separate Buffer', async () => {
    const given = Buffer.from('abc');
    expect(
      await evaluate("a[0] = 65; return [Buffer.isBuffer(a), a.toString(), a.toString('hex')]", given),
    ).toEqual([true, 'Abc', '416263']);
    expect(given.toString()).toBe('abc');
  });

  it('pass missing arguments as undefined', async () => {
    expect(await evaluate('return [typeof a, typeof b, arguments.length]', undefined)).toEqual([
      'undefined',
      'undefined',
      1,
    ]);
  });
});

describe('unusual results', () => {
  const turned: readonly (readonly [string, string, unknown])[] = [
    [
      'functions become undefined',
      'return { f() {}, g: [() => 1], s: Symbol("x") }',
      { f: undefined, g: [undefined], s: undefined },
    ],
    ['a function itself', 'return () => 1', undefined],
    [
      'getters are read once inside',
      'let n = 0; return { u: undefined, get x() { return ++n } }',
      { u: undefined, x: 1 },
    ],
    [
      'a Proxy is read like the data it shows',
      'return new Proxy({ a: 1 }, { get: (t, k) => k === "a" ? 2 : undefined })',
      { a: 2 },
    ],
    ['an array Proxy', 'return new Proxy([1, undefined], {})', [1, undefined]],
    [
      'instances are their members',
      'class P { constructor() { this.x = 1 } get y() { return 2 } }; return new P()',
      { x: 1 },
    ],
    ['objects without a prototype', 'const o = Object.create(null); o.x = 1; return o', { x: 1 }],
    ['holes', 'return [, 1]', [undefined, 1]],
    ['boxed values', 'return [new String("a"), new Number(1), new Boolean(false)]', ['a', 1, false]],
    [
      'other views of bytes',
      'return [new Uint16Array([258]), new ArrayBuffer(2)]',
      [new Uint8Array([2, 1]), new Uint8Array(2)],
    ],
    ['maps have no members', 'return new Map([[1, 2]])', {}],
    ['shared parts are written twice', 'const s = [1]; return [s, s]', [[1], [1]]],
    ['toJSON is data', 'return { toJSON() { return 1 }, a: 1 }', { toJSON: undefined, a: 1 }],
  ];

  it.each(turned)('%s', async (_title, body, expected) => {
    expect(await evaluate(body)).toStrictEqual(expected);
  });

  const refused: readonly (readonly [string, string, RegExp])[] = [
    ['cyclic', 'const o = {}; o.o = [o]; return o', /contains itself/],
    [
      'too deep',
      'let o = 1; for (let i = 0; i < 300; i++) o = [o]; return o',
      /nested deeper than 256 levels/,
    ],
    [
      'an endless getter tree',
      'const make = () => ({ get next() { return make() } }); return make()',
      /nested deeper/,
    ],
    ['a promise', 'return Promise.resolve(1)', /promise/],
    ['a thenable', 'return { then() {} }', /promise/],
    ['a promise inside', 'return [Promise.resolve(1)]', /promise/],
    ['a BigInt', 'return 1n', /BigInt/],
    ['a revoked Proxy', 'const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy', /revoked/],
    ['a false date', 'return Object.create(Date.prototype)', /Date/],
  ];

  it.each(refused)('%s is refused', async (_title, body, expected) => {
    using sandbox = await openSandbox({ f: `function f() { ${body} }` });
    expect(failureOf(sandbox, 'f')).toEqual({
      code: 'IML_FUNCTION',
      message: expect.stringMatching(expected),
    });
  });

  it('refuse async functions, whose jobs never run', async () => {
    using sandbox = await openSandbox({
      f: 'async function f() { return 1 }',
      g: 'function g() { Promise.resolve().then(() => { for (;;); }); return 2 }',
    });
    expect(failureOf(sandbox, 'f').message).toMatch(/promise: custom functions are synchronous/);
    for (let round = 0; round < 3; round++) expect(callIn(sandbox, 'g')).toBe(2);
  });
});

describe('unusual arguments', () => {
  it.each([
    [
      'cyclic',
      () => {
        const o: Record<string, unknown> = {};
        o['o'] = o;
        return o;
      },
      'IML_FUNCTION',
      /contains itself/,
    ],
    ['too deep', () => deep(300), 'IML_FUNCTION', /nested deeper/],
    ['a BigInt', () => 1n, 'IML_FUNCTION', /BigInt/],
    [
      'a getter that throws',
      () => ({
        get x() {
          throw new Error('secret');
        },
      }),
      'IML_HOST_VALUE',
      /cannot be read/,
    ],
    ['larger than the guest', () => 'x'.repeat(9e6), 'IML_LIMIT', /too large/],
    [
      'a graph that unfolds',
      () => {
        let t: unknown = [1];
        for (let i = 0; i < 60; i++) t = [t, t];
        return t;
      },
      'IML_LIMIT',
      /too large/,
    ],
    ['an endless array', () => new Array(2 ** 32 - 1), 'IML_LIMIT', /too large/],
  ])('%s', async (_title, make, code, message) => {
    // Writing the arguments takes time, and this test checks their size.
    using sandbox = await openSandbox({ f: 'function f(x) { return 1 }' }, { limits: { timeMs: 10_000 } });
    expect(failureOf(sandbox, 'f', make())).toEqual({ code, message: expect.stringMatching(message) });
    expect(callIn(sandbox, 'f', 1)).toBe(1);
  });

  it('pass functions in data as undefined and never call them', async () => {
    let calls = 0;
    const given = { f: () => calls++, toJSON: () => calls++, [String('then')]: () => calls++ };
    expect(await evaluate('return Object.keys(a).map((key) => typeof a[key])', given)).toEqual([
      'undefined',
      'undefined',
      'undefined',
    ]);
    expect(calls).toBe(0);
  });
});
