import { civilDate, MS_PER_DAY } from './civil.js';
import { offsetMsAt, type Zone } from './zone.js';

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
