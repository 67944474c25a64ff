import * as fc from 'fast-check';
import moment from 'moment-timezone';
import { describe, expect, it } from 'vitest';
import { loadMoment as loadInNode } from '../../../src/language/date/moment-at-first-use.js';
import { loadMoment as loadInBundle } from '../../../src/language/date/moment-at-once.js';
import { call, formatDate, instantMs, parseDate, zoneName } from './date-functions.js';

const MINUTE = 60_000;
const PATTERN = 'YYYY-MM-DDTHH:mm:ss.SSS';

function local(zone: string, text: string): string {
  return new Date(parseDate(`${text}.000`, PATTERN, zone) ?? Number.NaN).toISOString();
}

/** Formats a date in a timezone that is an argument: an unknown name selects the scenario timezone UTC. */
function hour(timezone: string): unknown {
  return call('formatDate', [new Date(Date.UTC(2021, 5, 1, 12)), 'HH:mm', timezone]);
}

describe('timezone names', () => {
  it('are case-insensitive and include old names', () => {
    expect(hour('Europe/Prague')).toBe('14:00');
    expect(hour('eUROPE/pRAGUE')).toBe('14:00');
    expect(hour('US/Eastern')).toBe('08:00');
    expect(hour('utc')).toBe('12:00');
  });

  it.each([
    '',
    'Nowhere/Land',
    'CET+1',
    'constructor',
    '__proto__',
    'toString',
    '\0',
    '+02:00',
    'U'.repeat(1e6),
  ])('do not include invalid name %#', (name) => {
    expect(hour(name)).toBe('12:00');
  });

  it('include every name of moment', () => {
    const ms = Date.UTC(2021, 5, 1, 12);
    for (const name of moment.tz.names()) {
      expect(call('formatDate', [new Date(ms), 'Z z', name], 'Asia/Kathmandu'), name).toBe(
        moment.tz(ms, name).format('Z z'),
      );
    }
  });
});

describe('loadMoment', () => {
  it('returns the same data in Node and in a bundle', () => {
    const describe = ({ tz }: typeof moment): unknown => [tz.dataVersion, tz.zone('Asia/Tokyo')];
    expect(describe(loadInNode())).toEqual(describe(moment));
    expect(describe(loadInBundle())).toEqual(describe(moment));
  });
});

describe('offsets', () => {
  it('equal those of moment at random instants', () => {
    fc.assert(
      fc.property(instantMs, zoneName, (ms, name) => {
        expect(formatDate(ms, 'Z z', name)).toBe(moment.tz(ms, name).format('Z z'));
      }),
      { numRuns: 1000 },
    );
  });

  it('change exactly at a clock change, in any order of lookups', () => {
    const change = Date.UTC(2021, 2, 14, 7);
    const instants = [change, change - 1, change, 0, change - 1];
    expect(instants.map((ms) => formatDate(ms, 'Z', 'America/New_York'))).toEqual([
      '-04:00',
      '-05:00',
      '-04:00',
      '-05:00',
      '-05:00',
    ]);
  });
});

describe('local times', () => {
  it('inside a gap move forward by the gap', () => {
    expect(local('Europe/Prague', '2021-03-28T02:30:00')).toBe('2021-03-28T01:30:00.000Z');
    expect(local('America/New_York', '2021-03-14T02:30:00')).toBe('2021-03-14T07:30:00.000Z');
    expect(local('Australia/Lord_Howe', '2021-10-03T02:15:00')).toBe('2021-10-02T15:45:00.000Z');
  });

  it('that are ambiguous mean the first instant', () => {
    expect(local('Europe/Prague', '2021-10-31T02:30:00')).toBe('2021-10-31T00:30:00.000Z');
    expect(local('America/New_York', '2021-11-07T01:30:00')).toBe('2021-11-07T05:30:00.000Z');
    expect(local('Australia/Lord_Howe', '2021-04-04T01:45:00')).toBe('2021-04-03T14:45:00.000Z');
  });

  const some = moment.tz.names().filter((_, index) => index % 20 === 0);
  it.each(some)('equal those of moment around every clock change of %s', (name) => {
    const data = moment.tz.zone(name);
    for (const until of data?.untils ?? []) {
      if (!Number.isFinite(until) || until < Date.UTC(0, 0, 1)) continue;
      for (const shift of [-600, -180, -61, -60, -1, 0, 1, 59, 60, 119, 120, 330, 600, 840]) {
        const localMs = until + shift * MINUTE;
        const expected = Math.round(localMs + (data?.parse(localMs) ?? Number.NaN) * MINUTE);
        const text = moment.utc(localMs).format(PATTERN);
        if (parseDate(text, PATTERN, name) !== expected) expect.fail(`${name} ${text}`);
      }
    }
  });
});
