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

/** Members in the order and with the prototypes JSON gives them: languages build objects in their own ways. */
function normal(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
