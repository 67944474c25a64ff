import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseForm as readParameters,
  toJsonSchema,
  validateParameters,
} from '../../src/engine/parameters/index.js';

const schemaOf = (spec: unknown) => toJsonSchema(readParameters(spec));

const AJV: Ajv2020 = new Ajv2020({ strict: false, validateFormats: false });

function takes(spec: unknown, values: unknown): boolean {
  return AJV.compile(schemaOf(spec))(values);
}

const propertyOf = (field: object) =>
  (schemaOf([{ name: 'x', ...field }]) as { properties: { x: unknown } }).properties.x;

describe('toJsonSchema', () => {
  it('describes a form as an object (draft 2020-12)', () => {
    const schema = schemaOf([
      { name: 'email', type: 'email', label: 'E-mail', help: 'Where to.', required: true },
      { name: 'limit', type: 'uinteger', default: 10, validate: { max: 100 }, advanced: true },
      { type: 'banner', text: 'Hi' },
      { name: 'gone', type: 'text', visible: false },
    ]);
    expect(schema).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        email: { type: 'string', format: 'email', minLength: 1, title: 'E-mail', description: 'Where to.' },
        limit: { type: 'integer', minimum: 0, maximum: 100, default: 10, 'x-advanced': true },
      },
      required: ['email'],
    });
  });

  it.each<[object, object]>([
    [
      { type: 'text', multiline: true, validate: { min: 2, max: 4, pattern: '^a' } },
      { type: 'string', minLength: 2, maxLength: 4, pattern: '^a', 'x-multiline': true },
    ],
    [
      { type: 'text', pattern: '\\_' },
      { type: 'string', 'x-pattern': '\\_' },
    ],
    [
      { type: 'editor', language: 'python' },
      { type: 'string', 'x-editor': true, 'x-language': 'python' },
    ],
    [
      { type: 'date', time: false },
      { type: 'string', format: 'date' },
    ],
    [{ type: 'port' }, { type: 'integer', minimum: 0, maximum: 65_535 }],
    [
      { type: 'json', schema: { type: 'object' } },
      { type: 'object', 'x-json': true },
    ],
    [{ type: 'select', options: ['a', 'b'] }, { enum: ['a', 'b'] }],
    [
      { type: 'select', options: { store: [{ id: 1, name: 'One' }], value: 'id', label: 'name' } },
      { anyOf: [{ title: 'One', const: 1 }] },
    ],
    [
      { type: 'select', options: 'rpc://list?x={{parameters.y}}' },
      { 'x-fetch': 'rpc://list?x={{parameters.y}}' },
    ],
    [
      { type: 'select', multiple: true, required: true, options: ['a'] },
      { type: 'array', items: { enum: ['a'] }, minItems: 1 },
    ],
    [
      { type: 'folder', options: { store: 'rpc://folders', ids: true, showRoot: false } },
      {
        type: 'string',
        'x-path': { type: 'folder', ids: true, showRoot: false },
        'x-fetch': 'rpc://folders',
      },
    ],
    [
      { type: 'array', spec: { type: 'number' }, validate: { maxItems: 3 } },
      { type: 'array', items: { type: 'number' }, maxItems: 3 },
    ],
    [{ type: 'account:slack' }, { type: ['number', 'string'], 'x-reference': 'account' }],
    [
      { type: 'text', visible: '{{parameters.a}}' },
      { type: 'string', 'x-visible': '{{parameters.a}}' },
    ],
    [
      { type: 'boolean', nested: 'rpc://more' },
      { type: 'boolean', 'x-nested': { $ref: 'rpc://more' } },
    ],
  ])('describes %j', (field, expected) => {
    expect(propertyOf(field)).toEqual(expected);
  });

  it('describes how conditions of a filter are joined', () => {
    expect(propertyOf({ type: 'filter' })).toMatchObject({ 'x-filter': 'default', items: { type: 'array' } });
    const flat = propertyOf({
      type: 'filter',
      options: { logic: 'and', store: 'rpc://columns', operators: ['eq'] },
    });
    expect(flat).toMatchObject({
      'x-filter': 'and',
      items: { properties: { a: { 'x-fetch': 'rpc://columns' }, o: { enum: ['eq'] } }, required: ['a', 'o'] },
    });
  });

  it.each([
    ['text', ['', null]],
    ['array', ['', null, []]],
    ['filter', ['', null, []]],
  ])('describes nested fields of a %s other than %j', (type, empty) => {
    const schema = schemaOf([{ name: 'a', type, nested: [{ name: 'n', type: 'text' }] }]);
    const when = { properties: { a: { not: { enum: empty } } }, required: ['a'] };
    expect(schema).toMatchObject({ allOf: [{ if: when }] });
  });

  it('requires nested fields of a choice, and defines them once', () => {
    const spec = [
      {
        name: 'mode',
        type: 'select',
        options: {
          store: [{ value: 'a', nested: [{ name: 'n', type: 'number', required: true }] }, { value: 'b' }],
          nested: [{ name: 'm', type: 'text', required: true }],
          placeholder: { label: '-', nested: [{ name: 'p', type: 'text', required: true }] },
        },
      },
    ];
    const accepted = [{ mode: 'a', n: 1 }, { mode: 'b', m: 'x' }, { p: 'x' }];
    const refused = [{ mode: 'a' }, { mode: 'a', m: 'x' }, { mode: 'b', n: 1 }, {}, { mode: 'c', m: 'x' }];
    expect(accepted.filter((values) => !takes(spec, values))).toEqual([]);
    expect(refused.filter((values) => takes(spec, values))).toEqual([]);
    expect(Object.keys((schemaOf(spec) as { $defs: object }).$defs)).toHaveLength(3);
  });

  it('refers to the fields of an RPC by address, in a schema that compiles', () => {
    const spec = ['rpc://more', { name: 'x', type: 'boolean', nested: 'rpc://inner' }];
    expect(schemaOf(spec)).toMatchObject({ allOf: [{ 'x-nested': { $ref: 'rpc://more' } }, {}] });
    expect(takes(spec, { x: true })).toBe(true);
  });

  it('shares nothing with the form, and keeps names of prototype members', () => {
    const spec = [{ name: '__proto__', type: 'json', default: { a: 1 } }];
    const schema = schemaOf(spec) as { properties: object };
    expect(Object.keys(schema.properties)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(schema.properties)).toBe(Object.prototype);
  });

  it('stays small for deeply nested fields', () => {
    let nested: unknown = [{ name: 'n0', type: 'text' }];
    for (let level = 1; level < 60; level++) nested = [{ name: `n${level}`, type: 'text', nested }];
    expect(JSON.stringify(schemaOf(nested)).length).toBeLessThan(20_000);
  });
});

/** Forms without conversions, whose values JSON can represent. */
const { fields } = fc.letrec<{ fields: unknown[]; field: { name: string } }>((tie) => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const required = fc.boolean();
  return {
    fields: fc.uniqueArray(tie('field'), { maxLength: 4, selector: (one) => one.name }),
    field: fc.oneof(
      { maxDepth: 3 },
      fc.record({ name, required, type: fc.constantFrom('text', 'number', 'boolean', 'integer', 'json') }),
      fc.record({
        name,
        required,
        type: fc.constant('text'),
        validate: fc.constantFrom({ min: 2 }, { pattern: '^x' }),
      }),
      fc.record({
        name,
        required,
        type: fc.constant('select'),
        options: fc.constant([{ value: 'x', label: 'X' }, { value: 2 }]),
      }),
      fc.record({ name, required, type: fc.constant('collection'), spec: tie('fields') }),
      fc.record({
        name,
        required,
        type: fc.constant('array'),
        // A run does not check fields below a spec list.
        spec: fc.record({ type: fc.constant('collection'), spec: tie('fields') }),
      }),
    ),
  };
});

describe('the schema of a form', () => {
  it('accepts only values that a run accepts, and the values that a run converts them to', async () => {
    const scalar = fc.constantFrom<unknown>('x', 'yy', 2, 1.5, true, false, [], {});
    const values = fc.dictionary(
      fc.constantFrom('a', 'b', 'c', 'd'),
      fc.oneof(scalar, fc.dictionary(fc.constantFrom('a', 'b'), scalar)),
    );
    await fc.assert(
      fc.asyncProperty(fields, values, async (spec, given) => {
        const result = await validateParameters(readParameters(spec), given);
        const taken = AJV.compile(schemaOf(spec));
        if (taken(given)) expect(result).toMatchObject({ ok: true });
        if (result.ok)
          expect({ spec, values: result.values, taken: taken(result.values) }).toMatchObject({ taken: true });
      }),
      { numRuns: 300 },
    );
  });
});
