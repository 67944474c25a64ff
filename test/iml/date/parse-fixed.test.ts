import { describe, expect, it } from 'vitest';
import { parseFixed } from '../../../src/iml/date/parse-by-format.js';
import { readUtcText } from '../../../src/iml/date/read-date.js';
import { requireZone } from '../../../src/iml/date/zone.js';

const iso = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();
const parses = (text: string, format: string, zone = 'UTC'): string | undefined =>
  iso(parseFixed(text, format, requireZone(zone)));

describe('a text by a format of fixed widths', () => {
  it.each([
    ['2016', 'YYYY', '2016-01-01T00:00:00.000Z'],
    ['2016-06-20', 'YYYY-MM-DD', '2016-06-20T00:00:00.000Z'],
    ['20160620192644356', 'YYYYMMDDHHmmssSSS', '2016-06-20T19:26:44.356Z'],
    ['20.06.2016 19:26', 'DD.MM.YYYY HH:mm', '2016-06-20T19:26:00.000Z'],
    ['2016-06-20T19:26:44.356Z', 'YYYY-MM-DD[T]HH:mm:ss.SSSZ', '2016-06-20T19:26:44.356Z'],
    ['2016-06-20 19:26+02:00', 'YYYY-MM-DD HH:mmZ', '2016-06-20T17:26:00.000Z'],
    ['2016-06-20 19:26-0230', 'YYYY-MM-DD HH:mmZZ', '2016-06-20T21:56:00.000Z'],
    ['2016-06-20 19:26Z', 'YYYY-MM-DD HH:mmZZ', '2016-06-20T19:26:00.000Z'],
    ['2016-06-20+14:00', 'YYYY-MM-DDZ', '2016-06-19T10:00:00.000Z'],
    ['2016-06-20-12:00', 'YYYY-MM-DDZ', '2016-06-20T12:00:00.000Z'],
    ['2016-06-20 24:00', 'YYYY-MM-DD HH:mm', '2016-06-21T00:00:00.000Z'],
    ['2016-12-31 23:59:59.999', 'YYYY-MM-DD HH:mm:ss.SSS', '2016-12-31T23:59:59.999Z'],
    ['2016-02-29', 'YYYY-MM-DD', '2016-02-29T00:00:00.000Z'],
  ])('%s by %s is read', (text, format, expected) => expect(parses(text, format)).toBe(expected));

  it('is a local time of the zone where it has no offset', () => {
    expect(parses('2016-06-20 19:26', 'YYYY-MM-DD HH:mm', 'Europe/Prague')).toBe('2016-06-20T17:26:00.000Z');
    expect(parses('2016-06-20 19:26+00:00', 'YYYY-MM-DD HH:mmZ', 'Europe/Prague')).toBe(
      '2016-06-20T19:26:00.000Z',
    );
  });

  it.each([
    ...[
      ['06-20', 'MM-DD'],
      ['2016 2016', 'YYYY YYYY'],
      ['2016-6-20', 'YYYY-M-DD'],
      ['+02:00 2016', 'Z YYYY'],
      ['2016 a]', 'YYYY[ a]]'],
      ['2016-06-20', 'YYYY/MM/DD'],
      ['2016-06-20 ', 'YYYY-MM-DD'],
      ['2016-06-2', 'YYYY-MM-DD'],
      ['2016-06-2x', 'YYYY-MM-DD'],
    ],
    ...[
      ['2016-13-01', 'YYYY-MM-DD'],
      ['2016-00-01', 'YYYY-MM-DD'],
      ['2016-02-30', 'YYYY-MM-DD'],
      ['2015-02-29', 'YYYY-MM-DD'],
      ['2016-06-20 24:01', 'YYYY-MM-DD HH:mm'],
      ['2016-06-20 25:00', 'YYYY-MM-DD HH:mm'],
      ['2016-06-20 19:60', 'YYYY-MM-DD HH:mm'],
      ['2016-06-20 19:26:60', 'YYYY-MM-DD HH:mm:ss'],
    ],
    ...[
      ['2016-06-20+0200', 'YYYY-MM-DDZ'],
      ['2016-06-20+02:00', 'YYYY-MM-DDZZ'],
      ['2016-06-20+02.00', 'YYYY-MM-DDZ'],
      ['2016-06-20+02:000', 'YYYY-MM-DDZ'],
      ['2016-06-20 02:00', 'YYYY-MM-DDZ'],
      ['2016-06-20+14:01', 'YYYY-MM-DDZ'],
      ['2016-06-20-12:01', 'YYYY-MM-DDZ'],
      ['2016-06-20+02:60', 'YYYY-MM-DDZ'],
      ['2016-06-20+24:00', 'YYYY-MM-DDZ'],
      ['2016-06-20Z0', 'YYYY-MM-DDZ'],
      ['2016-06-20', 'YYYY-MM-DDZ'],
      ['2016+0200', 'YYYYM'],
    ],
  ])('%s by %s is left to moment', (text, format) => expect(parses(text, format)).toBeUndefined());
});

describe('the shape nearly every API writes', () => {
  it.each([
    ['2016-06-20T17:26:44Z', '2016-06-20T17:26:44.000Z'],
    ['2016-06-20T17:26:44.356Z', '2016-06-20T17:26:44.356Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2016-09-10T24:00:00Z', '2016-09-11T00:00:00.000Z'],
  ])('%s is read', (text, expected) => expect(iso(readUtcText(text))).toBe(expected));

  it.each([
    ...['2016-06-20T17:26:44', '2016-06-20T17:26:44.35Z', '2016-06-20T17:26:44z', '2016-06-20T17:26:44.356+'],
    ...['2016.06-20T17:26:44Z', '2016-06.20T17:26:44Z', '2016-06-20 17:26:44Z', '2016-06-20T17.26:44Z'],
    ...['2016-06-20T17:26.44Z', '2016-06-20T17:26:44,356Z', '2016-06-31T17:26:44Z', '2016-06-20T17:26:60Z'],
    ...['2016-06-20T17:60:44Z', '2016-06-20T25:26:44Z', '2016-06-20T17:26:4xZ', '/016-06-20T17:26:44Z'],
    ...['2016-0:-20T17:26:44Z', '2016-06-00T17:26:44Z', '2016-06-20T24:00:01Z'],
  ])('%s is another', (text) => expect(readUtcText(text)).toBeUndefined());
});
