/** Longest delay of a timer in milliseconds (24.8 days). Node.js fires longer timers at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** Smaller numbers are seconds. As seconds this is the year 5138, as milliseconds 1973. */
const FIRST_MILLISECONDS = 1e11;

/** Converts a Unix time in seconds or, from a certain size on, milliseconds to milliseconds. */
export function unixTimeToMs(time: number): number {
  return Math.abs(time) < FIRST_MILLISECONDS ? time * 1000 : time;
}
