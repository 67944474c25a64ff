import * as fc from 'fast-check';
import moment from 'moment-timezone';
import { describe, expect, it } from 'vitest';
import { evaluate, functions, type ImlError } from '../../../src/language/index.js';
import { call, failure, functionError, modernMs, NOW, zoneName } from './date-functions.js';

/** Calls a function that returns a date and returns it as ISO text. */
function moves(name: string, date: unknown, amount: unknown, timezone = 'UTC'): string {
  const result = call(name, [date, amount], timezone);
  return result instanceof Date ? result.toISOString() : `not a date: ${String(result)}`;
}

describe('formatDate', () => {
  const date = new Date('2018-10-01T07:32:00.000Z');

  it('uses the scenario timezone unless the argument is a known timezone', () => {
    expect(call('formatDate', [date, 'HH:mm'], 'Europe/Prague')).toBe('09:32');
    expect(call('formatDate', [date, 'HH:mm', 'America/New_York'], 'Europe/Prague')).toBe('03:32');
    expect(call('formatDate', [date, 'HH:mm', 'Nowhere/Land'], 'Europe/Prague')).toBe('09:32');
    expect(call('formatDate', [date, 'HH:mm', null], 'Europe/Prague')).toBe('09:32');
  });

  it('returns ISO text with an offset if there is no format', () => {
    for (const format of [undefined, null, '']) {
      expect(call('formatDate', [date, format], 'Europe/Prague')).toBe('2018-10-01T09:32:00.000+02:00');
    }
  });

  it('returns text for X and x', () => {
    expect(call('formatDate', [date, 'X'])).toBe('1538379120');
    expect(call('formatDate', [date, 'x'])).toBe('1538379120000');
  });

  it('parses text in the scenario timezone', () => {
    expect(call('formatDate', ['2018-10-01 07:32', 'HH:mm', 'UTC'], 'Europe/Prague')).toBe('05:32');
  });
});

describe('parseDate', () => {
  it('parses by a format in the timezone of the argument or of the scenario', () => {
    const args = ['2016-12-28 16:03', 'YYYY-MM-DD HH:mm'];
    expect(call('parseDate', args, 'Europe/Prague')).toEqual(new Date('2016-12-28T15:03:00.000Z'));
    expect(call('parseDate', [...args, 'UTC'], 'Europe/Prague')).toEqual(
      new Date('2016-12-28T16:03:00.000Z'),
    );
    expect(call('parseDate', [...args, 'Nowhere'], 'Europe/Prague')).toEqual(
      new Date('2016-12-28T15:03:00.000Z'),
    );
  });

  it('parses the digits of a number by a format', () => {
    expect(call('parseDate', [1637988627, 'X'])).toEqual(new Date('2021-11-27T04:50:27.000Z'));
    expect(call('parseDate', [1637988627.5, 'X'])).toEqual(new Date('2021-11-27T04:50:27.500Z'));
    expect(call('parseDate', [1410715640579, 'x'])).toEqual(new Date('2014-09-14T17:27:20.579Z'));
    expect(call('parseDate', [20161228, 'YYYYMMDD'])).toEqual(new Date('2016-12-28T00:00:00.000Z'));
    for (const number of [2016, 201612, 0, 5])
      expect(failure('parseDate', [number])).toEqual(functionError(`'${number}' is not a valid date.`));
    expect(failure('parseDate', [20161228])).toEqual(functionError("'20161228' is not a valid date."));
    for (const format of ['X', 'H', 'D'])
      expect(failure('parseDate', [1e21, format])).toEqual(functionError("'1e+21' is not a valid date."));
    expect(failure('parseDate', [Number.NaN, 'x'])).toEqual(functionError("'NaN' is not a valid date."));
  });

  it('returns a date unchanged, parses text without a format, and takes the current day from the environment', () => {
    const date = new Date(5);
    expect(call('parseDate', [date, 'YYYY'])).toEqual(date);
    expect(call('parseDate', ['2016/06/20 5:26 PM'])).toEqual(new Date('2016-06-20T17:26:00.000Z'));
    expect(call('parseDate', ['16:03', 'HH:mm'])).toEqual(new Date('2022-05-17T16:03:00.000Z'));
  });

  it('throws for text without a date', () => {
    expect(failure('parseDate', ['not a date', 'YYYY-MM-DD'])).toEqual(
      functionError("'not a date' is not a valid date."),
    );
    expect(failure('parseDate', [null, 'YYYY'])).toEqual(functionError("'null' is not a valid date."));
  });
});

describe('the hint of an invalid date', () => {
  const hintOf = (template: string): string | undefined => {
    try {
      return `no error: ${evaluate(template, {})}`;
    } catch (error) {
      return (error as ImlError).hint;
    }
  };

  it.each([
    "parseDate('1774944309')",
    'parseDate(1774944309.5)',
    "formatDate('1774944309000'; 'YYYY')",
    'addDays(1774944309; 1)',
  ])('names the formats of timestamps: %s', (call) => {
    expect(hintOf(`{{${call}}}`)).toContain('X (seconds) or x (milliseconds)');
  });

  it.each(["parseDate('soon')", 'parseDate(20161228)', "parseDate('1774944309999'; 'YYYYMM')"])(
    'is absent for other values: %s',
    (call) => {
      expect(hintOf(`{{${call}}}`)).toBeUndefined();
    },
  );
});

describe('add functions', () => {
  it.each([
    ['addSeconds', '2016-12-08T15:55:57.536Z', -2, '2016-12-08T15:55:55.536Z'],
    ['addMinutes', '2016-12-08T15:55:57.536Z', '-2', '2016-12-08T15:53:57.536Z'],
    ['addHours', '2016-12-08T15:55:57.536Z', 2, '2016-12-08T17:55:57.536Z'],
    ['addDays', '2016-12-08T15:55:57.536Z', 2, '2016-12-10T15:55:57.536Z'],
    ['addMonths', '2016-08-08T15:55:57.536Z', 2, '2016-10-08T15:55:57.536Z'],
    ['addMonths', '2016-01-31T00:00:00.000Z', 1, '2016-02-29T00:00:00.000Z'],
    ['addMonths', '2016-03-31T00:00:00.000Z', -1, '2016-02-29T00:00:00.000Z'],
    ['addMonths', '2016-01-31T00:00:00.000Z', -13, '2014-12-31T00:00:00.000Z'],
    ['addYears', '2016-08-08T15:55:57.536Z', -2, '2014-08-08T15:55:57.536Z'],
    ['addYears', '2016-02-29T00:00:00.000Z', 1, '2017-02-28T00:00:00.000Z'],
  ])('%s(%s; %j)', (name, date, amount, expected) => {
    expect(moves(name, date, amount)).toBe(expected);
  });

  it('keep the local time of day over a clock change for days and larger units', () => {
    const before = '2021-03-27T11:00:00.000Z';
    expect(moves('addDays', before, 1, 'Europe/Prague')).toBe('2021-03-28T10:00:00.000Z');
    expect(moves('addMonths', before, 1, 'Europe/Prague')).toBe('2021-04-27T10:00:00.000Z');
    expect(moves('addYears', '2021-03-28T11:00:00.000Z', 1, 'Europe/Prague')).toBe(
      '2022-03-28T11:00:00.000Z',
    );
    expect(moves('addHours', before, 24, 'Europe/Prague')).toBe('2021-03-28T11:00:00.000Z');
  });

  it('move forward out of a gap and keep the offset of an ambiguous time', () => {
    expect(moves('addDays', '2021-03-13T07:30:00.000Z', 1, 'America/New_York')).toBe(
      '2021-03-14T07:30:00.000Z',
    );
    expect(moves('addDays', '2021-10-01T15:45:00.000Z', 1, 'Australia/Lord_Howe')).toBe(
      '2021-10-02T15:45:00.000Z',
    );
    const second = '2021-11-07T06:30:00.000Z';
    expect(moves('addDays', second, 0, 'America/New_York')).toBe(second);
    expect(moves('addDays', '2021-11-08T06:30:00.000Z', -1, 'America/New_York')).toBe(second);
    expect(moves('addDays', '2021-11-06T05:30:00.000Z', 1, 'America/New_York')).toBe(
      '2021-11-07T05:30:00.000Z',
    );
  });

  it('add fractions of hours and smaller units, and round fractions of days, months and years', () => {
    const start = '2016-01-01T00:00:00.000Z';
    expect(moves('addHours', start, 1.5)).toBe('2016-01-01T01:30:00.000Z');
    // 1.001 * 1000 is 1000.9999999999999.
    expect(moves('addSeconds', new Date(0), 1.001)).toBe('1970-01-01T00:00:01.001Z');
    expect(moves('addSeconds', start, 0.0004)).toBe(start);
    expect(moves('addDays', start, 1.5)).toBe('2016-01-03T00:00:00.000Z');
    expect(moves('addDays', start, -1.5)).toBe('2015-12-30T00:00:00.000Z');
    expect(moves('addMonths', start, 0.4)).toBe(start);
    expect(moves('addYears', start, 1.5)).toBe('2017-07-01T00:00:00.000Z');
  });

  it('return the result of moment for random arguments', () => {
    const units = {
      addSeconds: 's',
      addMinutes: 'm',
      addHours: 'h',
      addDays: 'd',
      addMonths: 'M',
      addYears: 'y',
    } as const;
    const name = fc.constantFrom(...(Object.keys(units) as (keyof typeof units)[]));
    const amount = fc.oneof(
      fc.integer({ min: -500, max: 500 }),
      fc.double({ min: -50, max: 50, noNaN: true }),
    );
    fc.assert(
      fc.property(name, modernMs, amount, zoneName, (fn, ms, n, zone) => {
        const expected = moment.tz(ms, zone).add(n, units[fn]).valueOf();
        const actual = Date.parse(moves(fn, new Date(ms), n, zone));
        // moment truncates fractions of a millisecond, while these functions round.
        expect(Math.abs(actual - expected)).toBeLessThanOrEqual(Number.isInteger(n) ? 0 : 1);
      }),
      { numRuns: 1000 },
    );
  });

  it('return the result of moment near a clock change', () => {
    for (const zone of ['Europe/Prague', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia']) {
      const changes = (moment.tz.zone(zone)?.untils ?? []).filter(
        (until) => until > 0 && Number.isFinite(until),
      );
      for (const change of changes.filter((_, index) => index % 12 === 0)) {
        for (let quarter = -9; quarter <= 9; quarter++) {
          for (const [fn, unit, n] of [
            ['addDays', 'd', 1],
            ['addDays', 'd', -1],
            ['addMonths', 'M', 5],
          ] as const) {
            const ms = moment.tz(change, zone).subtract(n, unit).valueOf() + quarter * 900_000;
            const expected = moment.tz(ms, zone).add(n, unit).toISOString();
            expect(moves(fn, new Date(ms), n, zone), `${zone} ${ms} ${fn} ${n}`).toBe(expected);
          }
        }
      }
    }
  });
});

describe('set functions', () => {
  it.each([
    ['setSecond', '2015-10-07T11:36:39.138Z', 61, '2015-10-07T11:37:01.138Z'],
    ['setSecond', '2015-10-07T11:36:39.138Z', -1, '2015-10-07T11:35:59.138Z'],
    ['setMinute', '2015-10-07T11:36:39.138Z', 10, '2015-10-07T11:10:39.138Z'],
    ['setMinute', '2015-10-07T11:36:39.138Z', 60, '2015-10-07T12:00:39.138Z'],
    ['setHour', '2015-08-07T11:36:39.138Z', -6, '2015-08-06T18:36:39.138Z'],
    ['setHour', '2015-08-07T11:36:39.138Z', '6', '2015-08-07T06:36:39.138Z'],
    ['setDate', '2015-08-07T11:36:39.138Z', 32, '2015-09-01T11:36:39.138Z'],
    ['setDate', '2015-08-07T11:36:39.138Z', 0, '2015-07-31T11:36:39.138Z'],
    ['setDay', '2018-06-27T11:36:39.138Z', 7, '2018-06-30T11:36:39.138Z'],
    ['setDay', '2018-06-27T11:36:39.138Z', 8, '2018-07-01T11:36:39.138Z'],
    ['setDay', '2018-06-27T11:36:39.138Z', 0, '2018-06-23T11:36:39.138Z'],
    ['setDay', '2018-06-27T11:36:39.138Z', 'sunday', '2018-06-24T11:36:39.138Z'],
    ['setDay', '2018-06-27T11:36:39.138Z', ' Tue ', '2018-06-26T11:36:39.138Z'],
    ['setDay', '2018-06-27T11:36:39.138Z', 'TUE', '2018-06-26T11:36:39.138Z'],
    ['setDay', '2018-06-27T11:36:39.138Z', '3', '2018-06-26T11:36:39.138Z'],
    ['setMonth', '2015-08-07T11:36:39.138Z', 17, '2016-05-07T11:36:39.138Z'],
    ['setMonth', '2015-08-07T11:36:39.138Z', 0, '2014-12-07T11:36:39.138Z'],
    ['setMonth', '2015-08-31T11:36:39.138Z', 'Feb', '2015-02-28T11:36:39.138Z'],
    ['setMonth', '2015-08-07T11:36:39.138Z', 'sept', '2015-09-07T11:36:39.138Z'],
    ['setYear', '2015-03-04T05:06:07.000Z', 2000, '2000-03-04T05:06:07.000Z'],
    ['setYear', '2016-02-29T05:06:07.000Z', 2015, '2015-02-28T05:06:07.000Z'],
    ['setYear', '2016-02-29T05:06:07.000Z', 99, '0099-02-28T05:06:07.000Z'],
    ['setDate', '2015-08-07T11:36:39.138Z', 3.9, '2015-08-03T11:36:39.138Z'],
  ])('%s(%s; %j)', (name, date, value, expected) => {
    expect(moves(name, date, value)).toBe(expected);
  });

  it('set the local time of the scenario timezone', () => {
    expect(moves('setHour', '2015-08-07T11:36:39.138Z', 6, 'Europe/Prague')).toBe('2015-08-07T04:36:39.138Z');
    expect(moves('setDate', '2015-08-07T22:30:00.000Z', 1, 'Europe/Prague')).toBe('2015-07-31T22:30:00.000Z');
    expect(moves('setMonth', '2015-08-07T11:36:39.138Z', 'january', 'Europe/Prague')).toBe(
      '2015-01-07T12:36:39.138Z',
    );
    expect(moves('setMinute', '2015-08-07T11:36:39.138Z', 0, 'Asia/Kathmandu')).toBe(
      '2015-08-07T11:15:39.138Z',
    );
  });

  it('return the result of moment for random arguments', () => {
    const setters = {
      setSecond: (m: moment.Moment, n: number) => m.second(n),
      setMinute: (m: moment.Moment, n: number) => m.minute(n),
      setHour: (m: moment.Moment, n: number) => m.hour(n),
      setDate: (m: moment.Moment, n: number) => m.date(n),
      setDay: (m: moment.Moment, n: number) => m.day(n - 1),
      setMonth: (m: moment.Moment, n: number) => m.month(n - 1),
      setYear: (m: moment.Moment, n: number) => m.year(2000 + n),
    };
    const name = fc.constantFrom(...(Object.keys(setters) as (keyof typeof setters)[]));
    fc.assert(
      fc.property(name, modernMs, fc.integer({ min: -100, max: 100 }), zoneName, (fn, ms, n, zone) => {
        const expected = setters[fn](moment.tz(ms, zone), n).toISOString();
        expect(moves(fn, new Date(ms), fn === 'setYear' ? 2000 + n : n, zone)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it('return the result of moment for an hour that a clock change skips or repeats', () => {
    for (const [zone, day] of [
      ['Europe/Prague', '2021-03-28T12:00'],
      ['Europe/Prague', '2021-10-31T12:00'],
      ['America/New_York', '2021-03-14T22:15'],
      ['America/New_York', '2021-11-07T02:15'],
      ['Australia/Lord_Howe', '2021-10-03T22:15'],
      ['Australia/Lord_Howe', '2021-04-04T01:45'],
    ] as const) {
      for (let hour = 0; hour < 24; hour++) {
        const start = moment.tz(day, zone);
        const expected = start.clone().hour(hour).toISOString();
        expect(moves('setHour', start.toDate(), hour, zone), `${zone} ${day} ${hour}`).toBe(expected);
      }
    }
  });
});

describe('dateDifference', () => {
  const later = '2021-06-11T18:10:00.000Z';
  const earlier = '2021-05-11T18:00:00.000Z';

  it.each([
    [undefined, 2_679_000_000],
    ['milliseconds', 2_679_000_000],
    ['seconds', 2_679_000],
    ['minutes', 44_650],
    ['hours', 744],
    ['days', 31],
    ['weeks', 4],
    ['months', 1],
    ['years', 0],
    ['Month', 1],
  ])('returns whole units of %s', (unit, expected) => {
    expect(call('dateDifference', [later, earlier, unit])).toBe(expected);
    expect(call('dateDifference', [earlier, later, unit])).toBe(expected === 0 ? 0 : -expected);
  });

  it.each([
    ['weeks', '2021-05-11', '2021-04-13', 4],
    ['months', '2021-05-11', '2020-04-12', 12],
    ['years', '2021-05-11', '2018-05-11', 3],
    ['years', '2021-05-11', '2018-05-12', 2],
    [' Days ', '2021-05-11', '2021-05-01', 10],
    ['YEAR', '2024-02-29', '2020-02-29', 4],
  ])('returns %j between %s and %s', (unit, date, other, expected) => {
    expect(call('dateDifference', [date, other, unit])).toBe(expected);
    expect(call('dateDifference', [other, date, unit])).toBe(-expected);
  });

  it('counts days in local time', () => {
    const args = ['2021-03-28T10:00:00.000Z', '2021-03-27T11:00:00.000Z', 'days'];
    expect(call('dateDifference', args, 'Europe/Prague')).toBe(1);
    expect(call('dateDifference', args, 'UTC')).toBe(0);
  });

  it('return the result of moment for random arguments', () => {
    const unit = fc.constantFrom(
      'milliseconds',
      'seconds',
      'minutes',
      'hours',
      'days',
      'weeks',
      'months',
      'years',
    );
    fc.assert(
      fc.property(
        modernMs,
        fc.oneof(modernMs, fc.nat(400 * 86_400_000)),
        unit,
        zoneName,
        (a, b, name, zone) => {
          const later = b < a ? a : a + b;
          const expected = moment.tz(later, zone).diff(moment.tz(a, zone), name as 'days');
          expect(call('dateDifference', [new Date(later), new Date(a), name], zone)).toBe(expected);
          const back = moment.tz(a, zone).diff(moment.tz(later, zone), name as 'days');
          expect(call('dateDifference', [new Date(a), new Date(later), name], zone)).toBe(back);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('throws for an unknown unit and truncates it in the message', () => {
    expect(failure('dateDifference', [later, earlier, 'fortnights'])).toEqual(
      functionError(
        "'fortnights' is not a unit of time. Expected one of milliseconds, seconds, minutes, hours, days, weeks, months, years.",
      ),
    );
    const units = 'milliseconds, seconds, minutes, hours, days, weeks, months, years';
    for (const [unit, shown] of [
      [5, '5'],
      [['days'], '[array]'],
      [{}, '{object}'],
      ['x'.repeat(60), 'x'.repeat(60)],
      ['x'.repeat(61), `${'x'.repeat(60)}...`],
      [`${' '.repeat(60)}days`, `${' '.repeat(60)}...`],
    ])
      expect(failure('dateDifference', [later, earlier, unit])).toEqual(
        functionError(`'${shown}' is not a unit of time. Expected one of ${units}.`),
      );
  });
});

describe('invalid arguments', () => {
  const names = Object.keys(functions).filter((name) =>
    /^(format|parse)Date$|^(add|set)[A-Z]|^dateDiff/.test(name),
  );

  it.each(names)('%s throws for an invalid date and truncates it in the message', (name) => {
    const long = 'x'.repeat(1_000_000);
    const cases: readonly (readonly [unknown, string])[] = [
      ['now', 'now'],
      ['', ''],
      [undefined, 'undefined'],
      [null, 'null'],
      [new Date(Number.NaN), 'Invalid Date'],
      [{}, '{object}'],
      [new TextEncoder().encode('2016-06-20'), '{object}'],
      [['2016-06-20'], '[array]'],
      [true, 'true'],
      [() => 0, '[function]'],
      [Symbol('s'), '[symbol]'],
      ['y'.repeat(60), 'y'.repeat(60)],
      [long, `${long.slice(0, 60)}...`],
    ];
    for (const [value, shown] of cases)
      expect(failure(name, [value, 1])).toEqual(functionError(`'${shown}' is not a valid date.`));
  });

  it('throw an error that quotes a value that is not a number', () => {
    for (const name of names.filter((other) => /^(add|set)/.test(other))) {
      for (const value of ['many', '', undefined, null, Number.NaN, '0x10', {}, true]) {
        expect(failure(name, [new Date(0), value])).toMatchObject({
          code: 'IML_FUNCTION',
          message: expect.stringMatching(/^'.{0,63}' is not a valid number\.$/),
        });
      }
    }
  });

  it('throw for a result outside the range of dates', () => {
    const message = 'The result is not a valid date: it is outside the range of dates.';
    for (const name of names.filter((other) => /^(add|set)/.test(other))) {
      for (const amount of [1e300, -1e300, 1e17, '9'.repeat(300)]) {
        expect(failure(name, ['2016-06-20', amount], 'Europe/Prague')).toEqual(functionError(message));
      }
    }
    expect(failure('addSeconds', [new Date(8.64e15), 1])).toEqual(functionError(message));
    expect(moves('addSeconds', new Date(8.64e15 - 1000), 1)).toBe('+275760-09-13T00:00:00.000Z');
  });

  it('throw for an unknown scenario timezone', () => {
    expect(failure('addDays', [new Date(0), 1], 'Nowhere/Land')).toEqual(
      functionError("'Nowhere/Land' is not a known timezone."),
    );
  });

  it('never modify a date', () => {
    const date = new Date(NOW);
    for (const name of names)
      call(name, name === 'dateDiff' ? [date, date, 'D'] : [date, name === 'dateDifference' ? date : 1]);
    expect(date.getTime()).toBe(NOW);
  });

  it('throw only ImlError for random arguments', () => {
    const dateLike = fc.oneof(
      fc.date({ noInvalidDate: false }),
      fc.string(),
      fc.constant('2016-06-20 17:26'),
      fc.anything(),
    );
    const amount = fc.oneof(fc.integer(), fc.double(), fc.string(), fc.anything());
    fc.assert(
      fc.property(fc.constantFrom(...names), dateLike, amount, amount, zoneName, (name, a, b, c, zone) => {
        const result = failure(name, [a, b, c], zone);
        expect(result).not.toBeInstanceOf(Error);
      }),
      { numRuns: 1000 },
    );
  });
});
