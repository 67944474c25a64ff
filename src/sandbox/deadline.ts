/** When the call that is running has to end. The machine and every answer of the host ask it. */
export interface Deadline {
  /**
   * Begins a time of so many milliseconds.
   *
   * @param isAttempt whether what has no time then is done elsewhere. Default: it fails
   */
  readonly start: (timeMs: number, isAttempt?: boolean) => void;
  /** Whether that time is over. Once it is, it stays so until the next `start`. */
  readonly isOver: () => boolean;
  /** Milliseconds of it that are left; 0 once it is over. */
  readonly left: () => number;
  readonly isAttempt: () => boolean;
  /** Ends an attempt: what comes of it does not count, however soon it comes. */
  readonly giveUp: () => void;
  readonly isGivenUp: () => boolean;
}

/**
 * A deadline that is never over before its first `start`.
 *
 * @param clock monotonic milliseconds
 */
export function createDeadline(clock: { readonly now: () => number }): Deadline {
  let endMs = Number.POSITIVE_INFINITY;
  let over = false;
  let attempt = false;
  let givenUp = false;
  return {
    start: (timeMs, isAttempt = false) => {
      endMs = clock.now() + timeMs;
      over = false;
      attempt = isAttempt;
      givenUp = false;
    },
    isOver: () => {
      over ||= clock.now() > endMs;
      return over;
    },
    left: () => (over ? 0 : Math.max(0, endMs - clock.now())),
    isAttempt: () => attempt,
    giveUp: () => {
      over = true;
      givenUp = true;
    },
    isGivenUp: () => givenUp,
  };
}
