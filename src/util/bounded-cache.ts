/** A map that forgets its oldest entry when it is full, for work that is worth keeping but may be done again. */
export interface BoundedCache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
}

/**
 * Makes an empty cache for at most `capacity` entries. Keys come from data, so none of them is kept beyond that.
 *
 * @param maxCharacters of all keys together, where a value takes as much as its key; one that is longer is kept alone. Default: any.
 */
export function createBoundedCache<V>(
  capacity: number,
  maxCharacters: number = Number.POSITIVE_INFINITY,
): BoundedCache<V> {
  const entries = new Map<string, V>();
  let characters = 0;
  return {
    get: entries.get.bind(entries),
    set: (key, value) => {
      if (!entries.has(key)) {
        characters += key.length;
        for (const oldest of entries.keys()) {
          if (entries.size < capacity && characters <= maxCharacters) break;
          entries.delete(oldest);
          characters -= oldest.length;
        }
      }
      entries.set(key, value);
    },
    delete: (key) => {
      if (entries.delete(key)) characters -= key.length;
    },
  };
}
