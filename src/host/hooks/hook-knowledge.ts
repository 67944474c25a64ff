import { createBoundedCache } from '../../util/bounded-cache.js';
import { writeKept } from '../store/kept-value.js';
import type { HookKnowledge, HookSecrets } from './hook-secrets.js';

/** Finds what knows the secrets of a hook, made ready once for as long as the hook stays as it is. */
export type KnowHook = (hook: HookSecrets) => HookKnowledge | Promise<HookKnowledge>;

/** Hooks that are kept. What one of 256 Ki characters looks for takes megabytes. [choice] */
const MAX_KEPT = 200;

interface Kept {
  /** What it was made of: a row has no other sign of having changed. */
  readonly madeOf: string;
  known: HookKnowledge | Promise<HookKnowledge>;
}

/** Keeps what knows the secrets of the hooks that were called last. */
export function createHookKnowledge(): KnowHook {
  const hooks = createBoundedCache<Kept>(MAX_KEPT);
  return (hook) => {
    const madeOf = [hook.token ?? '', writeKept(hook.parameters), writeKept(hook.data)].join('\n');
    const before = hooks.get(String(hook.id));
    if (before?.madeOf === madeOf) return before.known;
    // Calls that come meanwhile wait for the same: none of them gets ahead of another.
    const kept: Kept = { madeOf, known: learn(hook) };
    hooks.set(String(hook.id), kept);
    return settle(kept);
  };
}

async function learn(hook: HookSecrets): Promise<HookKnowledge> {
  // The redactor loads with the first call.
  const { learnHook } = await import('./hook-secrets.js');
  return learnHook(hook);
}

/** Nobody waits for what is there. What fails fails for each call, and takes no time. */
function settle(kept: Kept): Promise<HookKnowledge> {
  const learning = Promise.resolve(kept.known);
  learning.then(
    (known) => {
      kept.known = known;
    },
    () => {},
  );
  return learning;
}
