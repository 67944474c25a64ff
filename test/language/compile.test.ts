import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { functions as builtins, type CompileOptions, compile, evaluate } from '../../src/language/index.js';

describe('default options', () => {
  it('are UTC, runtime semantics and platform version 2', () =>
    expect(
      evaluate(["{{formatDate('2024-01-01T12:00:00Z'; 'HH Z')}}", "{{'1' = 1}}", { a: '{{gone}}' }]),
    ).toEqual(['12 +00:00', true, {}]));
  it('apply to options that are undefined', () =>
    expect(evaluate('{{gone}}', {}, { platformVersion: undefined, timezone: undefined })).toBeUndefined());
  it('include an empty scope', () => expect(evaluate('a{{b}}')).toBe('a'));
});

describe('platform version 1', () => {
  const one = (template: unknown): unknown => evaluate(template, { o: {} }, { platformVersion: 1 });

  it('returns null for a missing value', () => expect(one('{{o.gone}}')).toBeNull());
  it('returns null for a call without a result', () => expect(one('{{if(false; 1)}}')).toBeNull());
  it('keeps members without a value', () => expect(one({ a: '{{gone}}' })).toEqual({ a: null }));
  it('does not change text and inner values', () => {
    expect(one('x{{gone}}')).toBe('x');
    expect(one('{{ifempty(gone; 1)}}')).toBe(1);
  });
});

describe('functions of the options', () => {
  const functions = { double: (_: unknown, n: unknown): number => Number(n) * 2 };

  it('are called by name', () => expect(evaluate('{{double(4)}}', {}, { functions })).toBe(8));
  it('receive the environment', () => {
    const zone = (environment: { timezone: string }): string => environment.timezone;
    expect(evaluate('{{zone()}}', {}, { functions: { zone }, timezone: 'Asia/Tokyo' })).toBe('Asia/Tokyo');
  });
  it('replace built-in functions of the same name', () =>
    expect(evaluate("{{upper('a')}}", {}, { functions: { upper: () => 'mine' } })).toBe('mine'));
  it('accept 100,000 arguments and throw for more', () => {
    const call = (count: number): unknown => evaluate(`{{sum(${'1;'.repeat(count - 1)}1)}}`);
    expect(call(100_000)).toBe(100_000);
    expect(() => call(100_001)).toThrow('Too many arguments: expected at most 100000.');
  });
  it('do not modify the built-in table', () => {
    evaluate('{{double(4)}}', {}, { functions });
    expect(Object.hasOwn(builtins, 'double')).toBe(false);
  });
});

describe('invalid options', () => {
  const compileWith = (options: unknown) => (): unknown => compile('{{a}}', options as CompileOptions);
  it.each([
    [null, 'The options of compile: expected an object, not null.'],
    [
      { timezone: 5 },
      'The options of compile: "timezone" has to be a timezone of the tz database, such as Europe/Prague, not the number 5.',
    ],
    [
      { timezone: 'Europe/Pragu' },
      'The options of compile: "timezone" has to be a timezone of the tz database, such as Europe/Prague, not text.',
    ],
    [{ platformVersion: '1' }, 'The options of compile: "platformVersion" has to be one of 1, 2, not text.'],
    [{ now: 0 }, 'The options of compile: "now" has to be a function, not the number 0.'],
    [{ zone: 'UTC' }, 'The options of compile: unknown member "zone".'],
  ])('throw USAGE: %j', (options, message) =>
    expect(compileWith(options)).toThrow(expect.objectContaining({ code: 'USAGE', message })),
  );
});

describe('a scope', () => {
  class Host {
    field = 'own';
    get secret(): string {
      return 'inherited';
    }
  }
  it('may lack a prototype', () =>
    expect(evaluate('{{a}}', Object.assign(Object.create(null), { a: 1 }))).toBe(1));
  it('may have a name constructor', () =>
    expect(evaluate('{{constructor}} {{a}}', { constructor: 'mine', a: 1 })).toBe('mine 1'));
  it.each([new Host(), [1], new Map([['size', 1]]), new Date(0), 'text', 5, null, undefined])(
    'of another kind (%s) is empty',
    (scope) => {
      const names = ['field', 'secret', 'length', 'size', 'constructor', 'toString', '`0`'];
      const read = compile(names.map((name) => `{{${name}}}`));
      expect(read(scope as unknown as Record<string, unknown>)).toEqual(names.map(() => null));
    },
  );
  it('may change between evaluations', () => {
    const read = compile('{{a.b}}');
    expect([{ a: { b: 1 } }, { a: { b: 2 } }, {}].map(read)).toEqual([1, 2, undefined]);
  });
});

/** An environment whose values change with each read. */
function ticking(): { now: () => number; random: () => number; uuid: () => string } {
  let count = 0;
  return { now: () => ++count * 1999, random: () => ++count / 10, uuid: () => `id-${++count}` };
}

describe('built-in variables are evaluated at each use', () => {
  it('now', () =>
    expect(evaluate('{{now}}|{{now}}', {}, ticking())).toBe(
      '1970-01-01T00:00:01.999Z|1970-01-01T00:00:03.998Z',
    ));
  it('timestamp in whole seconds', () =>
    expect(evaluate('{{timestamp}},{{timestamp}}', {}, ticking())).toBe('1,3'));
  it('random', () => expect(evaluate('{{random}},{{random}}', {}, ticking())).toBe('0.1,0.2'));
  it('uuid', () => expect(evaluate('{{uuid}},{{uuid}}', {}, ticking())).toBe('id-1,id-2'));
  it('of a compiled template', () => {
    const next = compile('{{uuid}}', ticking());
    expect([next({}), next({})]).toEqual(['id-1', 'id-2']);
  });
});

it('now is a date', () => expect(evaluate('{{now}}', {}, { now: () => 5 })).toEqual(new Date(5)));
it('now, random and uuid come from the system by default', () => {
  const before = Date.now();
  const [now, random, uuid] = ['{{now}}', '{{random}}', '{{uuid}}'].map((text) => compile(text)({}));
  expect(now).toBeInstanceOf(Date);
  expect(Number(now)).toBeGreaterThanOrEqual(before);
  expect(Number(now)).toBeLessThanOrEqual(Date.now());
  expect(random).toBeGreaterThanOrEqual(0);
  expect(random).toBeLessThan(1);
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(uuid).not.toBe(evaluate('{{uuid}}'));
});
it('pi', () => expect(evaluate('{{pi}}')).toBe(Math.PI));
it('a name of the scope has precedence over a variable, even without a value', () => {
  expect(evaluate('{{now}}', { now: 'mine' })).toBe('mine');
  expect(evaluate('{{pi}}', { pi: undefined })).toBeUndefined();
});
it('a quoted name is never a built-in variable', () => expect(evaluate('{{`now`}}')).toBeUndefined());
it('a member is never a built-in variable', () => expect(evaluate('{{a.now}}', { a: {} })).toBeUndefined());
it('executionId comes from the scope', () =>
  expect(evaluate('{{executionId}}', { executionId: 'run-1' })).toBe('run-1'));

afterEach(() => vi.unstubAllGlobals());

describe('digests', () => {
  it('come from node:crypto, with and without a key', () => {
    expect(evaluate("{{md5('data')}}")).toBe('8d777f385d3dfec8815d20f7496026dc');
    expect(evaluate("{{sha256('data'; 'hex'; 'key')}}")).toBe(
      createHmac('sha256', 'key').update('data').digest('hex'),
    );
  });
  it('throw outside Node without the option digest', () => {
    vi.stubGlobal('process', undefined);
    expect(() => evaluate("{{md5('data')}}")).toThrow(
      'Cannot compute md5 outside Node. Set the option "digest".',
    );
  });
});
