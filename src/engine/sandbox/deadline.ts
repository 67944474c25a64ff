/** Deadline of the current call. QuickJS checks it between byte codes, the host at each built-in call. */
export interface Deadline {
  readonly start: (timeMs: number) => void;
  /** Whether the time is over; stays true until the next `start`. */
  readonly isOver: () => boolean;
}

/**
 * Creates a deadline that is never over before its first `start`.
 *
 * @param clock monotonic milliseconds
 */
export function createDeadline(clock: { readonly now: () => number }): Deadline {
  let endMs = Number.POSITIVE_INFINITY;
  let isOver = false;
  return {
    start: (timeMs) => {
      endMs = clock.now() + timeMs;
      isOver = false;
    },
    isOver: () => {
      isOver ||= clock.now() > endMs;
      return isOver;
    },
  };
}
