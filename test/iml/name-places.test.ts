import { expect, it } from 'vitest';
import { createPlaces } from '../../src/iml/values/name-places.js';

it('gives the first names a place each, for good, and the others the last', () => {
  const placeOf = createPlaces(3);
  expect(['a', 'b', 'a', 'c', 'd', 'b', 'a', 'c'].map(placeOf)).toEqual([0, 1, 0, 2, 2, 1, 0, 2]);
});

it('knows any name, and each table its own', () => {
  const placeOf = createPlaces(4);
  expect(['__proto__', 'constructor', '', '__proto__'].map(placeOf)).toEqual([0, 1, 2, 0]);
  expect(createPlaces(4)('')).toBe(0);
});
