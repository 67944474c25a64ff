import { finishAtOnce } from '../iml/values/work.js';
import { runPrelude } from './guest.js';
import { createMachine } from './machine.js';
import { packImage } from './memory-image.js';
import { loadUnprepared, meterQuickJs } from './quickjs-code.js';
import { DEFAULT_SANDBOX_LIMITS } from './sandbox-limits.js';

/** What `quickjs-code.ts` reads instead of metering QuickJS and running the prelude at each start. */
export interface PreparedQuickJs {
  readonly wasm: Uint8Array;
  readonly image: Uint8Array;
}

/** Meters QuickJS and runs the prelude. The same packages give the same bytes: the clock stands still, and nothing else is asked. */
export async function prepareQuickJs(): Promise<PreparedQuickJs> {
  const code = await loadUnprepared();
  const machine = await createMachine({ ...DEFAULT_SANDBOX_LIMITS, now: () => 0, isOver: () => false }, code);
  const border = runPrelude(machine, () => {
    throw new Error('The prelude asks its host nothing.');
  });
  return {
    wasm: await meterQuickJs(),
    image: packImage({ border: Number(border.value), pages: finishAtOnce(machine.keep()) }),
  };
}
