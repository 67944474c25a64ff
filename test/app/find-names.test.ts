import { expect, it } from 'vitest';
import { findNames } from '../../src/engine/open-functions.js';

const manyNames = Array.from({ length: 1000 }, (_, number) => `own${number}`);

it('finds a custom function by its name in any text, regardless of their number', () => {
  expect(findNames({ output: '{{upper(own999(1))}}' }, manyNames)).toEqual({
    called: ['upper', 'own999'],
    asksRpcs: false,
    isCustom: true,
  });
  expect(findNames({ output: ['{{lower(1)}}', 'a label'] }, manyNames).isCustom).toBe(false);
  expect(findNames(['rpc://fields'], manyNames)).toEqual({ called: [], asksRpcs: true, isCustom: true });
});

it('finds the calls in expressions without braces', () => {
  const find = (value: unknown): readonly string[] => findNames(value, []).called;
  expect(find({ log: { sanitize: ['request.body<sha256(parameters.pin)>'] } })).toEqual(['sha256']);
  expect(find({ response: { iterate: 'keys(body)' } })).toEqual(['keys']);
  expect(find({ message: 'Not found (404)' })).toEqual([]);
});
