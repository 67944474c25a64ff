import { isDeepStrictEqual } from 'node:util';
import type { Contestant } from './measure.js';

/** @throws Error if an output of a contestant differs from that of the first one */
export async function assertSameOutputs<Input>(
  job: string,
  contestants: readonly Contestant<Input>[],
  inputs: readonly Input[],
): Promise<void> {
  const [native, ...others] = contestants;
  for (const input of inputs) {
    const expected = normalize(await native?.run(input));
    for (const { name, run } of others) {
      const actual = normalize(await run(input));
      if (isDeepStrictEqual(actual, expected)) continue;
      throw new Error(
        `${job}: ${name} returns ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`,
      );
    }
  }
}

/**
 * Gives objects the prototypes of JSON, and numbers 14 significant digits, because IML computes with decimal numbers
 * and JavaScript with binary ones.
 */
function normalize(value: unknown): unknown {
  if (value === undefined) return undefined;
  return JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
    typeof each === 'number' ? Number(each.toPrecision(14)) : each,
  );
}
