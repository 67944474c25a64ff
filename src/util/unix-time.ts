/** As seconds, this lies in the year 5138; as milliseconds, in 1973. */
const FIRST_MILLISECONDS = 1e11;

/** Milliseconds since the epoch of a Unix time that is told in seconds or, being large enough, in milliseconds. */
export function unixTimeToMs(time: number): number {
  return Math.abs(time) < FIRST_MILLISECONDS ? time * 1000 : time;
}
