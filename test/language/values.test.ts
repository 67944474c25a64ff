import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BytesEncoding,
  bytesOfText,
  computeTextLength,
  findEncoding,
  textOfBytes,
} from '../../src/language/values/bytes.js';
import { createDistinctKey, createEqualityKey } from '../../src/language/values/identity.js';
import {
  assertListLength,
  assertTextLength,
  MAX_LIST_LENGTH,
  MAX_TEXT_LENGTH,
  rewrite,
  rewriteInChunks,
} from '../../src/language/values/size-limits.js';
import { quotedText, type TreeStyle, treeText, writeJson } from '../../src/language/values/tree-text.js';
import {
  classifyValue,
  describeType,
  isBuffer,
  isDate,
  isEmpty,
  isOn,
  isTruthy,
  toArithmetic,
  toNumber,
  toText,
} from '../../src/language/values/value.js';
import { errorOf } from './functions/call-function.js';

describe('toText', () => {
  it.each([
    [undefined, ''],
    [null, ''],
    [true, 'true'],
    [0.1, '0.1'],
    [-0, '0'],
    [Number.NaN, ''],
    [12n, '12'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Date(Number.NaN), ''],
    [new Uint8Array([0xc5, 0x99]), 'ř'],
    [[1, [2, [null, 'x']], {}], '1,2,,x,{object}'],
    [{}, '{object}'],
    [new Map(), '{object}'],
    [() => 1, ''],
    [Symbol('s'), ''],
  ])('of %o is %j', (value, text) => expect(toText(value)).toBe(text));

  it('of a circular array ends', () => {
    const list: unknown[] = ['a'];
    list.push(list);
    expect(toText(list)).toMatch(/^(?:a,)+$/);
  });
  it.each([
    [255, 'x'],
    [256, 'x'],
    [257, ''],
  ])('of an array inside %i arrays is %j', (depth, text) => {
    let list: unknown = 'x';
    for (let level = 0; level < depth; level++) list = [list];
    expect(toText(list)).toBe(text);
  });
  it('of an array with too many items throws IML_LIMIT', () => {
    // Has this length, but no memory for its items.
    const long: unknown[] = [];
    long.length = 2 ** 31;
    for (const value of [long, [long], [[], long]])
      expect(() => toText(value)).toThrow(expect.objectContaining({ code: 'IML_LIMIT' }));
  });
  it('of a deeply nested array ends', () => {
    let list: unknown[] = ['x'];
    for (let depth = 0; depth < 100_000; depth++) list = [list];
    expect(toText(list)).toBe('');
  });
  it('of an object that only inherits from Date or Uint8Array is that of a collection', () => {
    expect(toText(Object.create(Date.prototype))).toBe('{object}');
    expect(toText(Object.create(Uint8Array.prototype))).toBe('{object}');
    expect(isDate(Object.create(Date.prototype))).toBe(false);
    expect(isBuffer(Object.create(Uint8Array.prototype))).toBe(false);
  });
  it('returns text for random values', () => {
    fc.assert(
      fc.property(
        fc.anything({ withDate: true, withSparseArray: true }),
        (value) => typeof toText(value) === 'string',
      ),
    );
  });
});

describe('numbers', () => {
  it.each([
    ['12', 12],
    [' 1.5 ', 1.5],
    ['-.5', -0.5],
    ['+2.', 2],
    ['1e3', 1000],
    ['', undefined],
    ['0x10', undefined],
    ['1e400', undefined],
    ['1,5', undefined],
    [Number.NaN, undefined],
    [true, undefined],
  ])('toNumber(%j) is %s', (value, expected) => expect(toNumber(value)).toBe(expected));

  it.each([
    ['7', 7],
    ['x', Number.NaN],
    ['', Number.NaN],
    [true, 1],
    [null, 0],
    [undefined, Number.NaN],
    [new Date(5), 5],
    [[1], Number.NaN],
    [{}, Number.NaN],
  ])('toArithmetic(%j) is %d', (value, expected) => expect(toArithmetic(value)).toBe(expected));
});

it('isEmpty is true only for undefined, null and the empty text', () => {
  expect([undefined, null, ''].every(isEmpty)).toBe(true);
  expect([0, false, ' ', [], {}].some(isEmpty)).toBe(false);
});
it('isTruthy is true for empty arrays and collections', () =>
  expect([[], {}, 'false', -1].every(isTruthy)).toBe(true));
it('isOn is false for the text false', () => {
  expect(isOn('false')).toBe(false);
  expect(isOn('true')).toBe(true);
});

const trapped = new Proxy(
  {},
  {
    getPrototypeOf: () => {
      throw new Error('trap');
    },
  },
);

describe('the kind of a value', () => {
  it.each([
    [undefined, 'unset', 'nothing'],
    [null, 'null', 'null'],
    ['', 'text', 'text'],
    [0, 'number', 'a number'],
    [false, 'boolean', 'a boolean'],
    [new Date(0), 'date', 'a date'],
    [new Date(Number.NaN), 'date', 'a date'],
    [new Uint8Array(1), 'buffer', 'a buffer'],
    [[], 'array', 'an array'],
    [{}, 'collection', 'a collection'],
    [Object.create(null), 'collection', 'a collection'],
    [new Map(), 'unreadable', 'an object'],
    [trapped, 'unreadable', 'an object'],
    [() => 0, 'unreadable', 'a function'],
    [1n, 'unreadable', 'a bigint'],
    [Symbol('s'), 'unreadable', 'a symbol'],
  ])('of value %# is classified and described', (value, kind, described) => {
    expect([classifyValue(value), describeType(value)]).toEqual([kind, described]);
  });
});

it.each([
  [assertTextLength, MAX_TEXT_LENGTH, 'Text is too long: expected at most 67108864 characters.'],
  [assertListLength, MAX_LIST_LENGTH, 'Array is too long: expected at most 5000000 items.'],
])('%o throws only above its limit', (assertLength, limit, message) => {
  expect(errorOf(() => assertLength(limit - 1))).toBeUndefined();
  expect(errorOf(() => assertLength(limit))).toBeUndefined();
  expect(errorOf(() => assertLength(limit + 1))).toEqual({ code: 'IML_LIMIT', message });
});

describe('rewrite', () => {
  it('has the result of String.prototype.replace', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '$') }), (text) => {
        expect(rewrite(text, /a+/g, () => '$&')).toBe(text.replace(/a+/g, () => '$&'));
      }),
    );
  });
  it('throws IML_LIMIT for a result that is too long', () => {
    const long = 'x'.repeat(MAX_TEXT_LENGTH / 4);
    expect(rewrite('aaaa', /a/g, () => long).length).toBe(MAX_TEXT_LENGTH);
    expect(errorOf(() => rewrite('aaaab', /a/g, () => long))?.code).toBe('IML_LIMIT');
    expect(errorOf(() => rewrite('aaaaa', /a/g, () => long))?.code).toBe('IML_LIMIT');
  });
});

describe('rewriteInChunks', () => {
  it('does not split surrogate pairs', () => {
    const text = `a${'😀'.repeat(100_000)}`;
    expect(rewriteInChunks(text, encodeURIComponent)).toBe(encodeURIComponent(text));
  });
  it.each(['😀', '\ud800\udc00', '\udbff\udfff', '\ud7ff', '\ue000', 'x'])(
    'does not split %j',
    (character) => {
      for (const length of [65_534, 65_535, 65_536]) {
        const text = 'a'.repeat(length) + character.repeat(2);
        expect(rewriteInChunks(text, encodeURIComponent)).toBe(encodeURIComponent(text));
      }
    },
  );
  it('throws IML_LIMIT for a result that is too long', () => {
    expect(
      errorOf(() => rewriteInChunks('a'.repeat(200_000), () => 'x'.repeat(MAX_TEXT_LENGTH / 2)))?.code,
    ).toBe('IML_LIMIT');
  });
});

const STYLE: TreeStyle = { listNames: Object.keys, leaf: (value) => JSON.stringify(value) ?? 'null' };

describe('treeText', () => {
  it.each([
    ['a leaf', 5],
    ['an empty object', {}],
    ['a few values', { a: [1, 'two', { b: null }], c: [] }],
    ['many values', Array.from({ length: 2000 }, (_, id) => ({ id, name: `name ${id}` }))],
  ])('converts %s to JSON', (_, value) => {
    expect(treeText(value, STYLE)).toBe(JSON.stringify(value));
  });

  it('throws IML_LIMIT for a text that is too long', () => {
    const text = 'x'.repeat(2 ** 22);
    expect(() => treeText(Array(15).fill(text), STYLE)).not.toThrow();
    expect(() => treeText(Array(16).fill(text), STYLE)).toThrow(
      expect.objectContaining({ code: 'IML_LIMIT' }),
    );
  });
});

const CHUNK = 65_536;

it.each([CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK])(
  'quotedText has the result of JSON.stringify for %i UTF-16 units',
  (length) => {
    for (const start of ['', 'x', '\u{1f600}', 'x\u{1f600}', '\ude00', '\ud83d']) {
      for (const filling of ['\u{1f600}', '"x', 'x\ud83d', '\ude00\ud83d']) {
        const text = `${start}${filling.repeat(length)}`.slice(0, length);
        expect(quotedText(text)).toBe(JSON.stringify(text));
        expect(writeJson([text])).toBe(JSON.stringify([text]));
      }
    }
  },
);

const ENCODINGS: readonly BytesEncoding[] = ['utf8', 'hex', 'base64', 'latin1', 'ascii'];
const byteArrays = fc.uint8Array({ maxLength: 100 });

describe.each(ENCODINGS)('%s', (encoding) => {
  it('encodes bytes like Node', () => {
    fc.assert(
      fc.property(byteArrays, (data) => {
        expect(textOfBytes(data, encoding)).toBe(Buffer.from(data).toString(encoding));
      }),
    );
  });
  it('decodes text like Node', () => {
    fc.assert(
      fc.property(byteArrays, (data) => {
        const text =
          encoding === 'utf8' ? `ř😀${String.fromCharCode(0xd800)}` : Buffer.from(data).toString(encoding);
        expect(Buffer.from(bytesOfText(text, encoding) ?? [])).toEqual(Buffer.from(text, encoding));
      }),
    );
  });
});

it.each(['hex', 'base64', 'latin1', 'ascii'] as const)(
  '%s has the same result without Buffer',
  (encoding) => {
    const { Buffer: own } = globalThis;
    const lists = [[], [0], [0, 1], [0, 1, 2], [250, 251, 252, 253], [255, 255, 255, 255, 255]];
    lists.push(Array.from({ length: 20_000 }, (_, index) => index % 251));
    const expected = lists.map((list) => own.from(list).toString(encoding));
    const written: string[] = [];
    Reflect.deleteProperty(globalThis, 'Buffer');
    try {
      for (const list of lists) written.push(textOfBytes(Uint8Array.from(list), encoding));
    } finally {
      Object.assign(globalThis, { Buffer: own });
    }
    expect(written).toEqual(expected);
  },
);
it('Base64 may lack padding, have line breaks and use the URL alphabet', () => {
  for (const text of ['+/8=', '-_8', '+/\r\n8=', ' +/8 = \n']) {
    expect([...(bytesOfText(text, 'base64') ?? [])]).toEqual([0xfb, 0xff]);
  }
});
it.each(['A', 'AAAAA', 'AA=A', 'AA===', 'ř', 'A!A='])('%s is invalid Base64', (text) => {
  expect(bytesOfText(text, 'base64')).toBeUndefined();
});
it('hex is case-insensitive', () => expect([...(bytesOfText('aBcD', 'hex') ?? [])]).toEqual([0xab, 0xcd]));
it('encoding names are case-insensitive and have aliases', () => {
  expect(findEncoding('UTF-8')).toBe('utf8');
  expect(findEncoding('Binary')).toBe('latin1');
  expect(findEncoding('constructor')).toBeUndefined();
});
it.each(['a', 'a!', '!a', 'abc', 'ř0'])('%s is invalid hex', (text) => {
  expect(bytesOfText(text, 'hex')).toBeUndefined();
});
it.each([
  ['hex', 3, 6],
  ['base64', 0, 0],
  ['base64', 1, 4],
  ['base64', 3, 4],
  ['base64', 4, 8],
  ['utf8', 5, 5],
  ['latin1', 5, 5],
] as const)('%s of %i bytes has at most %i characters', (encoding, count, length) => {
  expect(computeTextLength(count, encoding)).toBe(length);
});

const other = new Map();
const bytes = (...list: number[]): Uint8Array => Uint8Array.from(list);

/** Groups of equal values. */
const CLASSES: readonly (readonly unknown[])[] = [
  [undefined, null, () => 0],
  ['', ''],
  ['a'],
  ['1'],
  [1, 1, 1.0],
  [0, -0],
  [Number.NaN, Number.NaN],
  ['n1'],
  ['\u0000n1'],
  [true],
  ['true'],
  [new Date(5), new Date(5)],
  [new Date(6)],
  [bytes(1, 2), bytes(1, 2)],
  [bytes(1)],
  [other, other],
  [new Map()],
  [[], []],
  [{}, {}],
  [[1], [1]],
  [['1']],
  [[undefined], [null], [() => 0]],
  [[true]],
  [['true']],
  [[new Date(5)], [new Date(5)]],
  [['d5']],
  [[bytes(1)], [bytes(1)]],
  [['bAQ==']],
  [[other], [other]],
  [[new Map()]],
  [
    { a: 1, b: [2] },
    { b: [2], a: 1 },
  ],
  [
    { a: null, b: undefined },
    { a: null, c: () => 0 },
  ],
  [{ a: 2 }],
  [[[]]],
  [['a', 'b']],
  [['a,b']],
  [['a","b']],
  [['a', 'string b']],
  [['a,string string b']],
  [[[1], [2]]],
  [[[1, 2]]],
  [{ a: { b: 1 } }],
  [{ a: {}, b: 1 }],
  [{ 'a":1,"b': 1 }],
  ['[]'],
  ['\u0000[]'],
  ['\u0000"\u0000[]'],
];

describe('equality keys', () => {
  it('are the same only for equal values', () => {
    const keyOf = createEqualityKey();
    const keys = CLASSES.map((values) => values.map(keyOf));
    keys.forEach((own, index) => {
      for (const key of own) expect({ index, key }).toEqual({ index, key: own[0] });
    });
    expect(new Set(keys.map(([key]) => key)).size).toBe(CLASSES.length);
  });
});

describe('the key of a long text', () => {
  it.each([
    ['a text', 'x'.repeat(20_000)],
    ['an array', ['x'.repeat(20_000)]],
  ])('differs from the key of that key: %s', (_kind, value) => {
    const keyOf = createEqualityKey();
    const key = keyOf(value);
    expect(keyOf(key)).not.toBe(key);
  });
});

describe('distinct keys', () => {
  it('of numbers and booleans are their text', () => {
    const keyOf = createDistinctKey();
    expect([1, true, '1', 'true', null].map(keyOf)).toEqual(['1', 'true', '1', 'true', undefined]);
    expect(keyOf([1])).not.toBe(keyOf(['1']));
  });
});

it('keys of numbers are text, because hashes of numbers are predictable', () => {
  expect(typeof createEqualityKey()(7)).toBe('string');
  expect(typeof createDistinctKey()(7)).toBe('string');
});
