import { describe, expect, it } from 'vitest';
import { type CompileOptions, compile, evaluate, mergeFunctions } from '../../src/iml/compile.js';
import { toEnvironment } from '../../src/iml/environment/environment.js';
import { FUNCTIONS } from '../../src/iml/functions/table.js';

describe('defaults', () => {
  it('the clock of the system', () => {
    const before = Date.now();
    const now = evaluate('{{now}}') as Date;
    expect(now.getTime()).toBeGreaterThanOrEqual(before);
    expect(now.getTime()).toBeLessThanOrEqual(Date.now());
  });
  it('random numbers and ids that differ', () => {
    expect(evaluate('{{random}}')).toBeLessThan(1);
    expect(evaluate('{{uuid}}')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(evaluate('{{uuid}}')).not.toBe(evaluate('{{uuid}}'));
  });
  it('UTC, semantics of the runtime, platform version 2', () =>
    expect(toEnvironment({})).toMatchObject({ timezone: 'UTC', semantics: 'runtime', platformVersion: 2 }));
  it('an option that is undefined is its default', () =>
    expect(evaluate('{{gone}}', {}, { platformVersion: undefined, timezone: undefined })).toBeUndefined());
  it('no scope is an empty one', () => expect(evaluate('a{{b}}')).toBe('a'));
});

describe('platform version 1', () => {
  const one = (template: unknown): unknown => evaluate(template, { o: {} }, { platformVersion: 1 });

  it('shows a missing value as null', () => expect(one('{{o.gone}}')).toBeNull());
  it('and the result of a call that has none', () => expect(one('{{if(false; 1)}}')).toBeNull());
  it('keeps such members of objects', () => expect(one({ a: '{{gone}}' })).toEqual({ a: null }));
  it('leaves texts and inner values as they are', () => {
    expect(one('x{{gone}}')).toBe('x');
    expect(one('{{ifempty(gone; 1)}}')).toBe(1);
  });
});

describe('functions given', () => {
  const functions = { double: (_: unknown, n: unknown): number => Number(n) * 2 };

  it('are called by name', () => expect(evaluate('{{double(4)}}', {}, { functions })).toBe(8));
  it('get the environment', () => {
    const zone = (environment: { timezone: string }): string => environment.timezone;
    expect(evaluate('{{zone()}}', {}, { functions: { zone }, timezone: 'Asia/Tokyo' })).toBe('Asia/Tokyo');
  });
  it('replace built-in functions of their name', () =>
    expect(evaluate("{{upper('a')}}", {}, { functions: { upper: () => 'mine' } })).toBe('mine'));
  it('of 100000 arguments are called, of more refused with why', () => {
    const call = (count: number): unknown => evaluate(`{{sum(${'1;'.repeat(count - 1)}1)}}`);
    expect(call(100_000)).toBe(100_000);
    expect(() => call(100_001)).toThrow('Too many arguments: expected at most 100000.');
  });
  it('leave the table of all alone', () => {
    expect(Object.hasOwn(mergeFunctions({ functions }), 'double')).toBe(true);
    expect(Object.hasOwn(FUNCTIONS, 'double')).toBe(false);
  });
});

describe('options', () => {
  const compileWith = (options: unknown) => (): unknown => compile('{{a}}', options as CompileOptions);
  const fail = (): never => {
    throw new TypeError('of the host');
  };

  it.each([
    ['a proxy whose traps throw', new Proxy({}, { get: fail })],
    ['one whose names cannot be listed', new Proxy({}, { ownKeys: fail })],
    ['functions that cannot be read', { functions: new Proxy({}, { ownKeys: fail }) }],
    ['a getter that throws', Object.defineProperty({}, 'now', { get: fail })],
  ])('that throw while they are read are told as that: %s', (_, options) =>
    expect(compileWith(options)).toThrow(expect.objectContaining({ code: 'IML_HOST_VALUE' })),
  );
  it.each([
    [null, 'The options of compile: an object is expected, not null.'],
    [{ timezone: 5 }, 'The options of compile: "timezone" has to be text, not the number 5.'],
    [{ platformVersion: '1' }, 'The options of compile: "platformVersion" has to be one of 1, 2, not text.'],
    [{ now: 0 }, 'The options of compile: "now" has to be a function, not the number 0.'],
    [{ zone: 'UTC' }, 'The options of compile: unknown member "zone".'],
  ])('that are none are refused: %j', (options, message) =>
    expect(compileWith(options)).toThrow(expect.objectContaining({ code: 'USAGE', message })),
  );
});

describe('scopes', () => {
  class Host {
    field = 'own';
    get secret(): string {
      return 'inherited';
    }
  }
  it('without a prototype are read', () =>
    expect(evaluate('{{a}}', Object.assign(Object.create(null), { a: 1 }))).toBe(1));
  it('with a name constructor are read', () =>
    expect(evaluate('{{constructor}} {{a}}', { constructor: 'mine', a: 1 })).toBe('mine 1'));
  it.each([new Host(), [1], new Map([['size', 1]]), new Date(0), 'text', 5, null, undefined])(
    'of other kinds (%s) show nothing',
    (scope) => {
      const names = ['field', 'secret', 'length', 'size', 'constructor', 'toString', '`0`'];
      const read = compile(names.map((name) => `{{${name}}}`));
      expect(read(scope as unknown as Record<string, unknown>)).toEqual(names.map(() => null));
    },
  );
  it('may be used by many evaluations', () => {
    const read = compile('{{a.b}}');
    expect([{ a: { b: 1 } }, { a: { b: 2 } }, {}].map(read)).toEqual([1, 2, undefined]);
  });
});
