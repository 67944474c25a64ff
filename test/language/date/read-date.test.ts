import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  failure,
  formatDate,
  functionError,
  modernMs,
  parseDate,
  readDate,
  zoneName,
} from './date-functions.js';

function reads(value: unknown, zone = 'UTC'): string | undefined {
  const ms = readDate(value, zone);
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

describe('the date argument of a function', () => {
  it.each([
    ['2016-06-20T17:26:44.356Z', '2016-06-20T17:26:44.356Z'],
    ['2016-06-20T17:26:44Z', '2016-06-20T17:26:44.000Z'],
    ['2016-06-20 19:26:44 GMT+02:00', '2016-06-20T17:26:44.000Z'],
    ['2016-06-20 19:26+0200', '2016-06-20T17:26:00.000Z'],
    ['2016/06/20 19:26:44+02:00', '2016-06-20T17:26:44.000Z'],
    ['06/20/2016 19:26:44+02:00', '2016-06-20T17:26:44.000Z'],
    ['20.6.2016 19:26:44+02:00', '2016-06-20T17:26:44.000Z'],
    ['2016-06-20T17:26:44.356789Z', '2016-06-20T17:26:44.356Z'],
    ['2016-06-20T17:26:44.3Z', '2016-06-20T17:26:44.300Z'],
    ['2016-06-20T17:26:44.35 Z', '2016-06-20T17:26:44.350Z'],
    ['2016-06-20T17:26:44+23:59', '2016-06-19T17:27:44.000Z'],
    ['2016-06-20T19:26:44.356+02', '2016-06-20T17:26:44.356Z'],
    ['2016-06-20T12:26:44-05:30', '2016-06-20T17:56:44.000Z'],
    ['2016-06-20 17:26 GMT', '2016-06-20T17:26:00.000Z'],
    ['+275760-09-13T00:00:00.000Z', '+275760-09-13T00:00:00.000Z'],
    ['-000044-03-15T00:00:00.000Z', '-000044-03-15T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('is parsed with the offset of %j in any timezone', (text, expected) => {
    expect(reads(text, 'Asia/Kathmandu')).toBe(expected);
  });

  it.each([
    ['2016-06-20 17:26:44', '2016-06-20T15:26:44.000Z'],
    ['2016-06-20T17:26', '2016-06-20T15:26:00.000Z'],
    ['2016-06-20', '2016-06-19T22:00:00.000Z'],
    ['2016/06/20 17:26:44', '2016-06-20T15:26:44.000Z'],
    ['2016/06/20 17:26', '2016-06-20T15:26:00.000Z'],
    ['2016/06/20 5:26 PM', '2016-06-20T15:26:00.000Z'],
    ['2016/06/20', '2016-06-19T22:00:00.000Z'],
    ['06/20/2016 17:26:44', '2016-06-20T15:26:44.000Z'],
    ['06/20/2016 17:26', '2016-06-20T15:26:00.000Z'],
    ['06/20/2016 5:26 PM', '2016-06-20T15:26:00.000Z'],
    ['06/20/2016', '2016-06-19T22:00:00.000Z'],
    ['20.6.2016 17:26:44', '2016-06-20T15:26:44.000Z'],
    ['20.6.2016 17:26', '2016-06-20T15:26:00.000Z'],
    ['20.6.2016', '2016-06-19T22:00:00.000Z'],
    ['2016/06/20 12:26 am', '2016-06-19T22:26:00.000Z'],
    ['2016/06/20 12:26 pm', '2016-06-20T10:26:00.000Z'],
    ['2016-06-20 24:00', '2016-06-20T22:00:00.000Z'],
    [' 2016-06-20 ', '2016-06-19T22:00:00.000Z'],
    ['2021-03-28 02:30', '2021-03-28T01:30:00.000Z'],
    ['2021-10-31 02:30', '2021-10-31T00:30:00.000Z'],
  ])('is parsed as local time from %j', (text, expected) => {
    expect(reads(text, 'Europe/Prague')).toBe(expected);
  });

  it.each([
    '',
    'now',
    'not a date',
    '2016',
    '2016-06',
    '20160620',
    '1466443604356',
    '17:26:44',
    '2016-02-31',
    '2015-02-29',
    '1900-02-29',
    '2016-00-10',
    '2016-13-10',
    '2016-06-00',
    '20/06/2016',
    '2016-06-20T25:00:00Z',
    '2016-06-20T24:00:01Z',
    '2016-06-20T17:60:00Z',
    '2016-12-31T23:59:60Z',
    '2016/06/20 17:26 PM',
    '2016-06-20T17:26:44+24:00',
    '2016-06-20T17:26:44+02:60',
    '2016-06-20Z',
    '2016-06-20T',
    '2016-06-20T17',
    '2016-06-20 17:26 CEST',
    '2016-06-20 and more',
    '-000000-01-01T00:00:00Z',
    '+275760-09-13T00:00:00.001Z',
    '2016-06-20T17:26:4xZ',
    '2O16-06-20T17:26:44.356Z',
    `2016-06-20${' '.repeat(1_000_000)}`,
    `2016-06-20T17:26:44.${'3'.repeat(1_000_000)}Z`,
  ])('is invalid for text %#', (text) => {
    expect(reads(text)).toBeUndefined();
  });

  it('is invalid for values of other types', () => {
    const values = [undefined, null, 0, 1466443604356, true, {}, [], ['2016-06-20'], new Date(Number.NaN)];
    const unusual = [
      Object.create(Date.prototype),
      Symbol('date'),
      () => new Date(),
      5n,
      new Proxy(new Date(0), {}),
    ];
    for (const value of [...values, ...unusual]) expect(readDate(value, 'UTC')).toBeUndefined();
  });

  it('is parsed from ISO text', () => {
    const limit = 8.64e15;
    fc.assert(
      fc.property(fc.oneof(modernMs, fc.integer({ min: -limit, max: limit })), (ms) => {
        expect(readDate(new Date(ms).toISOString(), 'Europe/Prague')).toBe(ms);
      }),
      { numRuns: 1000 },
    );
  });

  it('is parsed from formatted local time as the first instant', () => {
    const shape = fc.constantFrom(
      'YYYY-MM-DD HH:mm:ss',
      'YYYY/MM/DD h:mm:ss A',
      'MM/DD/YYYY HH:mm:ss',
      'D.M.YYYY H:mm:ss',
    );
    fc.assert(
      fc.property(modernMs, shape, zoneName, (ms, pattern, zone) => {
        const local = formatDate(ms, 'YYYY-MM-DDTHH:mm:ss', zone);
        const first = parseDate(local, 'YYYY-MM-DDTHH:mm:ss', zone);
        expect(readDate(formatDate(ms, pattern, zone), zone)).toBe(first);
      }),
      { numRuns: 1000 },
    );
  });

  it('needs a valid timezone only for text without an offset', () => {
    expect(reads('2016-06-20T17:26:44+02:00', 'Nowhere/Land')).toBe('2016-06-20T15:26:44.000Z');
    expect(failure('addSeconds', ['2016-06-20', 0], 'Nowhere/Land')).toEqual(
      functionError("'Nowhere/Land' is not a known timezone."),
    );
  });
});

describe('ISO text in UTC', () => {
  it.each([
    ['2016-06-20T17:26:44Z', '2016-06-20T17:26:44.000Z'],
    ['2016-06-20T17:26:44.356Z', '2016-06-20T17:26:44.356Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2016-09-10T24:00:00Z', '2016-09-11T00:00:00.000Z'],
  ])('%s is parsed', (text, expected) => expect(reads(text)).toBe(expected));

  // Leading white space disables the fast path.
  it.each([
    ...['2016-06-20T17:26:44', '2016-06-20T17:26:44.35Z', '2016-06-20T17:26:44z', '2016-06-20T17:26:44.356+'],
    ...['2016.06-20T17:26:44Z', '2016-06.20T17:26:44Z', '2016-06-20 17:26:44Z', '2016-06-20T17.26:44Z'],
    ...['2016-06-20T17:26.44Z', '2016-06-20T17:26:44,356Z', '2016-06-31T17:26:44Z', '2016-06-20T17:26:60Z'],
    ...['2016-06-20T17:60:44Z', '2016-06-20T25:26:44Z', '2016-06-20T17:26:4xZ', '/016-06-20T17:26:44Z'],
    ...['2016-0:-20T17:26:44Z', '2016-06-00T17:26:44Z', '2016-06-20T24:00:01Z'],
  ])('%s has the same result on the fast path and the general path', (text) => {
    expect(reads(text)).toBe(reads(` ${text}`));
  });
});
