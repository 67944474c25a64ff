/** When the call that runs has to end. QuickJS asks it between byte codes, and the host at each call of a built-in. */
export interface Deadline {
  readonly start: (timeMs: number) => void;
  /** Whether that time is over. Once it is, it stays so until the next `start`. */
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
