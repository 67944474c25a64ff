import { spend } from '../values/work.js';
import type { ParsedPattern } from './parse-pattern.js';
import { worstCaseSteps } from './pattern-cost.js';

/** Steps the host may need in the worst case, some milliseconds; beyond that our own matcher runs. */
const HOST_STEPS = 10_000_000;

/** Most patterns take a small part of what they may in the worst case. */
const STEPS_OF_HOST_STEP = 0.02;

/** Steps per character that are fine for a text of any length. */
const HOST_STEPS_PER_CHARACTER = 32;

/**
 * Whether a pattern goes to the regular expressions of the host, which are fast and may backtrack without end; else our own
 * matcher runs. What the host may take is counted as work.
 *
 * @param textLength UTF-16 units
 */
export function isSafeForHost(parsed: ParsedPattern, textLength: number): boolean {
  const steps = worstCaseSteps(parsed.root, textLength);
  if (steps > Math.max(HOST_STEPS, HOST_STEPS_PER_CHARACTER * textLength)) return false;
  spend(STEPS_OF_HOST_STEP * steps);
  return true;
}
