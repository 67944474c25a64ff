import fc from 'fast-check';
import type { Target } from './target.js';

/** Most cases end in errors, and capturing stack traces is the largest cost. */
const { stackTraceLimit } = Error;

/**
 * Generates cases of a target until one fails, or all pass.
 *
 * @param seed default: the global seed of fast-check
 * @throws Error with the smallest failing case and its result
 */
export async function runTarget<Input>(
  { input, survive }: Target<Input>,
  cases: number,
  seed?: number,
): Promise<void> {
  Error.stackTraceLimit = 0;
  try {
    let first: { readonly made: Input; readonly error: unknown } | undefined;
    const property = fc.asyncProperty(input, async (made) => {
      try {
        await survive(made);
      } catch (error) {
        first ??= { made, error };
        throw error;
      }
    });
    const details = await fc
      .check(property, { numRuns: cases, ...(seed !== undefined && { seed }) })
      .catch((cause: unknown) => {
        // A deep case can exceed the stack of the shrinker.
        throw new Error(`Came through: ${JSON.stringify(first?.made)}`, { cause: first?.error ?? cause });
      });
    if (!details.failed && details.numRuns === cases) return;
    const [made] = details.counterexample ?? [];
    // Once more, this time with the way to it.
    Error.stackTraceLimit = stackTraceLimit;
    const cause = await failureOf(() => (made === undefined ? undefined : survive(made)));
    throw new Error(fc.defaultReportMessage(details), { cause: cause ?? details.errorInstance });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function failureOf(run: () => void | Promise<void> | undefined): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  }
}
