import * as fc from 'fast-check';
import moment from 'moment-timezone';
import { describe, expect, it } from 'vitest';
import { failure, format, formatDate, modernMs, NOW, parseDate, ZONES, zoneName } from './date-functions.js';

function parses(text: string, pattern?: string, zone = 'UTC'): string | undefined {
  const ms = parseDate(text, pattern, zone);
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** Parses text with moment and the same current time. */
function byMoment(text: string, pattern: string, zone: string): number | undefined {
  const savedNow = moment.now;
  moment.now = () => NOW;
  try {
    const parsed = moment.tz(text, pattern, 'en', zone);
    return parsed.isValid() ? Math.round(parsed.valueOf()) : undefined;
  } finally {
    moment.now = savedNow;
  }
}

describe('parseDate', () => {
  it.each([
    ['2016-12-28', 'YYYY-MM-DD', '2016-12-28T00:00:00.000Z'],
    ['2016-12-28 16:03', 'YYYY-MM-DD HH:mm', '2016-12-28T16:03:00.000Z'],
    ['2016-12-28 04:03 pm', 'YYYY-MM-DD hh:mm a', '2016-12-28T16:03:00.000Z'],
    ['2016-12-28 04:03 p', 'YYYY-MM-DD hh:mm A', '2016-12-28T16:03:00.000Z'],
    ['2016-12-28 12:03 a', 'YYYY-MM-DD hh:mm a', '2016-12-28T00:03:00.000Z'],
    ['12-10-2019 20:30', 'DD-MM-YYYY HH:mm', '2019-10-12T20:30:00.000Z'],
    ['31st December 2014', 'Do MMMM YYYY', '2014-12-31T00:00:00.000Z'],
    ['Dec 31, 2014', 'MMM D, YYYY', '2014-12-31T00:00:00.000Z'],
    ['wednesday december 31 2014', 'dddd MMMM D YYYY', '2014-12-31T00:00:00.000Z'],
    ['2014 3', 'YYYY Q', '2014-07-01T00:00:00.000Z'],
    ['14', 'YYYY', '2014-01-01T00:00:00.000Z'],
    ['2014', 'YYYY-MM-DD', '2014-01-01T00:00:00.000Z'],
    ['2014 234', 'YYYY DDDD', '2014-08-22T00:00:00.000Z'],
    ['2015-W01-3', 'GGGG-[W]WW-E', '2014-12-31T00:00:00.000Z'],
    ['2014-12-31 24:00', 'YYYY-MM-DD HH:mm', '2015-01-01T00:00:00.000Z'],
    ['2014-12-31 24', 'YYYY-MM-DD kk', '2014-12-31T00:00:00.000Z'],
    ['20141231T235959', 'YYYYMMDD[T]HHmmss', '2014-12-31T23:59:59.000Z'],
    ['2014-12-31T10:20:30.456', 'YYYY-MM-DDTHH:mm:ss.SSS', '2014-12-31T10:20:30.456Z'],
    ['2014-12-31T10:20:30.4', 'YYYY-MM-DDTHH:mm:ss.S', '2014-12-31T10:20:30.400Z'],
  ])('parses %j by %j', (text, pattern, expected) => {
    expect(parses(text, pattern)).toBe(expected);
  });

  it('parses seconds with X and milliseconds with x, independent of the timezone', () => {
    for (const zone of ZONES) {
      expect(parses('1482940986', 'X', zone)).toBe('2016-12-28T16:03:06.000Z');
      expect(parses('1410715640579', 'x', zone)).toBe('2014-09-14T17:27:20.579Z');
    }
    expect(parses('1482940986.123', 'X')).toBe('2016-12-28T16:03:06.123Z');
    expect(parses('1482940986.123456', 'X')).toBe('2016-12-28T16:03:06.123Z');
    // The product with 1000 would lose a millisecond.
    expect(parses('2191239746.378', 'X')).toBe('2039-06-09T13:42:26.378Z');
    expect(parses('-1.5', 'X')).toBe('1969-12-31T23:59:58.500Z');
    expect(parses('99999999999999999', 'x')).toBeUndefined();
  });

  it('keeps the milliseconds of an instant in seconds', () => {
    fc.assert(
      fc.property(modernMs, (ms) => {
        const text = `${Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, '0')}`;
        expect(parseDate(text, 'X', 'UTC')).toBe(ms);
      }),
    );
  });

  it('uses the offset of the text instead of the timezone', () => {
    expect(parses('2016-06-20 19:26+02:00', 'YYYY-MM-DD HH:mmZ', 'Asia/Kathmandu')).toBe(
      '2016-06-20T17:26:00.000Z',
    );
    expect(parses('2016-06-20 19:26 +0200', 'YYYY-MM-DD HH:mm ZZ')).toBe('2016-06-20T17:26:00.000Z');
    expect(parses('2016-06-20T19:26:00Z', 'YYYY-MM-DDTHH:mm:ssZ', 'Europe/Prague')).toBe(
      '2016-06-20T19:26:00.000Z',
    );
    expect(parses('2016-06-20 19:26', 'YYYY-MM-DD HH:mm', 'Asia/Kathmandu')).toBe('2016-06-20T13:41:00.000Z');
  });

  it('ignores different separators and text after the date', () => {
    expect(parses('2016/12/28', 'YYYY-MM-DD')).toBe('2016-12-28T00:00:00.000Z');
    expect(parses('2016-12-28T16:03:44Z', 'YYYY-MM-DD')).toBe('2016-12-28T00:00:00.000Z');
    expect(parses('2016-1-2', 'YYYY-MM-DD')).toBe('2016-01-02T00:00:00.000Z');
  });

  it.each([
    ['not a date', 'YYYY-MM-DD'],
    ['', 'YYYY'],
    ['2016-02-31', 'YYYY-MM-DD'],
    ['2015-02-29', 'YYYY-MM-DD'],
    ['2016-13-01', 'YYYY-MM-DD'],
    ['2016-12-28 25:00', 'YYYY-MM-DD HH:mm'],
    ['2016-12-28 23:59:60', 'YYYY-MM-DD HH:mm:ss'],
    ['noon', 'X'],
    ['monday december 31 2014', 'dddd MMMM D YYYY'],
    ['2014-12-31', '[only text]'],
  ])('throws for %j by %j', (text, pattern) => {
    expect(parses(text, pattern)).toBeUndefined();
  });

  it('takes missing large units from the current day in the timezone, and sets missing small units to their start', () => {
    expect(parses('16:03', 'HH:mm')).toBe('2022-05-17T16:03:00.000Z');
    expect(parses('16:03', 'HH:mm', 'Europe/Prague')).toBe('2022-05-18T14:03:00.000Z');
    expect(parses('03-04', 'MM-DD')).toBe('2022-03-04T00:00:00.000Z');
    expect(parses('2016-12', 'YYYY-MM')).toBe('2016-12-01T00:00:00.000Z');
  });

  it('restores the clock of moment', () => {
    const before = moment.now;
    parses('16:03', 'HH:mm');
    expect(moment.now).toBe(before);
  });

  it('parses text without a format in one of the documented shapes', () => {
    expect(parses('20.6.2016 17:26')).toBe('2016-06-20T17:26:00.000Z');
    expect(parses('20.6.2016 17:26', '')).toBe('2016-06-20T17:26:00.000Z');
    expect(parses('not a date')).toBeUndefined();
  });

  it('handles gaps and ambiguous times like moment', () => {
    const pattern = 'YYYY-MM-DD HH:mm';
    expect(parses('2021-03-28 02:30', pattern, 'Europe/Prague')).toBe('2021-03-28T01:30:00.000Z');
    expect(parses('2021-11-07 01:30', pattern, 'America/New_York')).toBe('2021-11-07T05:30:00.000Z');
    expect(parses('2021-10-03 02:15', pattern, 'Australia/Lord_Howe')).toBe('2021-10-02T15:45:00.000Z');
    // Samoa had no 30 December 2011.
    expect(parses('2011-12-30 12:00', pattern, 'Pacific/Apia')).toBe('2011-12-30T22:00:00.000Z');
  });

  const fixed = fc
    .tuple(
      fc.constantFrom('YYYY-MM-DD', 'DD.MM.YYYY', 'MM/DD/YYYY', 'YYYYMMDD', 'YYYY-MM'),
      fc.constantFrom('', ' HH:mm', 'THH:mm:ss', 'THH:mm:ss.SSS', '[T]HHmmss'),
      fc.constantFrom('', 'Z', 'ZZ', ' Z'),
    )
    .map((parts) => parts.join(''));

  it('does not confuse literals with tokens', () => {
    for (const [text, pattern] of [
      ['YYYY06', '[YYYY]MM'],
      ['2016DD06', 'YYYY[DD]MM'],
      ['2016a]b06', 'YYYY[a]b]MM'],
      ['1]22016', '[1]2]YYYY'],
    ] as const) {
      expect(parseDate(text, pattern, 'UTC')).toBe(byMoment(text, pattern, 'UTC'));
    }
  });

  it.each([
    ['16:03 2016-12-28', 'HH:mm YYYY-MM-DD'],
    ['03 2016', 'mm YYYY'],
    ['44 2016', 'ss YYYY'],
    ['123 2016', 'SSS YYYY'],
    ['2116', 'YYYY'],
    ['2016Z', 'YYYY[Z]'],
    ['201610+02:00', 'YYYYZHH'],
    ['2016-06-20 19:26Z', 'YYYY-MM-DD HH:mmZ'],
    ['2016-06-20 19:26x', 'YYYY-MM-DD HH:mmZ'],
  ])('parses %j by %j like moment', (text, pattern) => {
    const zone = 'Asia/Kathmandu';
    expect(parseDate(text, pattern, zone)).toBe(byMoment(text, pattern, zone));
  });

  it('parses text of fixed shapes like moment', () => {
    fc.assert(
      fc.property(modernMs, fixed, zoneName, (ms, pattern, zone) => {
        const text = formatDate(ms, pattern, zone);
        expect(parseDate(text, pattern, zone)).toBe(byMoment(text, pattern, zone));
      }),
      { numRuns: 1000 },
    );
  });

  it('parses text of nearly fixed shapes like moment', () => {
    const edit = fc.record({
      at: fc.nat(30),
      put: fc.constantFrom('', '0', '9', '-', ':', 'Z', ' ', '+14:30'),
    });
    fc.assert(
      fc.property(modernMs, fixed, edit, zoneName, (ms, pattern, { at, put }, zone) => {
        const whole = formatDate(ms, pattern, zone);
        const text = whole.slice(0, at) + put + whole.slice(at + 1);
        expect(parseDate(text, pattern, zone)).toBe(byMoment(text, pattern, zone));
      }),
      { numRuns: 1000 },
    );
  });

  it('parses random text by random formats like moment', () => {
    const anyText = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789-:/ TZ+.apm') }));
    fc.assert(
      fc.property(anyText, format, zoneName, (text, pattern, zone) => {
        // An empty format means no format, and Unix times have their own tests.
        fc.pre(!/^[Xx]?$/.test(pattern));
        expect(parseDate(text, pattern, zone)).toBe(byMoment(text, pattern, zone));
      }),
      { numRuns: 1000 },
    );
  });

  it('throws for a format or text of more than 1000 characters', () => {
    expect(parses('2016', `YYYY${'-'.repeat(996)}`)).toBe('2016-01-01T00:00:00.000Z');
    for (const length of [1001, 1_000_000]) {
      expect(failure('parseDate', ['2016', 'Y'.repeat(length)])).toEqual({
        code: 'IML_LIMIT',
        message: 'Date format is too long: expected at most 1000 characters.',
      });
    }
    expect(parses(`2016${'-'.repeat(996)}`, 'YYYY')).toBe('2016-01-01T00:00:00.000Z');
    expect(parses(`2016${'-'.repeat(997)}`, 'YYYY')).toBeUndefined();
  });

  it('handles the worst text and formats of maximum length', () => {
    for (const text of ['1'.repeat(1000), 'a'.repeat(1000), '1a'.repeat(500)]) {
      for (const pattern of ['MMMM'.repeat(250), 'x'.repeat(1000), '.'.repeat(1000)]) {
        expect(() => parses(text, pattern)).not.toThrow();
      }
    }
  });
});

describe('parseDate with a format of fixed width', () => {
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
  ])('parses %s by %s', (text, format, expected) => expect(parses(text, format)).toBe(expected));

  it('uses the timezone if the text has no offset', () => {
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
  ])('parses %s by %s like moment', (text, format) => {
    expect(parseDate(text, format, 'UTC')).toBe(byMoment(text, format, 'UTC'));
  });
});
