/** Milliseconds a timer can be set for, some 24.8 days; what is set for longer goes off at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;
