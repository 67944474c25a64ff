import { describe, expect, it } from 'vitest';
import { dateTime, integer, list, nullable, object, oneOf, text } from '../../src/schema/build.js';
import { compileDocument, compileSchema } from '../../src/schema/compile-schema.js';
import { CASE_SCHEMA } from '../../src/testing/cases/case-shape.js';

const CONTACT = object(
  { name: text({ minLength: 1 }), age: integer({ minimum: 0 }) },
  { role: oneOf(['admin', 'member']), tags: list(text()), seenAt: nullable(dateTime()) },
  { additionalProperties: false },
);
const check = compileSchema(CONTACT);

describe('a schema', () => {
  it('accepts a valid value', () => {
    const value = { name: 'Ann', age: 0, role: 'admin', tags: [], seenAt: '2026-01-02T03:04:05Z' };
    expect(check(value)).toEqual([]);
    expect(check({ name: 'Ann', age: 0, seenAt: null })).toEqual([]);
  });

  it.each<[string, unknown, string, readonly string[]]>([
    ['a missing member', { age: 1 }, 'required', ['name']],
    ['an empty text', { name: '', age: 1 }, 'minLength', ['name']],
    ['a number below its bound', { name: 'A', age: -1 }, 'minimum', ['age']],
    ['a number that is none', { name: 'A', age: '1' }, 'type', ['age']],
    ['a word that is not one of them', { name: 'A', age: 1, role: 'x' }, 'enum', ['role']],
    ['an item of another type', { name: 'A', age: 1, tags: ['a', 1] }, 'type', ['tags', '1']],
    ['what is no object', [], 'type', []],
  ])('reports %s with its path', (_title, value, keyword, path) => {
    expect(check(value)).toContainEqual(expect.objectContaining({ keyword, path }));
  });

  it('reports an unknown member with the known ones', () => {
    const [problem] = check({ name: 'A', age: 1, colour: 'red' });
    expect(problem?.unknown).toEqual({ name: 'colour', known: ['name', 'age', 'role', 'tags', 'seenAt'] });
  });

  it('reports all problems at once', () => {
    expect(check({ name: '', age: -1 })).toHaveLength(2);
  });

  it('reads own members only, whatever their names', () => {
    const value = JSON.parse('{"name":"A","age":1,"__proto__":{"x":1}}');
    expect(check(value)[0]?.unknown?.name).toBe('__proto__');
    expect(check(Object.create({ name: 'A', age: 1 }))).toHaveLength(2);
  });

  it('never changes the value', () => {
    const value = Object.freeze({ name: 'A', age: 1.5 });
    expect(check(value)).toMatchObject([{ keyword: 'type', path: ['age'] }]);
  });

  it('throws if it is invalid itself', () => {
    expect(() => compileSchema({ type: 'no-such-type' })).toThrow();
  });
});

describe('a document of schemas', () => {
  const find = compileDocument({
    openapi: '3.1.0',
    components: {
      schemas: {
        Id: { type: 'integer' },
        Team: { type: 'object', required: ['id'], properties: { id: { $ref: '#/components/schemas/Id' } } },
      },
    },
  });

  it('resolves pointers and references between schemas', () => {
    expect(find('/components/schemas/Team')({ id: 1 })).toEqual([]);
    expect(find('/components/schemas/Team')({ id: 'a' })).toMatchObject([{ keyword: 'type', path: ['id'] }]);
  });

  it('throws for an unknown pointer', () => {
    expect(() => find('/components/schemas/None')).toThrow();
  });
});

it('the case schema passes strict mode, which its compilation skips', () => {
  expect(() => compileSchema(CASE_SCHEMA)).not.toThrow();
  expect(() => compileSchema({ type: 'object', misspelt: 1 })).toThrow(/strict mode/);
});
