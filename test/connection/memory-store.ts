import type { ConnectionStore, StoredConnection } from '../../src/index.js';

export interface MemoryStore extends ConnectionStore {
  /** Number of saves by name. */
  readonly saves: (name: string) => number;
  readonly reads: (name: string) => number;
}

export function memoryStore(initial: Readonly<Record<string, StoredConnection>> = {}): MemoryStore {
  const kept = new Map(Object.entries(initial));
  const counts = { saves: new Map<string, number>(), reads: new Map<string, number>() };
  const count = (what: keyof typeof counts, name: string): void => {
    counts[what].set(name, (counts[what].get(name) ?? 0) + 1);
  };
  return {
    get: async (name) => {
      count('reads', name);
      return kept.get(name);
    },
    save: async (name, stored) => {
      count('saves', name);
      kept.set(name, stored);
    },
    saves: (name) => counts.saves.get(name) ?? 0,
    reads: (name) => counts.reads.get(name) ?? 0,
  };
}
