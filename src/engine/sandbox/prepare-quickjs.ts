import { runPrelude } from './guest.js';
import { createMachine } from './machine.js';
import { loadUnprepared, packImage } from './quickjs-code.js';
import { DEFAULT_SANDBOX_LIMITS } from './sandbox.js';

/**
 * Runs the prelude and returns the resulting memory. `quickjs-code.ts` reads it instead of running the prelude at
 * each start. The same packages produce the same bytes, because the clock is fixed and the prelude reads nothing
 * else.
 */
export async function prepareQuickJs(): Promise<Uint8Array> {
  const code = await loadUnprepared();
  const machine = await createMachine({ ...DEFAULT_SANDBOX_LIMITS, now: () => 0, isOver: () => false }, code);
  const border = runPrelude(machine, () => {
    throw new Error('The prelude calls no function of its host.');
  });
  return packImage({ border: Number(border.value), pages: machine.keep() });
}
