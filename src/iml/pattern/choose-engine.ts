import type { ParsedPattern } from './parse-pattern.js';
import { worstCaseSteps } from './pattern-cost.js';

/** Steps the host may need in the worst case, some milliseconds; beyond that our own matcher runs. */
const HOST_STEPS = 10_000_000;

/** Steps per character that are fine for a text of any length. */
const HOST_STEPS_PER_CHARACTER = 32;

/**
 * Whether a pattern goes to the regular expressions of the host, which are fast and may backtrack without end; else our own
 * matcher runs.
 *
 * @param textLength UTF-16 units
 */
export function isSafeForHost(parsed: ParsedPattern, textLength: number): boolean {
  const steps = worstCaseSteps(parsed.root, textLength);
  return steps <= Math.max(HOST_STEPS, HOST_STEPS_PER_CHARACTER * textLength);
}
