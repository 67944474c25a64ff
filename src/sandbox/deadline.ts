/** When the call that is running has to end. The machine and every answer of the host ask it. */
export interface Deadline {
  /** Begins a time of so many milliseconds. */
  readonly start: (timeMs: number) => void;
  /** Whether that time is over. Once it is, it stays so until the next `start`. */
  readonly isOver: () => boolean;
  /** Milliseconds of it that are left; 0 once it is over. */
  readonly left: () => number;
}

/**
 * A deadline that is never over before its first `start`.
 *
 * @param clock monotonic milliseconds
 */
export function createDeadline(clock: { readonly now: () => number }): Deadline {
  let endMs = Number.POSITIVE_INFINITY;
  let over = false;
  return {
    start: (timeMs) => {
      endMs = clock.now() + timeMs;
      over = false;
    },
    isOver: () => {
      over ||= clock.now() > endMs;
      return over;
    },
    left: () => (over ? 0 : Math.max(0, endMs - clock.now())),
  };
}
