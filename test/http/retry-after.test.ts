import { expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/http/message/rate-limit.js';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 37);

it.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['1.5', 1500],
  ['99999999999999999999', 2 ** 31 - 1],
  ['Sun, 06 Nov 1994 08:50:37 GMT', 60_000],
  ['Sunday, 06-Nov-94 08:50:37 GMT', 60_000],
  ['Sun Nov  6 08:50:37 1994', 60_000],
  ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
  ['-5', undefined],
  ['soon', undefined],
  ['', undefined],
  ['1e5', undefined],
  ['1994-11-06T08:50:37Z', undefined],
  [undefined, undefined],
])('parseRetryAfter: %j -> %j', (value, expected) => {
  expect(parseRetryAfter(value, NOW)).toBe(expected);
});
