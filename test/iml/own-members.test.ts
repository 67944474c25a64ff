import vm from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { evaluate } from '../../src/iml/compile.js';
import { createCaseless } from '../../src/iml/values/collection.js';
import { memberReader, readMember, showsOwn, withCheckedObject } from '../../src/iml/values/path.js';

class Instance {
  own = 1;
  get inherited(): string {
    return 'of the class';
  }
}

/** An instance that names `Object` as its maker, as none of data can. */
class Impostor extends Instance {
  constructor() {
    super();
    Object.defineProperty(this, 'constructor', { value: Object });
  }
}

/** Made the old way: `constructor` comes from `Object.prototype`, past the prototype. */
function OldStyle(this: { own: number }): void {
  this.own = 1;
}
OldStyle.prototype = { inherited: 'of the old prototype' };

const below = (prototype: object | null, own: object = { own: 1 }): object =>
  Object.assign(Object.create(prototype), own);

const PLAIN: readonly [string, object][] = [
  ['a literal', { own: 1 }],
  ['a copy', { ...{ own: 1 } }],
  ['what JSON gives', JSON.parse('{"own": 1}')],
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
  ['an instance that calls itself an Object', new Impostor()],
  ['an old-style instance', Reflect.construct(OldStyle, [])],
  ['below a literal', below({ inherited: 2 })],
  ['below a literal that names Object', below({ inherited: 2, constructor: Object })],
  ['below what has no prototype', below(below(null, { inherited: 2, constructor: Object }))],
  ['an array with a member', Object.assign([], { own: 1 })],
  ['an array that calls itself an Object', Object.assign([], { own: 1, constructor: Object })],
  ['a date', Object.assign(new Date(), { own: 1 })],
  ['an error', Object.assign(new Error('x'), { own: 1 })],
  ['a Map', Object.assign(new Map(), { own: 1, constructor: Object })],
  ['a function', Object.assign(() => 0, { own: 1, constructor: Object })],
  [
    'an instance of another realm',
    vm.runInNewContext('Object.assign(new (class { own = 1 }), { constructor: Object })'),
  ],
  ['a Proxy of an instance', new Proxy(new Instance(), {})],
  ['a Proxy that calls itself an Object', new Proxy(new Instance(), { get: () => Object })],
];

/** Each way an expression comes to a member: by a path of two and of three names, an index, and as a member of an object. */
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
  it.each(PLAIN)('%s shows what is its own', (_, value) => {
    expect(read(value, 'own')).toBe(1);
    expect(read(value, 'inherited')).toBeUndefined();
    expect(read(value, 'hasOwnProperty')).toBeUndefined();
  });
  it.each(NOT_PLAIN)('%s shows nothing', (_, value) => {
    for (const name of ['own', 'inherited', 'constructor', 'name']) expect(read(value, name)).toBeUndefined();
  });
  it('many shapes at one place are told apart', () => {
    for (let round = 0; round < 300; round++) {
      const filler = { [`x${round % 12}`]: 0 };
      expect(read(Object.assign(filler, { own: round }), 'own')).toBe(round);
      const [, value] = NOT_PLAIN[round % NOT_PLAIN.length] ?? [];
      expect(read(value, 'own')).toBeUndefined();
    }
  });
});

/** More names than paths and objects have function literals for. */
const MANY_NAMES = Array.from({ length: 40 }, (_, index) => `name${index}`);

describe.each(MANY_NAMES)('%s', (name) => {
  it.each(['item', 'item.a', 'body', 'body.a.b'])('below %s is read where it is own and data', (place) => {
    const read = (value: object): unknown => {
      const outer = place.split('.').reduceRight((inner: object, step) => ({ [step]: inner }), value);
      return evaluate(`{{${place}.${name}}}`, outer as Record<string, unknown>);
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
  });

  it('is written into objects in its place', () => {
    const fields = (of: string): object => Object.fromEntries(MANY_NAMES.map((each) => [each, of]));
    const template = { ...fields('{{item}}'), [name]: '{{item}}, {{no}}', last: '{{no}}' };
    const expected = MANY_NAMES.map((each) => [each, each === name ? '5, ' : 5] as const);
    expect(Object.entries(evaluate(template, { item: 5 }) as object)).toStrictEqual(expected);
  });
});

describe('names that somebody put on Object.prototype meanwhile', () => {
  afterEach(() => {
    Reflect.deleteProperty(Object.prototype, 'constructor');
    Object.defineProperty(Object.prototype, 'constructor', CONSTRUCTOR);
  });
  const CONSTRUCTOR = Object.getOwnPropertyDescriptor(Object.prototype, 'constructor') as PropertyDescriptor;

  it('change nothing about what is plain', () => {
    for (const maker of [Instance, Object, undefined]) {
      Object.defineProperty(Object.prototype, 'constructor', { ...CONSTRUCTOR, value: maker });
      expect(showsOwn({ own: 1 })).toBe(true);
      expect(showsOwn(new Instance())).toBe(false);
      expect(showsOwn(below({ inherited: 2 }))).toBe(false);
    }
  });
});

describe('withCheckedObject', () => {
  it('knows a record only while it runs, and the one around it again', () => {
    const [outer, inner] = [new Instance(), new Instance()] as unknown as Record<string, unknown>[];
    const known = (): boolean[] => [showsOwn(outer), showsOwn(inner)];
    withCheckedObject(
      outer,
      () => {
        expect(known()).toEqual([true, false]);
        withCheckedObject(inner, () => expect(known()).toEqual([false, true]), undefined);
        expect(known()).toEqual([true, false]);
        expect(() =>
          withCheckedObject(
            undefined,
            () => {
              throw new Error('inside');
            },
            undefined,
          ),
        ).toThrow('inside');
        expect(known()).toEqual([true, false]);
      },
      undefined,
    );
    expect(known()).toEqual([false, false]);
  });
  it('is over once an object is evaluated: a prototype set later counts', () => {
    const item: Record<string, unknown> = { own: 1 };
    const fields = { a: '{{item.own}}', b: '{{if(true; item.inherited; 0)}}' };
    expect(evaluate(fields, { item })).toEqual({ a: 1 });
    Object.setPrototypeOf(item, { inherited: 2 });
    expect(evaluate(fields, { item })).toEqual({});
  });
});
