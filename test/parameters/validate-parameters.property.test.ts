import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseForm as readParameters, validateParameters } from '../../src/engine/parameters/index.js';
import { PARAMETER_TYPES } from '../../src/engine/parameters/parameter-spec.js';
import { isPlainObject } from '../plain-object.js';

const name = fc.constantFrom('a', 'b', 'X-Y', '__proto__', 'constructor');

const scalar = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    '',
    'a',
    '5',
    'false',
    '2024-01-02',
    '<b>x</b>',
    '{"a":1}',
    'a@b.cz',
    '12:30',
  ),
  fc.string(),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.date({ noInvalidDate: false }),
  fc.uint8Array({ maxLength: 4 }),
);

const { value } = fc.letrec<{ value: unknown; list: unknown[]; members: Record<string, unknown> }>((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, tie('list'), tie('members')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  members: fc.dictionary(fc.oneof(name, fc.constantFrom('o', 'n')), tie('value'), { maxKeys: 4 }),
}));

const constraints = fc.oneof(
  fc.boolean(),
  fc.record(
    {
      min: fc.integer({ min: 0, max: 2 }),
      max: fc.integer({ min: 3, max: 9 }),
      maxItems: fc.constant(3),
      pattern: fc.constantFrom('^.', '(', '(a+)+$'),
      enum: fc.array(scalar, { maxLength: 2 }),
    },
    { requiredKeys: [] },
  ),
);

const { field } = fc.letrec<{ field: unknown; fields: unknown }>((tie) => ({
  field: fc.record(
    {
      name,
      type: fc.constantFrom(...PARAMETER_TYPES, 'select', 'array', 'collection', 'html'),
      required: fc.boolean(),
      default: value,
      multiple: fc.boolean(),
      time: fc.boolean(),
      sequence: fc.boolean(),
      codepage: fc.constantFrom('utf8', 'windows-1250', 'none'),
      // `escape` is excluded, as escaping is not idempotent.
      tags: fc.constantFrom('strip', 'stripall'),
      validate: constraints,
      visible: fc.constantFrom(false, true, '{{x}}'),
      spec: tie('fields'),
      nested: tie('fields'),
      options: fc.oneof(
        fc.array(fc.oneof(fc.record({ value: scalar, nested: tie('fields') }), scalar), { maxLength: 3 }),
        fc.record({ store: fc.constant('rpc://o'), nested: tie('fields') }),
      ),
    },
    { requiredKeys: ['name', 'type'] },
  ),
  fields: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>('rpc://f', [], undefined),
    tie('field'),
    fc.array(tie('field'), { maxLength: 3 }),
  ),
}));

/** Unique names, as fields with the same name hide each other's values. */
function rename(spec: unknown, names: Iterator<string>): unknown {
  if (Array.isArray(spec)) return spec.map((item) => rename(item, names));
  if (!isPlainObject(spec)) return spec;
  const renamed = Object.fromEntries(
    Object.entries(spec).map(([key, member]) =>
      ['spec', 'nested', 'options', 'store'].includes(key) ? [key, rename(member, names)] : [key, member],
    ),
  );
  return 'type' in spec ? { ...renamed, name: names.next().value } : renamed;
}

function* freshNames(): Generator<string, string> {
  yield* ['a', 'b', 'X-Y', '__proto__', 'constructor', 'o', 'n'];
  for (let index = 0; ; index++) yield `name${index}`;
}

const version = fc.constantFrom<1 | 2>(1, 2);
const fields = fc.array(fc.oneof(field, fc.constant('rpc://f')), { maxLength: 5 });

describe('validateParameters', () => {
  it('returns values or a BundleValidationError for any input, without changing it', async () => {
    await fc.assert(
      fc.asyncProperty(fields, value, version, async (spec, values, platformVersion) => {
        const specs = readParameters(spec);
        const before = structuredClone(values);
        const written = JSON.stringify(spec);
        const result = await validateParameters(specs, values, { platformVersion });
        if (!result.ok) {
          expect(result.error.type).toBe('BundleValidationError');
          expect(result.problems.length).toBeGreaterThan(0);
        }
        expect(values).toEqual(before);
        expect(JSON.stringify(spec)).toBe(written);
      }),
      { numRuns: 500 },
    );
  });

  it('accepts its own output unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fields,
        value,
        version,
        fc.boolean(),
        async (spec, values, platformVersion, mapped) => {
          const specs = readParameters(rename(spec, freshNames()));
          const first = await validateParameters(specs, values, { platformVersion, mapped });
          if (!first.ok) return;
          // The output no longer marks erased values, so a default would fill them.
          const options = { platformVersion, mapped, applyDefaults: false };
          const second = await validateParameters(specs, first.values, options);
          const again = second.ok ? second.values : second.problems;
          // Matchers of vitest treat a member `constructor` as a class.
          if (!isDeepStrictEqual(again, first.values)) expect(again).toStrictEqual(first.values);
          expect(isDeepStrictEqual(again, first.values)).toBe(true);
        },
      ),
      { numRuns: 1500 },
    );
  });
});

describe('readParameters', () => {
  it('accepts any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (spec) => {
        expect(Array.isArray(readParameters(spec).elements)).toBe(true);
      }),
    );
  });
});
