import { limitError } from '../../errors/iml-error.js';

/**
 * Steps the work under way may still take. Expressions are evaluated without a pause, so that one number does for all of
 * them; between two pieces of work it is Infinity.
 */
let stepsLeft = Number.POSITIVE_INFINITY;

/**
 * Counts work before it is done. A step is what takes some 25 ns: half a look at an item of a list, ten characters that
 * are copied, a quarter of a character that is taken apart.
 *
 * @throws ImlError `IML_LIMIT` where `withinSteps` allowed less
 */
export function spend(steps: number): void {
  stepsLeft -= steps;
  if (stepsLeft < 0) throw tooMuchWork();
}

function tooMuchWork(): Error {
  const error = limitError('This is more work at a time than limits.maxSteps allows.');
  error.hint =
    'Others on the thread would wait for it. Take less data, or raise the limit where nobody does.';
  return error;
}

/**
 * Runs what must not take more steps than this. What is run inside of something else takes of its steps, too.
 *
 * @throws ImlError `IML_LIMIT` beyond it, and what `run` throws
 */
export function withinSteps<T, Input extends readonly unknown[]>(
  most: number,
  run: (...input: Input) => T,
  ...input: Input
): T {
  const outer = stepsLeft;
  const allowed = Math.min(most, outer);
  stepsLeft = allowed;
  try {
    return run(...input);
  } finally {
    // Infinity less Infinity is no number.
    if (allowed !== Number.POSITIVE_INFINITY) stepsLeft = outer - (allowed - stepsLeft);
  }
}

/** Runs what has a bound of its own: its steps are not counted. */
export function withoutSteps<T>(run: () => T): T {
  const outer = stepsLeft;
  stepsLeft = Number.POSITIVE_INFINITY;
  try {
    return run();
  } finally {
    stepsLeft = outer;
  }
}
