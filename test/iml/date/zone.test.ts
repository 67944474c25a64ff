import * as fc from 'fast-check';
import moment from 'moment-timezone';
import { describe, expect, it } from 'vitest';
import { loadMoment as loadInNode } from '../../../src/iml/date/moment-at-first-use.js';
import { loadMoment as loadInBundle } from '../../../src/iml/date/moment-at-once.js';
import { findZone, localToInstant, offsetAt, requireZone } from '../../../src/iml/date/zone.js';
import { instantMs, zoneName } from './arbitraries.js';

const MINUTE = 60_000;

function local(zone: string, text: string): string {
  return new Date(localToInstant(requireZone(zone), Date.parse(`${text}Z`))).toISOString();
}

describe('findZone', () => {
  it('finds a zone in any case, by its old names too', () => {
    expect(findZone('Europe/Prague')?.name).toBe('Europe/Prague');
    expect(findZone('eUROPE/pRAGUE')?.name).toBe('Europe/Prague');
    expect(findZone('US/Eastern')).toBeDefined();
    expect(findZone('UTC')).toBeDefined();
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
  ])('knows no zone %#', (name) => {
    expect(findZone(name)).toBeUndefined();
  });

  it('knows every name moment knows', () => {
    for (const name of moment.tz.names()) expect(findZone(name)?.name, name).toBe(name);
  });
});

describe('loadMoment', () => {
  it('gives the same in Node and where it is part of a bundle', () => {
    const describe = ({ tz }: typeof moment): unknown => [tz.dataVersion, tz.zone('Asia/Tokyo')];
    expect(describe(loadInNode())).toEqual(describe(moment));
    expect(describe(loadInBundle())).toEqual(describe(moment));
  });
});

describe('UTC', () => {
  it('is what moment says of it, though moment is not asked', () => {
    const { name, untils, offsets, abbrs } = moment.tz.zone('UTC') ?? {};
    expect(findZone('UTC')).toMatchObject({ name, untils, offsets, abbreviations: abbrs });
    expect(findZone('utc')).toMatchObject({ name, untils, offsets, abbreviations: abbrs });
  });
});

describe('offsetAt', () => {
  it('equals moment at any instant', () => {
    fc.assert(
      fc.property(instantMs, zoneName, (ms, name) => {
        const expected = -(moment.tz.zone(name)?.utcOffset(ms) ?? Number.NaN);
        expect(offsetAt(requireZone(name), ms)).toBeCloseTo(expected, 4);
      }),
      { numRuns: 1000 },
    );
  });

  it('changes exactly at the change of clocks, whatever was asked before', () => {
    const zone = requireZone('America/New_York');
    const change = Date.UTC(2021, 2, 14, 7);
    expect([change, change - 1, change, 0, change - 1].map((ms) => offsetAt(zone, ms))).toEqual([
      -240, -300, -240, -300, -300,
    ]);
  });
});

describe('localToInstant', () => {
  it('moves a time inside a gap forward by its length', () => {
    expect(local('Europe/Prague', '2021-03-28T02:30:00')).toBe('2021-03-28T01:30:00.000Z');
    expect(local('America/New_York', '2021-03-14T02:30:00')).toBe('2021-03-14T07:30:00.000Z');
    expect(local('Australia/Lord_Howe', '2021-10-03T02:15:00')).toBe('2021-10-02T15:45:00.000Z');
  });

  it('takes the first of two instants', () => {
    expect(local('Europe/Prague', '2021-10-31T02:30:00')).toBe('2021-10-31T00:30:00.000Z');
    expect(local('America/New_York', '2021-11-07T01:30:00')).toBe('2021-11-07T05:30:00.000Z');
    expect(local('Australia/Lord_Howe', '2021-04-04T01:45:00')).toBe('2021-04-03T14:45:00.000Z');
  });

  it('equals the zone parser of moment at any local time', () => {
    fc.assert(
      fc.property(instantMs, zoneName, (localMs, name) => {
        const minutes = moment.tz.zone(name)?.parse(localMs) ?? Number.NaN;
        expect(localToInstant(requireZone(name), localMs)).toBe(Math.round(localMs + minutes * MINUTE));
      }),
      { numRuns: 1000 },
    );
  });

  const some = moment.tz.names().filter((_, index) => index % 20 === 0);
  it.each(some)('equals the zone parser of moment around every change of clocks in %s', (name) => {
    const data = moment.tz.zone(name);
    const zone = requireZone(name);
    for (const until of data?.untils ?? []) {
      if (!Number.isFinite(until)) continue;
      for (const shift of [-600, -180, -61, -60, -1, 0, 1, 59, 60, 119, 120, 330, 600, 840]) {
        const localMs = until + shift * MINUTE;
        const expected = Math.round(localMs + (data?.parse(localMs) ?? Number.NaN) * MINUTE);
        if (localToInstant(zone, localMs) !== expected)
          expect.fail(`${name} ${new Date(localMs).toISOString()}`);
      }
    }
  });
});
