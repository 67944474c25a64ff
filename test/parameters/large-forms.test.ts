import { describe, expect, it, vi } from 'vitest';
import { createFormCheck, report } from '../../src/engine/parameters/form-check.js';
import {
  type Problem,
  parseForm as readParameters,
  type ValidateParametersOptions,
  type ValidateParametersResult,
  validateParameters,
} from '../../src/engine/parameters/index.js';
import { fieldsByName, MAX_PROBLEMS } from '../../src/engine/parameters/parameter-spec.js';
import { resolveParameters } from '../../src/engine/parameters/resolve-parameters.js';
import { secretValues } from '../../src/engine/parameters/secret-values.js';
import { createEngine, defineApp } from '../../src/index.js';

const MAX_DESCRIBED = 10_000;
const MAX_DESCRIBED_FOR_FORM = 100_000;

const list = <T>(length: number, item: (index: number) => T): readonly T[] =>
  Array.from({ length }, (_, index) => item(index));

const names = (count: number): Record<string, unknown> =>
  Object.fromEntries(list(count, (index) => [`n${index}`, index]));

const validate = (
  spec: unknown,
  values: unknown,
  options: ValidateParametersOptions = {},
): Promise<ValidateParametersResult> => validateParameters(readParameters(spec), values, options);

describe('many options and many values', () => {
  const wrong = list(60_000, (index) => `w${index}`);
  const options = list(3000, (index) => ({ value: `v${index}`, label: `o${index}` }));

  it('of a select take linear time, valid or invalid', async () => {
    const spec = { name: 's', type: 'select', multiple: true, options };
    const checked = await validate(spec, { s: wrong });
    expect(!checked.ok && checked.error.message).toBe('Validation failed for 60000 parameter(s).');
    expect(!checked.ok && checked.error.suberrors?.at(-1)).toBe('59000 more.');
    expect(!checked.ok && checked.problems[999]?.message).toContain('one of "v0", "v1"');
    expect((await validate(spec, { s: wrong.map((_, index) => `v${index % 3000}`) })).ok).toBe(true);
  });

  it.each<readonly [string, unknown]>([
    ['an array', { type: 'array', validate: { enum: options } }],
    ['a select', { type: 'select', multiple: true, validate: { enum: options } }],
  ])('of an enum of %s take linear time', async (_, field) => {
    const spec = { name: 's', ...(field as object) };
    expect((await validate(spec, { s: list(3000, (index) => ({ ...options[index] })) })).ok).toBe(true);
    const checked = await validate(spec, { s: [{ value: 'other' }] });
    expect(!checked.ok && checked.problems[0]?.expected).toBe('only one of the options');
  });

  it('that are collections are compared by content', async () => {
    const spec = { name: 's', type: 'select', options: [{ value: { a: 1, b: [2] } }, { value: null }] };
    const checked = await validate(spec, { s: { b: [2], a: 1 } });
    expect(checked.ok && checked.values['s']).toEqual({ a: 1, b: [2] });
    expect((await validate(spec, { s: { b: [2] } })).ok).toBe(false);
  });

  it('of a filter take linear time', async () => {
    const spec = { name: 'f', type: 'filter', options: { operators: options } };
    const conditions = list(10_000, () => ({ a: 'x', o: 'none', b: 1 }));
    const checked = await validate(spec, { f: conditions });
    expect(!checked.ok && checked.error.message).toBe('Validation failed for 10000 parameter(s).');
  });
});

describe('problems', () => {
  it('are formatted only up to the limit', () => {
    const settings = {
      timezone: 'UTC',
      platformVersion: 2,
      applyDefaults: true,
      mapped: false,
      isForcedEmpty: () => false,
      reportsUnknown: false,
      evaluate: undefined,
      nowMs: 0,
    } as const;
    const check = createFormCheck(settings, { fields: new Map(), options: new Map() }, {});
    const problem: Problem = {
      kind: 'missing',
      path: '',
      message: '',
      expected: '',
      received: '',
      place: undefined,
    };
    const word = vi.fn(() => problem);
    for (let index = 0; index < 3 * MAX_PROBLEMS; index++) report(check, word);
    expect(word).toHaveBeenCalledTimes(MAX_PROBLEMS);
    expect(check.problemCount).toBe(3 * MAX_PROBLEMS);
  });

  it('compute only the first location', async () => {
    const asked = vi.fn((pointer: string) => ({ pointer }));
    const form = readParameters(
      list(50, (index) => ({ name: `f${index}`, type: 'text', required: true })),
      asked,
    );
    const checked = await validateParameters(form, {});
    expect(!checked.ok && checked.error.place).toEqual({ pointer: '/0' });
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('suggest names for the first hundred only', async () => {
    const spec = list(100, (index) => ({ name: `field${index}` }));
    const values = Object.fromEntries(list(300, (index) => [`feild${index}`, 1]));
    const checked = await validate(spec, values, { unknown: 'report' });
    const hinted = checked.ok ? [] : checked.problems.filter(({ message }) => message.includes('Did you'));
    expect(hinted).toHaveLength(100);
  });
});

describe('parameters with many names', () => {
  it('are searched for secrets up to a limit of values', () => {
    expect(secretValues([], { a: new Array(2_999_999) })).toEqual([]);
    expect(() => secretValues([], { a: new Array(3_000_000) })).toThrow(
      expect.objectContaining({ code: 'IML_LIMIT' }),
    );
  });

  it('are rejected if a collection has too many names', () => {
    expect(() => secretValues([], { a: names(50_001) })).toThrow(
      'The parameters contain more than 50000 names in a collection.',
    );
  });

  it('may be circular, and contain secrets in nested lists', () => {
    const own: unknown[] = [];
    own.push(own, [[{ password: 'in-a-list' }]]);
    expect(new Set(secretValues([], { own }))).toEqual(new Set(['in-a-list']));
  });

  it('find fields with the same name without copying', () => {
    const { elements } = readParameters(list(1000, () => ({ name: 'same' })));
    expect(fieldsByName(elements).get('same')).toHaveLength(1000);
  });
});

describe('the RPC results of a form', () => {
  const answers = (answer: unknown): ValidateParametersOptions => ({
    resolveRpc: () => Promise.resolve(answer),
    resolveOptions: true,
  });

  it('have a limit of fields', async () => {
    const fields = (count: number): unknown =>
      list(count, (index) => ({ name: `f${index}`, required: true }));
    const most = await validate(['rpc://r'], {}, answers(fields(MAX_DESCRIBED)));
    expect(!most.ok && most.error.message).toBe(`Validation failed for ${MAX_DESCRIBED} parameter(s).`);
    const more = await validate(['rpc://r'], {}, answers(fields(MAX_DESCRIBED + 1)));
    expect(!more.ok && more.error.message).toBe(
      'The fields of the parameters cannot be loaded: expected fields that can be read from rpc://r, ' +
        'got more than 10000 fields and options in an RPC result.',
    );
  });

  it('have a limit of characters', async () => {
    const fields = (label: string): unknown =>
      list(1000, (index) => ({ name: `f${index}`, type: 'text', label }));
    expect((await validate(['rpc://r'], {}, answers(fields('x'.repeat(2000))))).ok).toBe(true);
    const more = await validate(['rpc://r'], {}, answers(fields('x'.repeat(2200))));
    expect(!more.ok && more.problems[0]?.message).toContain('more than 2097152 characters in an RPC result.');
  });

  it('have a total limit of characters per form', async () => {
    const given = list(1000, (index) => ({ name: `f${index}`, type: 'text', label: 'x'.repeat(2000) }));
    const spec = list(10, (index) => `rpc://r?n=${index}`);
    const all = await validate(spec, {}, answers(given));
    expect(!all.ok && all.problems.map(({ message }) => message)).toMatchObject([
      expect.stringContaining('more than 16777216 characters in the RPC results of one form'),
      expect.anything(),
    ]);
  });

  it('count eight characters per value in addition to its own', async () => {
    const spec = [{ name: 's', type: 'select', options: 'rpc://r' }];
    // The list, its 8000 options, and two values with names per option.
    const left = 2 * 1024 * 1024 - 8 - 8000 * (3 * 8 + 'valuelabel'.length);
    const options = (length: number): unknown =>
      list(8000, (index) => ({
        value: `${index}`.padEnd(100),
        label: 'x'.repeat((length - 800_000) / 8000),
      }));
    const fitting = Math.floor(left / 8000) * 8000;
    expect((await validate(spec, { s: '1'.padEnd(100) }, answers(options(fitting)))).ok).toBe(true);
    const more = await validate(spec, { s: '1'.padEnd(100) }, answers(options(fitting + 8000)));
    expect(!more.ok && more.problems).toMatchObject([{ kind: 'depth' }]);
  });

  it.each([
    ['bytes', Buffer.alloc(4_000_000)],
    ['other bytes', new Float64Array(500_000)],
    ['bytes in a list', [Buffer.alloc(4_000_000)]],
  ])('count %s by size without reading the content', async (_, bytes) => {
    const entries = vi.spyOn(Object, 'entries');
    const keys = vi.spyOn(Object, 'keys');
    const checked = await validate(['rpc://r'], {}, answers(bytes));
    const listed = [...entries.mock.calls, ...keys.mock.calls].filter(([value]) => ArrayBuffer.isView(value));
    entries.mockRestore();
    keys.mockRestore();
    expect(listed).toEqual([]);
    expect(!checked.ok && checked.problems[0]?.message).toContain(
      'more than 2097152 characters in an RPC result.',
    );
  });

  it('have a limit of options', async () => {
    const spec = [{ name: 's', type: 'select', options: 'rpc://r' }];
    const options = (count: number): unknown => list(count, (value) => ({ value }));
    expect((await validate(spec, { s: 1 }, answers(options(MAX_DESCRIBED)))).ok).toBe(true);
    const more = await validate(spec, { s: 1 }, answers(options(MAX_DESCRIBED + 1)));
    expect(!more.ok && more.problems).toMatchObject([{ kind: 'depth' }]);
  });
});

describe('the total limit of RPC results', () => {
  // Each of the 12 results is within the limit of a single one.
  const form = readParameters(Array.from({ length: 12 }, (_, id) => `rpc://r?id=${id}`));
  const fields = Array.from({ length: 9000 }, (_, id) => ({ name: `f${id}` }));
  const tooMany = `ore than ${MAX_DESCRIBED_FOR_FORM} fields and options in the RPC results of one form.`;

  it('applies when a form is resolved, including nested fields', async () => {
    const nested = { name: 'x', type: 'text', nested: fields.slice(1) };
    const { failures } = await resolveParameters(form, {}, async () => nested);
    expect(failures.map(({ error }) => error.message)).toEqual([expect.stringContaining(tooMany)]);
  });

  it('counts equal results of array rows once', async () => {
    const spec = [
      { name: 'rows', type: 'array', spec: [{ name: 's', type: 'select', options: 'rpc://opts' }] },
    ];
    const rows = list(60, (index) => ({ s: `v${index}` }));
    let first = 0;
    const check = (isSame: boolean): Promise<ValidateParametersResult> =>
      validate(
        spec,
        { rows },
        {
          resolveOptions: true,
          resolveRpc: async () =>
            list(2000, (index) => ({ value: `v${index}`, label: isSame ? 'x' : `${first++}` })),
        },
      );
    expect((await check(true)).ok).toBe(true);
    const other = await check(false);
    expect(!other.ok && other.error.suberrors?.at(-1)).toContain(tooMany);
  });

  it('counts rejected results', async () => {
    const { failures } = await resolveParameters(form, {}, async () => list(MAX_DESCRIBED + 1, () => 'x'));
    expect(failures.map(({ error }) => error.message)).toEqual([
      ...list(10, () => `More than ${MAX_DESCRIBED} fields and options in an RPC result.`),
      expect.stringContaining(tooMany),
      expect.stringContaining(tooMany),
    ]);
  });

  it('applies to the check of values', async () => {
    const checked = await validateParameters(form, {}, { resolveRpc: async () => fields });
    expect(!checked.ok && checked.error.message).toContain(tooMany);
  });
});

it('resolves no more RPCs than the limit if RPC results contain further references', async () => {
  const answer = Array.from({ length: 1500 }, (_, id) => `rpc://more?of=${id}`);
  let calls = 0;
  const engine = createEngine({
    app: defineApp({
      name: 'nested',
      rpcs: {
        more: { communication: { url: 'https://api.example.test/more', response: { output: '{{body}}' } } },
      },
      modules: {
        go: {
          type: 'action',
          communication: { response: { output: { id: 1 } } },
          mappableParams: ['rpc://more'],
        },
      },
    }),
    http: {
      transport: async ({ url }) => {
        calls++;
        const headers = { 'content-type': 'application/json' };
        return { status: 200, headers, body: Buffer.from(JSON.stringify(answer)), url };
      },
    },
  });
  const form = await engine.module('go').parameters({ resolve: true });
  await engine.close();
  expect(calls).toBeLessThanOrEqual(100);
  expect(form.mappable.length).toBeLessThanOrEqual(100_000);
  expect(form.failures.length).toBeLessThanOrEqual(1000);
  expect(form.failures.map(({ error }) => error.message).join()).toContain(
    'More than 100000 fields and options',
  );
});
