import fc from 'fast-check';
import moment from 'moment-timezone';
import { describe, expect, it } from 'vitest';
import { daysBetween, monthsBetween } from '../../../src/iml/date/calendar.js';
import { requireZone } from '../../../src/iml/date/zone.js';
import { portionsOf } from '../portions.js';
import { modernMs, zoneName } from './arbitraries.js';

describe('distances', () => {
  it.each([
    ['2024-01-31', '2024-02-29', 1],
    ['2024-02-29', '2024-01-31', -1],
    ['2024-01-15', '2024-03-15', 2],
    ['2024-03-15', '2024-01-15', -2],
    ['2024-02-01', '2024-02-15T12:00', 14.5 / 31],
    ['2024-02-15T12:00', '2024-02-01', -14.5 / 31],
    ['2023-12-10', '2025-01-10', 13],
  ])('from %s to %s are so many months: %d', (from, to, months) => {
    const [fromMs, toMs] = [moment.utc(from).valueOf(), moment.utc(to).valueOf()];
    expect(monthsBetween(fromMs, toMs, requireZone('UTC'))).toBeCloseTo(months, 9);
  });

  it.each(portionsOf(600, 50))('equal those of moment, part %#', (portion) => {
    fc.assert(
      fc.property(modernMs, modernMs, zoneName, (fromMs, toMs, name) => {
        const zone = requireZone(name);
        const [from, to] = [moment.tz(fromMs, name), moment.tz(toMs, name)];
        expect(monthsBetween(fromMs, toMs, zone)).toBeCloseTo(-from.diff(to, 'months', true), 9);
        expect(daysBetween(fromMs, toMs, zone)).toBeCloseTo(to.diff(from, 'days', true), 9);
      }),
      portion,
    );
  });
});
