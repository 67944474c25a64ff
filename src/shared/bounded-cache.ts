/** A map with a capacity that evicts its oldest entries. */
export interface BoundedCache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
}

/**
 * Creates an empty cache of at most `capacity` entries.
 *
 * @param maxCharacters largest total length of all keys. A longer key is stored alone. Default: unlimited.
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

/** A value that can be created again, held by its owner. */
interface CachedValue<V> {
  value: V | undefined;
  /** Generation of the last use. */
  generation: number;
}

/** Returns the cached value, or creates it with `make`. */
export type GetOrCreate<V> = (make: () => V) => V;

/**
 * An LRU cache across owners: keeps about `capacity` values and drops the ones used least recently. Each owner holds
 * its value and creates it again on demand; the cache itself holds weak references only.
 */
export class RecentlyUsed<V> {
  readonly #half: number;
  #generation = 0;
  /** Values used in this generation, and in the previous one. */
  #young: WeakRef<CachedValue<V>>[] = [];
  #old: WeakRef<CachedValue<V>>[] = [];

  constructor(capacity: number) {
    this.#half = Math.ceil(capacity / 2);
  }

  /** Registers an owner of one value. */
  own(): GetOrCreate<V> {
    const cached: CachedValue<V> = { value: undefined, generation: -1 };
    return (make) => {
      // Hot path: a single comparison.
      if (cached.generation !== this.#generation) this.#use(cached);
      cached.value ??= make();
      return cached.value;
    };
  }

  #use(kept: CachedValue<V>): void {
    kept.generation = this.#generation;
    this.#young.push(new WeakRef(kept));
    if (this.#young.length < this.#half) return;
    for (const reference of this.#old) {
      const old = reference.deref();
      if (old !== undefined && old.generation < this.#generation) old.value = undefined;
    }
    this.#old = this.#young;
    this.#young = [];
    this.#generation++;
  }
}
