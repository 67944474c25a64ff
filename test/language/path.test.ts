import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { evaluate, functions } from '../../src/language/index.js';
import {
  firstStep,
  furtherStep,
  getPath,
  memberReader,
  readFirst,
  readIndex,
  readMember,
  scopePathReader,
  showsOwn,
} from '../../src/language/values/path.js';
import { createCaseless } from '../../src/language/values/value.js';
import { isCaseless, type PlainObject } from '../../src/shared/plain-object.js';
import { ENVIRONMENT } from './functions/call-function.js';

const LIST = ['a', 'b', 'c'];

describe('readMember', () => {
  it('reads own members', () => {
    expect(readMember({ a: 1 }, 'a')).toBe(1);
    expect(readMember(Object.assign(Object.create(null), { a: 1 }), 'a')).toBe(1);
    expect(readMember(JSON.parse('{"__proto__": 1}'), '__proto__')).toBe(1);
    expect(readMember({ constructor: 'own' }, 'constructor')).toBe('own');
  });
  it('reads items by number', () => expect(readMember(LIST, '2')).toBe('b'));
  it('returns undefined for inherited members', () => {
    const names = [
      '__proto__',
      'constructor',
      'toString',
      'valueOf',
      'hasOwnProperty',
      '__defineGetter__',
      'length',
      'then',
    ];
    const values = [
      {},
      [],
      '',
      0,
      true,
      null,
      undefined,
      new Date(0),
      new Uint8Array(1),
      new Map(),
      /x/,
      () => 1,
    ];
    for (const name of names) {
      for (const value of values) {
        expect(readMember(value, name)).toBeUndefined();
        expect(memberReader(name)(value)).toBeUndefined();
      }
    }
  });
  it('returns undefined for members of class instances and for functions', () => {
    class Secret {
      key = 1;
    }
    expect(readMember(new Secret(), 'key')).toBeUndefined();
    expect(readMember({ run: () => 1 }, 'run')).toBeUndefined();
    expect(readMember(Object.assign([1], { extra: 1 }), 'extra')).toBeUndefined();
  });
  it('has the result of memberReader', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '1', '-1', 'length'));
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, key: name }), name, (value, key) => {
        expect(memberReader(key)(value)).toBe(readMember(value, key));
      }),
    );
  });
});

describe('readIndex', () => {
  it.each([
    [1, 'a'],
    [-1, 'c'],
    [-3, 'a'],
    ['2', 'b'],
    [0, undefined],
    [4, undefined],
    [-4, undefined],
    [1.5, undefined],
    [Number.NaN, undefined],
    [undefined, undefined],
    [null, undefined],
    [true, undefined],
    [['1'], undefined],
    ['length', undefined],
    ['0', undefined],
  ])('[%j] of an array is %j', (index, expected) => expect(readIndex(LIST, index)).toBe(expected));
  it('reads only items of an array with other members and a changed prototype', () => {
    const odd = Object.assign(['a', 'b'], { '-1': 'before', '0.5': 'between', '1.5': 'between' });
    Object.setPrototypeOf(odd, ['p', 'p', 'p', 'p']);
    expect([1, 2, -1, -2].map((index) => readIndex(odd, index))).toEqual(['a', 'b', 'b', 'a']);
    for (const index of [-3, 3, 4, 1.5, 2.5, -0.5, 0, Number.POSITIVE_INFINITY]) {
      expect(readIndex(odd, index)).toBeUndefined();
      expect(readIndex(odd, String(index))).toBeUndefined();
    }
  });
  it('reads a member of a collection by name', () => {
    expect(readIndex({ 'x:y': 7, '5': 'five' }, 'x:y')).toBe(7);
    expect(readIndex({ 'x:y': 7, '5': 'five' }, 5)).toBe('five');
  });
  it('returns undefined for text', () => expect(readIndex('text', 1)).toBeUndefined());
});

describe('readFirst', () => {
  it('returns the first item of an array', () => expect(readFirst(LIST)).toBe('a'));
  it('returns any other value unchanged', () => {
    const value = { a: 1 };
    expect(readFirst(value)).toBe(value);
    expect(readFirst('text')).toBe('text');
    expect(readFirst([])).toBeUndefined();
    expect(readFirst(() => 1)).toBeUndefined();
  });
});

describe('getPath', () => {
  it('returns undefined if a step has no value', () => {
    expect(getPath({ a: [{ b: 1 }] }, 'a.1.b')).toBe(1);
    expect(getPath({ a: 1 }, 'a.b.c')).toBeUndefined();
    expect(getPath(null, 'a.b')).toBeUndefined();
  });
  it('accepts a path of a million steps', () => expect(getPath({ a: 1 }, 'a.'.repeat(1e6))).toBeUndefined());
});

describe('caseless collections', () => {
  const headers = createCaseless([
    ['Content-Type', 'text/plain'],
    ['CONTENT-TYPE', 'text/html'],
    ['__proto__', 'own'],
  ]);
  it('are case-insensitive, and the last of equal names wins', () => {
    expect(readMember(headers, 'content-TYPE')).toBe('text/html');
    expect(getPath({ headers }, 'headers.Content-Type')).toBe('text/html');
    expect(Object.keys(headers)).toEqual(['content-type', '__proto__']);
  });
  it('have no other members', () => {
    expect(readMember(headers, 'constructor')).toBeUndefined();
    expect(isCaseless(headers)).toBe(true);
    for (const value of [{}, Object.create(null), null, undefined, 'text', 5])
      expect(isCaseless(value)).toBe(false);
  });
});

describe('showsOwn', () => {
  it.each([{ a: 1 }, {}, Object.create(null)])('is true for %o', (value) =>
    expect(showsOwn(value)).toBe(true),
  );

  class Instance {}
  it.each([
    new Instance(),
    Object.create({ a: 1 }),
    createCaseless([]),
    [],
    new Date(0),
    new Map(),
    null,
    undefined,
    'text',
    5,
    () => 0,
  ])('is false for %o', (value) => expect(showsOwn(value)).toBe(false));
});

describe('scopePathReader', () => {
  const own = {
    b: { c: { d: 4 }, f: () => 0, list: [7, 8] },
    f: () => 0,
    no: null,
    text: 'abc',
    list: [5, 6],
  };

  it.each(['item', 'a'])('reads a path that starts at %s', (root) => {
    const read = (...names: string[]): unknown => scopePathReader([root, ...names])({ [root]: own });
    expect(read()).toBe(own);
    expect(read('b')).toBe(own.b);
    expect(read('b', 'c')).toBe(own.b.c);
    expect(read('b', 'c', 'd')).toBe(4);
    expect(read('list', '2')).toBe(6);
    expect(read('b', 'list', '-1')).toBe(8);
    expect(read('text')).toBe('abc');
    for (const names of [
      ...[['f'], ['b', 'f'], ['f', 'name'], ['no', 'a'], ['text', 'length'], ['b', 'gone'], ['gone', 'a']],
      ...[['toString'], ['b', 'toString'], ['toString', 'name'], ['constructor'], ['list', 'length']],
      ...[
        ['b', 'c', 'toString'],
        ['b', 'gone', 'd'],
        ['list', '0'],
        ['list', '3'],
      ],
    ])
      expect(read(...names)).toBeUndefined();
  });

  it.each([undefined, null, 'text', 5, true, () => 0])(
    'returns undefined for value %# without members',
    (value) => {
      for (const root of ['item', 'a'])
        for (const rest of [['length'], ['name'], ['b', 'c'], ['b', 'c', 'd']])
          expect(scopePathReader([root, ...rest])({ [root]: value })).toBeUndefined();
    },
  );

  it('returns undefined for a function', () => {
    expect(scopePathReader(['a'])({ a: () => 0 })).toBeUndefined();
  });
});

const FOLDER = path.resolve(import.meta.dirname, '../../spec-fixtures/iml');

/** Many names, so that some use their own function literal and others share one. */
const NAMES: readonly string[] = [
  ...new Set([
    ...Array.from({ length: 40 }, (_, index) => `step${index}`),
    ...readdirSync(FOLDER).flatMap(
      (file) => readFileSync(path.join(FOLDER, file), 'utf8').match(/\b[a-z]\w{0,11}\b/gi) ?? [],
    ),
  ]),
]
  .filter((name) => !(name in Object.prototype))
  .slice(0, 1500);

class Inheriting {
  readonly own: PlainObject;

  constructor(name: string) {
    this.own = { [name]: 'own' };
  }
}

/** Reads a member as the first step of a path and as a further step. */
function readAll(value: unknown, name: string): readonly unknown[] {
  const first = firstStep('root', name);
  const further = furtherStep((scope) => scope['value'], name);
  return [first({ root: value }), firstStep('item', name)({ item: value }), further({ value })];
}

function expectOf(value: (name: string) => unknown, expected: unknown): void {
  for (const name of NAMES) {
    const read = readAll(value(name), name);
    if (read.some((one) => one !== expected))
      expect([name, ...read]).toEqual([name, expected, expected, expected]);
  }
}

describe('a step of a path, for many names', () => {
  it('reads a member', () => {
    expectOf((name) => ({ [name]: 1 }), 1);
    expectOf((name) => ({ [name]: null }), null);
    expectOf((name) => Object.assign(Object.create(null), { [name]: 1 }), 1);
  });

  it('reads a member of an object with an own member constructor', () => {
    expectOf((name) => ({ constructor: 'own', [name]: 1 }), 1);
    expectOf((name) => ({ constructor: Object, [name]: 1 }), 1);
  });

  it('returns undefined for a missing member', () => {
    for (const value of [{}, [], '', 'text', 0, true, null, undefined, new Date(0), new Map()]) {
      expectOf(() => value, undefined);
    }
  });

  it('returns undefined for a function', () => {
    expectOf((name) => ({ [name]: () => 1 }), undefined);
  });

  it('returns undefined for an inherited member', () => {
    expectOf((name) => Object.create({ [name]: 1 }), undefined);
    expectOf((name) => Object.assign(Object.create({ [name]: 1 }), { constructor: Object }), undefined);
    expectOf((name) => Object.create(new Inheriting(name).own), undefined);
  });

  it('reads its root and its member', () => {
    for (const name of NAMES) {
      expect(firstStep('a', name)({ a: { [name]: 1 }, root: { [name]: 2 } })).toBe(1);
    }
  });
});

class Instance {
  own = 1;
  get inherited(): string {
    return 'of the class';
  }
}

/** An instance whose `constructor` is `Object`. */
class Impostor extends Instance {
  constructor() {
    super();
    Object.defineProperty(this, 'constructor', { value: Object });
  }
}

/** A constructor function whose prototype inherits `constructor` from `Object.prototype`. */
function OldStyle(this: { own: number }): void {
  this.own = 1;
}
OldStyle.prototype = { inherited: 'of the old prototype' };

const below = (prototype: object | null, own: object = { own: 1 }): object =>
  Object.assign(Object.create(prototype), own);

const PLAIN: readonly [string, object][] = [
  ['a literal', { own: 1 }],
  ['a copy', { ...{ own: 1 } }],
  ['the result of JSON.parse', JSON.parse('{"own": 1}')],
  ['a member named constructor', JSON.parse('{"own": 1, "constructor": "a text"}')],
  ['a member named constructor that is Object', { own: 1, constructor: Object }],
  ['a member named __proto__', JSON.parse('{"own": 1, "__proto__": {"inherited": 2}}')],
  ['no prototype', below(null)],
  ['no prototype and a constructor', below(null, { own: 1, constructor: Object })],
  ['another realm', vm.runInNewContext('({ own: 1 })')],
  ['a Proxy of a literal', new Proxy({ own: 1 }, {})],
  ['a frozen literal', Object.freeze({ own: 1 })],
];

const NOT_PLAIN: readonly [string, unknown][] = [
  ['an instance', new Instance()],
  ['an instance whose constructor is Object', new Impostor()],
  ['an old-style instance', Reflect.construct(OldStyle, [])],
  ['an object that inherits from a literal', below({ inherited: 2 })],
  [
    'an object that inherits from a literal with a constructor Object',
    below({ inherited: 2, constructor: Object }),
  ],
  [
    'an object that inherits from an object without a prototype',
    below(below(null, { inherited: 2, constructor: Object })),
  ],
  ['an array with a member', Object.assign([], { own: 1 })],
  ['an array whose constructor is Object', Object.assign([], { own: 1, constructor: Object })],
  ['a date', Object.assign(new Date(), { own: 1 })],
  ['an error', Object.assign(new Error('x'), { own: 1 })],
  ['a Map', Object.assign(new Map(), { own: 1, constructor: Object })],
  ['a function', Object.assign(() => 0, { own: 1, constructor: Object })],
  [
    'an instance of another realm',
    vm.runInNewContext('Object.assign(new (class { own = 1 }), { constructor: Object })'),
  ],
  ['a Proxy of an instance', new Proxy(new Instance(), {})],
  ['a Proxy whose constructor is Object', new Proxy(new Instance(), { get: () => Object })],
];

/** All ways to read a member: paths of different lengths, an index, functions, and an object template. */
const WAYS: readonly [string, (value: unknown, name: string) => unknown][] = [
  ['readMember', readMember],
  ['memberReader', (value, name) => memberReader(name)(value)],
  ['item', (item, name) => evaluate(`{{item.${name}}}`, { item })],
  ['item.a', (a, name) => evaluate(`{{item.a.${name}}}`, { item: { a } })],
  ['body', (body, name) => evaluate(`{{body.${name}}}`, { body })],
  ['body.a', (a, name) => evaluate(`{{body.a.${name}}}`, { body: { a } })],
  ['body.a.b', (b, name) => evaluate(`{{body.a.b.${name}}}`, { body: { a: { b } } })],
  ['index', (item, name) => evaluate(`{{item['${name}']}}`, { item })],
  ['get', (item, name) => evaluate(`{{get(item; '${name}')}}`, { item })],
  ['map', (item, name) => evaluate(`{{first(map(list; '${name}'))}}`, { list: [item] })],
  [
    'an object of fields',
    (item, name) => {
      const fields = { a: `{{item.${name}}}`, b: `{{if(true; item.${name}; 0)}}` };
      const { a, b } = evaluate(fields, { item }) as { a: unknown; b: unknown };
      expect(b).toBe(a);
      return a;
    },
  ],
];

describe.each(WAYS)('by %s', (_, read) => {
  it.each(PLAIN)('own members of %s are readable', (_, value) => {
    expect(read(value, 'own')).toBe(1);
    expect(read(value, 'inherited')).toBeUndefined();
    expect(read(value, 'hasOwnProperty')).toBeUndefined();
  });
  it.each(NOT_PLAIN)('no member of %s is readable', (_, value) => {
    for (const name of ['own', 'inherited', 'constructor', 'name']) expect(read(value, name)).toBeUndefined();
  });
  it('many hidden classes are distinguished', () => {
    for (let round = 0; round < 300; round++) {
      const filler = { [`x${round % 12}`]: 0 };
      expect(read(Object.assign(filler, { own: round }), 'own')).toBe(round);
      const [, value] = NOT_PLAIN[round % NOT_PLAIN.length] ?? [];
      expect(read(value, 'own')).toBeUndefined();
    }
  });
});

/** More names than there are function literals. */
const MANY_NAMES = Array.from({ length: 40 }, (_, index) => `name${index}`);

describe.each(MANY_NAMES)('%s', (name) => {
  it.each(['item', 'item.a', 'body', 'body.a.b'])(
    'is read as a member of %s only if it is own data',
    (location) => {
      const read = (value: object): unknown => {
        const outer = location.split('.').reduceRight((inner: object, step) => ({ [step]: inner }), value);
        return evaluate(`{{${location}.${name}}}`, outer as Record<string, unknown>);
      };
      for (const maker of [Object.prototype, null]) {
        expect(read(below(maker, { [name]: 1 }))).toBe(1);
        expect(read(below(maker, { [name]: () => 1 }))).toBeUndefined();
        expect(read(below(maker, { constructor: Object }))).toBeUndefined();
      }
      expect(read(createCaseless([[name, 1]]))).toBe(1);
      for (const own of [{ [name]: 1 }, { [name]: 1, constructor: Object }]) {
        expect(read(below({ inherited: 2 }, own))).toBeUndefined();
        expect(read(below(Instance.prototype, own))).toBeUndefined();
        expect(read(Object.assign([], own))).toBeUndefined();
      }
      expect(read(below({ [name]: 1 }))).toBeUndefined();
    },
  );

  it('keeps its position in an object template', () => {
    const fields = (of: string): object => Object.fromEntries(MANY_NAMES.map((each) => [each, of]));
    const template = { ...fields('{{item}}'), [name]: '{{item}}, {{no}}', last: '{{no}}' };
    const expected = MANY_NAMES.map((each) => [each, each === name ? '5, ' : 5] as const);
    expect(Object.entries(evaluate(template, { item: 5 }) as object)).toStrictEqual(expected);
  });
});

describe('a changed Object.prototype.constructor', () => {
  afterEach(() => {
    Reflect.deleteProperty(Object.prototype, 'constructor');
    Object.defineProperty(Object.prototype, 'constructor', CONSTRUCTOR);
  });
  const CONSTRUCTOR = Object.getOwnPropertyDescriptor(Object.prototype, 'constructor') as PropertyDescriptor;

  it('does not change which objects are plain', () => {
    for (const maker of [Instance, Object, undefined]) {
      Object.defineProperty(Object.prototype, 'constructor', { ...CONSTRUCTOR, value: maker });
      expect(showsOwn({ own: 1 })).toBe(true);
      expect(showsOwn(new Instance())).toBe(false);
      expect(showsOwn(below({ inherited: 2 }))).toBe(false);
    }
  });
});

describe('a changed prototype', () => {
  it('counts from the next evaluation on', () => {
    const item: Record<string, unknown> = { own: 1 };
    const fields = { a: '{{item.own}}', b: '{{if(true; item.inherited; 0)}}' };
    expect(evaluate(fields, { item })).toEqual({ a: 1 });
    Object.setPrototypeOf(item, { inherited: 2 });
    expect(evaluate(fields, { item })).toEqual({});
  });
});

const call = (name: string, ...args: unknown[]): unknown => functions[name]?.(ENVIRONMENT, ...args);

describe('contains with a number', () => {
  it.each<[list: unknown[], search: number, isFound: boolean]>([
    [[1, 2], 2, true],
    [['2'], 2, false],
    [[0], -0, true],
    [[Number.NaN], Number.NaN, true],
    [[null], 0, false],
  ])('%j contains %d: %s', (list, search, isFound) => {
    expect(call('contains', list, search)).toBe(isFound);
  });
});

it('a member with a long name is readable', () => {
  const name = 'n'.repeat(20_000);
  expect(readIndex({ [name]: 1 }, name)).toBe(1);
  expect(getPath({ a: { [name]: 1 } }, `a.${name}`)).toBe(1);
  expect(getPath(createCaseless([[name, 1]]), name.toUpperCase())).toBe(1);
  expect(readIndex({ [name]: () => 1 }, name)).toBeUndefined();
  expect(readIndex({ a: 1 }, name)).toBeUndefined();
  expect(readIndex([5], `${'0'.repeat(20_000)}1`)).toBe(5);
  expect(readIndex(new Date(0), name)).toBeUndefined();
});
