import type { PlainObject } from '../util/plain-object.js';

/**
 * `attaching`: the service is being told; it may call already, to verify the address.
 * `created`: it sends events, and no scenario takes them. `enabled`: a scenario does.
 */
export type HookStatus = 'attaching' | 'created' | 'enabled';

/** A hook as it is kept. `data` and `parameters` may hold secrets. */
export interface HookRecord {
  readonly id: string;
  /** Name of the app's webhook. */
  readonly webhook: string;
  /** Where events are sent to. */
  readonly url: string;
  readonly status: HookStatus;
  /** What the user filled in. */
  readonly parameters: PlainObject;
  /** Name the connection is kept under, of hooks that have one. */
  readonly connection: string | undefined;
  /** What attach and update keep: `response.data`. */
  readonly data: PlainObject;
}

/** The port to where an embedder keeps hooks. */
export interface HookStore {
  readonly get: (id: string) => Promise<HookRecord | undefined>;
  /** Adds a hook, or puts it in the place of the one with its id. */
  readonly save: (hook: HookRecord) => Promise<void>;
  readonly remove: (id: string) => Promise<void>;
}

/** What expressions read as `webhook`. The hook's own id and address are not to be replaced by what a service sent. */
export function webhookNames({ id, url, data }: HookRecord): PlainObject {
  return { ...data, id, url };
}

/** Keeps hooks in memory: for tests, and for who needs no more. */
export function createMemoryHookStore(): HookStore {
  const hooks = new Map<string, HookRecord>();
  return {
    get: async (id) => hooks.get(id),
    save: async (hook) => void hooks.set(hook.id, hook),
    remove: async (id) => void hooks.delete(id),
  };
}
