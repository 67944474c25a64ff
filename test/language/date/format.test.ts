import * as fc from 'fast-check';
import moment from 'moment-timezone';
import { describe, expect, it } from 'vitest';
import {
  failure,
  format,
  formatDate,
  functionError,
  instantMs,
  modernMs,
  token,
  zoneName,
} from './date-functions.js';

const MS = Date.UTC(2018, 9, 1, 7, 2, 5, 123);

function byMoment(ms: number, pattern: string, zone: string): string {
  return moment.tz(ms, zone).locale('en').format(pattern);
}

function formats(pattern: string, ms: number = MS, zone = 'UTC'): string {
  return formatDate(ms, pattern, zone);
}

describe('formatDate', () => {
  it.each([
    ['YY YYYY Y', '18 2018 2018'],
    ['Q Qo', '4 4th'],
    ['M Mo MM MMM MMMM', '10 10th 10 Oct October'],
    ['D Do DD', '1 1st 01'],
    ['DDD DDDo DDDD', '274 274th 274'],
    ['d do dd ddd dddd', '1 1st Mo Mon Monday'],
    ['E', '1'],
    ['w wo ww', '40 40th 40'],
    ['W Wo WW', '40 40th 40'],
    ['gg gggg GG GGGG', '18 2018 18 2018'],
    ['H HH h hh k kk', '7 07 7 07 7 07'],
    ['A a', 'AM am'],
    ['m mm s ss', '2 02 5 05'],
    ['S SS SSS SSSS SSSSSSSSS', '1 12 123 1230 123000000'],
    ['Z ZZ', '+00:00 +0000'],
    ['X x', '1538377325 1538377325123'],
    ['LLLL', 'Monday, October 1, 2018 7:02 AM'],
  ])('formats the tokens of %j', (pattern, expected) => {
    expect(formats(pattern)).toBe(expected);
  });

  it.each([
    ...['w|', 'W|W', 'ww|', '\\', '\\\\x', 'YYYY\\', '\\D', '\\Do', '\\e', '\\eHHmm', '\\ YYYY', '\\[D]'],
    ...[
      'N NN NNN NNNN NNNNN',
      'Y YY YYYY YYYYY YYYYYY',
      'y yy',
      'eHHmm',
      'Hmm Hmmss hmm hmmss',
      'MMM MMMM',
      'dd ddd dddd',
      'e',
      'z zz',
    ],
    ...['D Do [of] MMMM', 'DDDo wo Wo Qo do', '[a', 'a]', '[a]b]', '[[a]]', '\nD\r'],
  ])('formats %j like moment', (pattern) => {
    const years = [Date.UTC(2018, 9, 1, 0, 5, 9), Date.UTC(-44, 2, 15, 13), Date.UTC(2021, 0, 3, 12, 59)];
    years.push(-62_167_219_200_000, Date.UTC(999, 11, 31), Date.UTC(1000, 0, 1), Date.UTC(9999, 11, 31));
    const days = Array.from({ length: 31 }, (_, day) => Date.UTC(2024, 0, day + 1, day % 24));
    for (const ms of [...years, ...days, ...days.map((ms) => ms + 335 * 86_400_000)])
      expect(formats(pattern, ms)).toBe(byMoment(ms, pattern, 'UTC'));
  });

  it('formats midnight as 24 with k, as 12 with h and as 0 with H', () => {
    const midnight = Date.UTC(2018, 9, 1);
    expect(formats('k kk h hh H HH A', midnight)).toBe('24 24 12 12 0 00 AM');
  });

  it('copies digits, letters that are not tokens, and text in brackets', () => {
    expect(formats('[Week] W')).toBe('Week 40');
    expect(formats('YYYYMM01')).toBe('20181001');
    expect(formats('YYYY-MM-DDTHH:mm')).toBe('2018-10-01T07:02');
    expect(formats('[[YYYY]')).toBe('[YYYY');
    expect(formats('YYYY [')).toBe('2018 [');
    expect(formats('\\YYYY')).toBe('YYYY');
  });

  it.each([11, 12, 13, 21, 22, 23, 31])('formats the ordinal of day %i', (date) => {
    const ms = Date.UTC(2018, 9, date);
    expect(formats('Do', ms)).toBe(byMoment(ms, 'Do', 'UTC'));
  });

  it('numbers the weeks around new year like moment', () => {
    for (let year = 1999; year <= 2028; year++) {
      for (let day = -7; day <= 8; day++) {
        const ms = Date.UTC(year, 0, day);
        const pattern = 'YYYY-MM-DD w gg gggg W GG GGGG E DDDD';
        expect(formats(pattern, ms)).toBe(byMoment(ms, pattern, 'UTC'));
      }
    }
  });

  it('formats local time before and after a clock change', () => {
    const pattern = 'YYYY-MM-DD HH:mm Z z';
    const last = Date.UTC(2021, 2, 28, 0, 59);
    expect(formats(pattern, last, 'Europe/Prague')).toBe('2021-03-28 01:59 +01:00 CET');
    expect(formats(pattern, last + 60_000, 'Europe/Prague')).toBe('2021-03-28 03:00 +02:00 CEST');
    const lordHowe = Date.UTC(2021, 3, 3, 15, 0);
    expect(formats(pattern, lordHowe - 60_000, 'Australia/Lord_Howe')).toBe('2021-04-04 01:59 +11:00 +11');
    expect(formats(pattern, lordHowe, 'Australia/Lord_Howe')).toBe('2021-04-04 01:30 +10:30 +1030');
    expect(formats('Z', MS, 'Asia/Kathmandu')).toBe('+05:45');
  });

  it('formats years with more than four digits and years before 0', () => {
    expect(formats('Y YYYY YYYYYY', 8.64e15)).toBe('+275760 275760 +275760');
    expect(formats('YYYY-MM-DD', 8.64e15, 'Europe/Prague')).toBe('275760-09-13');
    expect(formats('Y YYYY YY YYYYYY N y', Date.UTC(-43, 2, 15))).toBe('-0043 -0043 -43 -000043 BC 44');
    expect(formats('YYYY', Date.UTC(0, 5, 1) - 1900 * 365.2425 * 86_400_000)).toBe('0000');
  });

  it('formats random tokens, instants and zones like moment', () => {
    fc.assert(
      fc.property(
        instantMs,
        fc.array(token, { minLength: 1, maxLength: 6 }),
        zoneName,
        (ms, tokens, zone) => {
          const pattern = tokens.join(' ');
          expect(formats(pattern, ms, zone)).toBe(byMoment(ms, pattern, zone));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('formats random formats like moment', () => {
    fc.assert(
      fc.property(modernMs, format, zoneName, (ms, pattern, zone) => {
        // moment throws for a format that has only line breaks.
        fc.pre(/./.test(pattern));
        expect(formats(pattern, ms, zone)).toBe(byMoment(ms, pattern, zone));
      }),
      { numRuns: 1000 },
    );
  });

  it('formats instants around clock changes like moment', () => {
    const pattern = 'YYYY-MM-DDTHH:mm:ss.SSS Z z';
    for (const name of moment.tz.names().filter((_, index) => index % 7 === 0)) {
      const untils = moment.tz.zone(name)?.untils ?? [];
      const checked = untils.filter((until, index) => Number.isFinite(until) && index % 11 === 0);
      for (const ms of checked.flatMap((until) => [until - 1, until])) {
        expect(formats(pattern, ms, name), name).toBe(byMoment(ms, pattern, name));
      }
    }
  });

  it('drops line breaks outside brackets, like moment', () => {
    expect(formats('YYYY\nMM[\n]')).toBe('201810\n');
    expect(formats('\r\n')).toBe('');
  });

  it('throws for an unknown scenario timezone', () => {
    for (const zone of ['Nowhere/Land', '', '__proto__', 'constructor', 'x'.repeat(1e6)]) {
      expect(failure('formatDate', [new Date(MS), 'YYYY'], zone)).toEqual(
        functionError(`'${zone.slice(0, 64)}' is not a known timezone.`),
      );
    }
  });

  it('accepts a format of 10,000 characters and throws for a longer format', () => {
    expect(formats('L'.repeat(10_000)).length).toBeGreaterThan(50_000);
    expect(formats('['.repeat(10_000))).toBe('['.repeat(10_000));
    expect(formats(`YYYY${'-'.repeat(9996)}`)).toHaveLength(10_000);
    for (const pattern of ['Y'.repeat(10_001), '['.repeat(1_000_000), `[${'\\'.repeat(1_000_000)}`]) {
      expect(failure('formatDate', [new Date(MS), pattern])).toEqual({
        code: 'IML_LIMIT',
        message: 'Date format is too long: expected at most 10000 characters.',
      });
    }
  });
});
