import { describe, expect, it } from 'vitest';
import { compile, evaluate } from '../../src/language/index.js';
import { createCaseless } from '../../src/language/values/value.js';
import { imlErrorOf, templateFailure } from './template-failure.js';

const DATE = new Date('2024-03-05T10:00:00Z');
const SCOPE = {
  n: 5,
  t: 'text',
  o: { a: 1, b: undefined, c: null },
  list: [1, [2, null], 'x'],
  date: DATE,
  bytes: new Uint8Array([72, 105]),
  no: null,
  key: 'name',
};

const evaluates = (template: unknown): unknown => evaluate(template, SCOPE);

describe('a single expression keeps the type of its value', () => {
  it.each([
    ['{{n}}', 5],
    ['{{ n }}', 5],
    ['{{o}}', SCOPE.o],
    ['{{list}}', SCOPE.list],
    ['{{date}}', DATE],
    ['{{bytes}}', SCOPE.bytes],
    ['{{no}}', null],
    ['{{gone}}', undefined],
    ['{{true}}', true],
  ])('%s', (template, value) => expect(evaluates(template)).toBe(value));
});

describe('a non-finite number', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY])('%s is null if it was computed', (n) => {
    const scope = { n, o: { n } };
    const template = ['{{n * 1}}', '{{-n}}', '{{if(true; n)}}', { a: '{{o.n + 1}}' }];
    expect(evaluate(template, scope)).toEqual([null, null, null, { a: null }]);
    expect(evaluate('{{n + 1}}', scope)).toBeNull();
  });
  it.each([Number.NaN, Number.NEGATIVE_INFINITY])('%s is unchanged if it was read', (n) => {
    expect(evaluate('{{n}}', { n })).toBe(n);
    expect(evaluate(['{{o.n}}', { a: '{{o.n}}' }], { o: { n } })).toEqual([n, { a: n }]);
  });
});

describe('any other template returns text', () => {
  it.each([
    ['', ''],
    ['12', '12'],
    ['{n}', '{n}'],
    [' {{n}}', ' 5'],
    ['{{n}}{{n}}', '55'],
    ['{{n}}-{{t}}-{{n}}-{{t}}', '5-text-5-text'],
    ['{{n}}{{t}}{{n}}{{t}}{{n}}!', '5text5text5!'],
    ['a{{no}}b{{gone}}c', 'abc'],
    ['={{true}}', '=true'],
    ['={{date}}', '=2024-03-05T10:00:00.000Z'],
    ['={{bytes}}', '=Hi'],
    ['={{list}}', '=1,2,,x'],
    ['={{o}}', '={object}'],
    ['={{1 / 3}}', '=0.3333333333333333'],
    ['={{0.0000001}}', '=1e-7'],
    ['\\{{n}}', '{{n}}'],
    ['\\{{{{n}}', '{{5'],
    ['{{n}}\n{{t}}', '5\ntext'],
  ])('%j returns %j', (template, text) => expect(evaluates(template)).toBe(text));
});

describe('an object template of members of one object', () => {
  const TEMPLATE = { a: '{{item.a}}', b: '{{item.b}}', c: '{{other.c}}', d: 'x{{item.a}}' };
  const mapped = (item: unknown, other: unknown = { c: 3 }): unknown => evaluate(TEMPLATE, { item, other });

  it('has the members of the object', () => {
    expect(mapped({ a: 1, b: 2 })).toStrictEqual({ a: 1, b: 2, c: 3, d: 'x1' });
    expect(mapped({ a: null, b: [2] })).toStrictEqual({ a: null, b: [2], c: 3, d: 'x' });
    expect(mapped(createCaseless([['A', 1]]))).toStrictEqual({ a: 1, c: 3, d: 'x1' });
  });
  it('omits missing members and functions', () => {
    expect(mapped({ a: 1 })).toStrictEqual({ a: 1, c: 3, d: 'x1' });
    expect(mapped({ a: () => 1, b: 2 })).toStrictEqual({ b: 2, c: 3, d: 'x' });
    expect(mapped(null, null)).toStrictEqual({ d: 'x' });
    expect(mapped([{ a: 1 }], 'c')).toStrictEqual({ d: 'x' });
    expect(mapped(new Map([['a', 1]]))).toStrictEqual({ c: 3, d: 'x' });
  });
  it('keeps the order of its members', () => {
    expect(
      Object.keys(evaluate({ z: '{{item.a}}', a: '{{item.b}}' }, { item: { a: 1, b: 2 } }) as object),
    ).toEqual(['z', 'a']);
  });
  it('has no inherited members', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    for (const root of ['item', 'constructor', '__proto__']) {
      const template = Object.fromEntries(names.map((name) => [`a ${name}`, `{{${root}.${name}}}`]));
      expect(evaluate({ ...template, b: '{{item.b}}' }, { item: { b: 2 } })).toStrictEqual({ b: 2 });
    }
  });
  it('reads members of other objects from those objects', () => {
    expect(mapped({ a: 1, b: 2, c: 9 })).toStrictEqual({ a: 1, b: 2, c: 3, d: 'x1' });
    expect(mapped({ a: 1, b: 2, c: 9 }, {})).toStrictEqual({ a: 1, b: 2, d: 'x1' });
  });
  it('may have a member __proto__', () => {
    const template = JSON.parse('{ "__proto__": "{{item.a}}", "b": "{{item.b}}" }') as unknown;
    for (const b of [2, undefined]) {
      const result = evaluate(template, { item: { a: { x: 1 }, b } }) as object;
      const expected = [['__proto__', { x: 1 }], ...(b === undefined ? [] : [['b', b]])];
      expect(Object.entries(result)).toEqual(expected);
      expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    }
  });
  it('has null for a missing value on platform version 1', () => {
    expect(evaluate(TEMPLATE, { item: {} }, { platformVersion: 1 })).toStrictEqual({
      a: null,
      b: null,
      c: null,
      d: 'x',
    });
  });
});

describe('an invalid template value', () => {
  it('throws IML_LIMIT with the location of level 513', () => {
    const nested = (levels: number, innermost: unknown = '{{n}}'): unknown => {
      let template = innermost;
      for (let level = 0; level < levels; level++) template = level % 2 === 0 ? [template] : { a: template };
      return template;
    };
    expect(JSON.stringify(evaluates(nested(512)))).toContain('5');
    expect(() => evaluates(nested(512, 5))).not.toThrow();
    const error = imlErrorOf(() => evaluates(nested(513)));
    expect(error).toMatchObject({
      code: 'IML_LIMIT',
      message: 'The template is nested too deeply: expected at most 512 levels of objects and arrays.',
      place: { pointer: '/0/a'.repeat(256) },
    });
  });
  it('throws IML_LIMIT if it is circular', () => {
    const loop: unknown[] = [];
    loop.push(loop);
    expect(templateFailure(loop).code).toBe('IML_LIMIT');
  });
  it('throws IML_HOST_VALUE on evaluation if a getter throws', () => {
    const template = {
      get a(): unknown {
        throw new Error('No.');
      },
    };
    const evaluateLater = compile(template);
    expect(imlErrorOf(() => evaluateLater({}))).toMatchObject({ code: 'IML_HOST_VALUE', kind: 'type' });
  });
});

describe('other values are constants', () => {
  it.each([0, 1.5, Number.NaN, true, false, null, undefined])('%s', (value) =>
    expect(evaluates(value)).toBe(value),
  );
  it('dates and class instances are constants', () => expect(evaluates({ at: DATE })).toEqual({ at: DATE }));
});

describe('objects', () => {
  it('evaluate every string', () =>
    expect(evaluates({ a: '{{n}}', b: { c: ['{{t}}', 1, null] } })).toEqual({
      a: 5,
      b: { c: ['text', 1, null] },
    }));
  it('omit undefined members and keep null', () => {
    const result = evaluates({ a: '{{gone}}', b: '{{no}}', c: '{{n}}' });
    expect(Object.entries(result as object)).toEqual([
      ['b', null],
      ['c', 5],
    ]);
  });
  it('keep the order of their members', () =>
    expect(Object.keys(evaluates({ z: '{{n}}', a: '{{n}}', m: 1 }) as object)).toEqual(['z', 'a', 'm']));
  it('are new on each evaluation', () => {
    const evaluateIt = compile({ a: '{{n}}', b: [] });
    const first = evaluateIt(SCOPE) as { b: unknown };
    expect(evaluateIt(SCOPE)).toEqual(first);
    expect((evaluateIt(SCOPE) as { b: unknown }).b).not.toBe(first.b);
  });
  it('may have an own member __proto__', () => {
    const result = evaluates(JSON.parse('{"__proto__": "{{n}}", "a": 1}')) as object;
    expect(Object.entries(result)).toEqual([
      ['__proto__', 5],
      ['a', 1],
    ]);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  });
  it('do not read the results of other members', () =>
    expect(evaluates({ key: 'new', b: '{{key}}' })).toEqual({ key: 'new', b: 'name' }));
});

describe('arrays', () => {
  it('replace undefined items by null', () =>
    expect(evaluates(['{{gone}}', '{{n}}', undefined, [], {}])).toEqual([null, 5, null, [], {}]));
});

describe('keys with expressions', () => {
  it('are evaluated as text', () =>
    expect(evaluates({ '{{key}}': 1, 'x-{{n}}': 2, '{{n}}': 3 })).toEqual({ name: 1, 'x-5': 2, '5': 3 }));
  it('omit the member if they are empty', () =>
    expect(evaluates({ '{{gone}}': 1, '{{no}}{{gone}}': 2 })).toEqual({}));
  it('may evaluate to __proto__ without changing the prototype', () => {
    const result = evaluate({ '{{k}}': { polluted: 1 } }, { k: '__proto__' }) as object;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.keys(result)).toEqual(['__proto__']);
  });
  it('throw a syntax error with its location', () =>
    expect(imlErrorOf(() => evaluates({ a: { 'x{{': 1 } }))).toMatchObject({
      code: 'IML_UNTERMINATED_EXPRESSION',
      place: { pointer: '/a/x{{' },
    }));
});

describe('a spread key', () => {
  it.each(['{{...}}', '{{ ... }}', '{{...\n}}'])('%j is replaced by the members', (key) =>
    expect(evaluates({ x: 0, [key]: '{{o}}' })).toEqual({ x: 0, a: 1, c: null }),
  );
  it('overrides earlier members and is overridden by later members', () =>
    expect(Object.entries(evaluates({ a: 'before', '{{...}}': '{{o}}', c: 'after' }) as object)).toEqual([
      ['a', 1],
      ['c', 'after'],
    ]));
  it('has members that a later member without a value removes', () =>
    expect(evaluates({ '{{...}}': '{{o}}', a: '{{gone}}' })).toEqual({ c: null }));
  it.each(['{{no}}', '{{gone}}', null])('of %s adds nothing', (value) =>
    expect(evaluates({ '{{...}}': value, x: 1 })).toEqual({ x: 1 }),
  );
  it('accepts an object template', () => expect(evaluates({ '{{...}}': { q: '{{n}}' } })).toEqual({ q: 5 }));
  it('accepts a case-insensitive collection', () =>
    expect(evaluate({ '{{...}}': '{{h}}' }, { h: createCaseless([['A', 1]]) })).toEqual({ a: 1 }));
  it('copies neither functions nor prototypes', () => {
    const o = JSON.parse('{"__proto__": {"polluted": 1}}');
    o.f = () => 1;
    const result = evaluate({ '{{...}}': '{{o}}' }, { o }) as object;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.keys(result)).toEqual(['__proto__']);
  });
  it.each(['{{n}}', '{{t}}', '{{list}}', '{{date}}', '{{bytes}}', '{{true}}'])(
    'of %s throws IML_TYPE',
    (value) => {
      const error = imlErrorOf(() => evaluates({ deep: [{ '{{...}}': value }] }));
      expect(error).toMatchObject({
        kind: 'type',
        code: 'IML_TYPE',
        place: { pointer: '/deep/0/{{...}}' },
      });
    },
  );
});

describe('errors', () => {
  it('are thrown by the evaluation, not by compile', () => {
    const broken = compile({ a: '{{1 +}}' });
    expect(imlErrorOf(() => broken({}))).toMatchObject({ code: 'IML_SYNTAX', place: { pointer: '/a' } });
  });
  it('are new objects on each evaluation', () => {
    const broken = compile('{{');
    expect(imlErrorOf(() => broken({}))).not.toBe(imlErrorOf(() => broken({})));
  });
  it('have line and column in their template', () =>
    expect(templateFailure('one\n  {{nope()}}')).toEqual({
      kind: 'unknown-function',
      code: 'IML_UNKNOWN_FUNCTION',
      line: 2,
      column: 5,
    }));
  it('have the pointer of the failing value', () =>
    expect(imlErrorOf(() => evaluates({ 'a~b': [0, '{{nope()}}'] })).place).toEqual({ pointer: '/a~0b/1' }));
});
