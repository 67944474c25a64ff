import { isDeepStrictEqual } from 'node:util';
import type { Contestant } from './measure.js';

/** Outputs of all contestants for every input, compared with those of the first; nothing wrong is worth timing. */
export async function assertSameOutputs<Input>(
  job: string,
  contestants: readonly Contestant<Input>[],
  inputs: readonly Input[],
): Promise<void> {
  const [native, ...others] = contestants;
  for (const input of inputs) {
    const expected = normal(await native?.run(input));
    for (const { name, run } of others) {
      const got = normal(await run(input));
      if (isDeepStrictEqual(got, expected)) continue;
      throw new Error(`${job}: ${name} gives ${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`);
    }
  }
}

/**
 * Members in the order and with the prototypes JSON gives them: languages build objects in their own ways. Numbers to 14
 * significant digits: IML computes with decimal numbers, JavaScript and the other languages with binary ones.
 */
function normal(value: unknown): unknown {
  if (value === undefined) return undefined;
  return JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
    typeof each === 'number' ? Number(each.toPrecision(14)) : each,
  );
}
