const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Distances of the reruns of a scenario that stores nothing, each from the failure before it. [doc] */
export const RERUN_DELAYS_MS: readonly number[] = [
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
];

/** Distances of the retries of an incomplete execution. [doc] */
export const RETRY_DELAYS_MS: readonly number[] = [
  MINUTE_MS,
  10 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  30 * MINUTE_MS,
  30 * MINUTE_MS,
  3 * HOUR_MS,
  3 * HOUR_MS,
];
