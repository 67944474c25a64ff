import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { compile, ImlError, parse, safeParse } from '../../src/language/index.js';
import { isSameValue } from '../../src/tools/testing/matching/same-value.js';

/** Long text, described by its repetitions. */
interface Repeat {
  readonly repeat: readonly { readonly text: string; readonly times: number }[];
}

interface HostileCase {
  readonly id: string;
  readonly template: string | Repeat;
  /** Values may be a `Repeat`, or `{ range }` for the numbers from 1. */
  readonly scope?: Readonly<Record<string, unknown>>;
  readonly expect?: unknown;
  /** Kind of the error. If `error` and `expect` are absent, any result is accepted. */
  readonly error?: string;
}

function readHostile<T>(name: string): T {
  return JSON.parse(
    readFileSync(new URL(`../../spec-fixtures/hostile/${name}.json`, import.meta.url), 'utf8'),
  ) as T;
}

function grow(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('repeat' in value) {
    return (value as Repeat).repeat.map(({ text, times }) => text.repeat(times)).join('');
  }
  if ('range' in value) return Array.from({ length: Number(value.range) }, (_, index) => index + 1);
  return value;
}

/** No evaluation may modify these objects. */
const PROTOTYPES = [Object.prototype, Array.prototype, String.prototype, Date.prototype, Function.prototype];
const MEMBERS = PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype));

afterEach(() => {
  expect(PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype))).toEqual(MEMBERS);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

/** Returns the value or the `ImlError`; rethrows any other error. */
function outcomeOf(template: unknown, scope: Record<string, unknown>): unknown {
  try {
    return compile(template, { now: () => 0 })(scope);
  } catch (error) {
    if (error instanceof ImlError) return error;
    throw error;
  }
}

function check({ template, scope = {}, error: kind, ...rest }: HostileCase): void {
  const values = Object.fromEntries(Object.entries(scope).map(([name, value]) => [name, grow(value)]));
  const got = outcomeOf(grow(template), values);
  if (kind !== undefined) expect(got).toMatchObject({ name: 'ImlError', kind });
  else if ('expect' in rest) expect(isSameValue(got, rest.expect), String(got).slice(0, 200)).toBe(true);
  if (got instanceof ImlError && got.kind === 'syntax') expect(got.position).toBeDefined();
}

describe.each(['parser', 'cost'])('%s', (name) => {
  const cases = readHostile<HostileCase[]>(name);
  it.each(cases.map((hostile) => [hostile.id, hostile] as const))('%s', (_, hostile) => check(hostile));
});

describe('names', () => {
  const { names, templates, callable } = readHostile<{
    names: string[];
    templates: string[];
    callable: string[];
  }>('names');
  const called: string[] = [];
  const trap = (name: string) => (): string => {
    called.push(name);
    return name;
  };

  /** Data with functions, thenables and a hostile name wherever JSON allows one. */
  const scopeFor = (name: string): Record<string, unknown> => ({
    // biome-ignore lint/suspicious/noThenProperty: the test checks that nothing calls it.
    plain: { a: 1, f: trap('f'), then: trap('then'), toJSON: trap('toJSON'), toString: trap('toString') },
    list: [{ a: 1 }, { a: 'b' }, trap('item'), null],
    pairs: [{ key: 'k', value: 'v' }],
    named: [{ key: name, value: { polluted: 1 } }],
    date: new Date(0),
    bytes: new Uint8Array([1]),
    text: 'text',
    number: 1,
    first: name.slice(0, 2),
    rest: name.slice(2),
  });

  /** An expression may not reach a function, or an object that is neither part of the data nor plain. */
  const assertData = (value: unknown, known: ReadonlySet<unknown>): void => {
    if (known.has(value)) return;
    expect(typeof value).not.toBe('function');
    if (typeof value !== 'object' || value === null) return;
    if (value instanceof Date || value instanceof Uint8Array || value instanceof ImlError) return;
    expect([Object.prototype, Array.prototype, null]).toContain(Object.getPrototypeOf(value));
    expect(PROTOTYPES).not.toContain(value);
    for (const member of Object.values(value)) assertData(member, known);
  };

  it.each(names)('%s reaches no JavaScript object', (name) => {
    for (const template of templates) {
      const scope = scopeFor(name);
      const known = new Set([scope, ...Object.values(scope), ...(scope['list'] as unknown[])]);
      assertData(outcomeOf(template.replaceAll('$', name), scope), known);
    }
    for (const call of callable) {
      const got = outcomeOf(`{{${call.replaceAll('$', name)}}}`, scopeFor(name));
      if (got instanceof ImlError)
        expect(['unknown-function', 'syntax', 'function-error']).toContain(got.kind);
      else assertData(got, new Set());
    }
    expect(called).toEqual([]);
  });

  it.each(names)('%s is readable as an own member', (name) => {
    const plain = JSON.parse(`{${JSON.stringify(name)}: "mine"}`) as Record<string, unknown>;
    expect(outcomeOf(`{{plain.\`${name}\`}}`, { plain })).toBe('mine');
    expect(outcomeOf(`{{plain['${name}']}}`, { plain })).toBe('mine');
    expect(outcomeOf(`{{get(plain; '${name}')}}`, { plain })).toBe('mine');
    expect(outcomeOf(`{{\`${name}\`}}`, plain)).toBe('mine');
    expect(outcomeOf(`{{join(map(list; '${name}'))}}`, { list: [plain, plain] })).toBe('mine,mine');
    expect(JSON.stringify(outcomeOf({ [`{{n}}`]: 1 }, { n: name }))).toBe(`{${JSON.stringify(name)}:1}`);
  });
});

describe('data of the caller', () => {
  class Host {
    field = 1;
    get secret(): string {
      return 'secret';
    }
    run(): string {
      return 'run';
    }
  }
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const cyclic: Record<string, unknown> = { list: [] };
  cyclic['self'] = cyclic;
  (cyclic['list'] as unknown[]).push(cyclic['list']);
  const extended = Object.assign([1, 2], { extra: 3 });
  const sparse = new Array<unknown>(3);
  sparse[2] = 'end';
  const values: readonly (readonly [string, unknown])[] = [
    ['a class instance', new Host()],
    ['an object that inherits', Object.create({ field: 'inherited', secret: 'inherited' })],
    ['a map', new Map([['field', 1]])],
    ['a set', new Set([1])],
    ['a regular expression', /x/g],
    ['a symbol', Symbol('x')],
    ['a bigint', 10n],
    ['a promise', Promise.resolve(1)],
    [
      'a proxy that fails',
      new Proxy(
        {},
        {
          get: () => {
            throw new TypeError('trap');
          },
        },
      ),
    ],
    [
      'a proxy that lies',
      new Proxy({}, { get: () => () => 'called', getPrototypeOf: () => Object.prototype }),
    ],
    ['a revoked proxy', revoked.proxy],
    ['a cycle', cyclic],
    ['an array with members', extended],
    ['an array with holes', sparse],
    ['an invalid date', new Date(Number.NaN)],
    ['an error', new Error('x')],
    ['a buffer', Buffer.from('abc')],
    ['an array buffer', new ArrayBuffer(2)],
    ['an object like a date', Object.create(Date.prototype)],
    ['an object like a buffer', Object.create(Uint8Array.prototype)],
    [
      'a generator',
      (function* () {
        yield 1;
      })(),
    ],
  ];
  const templates = [
    '{{x}}',
    'text {{x}}',
    '{{x + 1}}',
    "{{x + 'a'}}",
    '{{x - 1}}',
    '{{-x}}',
    '{{!x}}',
    '{{x = x}}',
    '{{x < 1}}',
    '{{x > now}}',
    '{{x & 1}}',
    '{{x | 1}}',
    '{{x[1]}}',
    '{{x[]}}',
    '{{list[x]}}',
    '{{if(x; 1; 2)}}',
    '{{ifempty(x; 1)}}',
    '{{x.self.self}}',
    '{{createJSON(x)}}',
    '{{toString(x)}}',
    '{{join(x)}}',
    '{{length(x)}}',
    '{{keys(x)}}',
    '{{toArray(x)}}',
    '{{sort(x)}}',
    '{{flatten(x; 9)}}',
    '{{distinct(x)}}',
    '{{map(x; x)}}',
    '{{get(list; x)}}',
    '{{equal(x; x)}}',
    '{{upper(x)}}',
    '{{base64(x)}}',
    '{{md5(x)}}',
    '{{formatDate(x; x)}}',
    '{{parseNumber(x)}}',
    '{{switch(x; x; 1)}}',
    '{{contains(x; x)}}',
    '{{replace(x; x; x)}}',
    '{{split(x; x)}}',
    '{{sum(x; x)}}',
  ];
  it.each(values)('%s has a value or an ImlError in every template', (_, x) => {
    for (const template of [...templates, { '{{...}}': '{{x}}' }, { '{{x}}': 1 }]) {
      outcomeOf(template, { x, list: [1] });
    }
    for (const member of [
      'secret',
      'run',
      'size',
      'source',
      'message',
      'extra',
      'constructor',
      '`-1`.length',
    ]) {
      const got = outcomeOf(`{{x.${member}}}`, { x });
      if (!(got instanceof ImlError)) expect(got, member).toBeUndefined();
    }
  });
  it('a field is readable in a plain object, but not in a class instance', () => {
    expect(outcomeOf('{{x.field}}', { x: new Host() })).toBeUndefined();
    expect(outcomeOf('{{x.field}}', { x: Object.create({ field: 1 }) })).toBeUndefined();
    expect(outcomeOf('{{x.field}}', { x: { field: 1 } })).toBe(1);
  });
});

it.each([[new Proxy({}, { get: () => fail() })], [undefined], [7], [{}]])(
  'parsing a value that is not a string throws an ImlError: case %#',
  (source) => {
    expect(() => (parse as (source: unknown) => unknown)(source)).toThrow(
      expect.objectContaining({ code: 'IML_HOST_VALUE' }),
    );
    expect((safeParse as (source: unknown) => unknown)(source)).toMatchObject({ ok: false });
  },
);

function fail(): never {
  throw new TypeError('of the host');
}
