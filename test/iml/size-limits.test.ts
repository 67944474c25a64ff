import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assertListLength,
  assertTextLength,
  MAX_LIST_LENGTH,
  MAX_TEXT_LENGTH,
  rewrite,
  rewriteInChunks,
} from '../../src/iml/values/size-limits.js';
import { errorOf } from './functions/call-function.js';

it.each([
  [assertTextLength, MAX_TEXT_LENGTH, 'Text is too long: expected at most 67108864 characters.'],
  [assertListLength, MAX_LIST_LENGTH, 'Array is too long: expected at most 5000000 items.'],
])('%o refuses what is one above its ceiling only', (assertLength, ceiling, message) => {
  expect(errorOf(() => assertLength(ceiling - 1))).toBeUndefined();
  expect(errorOf(() => assertLength(ceiling))).toBeUndefined();
  expect(errorOf(() => assertLength(ceiling + 1))).toEqual({ code: 'IML_LIMIT', message });
});

describe('rewrite', () => {
  it('replaces as the host does', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '$') }), (text) => {
        expect(rewrite(text, /a+/g, () => '$&')).toBe(text.replace(/a+/g, () => '$&'));
      }),
    );
  });
  it('stops where the result is too long', () => {
    const long = 'x'.repeat(MAX_TEXT_LENGTH / 4);
    expect(rewrite('aaaa', /a/g, () => long).length).toBe(MAX_TEXT_LENGTH);
    expect(errorOf(() => rewrite('aaaab', /a/g, () => long))?.code).toBe('IML_LIMIT');
    expect(errorOf(() => rewrite('aaaaa', /a/g, () => long))?.code).toBe('IML_LIMIT');
  });
});

describe('rewriteInChunks', () => {
  it('cuts no surrogate pair', () => {
    const text = `a${'😀'.repeat(100_000)}`;
    expect(rewriteInChunks(text, encodeURIComponent)).toBe(encodeURIComponent(text));
  });
  it.each(['😀', '\ud800\udc00', '\udbff\udfff', '\ud7ff', '\ue000', 'x'])(
    'cuts no %j in two',
    (character) => {
      for (const length of [65_534, 65_535, 65_536]) {
        const text = 'a'.repeat(length) + character.repeat(2);
        expect(rewriteInChunks(text, encodeURIComponent)).toBe(encodeURIComponent(text));
      }
    },
  );
  it('stops where the result is too long', () => {
    expect(
      errorOf(() => rewriteInChunks('a'.repeat(200_000), () => 'x'.repeat(MAX_TEXT_LENGTH / 2)))?.code,
    ).toBe('IML_LIMIT');
  });
});
