import { describe, expect, it } from 'vitest';
import { type ParameterSpec, parseForm as readParameters } from '../../src/engine/parameters/index.js';
import {
  findParameter,
  MAX_PARAMETER_DEPTH,
  type Option,
  PARAMETER_TYPES,
} from '../../src/engine/parameters/parameter-spec.js';
import { joinParameters, readOptionList, readWithin } from '../../src/engine/parameters/read-parameters.js';
import { SpecError } from '../../src/index.js';

function first(value: unknown): ParameterSpec {
  const [element] = readParameters(value).elements;
  if (element?.kind !== 'parameter') throw new Error('No parameter was read.');
  return element;
}

const warningsOf = (value: unknown) =>
  readParameters(value).warnings.map(({ code, place }) => `${code} ${place.pointer}`);

/** Nested collections; the outermost is level 0. */
function nestedCollections(levels: number): unknown {
  let spec: unknown = [{ name: 'x', type: 'text' }];
  for (let level = 0; level < levels; level++) spec = [{ name: 'x', type: 'collection', spec }];
  return spec;
}

describe('readParameters', () => {
  it.each(PARAMETER_TYPES)('supports the type %s', (type) => {
    const list = readParameters([{ name: 'x', type }]);
    expect(list.warnings).toEqual([]);
    expect(first([{ name: 'x', type }]).type).toBe(type);
  });

  it('reads an unknown type as any and suggests the nearest one', () => {
    const { elements, warnings } = readParameters([{ name: 'x', type: 'colour' }]);
    expect(elements).toMatchObject([{ type: 'any' }]);
    expect(warnings).toMatchObject([{ code: 'wrong-type', place: { pointer: '/0/type' } }]);
    expect(warnings[0]?.message).toContain('Did you mean "color"?');
  });

  it('warns about missing types, names, parameters and addresses', () => {
    expect(warningsOf([{ name: 'x' }])).toEqual(['wrong-type /0/type']);
    expect(warningsOf([{ type: 'text' }])).toEqual(['wrong-type /0']);
    expect(warningsOf([5])).toEqual(['wrong-type /0']);
    expect(warningsOf(['rpc://a', 'listOf'])).toEqual(['unknown-reference /1']);
    expect(warningsOf([{ name: 'x', type: 'array', spec: 5 }])).toEqual(['wrong-type /0/spec']);
    expect(warningsOf([{ name: 'x', type: 'text', tags: 'all' }])).toEqual(['wrong-type /0/tags']);
  });

  it('requires no name for banners and items', () => {
    expect(warningsOf([{ type: 'banner' }, { name: 'x', type: 'array', spec: { type: 'text' } }])).toEqual(
      [],
    );
  });

  it('reports the location of nested fields', () => {
    const options = [{ label: 'G', options: [{ value: 1, nested: { store: [{ name: 'n', type: '?' }] } }] }];
    expect(warningsOf([{ name: 'x', type: 'select', options: { store: options } }])).toEqual([
      'wrong-type /0/options/store/0/options/0/nested/store/0/type',
    ]);
  });

  it('uses locations of the document', () => {
    const locationOf = (pointer: string) => ({ file: 'a.json', pointer, line: 3 });
    expect(readParameters([{ name: 'x', type: 'text' }], locationOf).elements).toMatchObject([
      { place: { file: 'a.json', pointer: '/0', line: 3 } },
    ]);
  });

  it('keeps texts as references, for whole lists and single elements', () => {
    expect(readParameters('rpc://fields').elements).toMatchObject([
      { kind: 'reference', text: 'rpc://fields' },
    ]);
    expect(readParameters(['rpc://a']).elements).toMatchObject([
      { kind: 'reference', place: { pointer: '/0' } },
    ]);
  });

  it('distinguishes a spec of fields from a spec of one item', () => {
    expect(first([{ name: 'x', type: 'array', spec: [] }]).spec).toEqual({ kind: 'fields', fields: [] });
    expect(first([{ name: 'x', type: 'array', spec: { type: 'url' } }]).spec).toMatchObject({
      kind: 'item',
      item: { type: 'url', name: undefined },
    });
    expect(first([{ name: 'x', type: 'collection', spec: { name: 'a', type: 'url' } }]).spec).toMatchObject({
      kind: 'fields',
      fields: [{ name: 'a' }],
    });
  });

  it('reads constraints from validate and a pattern beside it', () => {
    expect(
      first([{ name: 'x', type: 'text', pattern: 'a', validate: { min: 1, max: '9' } }]).validate,
    ).toMatchObject({
      min: 1,
      max: undefined,
      pattern: 'a',
    });
    expect(first([{ name: 'x', type: 'text', validate: false }]).validate).toBe(false);
  });

  it('reads own members only', () => {
    const inherited: unknown = JSON.parse('{"name":"x","type":"text","__proto__":{"required":true}}');
    expect(first([inherited]).required).toBe(false);
  });

  it(`accepts ${MAX_PARAMETER_DEPTH} levels and rejects one more`, () => {
    expect(readParameters(nestedCollections(MAX_PARAMETER_DEPTH)).warnings).toEqual([]);
    expect(() => readParameters(nestedCollections(MAX_PARAMETER_DEPTH + 1))).toThrow(SpecError);
    let item: unknown = { type: 'text' };
    for (let level = 0; level < 5000; level++) item = { type: 'array', spec: item };
    expect(() => readParameters([item])).toThrow(expect.objectContaining({ code: 'SPEC_INVALID' }));
  });

  it('joins lists', () => {
    const joined = joinParameters(readParameters([{ name: 'a', type: '?' }]), readParameters('rpc://b'));
    expect(joined.elements).toHaveLength(2);
    expect(joined.warnings).toHaveLength(1);
  });
});

describe('a limit on reading a form', () => {
  const read = (value: unknown, left: number): readonly unknown[] =>
    readWithin({ left, refusal: 'Too many.' }, value, (pointer) => ({ pointer })).elements;

  const list = <T>(length: number, item: (index: number) => T): readonly T[] =>
    Array.from({ length }, (_, index) => item(index));

  const texts = list(12, (index) => ({ name: `x${index}` }));
  const options = list(12, (value) => ({ value }));

  it.each<readonly [string, unknown]>([
    ['fields', list(13, (index) => ({ name: `x${index}` }))],
    ['references and what is no field', list(13, (index) => (index % 2 === 0 ? 'rpc://x' : index))],
    ['fields in fields', { name: 'x', type: 'array', spec: texts }],
    ['fields beside fields', { name: 'x', nested: texts }],
    ['fields beside one of two values', { name: 'x', type: 'boolean', nested: { false: texts } }],
    ['options', { name: 'x', type: 'select', options }],
    ['options of groups', { name: 'x', type: 'select', options: [{ label: 'G', options }] }],
    ['fields beside options', { name: 'x', options: [{ value: 1, nested: texts.slice(1) }] }],
    ['operators', { name: 'x', type: 'filter', options: { operators: options } }],
    ['values of an enum', { name: 'x', validate: { enum: options } }],
  ])('counts %s, including nested ones', (_, value) => {
    expect(read(value, 13)).toEqual(readParameters(value).elements);
    expect(() => read(value, 12)).toThrow('Too many.');
    expect(() => read(value, 12)).toThrow(expect.objectContaining({ code: 'SPEC_INVALID' }));
  });

  it('limits the number of warnings', () => {
    const { warnings } = readParameters(list(10_000, () => 5));
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)?.message).toContain('Further warnings are omitted.');
  });
});

describe('readOptionList', () => {
  const readOptions = (answer: unknown, keys = { valueKey: 'id', labelKey: 'label' }): readonly Option[] =>
    readOptionList(answer, keys, { pointer: '/0/options' });

  it('reads one object as one option with its label', () => {
    const options = readOptions({ id: 1, title: 'One' }, { valueKey: 'id', labelKey: 'title' });
    expect(options).toMatchObject([{ value: 1, label: 'One' }]);
  });

  it('reads options and groups only', () => {
    expect(readOptions([{ id: 1 }, { label: 'G', options: [{ id: 2 }] }])).toMatchObject([
      { value: 1 },
      { value: 2 },
    ]);
    expect(readOptions(5)).toEqual([]);
  });
});

describe('findParameter', () => {
  const list = readParameters([
    {
      name: 'a',
      type: 'select',
      options: {
        store: [{ value: 1, nested: [{ name: 'b', type: 'date' }] }],
        nested: [{ name: 'c', type: 'url' }],
      },
      nested: [{ name: 'b', type: 'number' }],
    },
    { name: 'd', type: 'collection', spec: [{ name: 'inner', type: 'text' }] },
  ]);

  it('finds fields at any nesting level, outer ones first', () => {
    expect(findParameter(list, 'a')?.type).toBe('select');
    expect(findParameter(list, 'b')?.type).toBe('number');
    expect(findParameter(list, 'c')?.type).toBe('url');
  });

  it('ignores fields inside of collections', () => {
    expect(findParameter(list, 'inner')).toBeUndefined();
    expect(findParameter(list, 'constructor')).toBeUndefined();
  });
});
