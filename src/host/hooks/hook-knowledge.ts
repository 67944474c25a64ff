import { createBoundedCache } from '../../shared/bounded-cache.js';
import { writeStored } from '../store/kept-value.js';
import type { HookKnowledge, HookSecrets } from './hook-secrets.js';

/** Returns the secrets of a hook, cached until the hook changes. */
export type KnowHook = (hook: HookSecrets) => HookKnowledge | Promise<HookKnowledge>;

/** Maximum cached hooks. A hook with 256 Ki characters of secrets takes megabytes. [choice] */
const MAX_KEPT = 200;

interface Kept {
  /** Cache key: the secrets, because rows have no version. */
  readonly madeOf: string;
  known: HookKnowledge | Promise<HookKnowledge>;
}

/** Caches the secrets of the most recently called hooks. */
export function createHookKnowledge(): KnowHook {
  const hooks = createBoundedCache<Kept>(MAX_KEPT);
  return (hook) => {
    const madeOf = [hook.token ?? '', writeStored(hook.parameters), writeStored(hook.data)].join('\n');
    const before = hooks.get(String(hook.id));
    if (before?.madeOf === madeOf) return before.known;
    // Concurrent calls await the same promise, which keeps their order.
    const kept: Kept = { madeOf, known: learn(hook) };
    hooks.set(String(hook.id), kept);
    return settle(kept);
  };
}

async function learn(hook: HookSecrets): Promise<HookKnowledge> {
  // Loaded lazily with the first call.
  const { loadHookKnowledge } = await import('./hook-secrets.js');
  return loadHookKnowledge(hook);
}

/** Replaces the promise by its value. Failures stay and reject each call. */
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
