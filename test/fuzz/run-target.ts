import fc from 'fast-check';
import type { Target } from './target.js';

/** Most cases end in errors, and where each of them came from costs more than all the rest. */
const { stackTraceLimit } = Error;

/**
 * Makes up cases of a target until one comes through, or all are survived.
 *
 * @param seed default: the global seed of fast-check
 * @throws Error with the smallest case that came through, and what came of it
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
        // A deep case may be too deep for what makes it smaller.
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
