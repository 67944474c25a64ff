import { describe, expect, it } from 'vitest';
import { parseRetryAfter, readRateLimit } from '../../src/engine/http/rate-limit.js';

const NOW = Date.UTC(2024, 0, 1);

describe('rate limit headers', () => {
  it.each([
    [{ 'ratelimit-limit': '100', 'ratelimit-remaining': '7', 'ratelimit-reset': '30' }, [7, 30_000, 100]],
    [
      { 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '0', 'ratelimit-reset': '1' },
      [0, 1000, 100],
    ],
    [{ 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '1704067210' }, [3, 10_000, undefined]],
    [{ 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '1704067210500' }, [3, 10_500, undefined]],
    [{ 'x-rate-limit-remaining': '3', 'x-rate-limit-reset': '1.5' }, [3, 1500, undefined]],
    [
      {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '1704070810',
        date: 'Mon, 01 Jan 2024 01:00:00 GMT',
      },
      [0, 10_000, undefined],
    ],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1704060000' }, [0, 0, undefined]],
    [{ ratelimit: '"default";r=50;t=30', 'ratelimit-policy': '"default";q=100;w=60' }, [50, 30_000, 100]],
    [
      {
        ratelimit: '"burst";r=9;t=1, "day";r=2;t=600',
        'ratelimit-policy': '"burst";q=10;w=1,"day";q=99;w=86400',
      },
      [2, 600_000, 99],
    ],
    [{ ratelimit: '"a";r=0;t=1, "b";r=0;t=5' }, [0, 5000, undefined]],
    [{ ratelimit: '"a";r=0', 'ratelimit-policy': '"a";q=10;w=60' }, [0, 60_000, 10]],
    [{ ratelimit: 'limit=100, remaining=50, reset=5' }, [50, 5000, 100]],
  ] as const)('%j', (headers, [remaining, resetMs, limit]) => {
    expect(readRateLimit(headers, NOW)).toEqual({ remaining, resetMs, limit });
  });

  it.each([
    [{}],
    [{ 'x-ratelimit-remaining': '0' }],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '500000' }],
    [{ 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '5' }],
    [{ 'x-ratelimit-remaining': 'many', 'x-ratelimit-reset': '5' }],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'Mon, 01 Jan 2024 01:00:00 GMT' }],
    [{ ratelimit: '"a";r=0' }],
    [{ ratelimit: `"a";r=0;t=5${';x=1'.repeat(500)}` }],
    [{ ratelimit: '50' }],
  ])('%j is ignored as ambiguous', (headers) => {
    expect(readRateLimit(headers, NOW)).toBeUndefined();
  });
});

const ARRIVED = Date.UTC(1994, 10, 6, 8, 49, 37);

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
  expect(parseRetryAfter(value, ARRIVED)).toBe(expected);
});
