import type { MomentZone } from 'moment-timezone';
import { loadMoment } from '#moment';
import { createBoundedCache } from '../../shared/bounded-cache.js';
import type { OptionShape } from '../../shared/errors/check-options.js';
import { functionError } from '../../shared/errors/iml-error.js';
import { civilDate, isInstant, MS_PER_DAY } from './civil.js';

const MS_PER_MINUTE = 60_000;
const MAX_NAME_LENGTH = 64;

/**
 * A timezone of the tz database: consecutive spans with one offset each. Offsets are milliseconds east of UTC, because
 * historical offsets are not whole minutes.
 */
export interface Zone {
  readonly name: string;
  /** End of each span, exclusive; the last is Infinity. */
  readonly untils: readonly number[];
  readonly offsets: readonly number[];
  readonly abbreviations: readonly string[];
  /** End of each span in local time, exclusive, in ascending order. */
  readonly localUntils: readonly number[];
  /** Span of the last lookup: consecutive lookups usually hit the same span. */
  cursor: number;
}

/** The default timezone, and the only one that does not need the data of moment. */
const UTC: Zone = createZone('UTC', { untils: [Number.POSITIVE_INFINITY], offsets: [0], abbrs: ['UTC'] });

// About 600 names exist. The cache has space for spellings in other cases.
const zones = createBoundedCache<Zone>(1000);

/** Finds a zone by its case-insensitive tz database name. */
export function findZone(name: string): Zone | undefined {
  if (name === UTC.name) return UTC;
  const cached = zones.get(name);
  if (cached !== undefined || name.length > MAX_NAME_LENGTH) return cached;
  const data = loadMoment().tz.zone(name);
  if (data === null) return undefined;
  const zone = createZone(data.name, data);
  zones.set(name, zone);
  return zone;
}

/**
 * Finds a zone by its case-insensitive tz database name.
 * @throws IML_FUNCTION for an unknown name
 */
export function requireZone(name: string): Zone {
  const zone = findZone(name);
  if (zone === undefined) throw functionError(`'${name.slice(0, MAX_NAME_LENGTH)}' is not a known timezone.`);
  return zone;
}

type ZoneData = Pick<MomentZone, 'untils' | 'offsets' | 'abbrs'>;

function createZone(name: string, { untils, offsets: minutesWest, abbrs }: ZoneData): Zone {
  const offsets = minutesWest.map((minutes) => Math.round(-minutes * MS_PER_MINUTE) || 0);
  return {
    name,
    untils,
    offsets,
    abbreviations: abbrs,
    localUntils: localUntils(untils, offsets),
    cursor: 0,
  };
}

/**
 * An ambiguous local time means the first instant. A local time inside a gap uses the offset before the gap, which moves
 * it forward by the length of the gap. Both follow from ending a span at the larger of the two offsets.
 */
function localUntils(untils: readonly number[], offsets: readonly number[]): number[] {
  let latest = Number.NEGATIVE_INFINITY;
  return untils.map((until, index) => {
    const offset = offsets[index] ?? 0;
    latest = Math.max(latest, until + Math.max(offset, offsets[index + 1] ?? offset));
    return latest;
  });
}

/** Returns the index of the first bound above `value`, or of the last bound otherwise, as for NaN. */
function firstAbove(bounds: readonly number[], value: number): number {
  let low = 0;
  let high = bounds.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value < (bounds[middle] ?? Number.POSITIVE_INFINITY)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function spanAt(zone: Zone, ms: number): number {
  const { untils, cursor } = zone;
  const until = untils[cursor];
  if (until !== undefined && ms < until) {
    const start = cursor === 0 ? Number.NEGATIVE_INFINITY : untils[cursor - 1];
    if (start !== undefined && ms >= start) return cursor;
  }
  zone.cursor = firstAbove(untils, ms);
  return zone.cursor;
}

/** Returns the offset from UTC at an instant, in milliseconds east. */
export function offsetMsAt(zone: Zone, ms: number): number {
  return zone.offsets[spanAt(zone, ms)] ?? 0;
}

/** Returns the abbreviation of a zone at an instant: `CEST`. */
export function abbreviationAt(zone: Zone, ms: number): string {
  return zone.abbreviations[spanAt(zone, ms)] ?? '';
}

/**
 * Converts a local time to an instant. The local time is in milliseconds since the epoch, as if it were UTC.
 * An ambiguous time means the first instant. A time inside a gap moves forward by the gap.
 */
export function localToInstant(zone: Zone, localMs: number): number {
  return localMs - (zone.offsets[firstAbove(zone.localUntils, localMs)] ?? 0);
}

export interface MomentParseOptions {
  readonly zone: Zone;
  /** Source of the units that are larger than those of the format. */
  readonly nowMs: number;
}

/** Parses text leniently by a moment format; undefined if the text has no such date. */
export function parseWithMoment(
  text: string,
  format: string,
  options: MomentParseOptions,
): number | undefined {
  const moment = loadMoment();
  // moment reads the current time from this hook. No other code runs before it is restored.
  const savedNow = moment.now;
  moment.now = () => options.nowMs;
  try {
    const parsed = moment.tz(text, format, 'en', options.zone.name);
    const ms = Math.round(parsed.valueOf());
    return parsed.isValid() && isInstant(ms) ? ms : undefined;
  } finally {
    moment.now = savedNow;
  }
}

/** An instant in the local time of a zone. */
export interface LocalTime {
  readonly ms: number;
  readonly zone: Zone;
  readonly offsetMs: number;
  /** Days from 1970-01-01 to the local date. */
  readonly day: number;
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly date: number;
  /** Milliseconds since midnight in local time. */
  readonly timeOfDay: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Converts an instant to local time. */
export function localTime(ms: number, zone: Zone): LocalTime {
  const offsetMs = offsetMsAt(zone, ms);
  const local = ms + offsetMs;
  const day = Math.floor(local / MS_PER_DAY);
  const timeOfDay = local - day * MS_PER_DAY;
  const { year, month, date } = civilDate(day);
  const seconds = (timeOfDay / 1000) | 0;
  const minutes = (seconds / 60) | 0;
  const hour = (minutes / 60) | 0;
  const minute = minutes - hour * 60;
  const second = seconds - minutes * 60;
  return { ms, zone, offsetMs, day, year, month, date, timeOfDay, hour, minute, second };
}

/** An option that names a timezone. */
export const TIMEZONE: OptionShape = {
  expected: 'a timezone of the tz database, such as Europe/Prague',
  fits: (value) => typeof value === 'string' && findZone(value) !== undefined,
};
