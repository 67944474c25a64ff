import { describe, expect, it } from 'vitest';
import {
  parseForm as readParameters,
  toJsonSchema,
  type ValidateParametersOptions,
  validateParameters,
} from '../../src/engine/parameters/index.js';
import { itemPath, memberPath } from '../../src/engine/parameters/problem.js';
import type { RpcReference } from '../../src/engine/parameters/rpc-reference.js';
import { cpuMsOf } from '../cpu-time.js';

const MAX_PROBLEMS = 1000;

const check = (spec: unknown, values: unknown, options?: ValidateParametersOptions) =>
  validateParameters(readParameters(spec), values, options);

async function accepted(spec: unknown, values: unknown, options?: ValidateParametersOptions) {
  const result = await check(spec, values, options);
  if (!result.ok) throw result.error;
  return result;
}

async function refused(spec: unknown, values: unknown, options?: ValidateParametersOptions) {
  const result = await check(spec, values, options);
  if (result.ok) throw new Error(`Accepted: ${JSON.stringify(result.values)}`);
  return result;
}

const revoked = (target: object) => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};

const throwing = {
  get a(): unknown {
    throw new Error('host');
  },
};

describe('an array item forced to be empty', () => {
  const forced = { isForcedEmpty: () => true };
  const arrayWith = (item: object): unknown => [{ name: 'f', type: 'array', spec: item }];

  it.each([{ type: 'number' }, { type: 'select', options: ['a'] }, { type: 'date' }, { type: 'url' }])(
    'keeps its position if its type is not text: %o',
    async (item) => {
      expect((await accepted(arrayWith(item), { f: [''] }, forced)).values).toEqual({ f: [''] });
      const { problems } = await refused(arrayWith({ ...item, required: true }), { f: [''] }, forced);
      expect(problems).toMatchObject([{ kind: 'missing', path: 'f[1]' }]);
    },
  );

  it.each([
    [{ type: 'text' }, ''],
    [{ type: 'any' }, ''],
    [{ type: 'json' }, ''],
    [{ type: 'select', options: [{ label: 'None', value: '' }, 'a'] }, ''],
    [{ type: 'boolean' }, true],
    [{ type: 'array', spec: { type: 'text' } }, ['']],
  ])('is a value if its type is text: %o', async (item, value) => {
    const form = arrayWith({ ...item, required: true });
    expect((await accepted(form, { f: [''] }, forced)).values).toEqual({ f: [value] });
  });
});

describe('the error', () => {
  it('contains a single message, or a count of several', async () => {
    const one = await refused([{ name: 'a', type: 'number' }], { a: 'z' });
    expect(one.error.message).toBe(`Invalid number in parameter 'a': expected a number, got text "z".`);
    expect(one.error.suberrors).toEqual([one.error.message]);
    const spec = [
      { name: 'a', type: 'number' },
      { name: 'b', type: 'text', required: true },
    ];
    const two = await refused(spec, { a: 'z' });
    expect(two.error.message).toBe('Validation failed for 2 parameter(s).');
    expect(two.error.suberrors).toEqual([one.error.message, `Missing value of required parameter 'b'.`]);
    expect(two.error.retryable).toBe(false);
  });

  it('has the location of the first invalid field', async () => {
    const specs = readParameters([{ name: 'a', type: 'number' }], (pointer) => ({
      file: 'p.json',
      pointer,
      line: 2,
    }));
    const result = await validateParameters(specs, { a: 'z' });
    expect(!result.ok && result.error.place).toEqual({ file: 'p.json', pointer: '/0', line: 2 });
  });

  it.each([MAX_PROBLEMS - 1, MAX_PROBLEMS, MAX_PROBLEMS + 1])('counts %i problems', async (count) => {
    const spec = [{ name: 'a', type: 'array', spec: { type: 'number' } }];
    const { error, problems } = await refused(spec, { a: Array.from({ length: count }, () => 'z') });
    expect(error.message).toBe(`Validation failed for ${count} parameter(s).`);
    expect(problems).toHaveLength(Math.min(count, MAX_PROBLEMS));
    expect(error.suberrors?.at(-1)).toBe(count > MAX_PROBLEMS ? '1 more.' : problems.at(-1)?.message);
  });

  it('shortens long values', async () => {
    const { problems } = await refused([{ name: 'a', type: 'number' }], { a: 'z'.repeat(1e6) });
    expect(problems[0]?.received.length).toBeLessThan(120);
    expect(problems[0]?.received).toContain('1000000 characters');
  });

  it.each(['password', 'hidden', 'cert', 'pkey'])('never quotes a %s', async (type) => {
    const secret = 'canary-5f2b';
    const spec = [
      { name: 'a', type, validate: { pattern: '^z', max: 2, enum: ['q'] } },
      { name: 'b', type: 'collection', spec: [{ name: 'k', type }] },
      { name: 'd', type: 'array', spec: { type, validate: { max: 1 } } },
    ];
    const { error, problems } = await refused(spec, {
      a: secret,
      b: secret,
      d: [secret],
    });
    expect(problems.map(({ path }) => path)).toEqual(['a', 'a', 'a', 'b', 'd[1]']);
    expect(JSON.stringify([error, error.message, error.stack, problems])).not.toContain(secret);
  });

  it('never quotes collections that an RPC describes', async () => {
    const spec = [{ name: 'a', type: 'collection', spec: ['rpc://fields'] }];
    expect((await refused(spec, { a: 'canary' })).error.message).not.toContain('canary');
  });
});

describe('paths of problems', () => {
  it('are expressions of the language', () => {
    expect(itemPath('items', 0)).toBe('items[1]');
    expect(memberPath('items[1]', 'email')).toBe('items[1].email');
    expect(memberPath('', 'X-Key')).toBe('`X-Key`');
    expect(memberPath('a', '')).toBe('a.``');
  });
});

describe('conditions and templates', () => {
  const spec = [
    { name: 'mode', type: 'text' },
    { name: 'a', type: 'number', required: true, visible: "{{parameters.mode == 'a'}}" },
  ];
  const evaluate = (_: string, values: Record<string, unknown>) => values['mode'] === 'a';

  it('require a visible field', async () => {
    expect((await refused(spec, { mode: 'a' }, { evaluate })).problems).toMatchObject([
      { kind: 'missing', path: 'a' },
    ]);
  });

  it('skip a hidden field', async () => {
    expect((await accepted(spec, { mode: 'b', a: 'z' }, { evaluate })).values).toEqual({ mode: 'b', a: 'z' });
  });

  it('check but do not require a field whose condition fails', async () => {
    const failing: ValidateParametersOptions = {
      evaluate: () => {
        throw new Error('no');
      },
    };
    expect((await accepted(spec, { mode: 'a' }, failing)).values).toEqual({ mode: 'a' });
    expect((await refused(spec, { a: 'z' }, failing)).problems).toHaveLength(1);
  });

  it('read defaults of previous fields', async () => {
    const defaulted = [{ name: 'mode', type: 'text', default: 'a' }, spec[1]];
    expect((await refused(defaulted, {}, { evaluate })).problems).toMatchObject([
      { kind: 'missing', path: 'a' },
    ]);
  });

  it('do not require fields nested in a field that may be hidden', async () => {
    const nested = [{ name: 'n', type: 'text', required: true }];
    const maybe = [{ name: 'x', type: 'boolean', default: true, visible: '{{a}}', nested }];
    expect((await accepted(maybe, {})).values).toEqual({ x: true });
    expect((await refused(maybe, {}, { evaluate: () => true })).problems).toMatchObject([{ path: 'n' }]);
  });

  it('evaluate templates in defaults', async () => {
    const dated = [{ name: 'a', type: 'date', default: '{{now}}' }];
    const now = new Date(0);
    expect((await accepted(dated, {}, { evaluate: () => now })).values).toEqual({ a: now });
    expect((await accepted(dated, {}, { evaluate: () => undefined })).values).toEqual({});
  });
});

describe('RPC references', () => {
  it('pass the values of all enclosing levels to the resolver', async () => {
    const calls: [RpcReference, unknown][] = [];
    const resolveRpc = async (reference: RpcReference, values: object) => {
      calls.push([reference, values]);
      return [{ name: 'n', type: 'number' }];
    };
    const spec = [
      { name: 'items', type: 'array', spec: [{ name: 'k', type: 'text' }, 'rpc://f?k={{parameters.k}}'] },
    ];
    const { values, unresolved } = await accepted(
      spec,
      {
        top: 1,
        k: 0,
        items: [
          { k: 'a', n: '1' },
          { k: 'b', n: '2' },
        ],
      },
      { resolveRpc },
    );
    expect(values['items']).toEqual([
      { k: 'a', n: 1 },
      { k: 'b', n: 2 },
    ]);
    expect(unresolved).toEqual([]);
    expect(calls.map(([reference]) => reference)).toEqual([
      { name: 'f', query: [['k', '{{parameters.k}}']] },
      { name: 'f', query: [['k', '{{parameters.k}}']] },
    ]);
    expect(calls.map(([, given]) => given)).toMatchObject([
      { top: 1, k: 'a' },
      { top: 1, k: 'b' },
    ]);
  });

  it('are listed as unresolved without a resolver', async () => {
    const spec = ['rpc://f', 'rpc://g', { name: 'x', type: 'select', options: 'rpc://h', nested: 'rpc://f' }];
    expect((await accepted(spec, { x: 1 })).unresolved).toEqual(['rpc://f', 'rpc://g']);
    expect((await accepted(['no address'], {}, { resolveRpc: async () => [] })).unresolved).toEqual([
      'no address',
    ]);
  });

  it('are resolved once', async () => {
    let calls = 0;
    const resolveRpc = async () => {
      calls++;
      return 'rpc://f';
    };
    await accepted(['rpc://f', 'rpc://f'], {}, { resolveRpc });
    expect(calls).toBe(1);
  });

  it('return options with nested fields on request', async () => {
    const spec = [{ name: 'x', type: 'select', options: { store: 'rpc://o', value: 'id' } }];
    const resolveRpc = async () => [{ id: 1, nested: [{ name: 'n', type: 'number', required: true }] }];
    expect((await accepted(spec, { x: '1' }, { resolveRpc })).values).toEqual({ x: '1' });
    const { problems } = await refused(spec, { x: '1' }, { resolveRpc, resolveOptions: true });
    expect(problems).toMatchObject([{ kind: 'missing', path: 'n' }]);
  });

  it.each([
    [2, true],
    [3, true],
    [4, false],
  ])('are limited: %i', async (count, ok) => {
    const resolveRpc = async () => [];
    const spec = Array.from({ length: count }, (_, index) => `rpc://f${index}`);
    expect((await check(spec, {}, { resolveRpc, maxRpcCalls: 3 })).ok).toBe(ok);
  });

  it('end if fields contain endless further fields', async () => {
    let calls = 0;
    const resolveRpc = async () => [`rpc://f${++calls}`, { name: 'a', type: 'text' }];
    const { problems } = await refused(['rpc://f0'], { a: 'x' }, { resolveRpc, maxRpcCalls: 500 });
    expect(problems.every(({ kind }) => kind === 'depth')).toBe(true);
    expect(problems[0]?.message).toContain('at most 64 levels');
  });

  it('end if references return only references', async () => {
    let calls = 0;
    const resolveRpc = async () => `rpc://f${++calls}`;
    const { problems } = await refused('rpc://f0', {}, { resolveRpc, maxRpcCalls: 100_000 });
    expect(problems).toMatchObject([{ kind: 'depth', received: '"rpc://f65"' }]);
  });

  it('end for circular values', async () => {
    const values: Record<string, unknown> = {};
    values['a'] = values;
    values['b'] = values;
    const resolveRpc = async () =>
      ['a', 'b'].map((name) => ({ name, type: 'collection', spec: ['rpc://f'] }));
    expect((await refused(['rpc://f'], values, { resolveRpc })).problems.at(-1)?.message).toContain(
      'more than one',
    );
  });

  it('are a problem if the result is nested too deep', async () => {
    let spec: unknown = [];
    for (let level = 0; level < 100; level++) spec = [{ name: 'a', type: 'collection', spec }];
    const { error } = await refused(['rpc://f'], {}, { resolveRpc: async () => spec });
    expect(error.message).toContain('more than 64 levels deep');
  });

  it('pass on errors of the resolver', async () => {
    const failure = new Error('503');
    await expect(check(['rpc://f'], {}, { resolveRpc: () => Promise.reject(failure) })).rejects.toBe(failure);
  });
});

describe('hostile values', () => {
  const every = [
    { name: 'a', type: 'text' },
    { name: 'b', type: 'number' },
    { name: 'c', type: 'array', spec: { type: 'text' } },
    { name: 'd', type: 'collection', spec: [{ name: 'a', type: 'any' }] },
    { name: 'e', type: 'boolean' },
    { name: 'f', type: 'filter' },
    { name: 'g', type: 'select', options: [{ value: { a: 1 } }] },
    { name: 'h', type: 'buffer' },
    { name: 'i', type: 'date' },
  ];
  const names = every.map(({ name }) => name);
  const filled = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));

  it.each<[string, unknown]>([
    ['a revoked proxy', revoked({})],
    ['a revoked array', revoked([])],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a big integer', 10n],
    ['an instance of a class', new Map()],
    ['a thenable', Object.fromEntries([['then', () => 1]])],
    ['an invalid date', new Date(Number.NaN)],
    ['a false date', Object.create(Date.prototype)],
    ['a sparse array', new Array(3)],
    ['a getter that throws', throwing],
    ['not a number', Number.NaN],
  ])('%s returns values or problems', async (_, value) => {
    const result = await check(every, filled(value));
    expect(typeof result.ok).toBe('boolean');
    expect(await check(every, value)).toHaveProperty('ok');
  });

  it.each([
    ['array', { spec: [{ name: 'x', type: 'text' }] }],
    ['array', {}],
    ['select', { multiple: true, options: [{ value: 1 }] }],
    ['filter', {}],
    ['text', {}],
  ])('rejects a list of billions of holes: %s %o', async (type, more) => {
    const spec = [{ name: 'a', type, ...more }];
    const values = { a: new Array(4_000_000_000) };
    expect((await refused(spec, values)).problems).toMatchObject([{ path: 'a' }]);
  });

  it('rejects unreadable values', async () => {
    const { problems } = await refused(every, filled(revoked({})));
    expect(problems.map(({ path }) => path)).toEqual(names);
    expect((await refused(every, throwing)).error.message).toBe(
      'Invalid parameters: expected a collection that can be read, got a collection.',
    );
  });

  it('never changes a prototype', async () => {
    const values: unknown = JSON.parse('{"__proto__":"5","d":{"__proto__":{"polluted":1}}}');
    const { values: out } = await accepted([{ name: '__proto__', type: 'number' }, ...every], values);
    expect(Object.getPrototypeOf(out)).toBe(Object.prototype);
    expect(Object.getOwnPropertyDescriptor(out, '__proto__')?.value).toBe(5);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('ignores inherited members', async () => {
    const { problems } = await refused([{ name: 'toString', type: 'any', required: true }], {});
    expect(problems).toMatchObject([{ kind: 'missing' }]);
  });

  it('keeps arguments unchanged and shares nothing it changed', async () => {
    const values = Object.freeze({ c: Object.freeze(['1']), d: Object.freeze({ a: '' }), x: 1 });
    const { values: out } = await accepted(every, values);
    expect(out).toEqual({ c: ['1'], d: {}, x: 1 });
    expect(values).toEqual({ c: ['1'], d: { a: '' }, x: 1 });
  });

  it('skips patterns that exhaust the step limit', async () => {
    const spec = [
      { name: 'a', type: 'array', spec: { type: 'text', validate: { pattern: '^(?:(.*)\\1)*(a*)*\\2b$' } } },
    ];
    const values = { a: Array.from({ length: 1000 }, () => `${'a'.repeat(2000)}!`) };
    expect(await cpuMsOf(() => check(spec, values))).toBeLessThan(10_000);
  });

  it('takes linear time for 100 000 items', async () => {
    const options = Array.from({ length: 1000 }, (_, index) => ({ label: '', value: index }));
    const spec = [
      {
        name: 'a',
        type: 'array',
        spec: [
          { name: 'n', type: 'number' },
          { name: 's', type: 'select', options },
        ],
      },
    ];
    const items = Array.from({ length: 100_000 }, (_, index) => ({
      n: String(index),
      s: String(index % 1000),
    }));
    const cpuMs = await cpuMsOf(async () => {
      const { values } = await accepted(spec, { a: items });
      expect((values['a'] as unknown[])[99_999]).toEqual({ n: 99_999, s: 999 });
    });
    expect(cpuMs).toBeLessThan(5000);
  });
});

describe('the order of members', () => {
  const fields = [
    { name: 'b', type: 'text' },
    { name: 'a', type: 'text' },
  ];

  it('follows the spec with sequence', async () => {
    const spec = [{ name: 'x', type: 'collection', sequence: true, spec: fields }];
    const { values } = await accepted(spec, { x: { c: '3', a: '1', b: '2' } });
    expect(Object.keys(values['x'] as object)).toEqual(['b', 'a', 'c']);
  });

  it('follows the values without sequence', async () => {
    const spec = [{ name: 'x', type: 'collection', spec: fields }];
    const { values } = await accepted(spec, { x: { c: '3', a: '1', b: '2' } });
    expect(Object.keys(values['x'] as object)).toEqual(['c', 'a', 'b']);
  });
});

describe('unknown members', () => {
  const spec = [
    { name: 'limit', type: 'number' },
    {
      name: 'mode',
      type: 'select',
      options: [{ value: 'a', nested: [{ name: 'inner', type: 'text' }] }, { value: 'b' }],
    },
    { name: 'list', type: 'array', spec: [{ name: 'id', type: 'number' }] },
    { name: 'free', type: 'collection' },
    { type: 'banner', name: 'note' },
  ];
  const unknown = 'report' as const;

  it('are kept by default', async () => {
    expect((await accepted(spec, { limits: 1 })).values).toEqual({ limits: 1 });
    expect((await accepted(spec, { limits: 1 }, { unknown: 'keep' })).values).toEqual({ limits: 1 });
  });

  it('are problems beside an RPC that returns its own address', async () => {
    const resolveRpc = async (): Promise<unknown> => ['rpc://self', { name: 'once' }];
    const { problems } = await refused(['rpc://self'], { once: 'a', twice: 'b' }, { unknown, resolveRpc });
    expect(problems).toMatchObject([{ kind: 'unknown', path: 'twice' }]);
  });

  it('are problems with a suggestion and without their value on request', async () => {
    const { problems } = await refused(spec, { limits: 'canary', note: 1 }, { unknown });
    expect(problems).toMatchObject([
      { kind: 'unknown', path: 'limits' },
      { kind: 'unknown', path: 'note' },
    ]);
    expect(problems[0]?.message).toBe(
      `Unknown parameter 'limits': no field of the form has this name. Did you mean "limit"?`,
    );
    expect(JSON.stringify(problems)).not.toContain('canary');
  });

  it('are reported inside of items and collections with fields, by path', async () => {
    const values = { list: [{ id: 1 }, { id: 2, idd: 3 }], free: { any: 1 } };
    const { problems } = await refused(spec, values, { unknown });
    expect(problems.map(({ path }) => path)).toEqual(['list[2].idd']);
  });

  it('do not include hidden fields', async () => {
    await accepted(spec, { mode: 'b', inner: 'left over' }, { unknown });
  });

  it('are not reported if an RPC that was not called may declare them', async () => {
    await accepted([...spec, 'rpc://more'], { limits: 1 }, { unknown });
    const resolveRpc = async () => [{ name: 'r', type: 'text' }];
    const { problems } = await refused(
      [...spec, 'rpc://more'],
      { limits: 1, r: 'x' },
      { unknown, resolveRpc },
    );
    expect(problems.map(({ path }) => path)).toEqual(['limits']);
  });

  it('are not reported beside an option that only an RPC knows', async () => {
    const select = [{ name: 's', type: 'select', options: 'rpc://o' }];
    await accepted(select, { s: 'a', n: 1 }, { unknown });
    expect((await refused(select, { n: 1 }, { unknown })).problems).toHaveLength(1);
    const resolveRpc = async () => ({ value: 'a', nested: [{ name: 'n', type: 'number' }] });
    const asked = { unknown, resolveRpc, resolveOptions: true };
    await accepted(select, { s: 'a', n: 1 }, asked);
    expect((await refused(select, { s: 'a', m: 1 }, asked)).problems.map(({ path }) => path)).toEqual(['m']);
  });
});

describe('an RPC of options', () => {
  it('is not called for null, which is never an option', async () => {
    const asked: string[] = [];
    const resolveRpc = async ({ name }: RpcReference) => {
      asked.push(name);
      return [];
    };
    const select = [{ name: 's', type: 'select', options: 'rpc://o' }];
    const { problems } = await refused(select, { s: null }, { resolveRpc, resolveOptions: true });
    expect(asked).toEqual([]);
    expect(problems[0]?.expected).toBe('one of the options');
  });

  it('may return one object as one option with nested fields', async () => {
    const resolveRpc = async () => ({ value: 'a', nested: [{ name: 'n', type: 'number', required: true }] });
    const select = [{ name: 's', type: 'select', options: 'rpc://o' }];
    const { problems } = await refused(select, { s: 'a' }, { resolveRpc, resolveOptions: true });
    expect(problems.map(({ path }) => path)).toEqual(['n']);
  });
});

describe('the form argument', () => {
  const specification = [{ name: 'n', type: 'number', required: true }];

  it('may be a list of fields, such as those of a module', async () => {
    const { elements } = readParameters(specification);
    expect(await validateParameters([...elements], { n: '5' })).toMatchObject({ ok: true, values: { n: 5 } });
    expect(await validateParameters([], {})).toMatchObject({ ok: true });
  });

  it.each([[specification], [{ static: [], mappable: [] }], [null], ['rpc://x']])(
    'has to be a parsed form: not %j',
    async (form) => {
      const given = form as unknown as Parameters<typeof validateParameters>[0]; // like JavaScript
      const message = expect.stringContaining('readParameters');
      await expect(validateParameters(given, {})).rejects.toMatchObject({ code: 'USAGE', message });
      expect(() => toJsonSchema(given)).toThrow(expect.objectContaining({ code: 'USAGE', message }));
    },
  );
});

describe('past: false', () => {
  const nowMs = Date.UTC(2026, 0, 2, 12);
  const spec = [{ name: 'a', type: 'date', validate: { past: false } }];

  it('rejects past dates', async () => {
    const { error } = await refused(spec, { a: '2026-01-01T12:00:00Z' }, { nowMs });
    expect(error.message).toContain("parameter 'a': expected a date that is not in the past");
  });

  it('accepts the current and future dates, and any date without past: false', async () => {
    await accepted(spec, { a: '2026-01-02T12:00:00Z' }, { nowMs });
    await accepted([{ name: 'a', type: 'date' }], { a: '2020-01-01T12:00:00Z' }, { nowMs });
  });
});
