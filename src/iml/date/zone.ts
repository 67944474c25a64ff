import type { MomentZone } from 'moment-timezone';
import { loadMoment } from '#moment';
import { functionError } from '../../errors/iml-error.js';
import { createBoundedCache } from '../../util/bounded-cache.js';
import { civilDate, isInstant, MS_PER_DAY } from './civil.js';

const MS_PER_MINUTE = 60_000;
const MAX_NAME_LENGTH = 64;

/**
 * A timezone of the tz database, as a run of spans with one offset each.
 * Offsets are milliseconds east of UTC: before standard time they were no whole minutes.
 */
export interface Zone {
  readonly name: string;
  /** First instant after each span; the last is Infinity. */
  readonly untils: readonly number[];
  readonly offsets: readonly number[];
  readonly abbreviations: readonly string[];
  /** First local time that belongs to a later span than this one, never falling. */
  readonly localUntils: readonly number[];
  /** Span of the last question: most of them concern the same months. */
  cursor: number;
}

/** The zone runs are in that are given none, and the only one that is known without moment's data. */
const UTC: Zone = createZone('UTC', { untils: [Number.POSITIVE_INFINITY], offsets: [0], abbrs: ['UTC'] });

// About 600 names exist; the rest of the room is for other spellings of them.
const zones = createBoundedCache<Zone>(1000);

/** The zone of a tz database name in any case, or undefined if there is none. */
export function findZone(name: string): Zone | undefined {
  if (name === UTC.name) return UTC;
  const known = zones.get(name);
  if (known !== undefined || name.length > MAX_NAME_LENGTH) return known;
  const data = loadMoment().tz.zone(name);
  if (data === null) return undefined;
  const zone = createZone(data.name, data);
  zones.set(name, zone);
  return zone;
}

/**
 * The zone of a name that has to exist.
 * @throws IML_FUNCTION if it does not.
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
 * A local time that exists twice means the first one; one that does not exist is read with the offset before the gap,
 * which moves it forward by the length of the gap. Both follow from ending a span at the larger of the two offsets.
 */
function localUntils(untils: readonly number[], offsets: readonly number[]): number[] {
  let latest = Number.NEGATIVE_INFINITY;
  return untils.map((until, index) => {
    const offset = offsets[index] ?? 0;
    latest = Math.max(latest, until + Math.max(offset, offsets[index + 1] ?? offset));
    return latest;
  });
}

/** Index of the first bound above `value`; the last one if there is none, as for NaN. */
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

/** Milliseconds the clocks of a zone are ahead of UTC at an instant. */
export function offsetMsAt(zone: Zone, ms: number): number {
  return zone.offsets[spanAt(zone, ms)] ?? 0;
}

/** Minutes the clocks of a zone are ahead of UTC at an instant; a fraction before standard time came. */
export function offsetAt(zone: Zone, ms: number): number {
  return offsetMsAt(zone, ms) / MS_PER_MINUTE;
}

/** What the clocks of a zone are called at an instant: `CEST`. */
export function abbreviationAt(zone: Zone, ms: number): string {
  return zone.abbreviations[spanAt(zone, ms)] ?? '';
}

/**
 * The instant of a local time, given as the milliseconds since the epoch it would be in UTC.
 * Of two instants the first is taken; in a gap the time moves forward by its length.
 */
export function localToInstant(zone: Zone, localMs: number): number {
  return localMs - (zone.offsets[firstAbove(zone.localUntils, localMs)] ?? 0);
}

export interface MomentParseOptions {
  readonly zone: Zone;
  /** Where the parts of a date come from that are larger than any the format names. */
  readonly nowMs: number;
}

/** Reads a text by a format of moment, leniently. Undefined if it does not hold such a date. */
export function parseWithMoment(
  text: string,
  format: string,
  options: MomentParseOptions,
): number | undefined {
  const moment = loadMoment();
  // It asks this hook for today; nothing else can run before it is put back.
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

/** An instant as the clocks and calendars of a zone show it. */
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
  /** Milliseconds since local midnight, as clocks count. */
  readonly timeOfDay: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Reads the clocks of a zone at an instant. */
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
