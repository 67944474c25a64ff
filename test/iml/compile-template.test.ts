import { describe, expect, it } from 'vitest';
import { compile, evaluate } from '../../src/iml/index.js';
import { createCaseless } from '../../src/iml/values/collection.js';
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

const gives = (template: unknown): unknown => evaluate(template, SCOPE);

describe('one expression alone gives its value with its type', () => {
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
  ])('%s', (template, value) => expect(gives(template)).toBe(value));
});

describe('a number that is none of the finite ones', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY])('%s is null where it was computed', (n) => {
    const scope = { n, o: { n } };
    const template = ['{{n * 1}}', '{{-n}}', '{{if(true; n)}}', { a: '{{o.n + 1}}' }];
    expect(evaluate(template, scope)).toEqual([null, null, null, { a: null }]);
    expect(evaluate('{{n + 1}}', scope)).toBeNull();
  });
  it.each([Number.NaN, Number.NEGATIVE_INFINITY])('%s is given as it is where it was read', (n) => {
    expect(evaluate('{{n}}', { n })).toBe(n);
    expect(evaluate(['{{o.n}}', { a: '{{o.n}}' }], { o: { n } })).toEqual([n, { a: n }]);
  });
});

describe('anything else gives text', () => {
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
  ])('%j gives %j', (template, text) => expect(gives(template)).toBe(text));
});

describe('a collection of members of one record', () => {
  const TEMPLATE = { a: '{{item.a}}', b: '{{item.b}}', c: '{{other.c}}', d: 'x{{item.a}}' };
  const made = (item: unknown, other: unknown = { c: 3 }): unknown => evaluate(TEMPLATE, { item, other });

  it('has what the record has', () => {
    expect(made({ a: 1, b: 2 })).toStrictEqual({ a: 1, b: 2, c: 3, d: 'x1' });
    expect(made({ a: null, b: [2] })).toStrictEqual({ a: null, b: [2], c: 3, d: 'x' });
    expect(made(createCaseless([['A', 1]]))).toStrictEqual({ a: 1, c: 3, d: 'x1' });
  });
  it('leaves out what the record has not, and functions', () => {
    expect(made({ a: 1 })).toStrictEqual({ a: 1, c: 3, d: 'x1' });
    expect(made({ a: () => 1, b: 2 })).toStrictEqual({ b: 2, c: 3, d: 'x' });
    expect(made(null, null)).toStrictEqual({ d: 'x' });
    expect(made([{ a: 1 }], 'c')).toStrictEqual({ d: 'x' });
    expect(made(new Map([['a', 1]]))).toStrictEqual({ c: 3, d: 'x' });
  });
  it('keeps the order in which its members are written', () => {
    expect(
      Object.keys(evaluate({ z: '{{item.a}}', a: '{{item.b}}' }, { item: { a: 1, b: 2 } }) as object),
    ).toEqual(['z', 'a']);
  });
  it('has nothing that every object inherits', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    for (const root of ['item', 'constructor', '__proto__']) {
      const template = Object.fromEntries(names.map((name) => [`a ${name}`, `{{${root}.${name}}}`]));
      expect(evaluate({ ...template, b: '{{item.b}}' }, { item: { b: 2 } })).toStrictEqual({ b: 2 });
    }
  });
  it('takes nothing of it that is asked of another record', () => {
    expect(made({ a: 1, b: 2, c: 9 })).toStrictEqual({ a: 1, b: 2, c: 3, d: 'x1' });
    expect(made({ a: 1, b: 2, c: 9 }, {})).toStrictEqual({ a: 1, b: 2, d: 'x1' });
  });
  it('may have a member of any name', () => {
    const template = JSON.parse('{ "__proto__": "{{item.a}}", "b": "{{item.b}}" }') as unknown;
    for (const b of [2, undefined]) {
      const result = evaluate(template, { item: { a: { x: 1 }, b } }) as object;
      const expected = [['__proto__', { x: 1 }], ...(b === undefined ? [] : [['b', b]])];
      expect(Object.entries(result)).toEqual(expected);
      expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    }
  });
  it('has null for a missing value on version 1', () => {
    expect(evaluate(TEMPLATE, { item: {} }, { platformVersion: 1 })).toStrictEqual({
      a: null,
      b: null,
      c: null,
      d: 'x',
    });
  });
});

describe('a template that cannot be read', () => {
  it('is one of more than 512 levels, where the next one begins', () => {
    const nested = (levels: number, inmost: unknown = '{{n}}'): unknown => {
      let template = inmost;
      for (let level = 0; level < levels; level++) template = level % 2 === 0 ? [template] : { a: template };
      return template;
    };
    expect(() => gives(nested(512))).not.toThrow();
    expect(() => gives(nested(512, 5))).not.toThrow();
    const error = imlErrorOf(() => gives(nested(513)));
    expect(error).toMatchObject({
      code: 'IML_LIMIT',
      message: 'The template is nested too deeply: expected at most 512 levels of objects and arrays.',
      place: { pointer: '/0/a'.repeat(256) },
    });
  });
  it('throws its error when it is evaluated', () => {
    const template = {
      get a(): unknown {
        throw new Error('No.');
      },
    };
    const evaluateLater = compile(template);
    expect(imlErrorOf(() => evaluateLater({}))).toMatchObject({ code: 'IML_HOST_VALUE', kind: 'type' });
  });
});

describe('other values stand for themselves', () => {
  it.each([0, 1.5, Number.NaN, true, false, null, undefined])('%s', (value) =>
    expect(gives(value)).toBe(value),
  );
  it('dates and class instances, too', () => expect(gives({ at: DATE })).toEqual({ at: DATE }));
});

describe('objects', () => {
  it('evaluate every string', () =>
    expect(gives({ a: '{{n}}', b: { c: ['{{t}}', 1, null] } })).toEqual({
      a: 5,
      b: { c: ['text', 1, null] },
    }));
  it('leave out members that are undefined, and keep null', () => {
    const result = gives({ a: '{{gone}}', b: '{{no}}', c: '{{n}}' });
    expect(Object.entries(result as object)).toEqual([
      ['b', null],
      ['c', 5],
    ]);
  });
  it('keep the order of their members', () =>
    expect(Object.keys(gives({ z: '{{n}}', a: '{{n}}', m: 1 }) as object)).toEqual(['z', 'a', 'm']));
  it('are made anew each time', () => {
    const evaluateIt = compile({ a: '{{n}}', b: [] });
    const first = evaluateIt(SCOPE) as { b: unknown };
    expect(evaluateIt(SCOPE)).toEqual(first);
    expect((evaluateIt(SCOPE) as { b: unknown }).b).not.toBe(first.b);
  });
  it('hold a member __proto__ as any other', () => {
    const result = gives(JSON.parse('{"__proto__": "{{n}}", "a": 1}')) as object;
    expect(Object.entries(result)).toEqual([
      ['__proto__', 5],
      ['a', 1],
    ]);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  });
  it('do not see each other', () =>
    expect(gives({ key: 'new', b: '{{key}}' })).toEqual({ key: 'new', b: 'name' }));
});

describe('arrays', () => {
  it('keep places: an item that is undefined is null', () =>
    expect(gives(['{{gone}}', '{{n}}', undefined, [], {}])).toEqual([null, 5, null, [], {}]));
});

describe('keys with expressions', () => {
  it('are evaluated as text', () =>
    expect(gives({ '{{key}}': 1, 'x-{{n}}': 2, '{{n}}': 3 })).toEqual({ name: 1, 'x-5': 2, '5': 3 }));
  it('drop the member if they are empty', () =>
    expect(gives({ '{{gone}}': 1, '{{no}}{{gone}}': 2 })).toEqual({}));
  it('may name __proto__ and change no prototype', () => {
    const result = evaluate({ '{{k}}': { polluted: 1 } }, { k: '__proto__' }) as object;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.keys(result)).toEqual(['__proto__']);
  });
  it('that do not parse fail with their place', () =>
    expect(imlErrorOf(() => gives({ a: { 'x{{': 1 } }))).toMatchObject({
      code: 'IML_UNTERMINATED_EXPRESSION',
      place: { pointer: '/a/x{{' },
    }));
});

describe('a spread key', () => {
  it.each(['{{...}}', '{{ ... }}', '{{...\n}}'])('%j is replaced by the members', (key) =>
    expect(gives({ x: 0, [key]: '{{o}}' })).toEqual({ x: 0, a: 1, c: null }),
  );
  it('loses to what is written later, and wins over what is written earlier', () =>
    expect(Object.entries(gives({ a: 'before', '{{...}}': '{{o}}', c: 'after' }) as object)).toEqual([
      ['a', 1],
      ['c', 'after'],
    ]));
  it('a later member without a value takes the member away', () =>
    expect(gives({ '{{...}}': '{{o}}', a: '{{gone}}' })).toEqual({ c: null }));
  it.each(['{{no}}', '{{gone}}', null])('of %s adds nothing', (value) =>
    expect(gives({ '{{...}}': value, x: 1 })).toEqual({ x: 1 }),
  );
  it('takes an object template', () => expect(gives({ '{{...}}': { q: '{{n}}' } })).toEqual({ q: 5 }));
  it('takes a collection without case', () =>
    expect(evaluate({ '{{...}}': '{{h}}' }, { h: createCaseless([['A', 1]]) })).toEqual({ a: 1 }));
  it('copies no function and no prototype', () => {
    const o = JSON.parse('{"__proto__": {"polluted": 1}}');
    o.f = () => 1;
    const result = evaluate({ '{{...}}': '{{o}}' }, { o }) as object;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.keys(result)).toEqual(['__proto__']);
  });
  it.each(['{{n}}', '{{t}}', '{{list}}', '{{date}}', '{{bytes}}', '{{true}}'])(
    'of %s is an error',
    (value) => {
      const error = imlErrorOf(() => gives({ deep: [{ '{{...}}': value }] }));
      expect(error).toMatchObject({
        kind: 'type',
        code: 'IML_TYPE',
        place: { pointer: '/deep/0/{{...}}' },
      });
    },
  );
});

describe('errors', () => {
  it('compiling never throws, evaluating does', () => {
    const broken = compile({ a: '{{1 +}}' });
    expect(imlErrorOf(() => broken({}))).toMatchObject({ code: 'IML_SYNTAX', place: { pointer: '/a' } });
  });
  it('are not shared between evaluations', () => {
    const broken = compile('{{');
    expect(imlErrorOf(() => broken({}))).not.toBe(imlErrorOf(() => broken({})));
  });
  it('tell line and column in their template', () =>
    expect(templateFailure('one\n  {{nope()}}')).toEqual({
      kind: 'unknown-function',
      code: 'IML_UNKNOWN_FUNCTION',
      line: 2,
      column: 5,
    }));
  it('tell the pointer of the failing value', () =>
    expect(imlErrorOf(() => gives({ 'a~b': [0, '{{nope()}}'] })).place).toEqual({ pointer: '/a~0b/1' }));
});

describe('depth of objects and arrays', () => {
  const nested = (depth: number): unknown => {
    let value: unknown = '{{n}}';
    for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
    return value;
  };
  it('512 levels are evaluated', () => expect(JSON.stringify(gives(nested(512)))).toContain('5'));
  it('one more is a limit', () =>
    expect(templateFailure(nested(513))).toMatchObject({ kind: 'limit', code: 'IML_LIMIT' }));
  it('a template that holds itself is a limit, too', () => {
    const loop: unknown[] = [];
    loop.push(loop);
    expect(templateFailure(loop).code).toBe('IML_LIMIT');
  });
});
