import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Problem,
  parseForm as readParameters,
  validateParameters,
} from '../../src/engine/parameters/index.js';
import { type Beside, judge, type Verdict } from './platform-rules.js';

/** An intended difference: rejected by the platform and accepted by a run, or the reverse. */
interface Difference {
  readonly id: string;
  readonly platform?: 'refuses' | 'takes';
  readonly rule: string;
  readonly types: readonly string[];
  readonly given: readonly string[];
  readonly beside?: Beside;
  readonly why: string;
}

const FOLDER = new URL('../../spec-fixtures/parameters-platform/', import.meta.url);
const DIFFERENCES = JSON.parse(
  readFileSync(new URL('differences.json', FOLDER), 'utf8'),
) as readonly Difference[];

const has = (list: readonly string[], item: string): boolean => list.includes('*') || list.includes(item);

/** The difference that explains why a run accepts what the platform rejects. */
const explain = ({ rule, type, given, beside }: Verdict): Difference | undefined =>
  DIFFERENCES.find(
    (one) =>
      has([one.rule], rule) &&
      has(one.types, type) &&
      has(one.given, given) &&
      (one.beside === undefined || one.beside === beside),
  );

const ANSWERS: Readonly<Record<string, unknown>> = {
  'rpc://fields': [{ name: 'r', type: 'text', required: true }],
  'rpc://one': { name: 'r', type: 'number' },
  'rpc://options': [{ value: 'a' }, { value: 'b', nested: [{ name: 'r', type: 'text', required: true }] }],
  'rpc://option': { value: 'a', label: 'A' },
  'rpc://nothing': null,
};

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];

const name = fc.constantFrom('a', 'b', 'c', 'd');
const scalar = fc.constantFrom<unknown>('a', 'b', 'xyz', 1, 2, 0, true, false);
const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(undefined, null, '', [], {}) },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(name, scalar, { maxKeys: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      [[{ a: 'x', o: 'text:equal', b: 1 }]],
      [[{ o: 'exist' }]],
      [[{ a: '', o: 'exist' }]],
    ),
  },
);

const { fields } = fc.letrec<{ fields: unknown[]; field: Record<string, unknown>; nested: unknown }>(
  (tie) => ({
    fields: fc.uniqueArray(tie('field'), { maxLength: 4, selector: (one) => one['name'] }),
    nested: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom<unknown>(undefined, 'rpc://fields', 'rpc://one', ['rpc://one'], 'rpc://nothing'),
      tie('fields'),
      tie('fields').map((store) => ({ store })),
    ),
    field: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.record({
        name,
        type: fc.constantFrom(
          'text',
          'number',
          'json',
          'any',
          'upload',
          'account',
          'aiagent',
          'filter',
          'password',
        ),
        required: fc.boolean(),
        validate: fc.constantFrom<unknown>(
          undefined,
          { min: 2 },
          { max: 1 },
          { pattern: '^a' },
          { pattern: { regexp: 'a$' } },
        ),
        nested: tie('nested'),
      }),
      fc.record({
        name,
        type: fc.constantFrom('boolean', 'checkbox'),
        required: fc.boolean(),
        reversedNested: fc.boolean(),
        nested: fc.oneof(tie('nested'), fc.record({ true: tie('nested'), false: tie('nested') })),
      }),
      fc.record({
        name,
        type: fc.constantFrom('select', 'radio', 'list'),
        required: fc.boolean(),
        nested: tie('nested'),
        options: fc.oneof(
          fc.constantFrom<unknown>('rpc://options', 'rpc://option'),
          fc.uniqueArray(
            fc.record({ value: fc.constantFrom<unknown>('a', 'b', 1, true), nested: tie('nested') }),
            {
              maxLength: 3,
              selector: (one) => one.value,
            },
          ),
          fc.record({
            store: fc.constantFrom<unknown>([{ value: 'a' }, { value: 1 }], 'rpc://options'),
            nested: tie('nested'),
            placeholder: fc.record({ label: fc.constant('-'), nested: tie('nested') }),
          }),
        ),
      }),
      fc.record({
        name,
        type: fc.constantFrom('file', 'folder'),
        options: fc.record({ store: fc.constant('rpc://nothing'), nested: tie('nested') }),
      }),
      fc.record({ name, type: fc.constant('collection'), spec: tie('fields') }),
      fc.record({
        name,
        type: fc.constant('array'),
        required: fc.boolean(),
        spec: fc.oneof(tie('fields'), fc.constant({ type: 'number', required: true })),
        validate: fc.constantFrom<unknown>(undefined, { minItems: 1 }, { maxItems: 1 }),
      }),
    ),
  }),
);

const values = fc.dictionary(fc.constantFrom(...NAMES, 'r'), value, { maxKeys: 9 });

/**
 * Round-trips through JSON and gives every field a unique name, as fields with the same name read each other's values.
 */
function written(spec: unknown): unknown[] {
  let count = 0;
  return JSON.parse(JSON.stringify(spec), (key, member: unknown) => {
    if (key !== 'name') return member;
    count++;
    return NAMES[count - 1] ?? `further${count}`;
  });
}

async function refusals(spec: unknown, given: unknown): Promise<readonly Problem[]> {
  const result = await validateParameters(readParameters(spec), given, {
    applyDefaults: false,
    resolveOptions: true,
    resolveRpc: async (reference) => ANSWERS[`rpc://${reference.name}`],
  });
  return result.ok ? [] : result.problems;
}

describe('validateParameters', () => {
  it('rejects what the platform rejects, except for documented differences', async () => {
    await fc.assert(
      fc.asyncProperty(fields, values, async (spec, given) => {
        const form = written(spec);
        const verdicts = judge(form, given, (address) => ANSWERS[address]);
        const refused = await refusals(form, given);
        const unexplained = verdicts.filter(
          (verdict) =>
            !refused.some(({ path }) => path.startsWith(verdict.path)) && explain(verdict) === undefined,
        );
        expect(unexplained).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('accepts what the platform accepts, except for documented differences', async () => {
    await fc.assert(
      fc.asyncProperty(fields, values, async (spec, given) => {
        const form = written(spec);
        fc.pre(judge(form, given, (address) => ANSWERS[address]).length === 0);
        const refused = await refusals(form, given);
        const unexplained = refused.filter(
          ({ kind, received }) =>
            !DIFFERENCES.some(
              (one) =>
                one.platform === 'takes' &&
                one.rule === kind &&
                one.given.some((start) => received.startsWith(start)),
            ),
        );
        expect(unexplained).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('each documented difference', () => {
  it.each(DIFFERENCES)('$id has a unique name and a reason', ({ id, why }) => {
    expect(DIFFERENCES.filter((one) => one.id === id)).toHaveLength(1);
    expect(why.length).toBeGreaterThan(20);
  });
});
