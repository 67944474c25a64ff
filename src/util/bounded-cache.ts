/** A map that forgets its oldest entry when it is full, for work that is worth keeping but may be done again. */
export interface BoundedCache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

/** Makes an empty cache for at most `capacity` entries. Keys come from data, so none of them is kept beyond that. */
export function createBoundedCache<V>(capacity: number): BoundedCache<V> {
  const entries = new Map<string, V>();
  return {
    get: entries.get.bind(entries),
    set: (key, value) => {
      const oldest = entries.size >= capacity ? entries.keys().next() : undefined;
      if (oldest?.done === false) entries.delete(oldest.value);
      entries.set(key, value);
    },
  };
}
