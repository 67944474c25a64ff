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

/** Something that may be made again, kept by its owner while it is in use. */
interface Kept<V> {
  value: V | undefined;
  /** The generation that used it last. */
  generation: number;
}

/** Makes `make()` once, and again after it was dropped. */
export type MakeAgain<V> = (make: () => V) => V;

/**
 * Keeps what was used most recently of all its owners together, at most `capacity` values, and drops others, at least half of them later: an
 * owner that is asked again makes its value anew. Owners hold their values; what nobody owns any more is not held here.
 */
export class RecentlyUsed<V> {
  readonly #half: number;
  #generation = 0;
  /** Used in this generation, and in the one before. */
  #young: WeakRef<Kept<V>>[] = [];
  #old: WeakRef<Kept<V>>[] = [];

  constructor(capacity: number) {
    this.#half = Math.ceil(capacity / 2);
  }

  /** A place for one value. */
  own(): MakeAgain<V> {
    const kept: Kept<V> = { value: undefined, generation: -1 };
    return (make) => {
      // Nearly all uses end here: one comparison, no list that is put in order.
      if (kept.generation !== this.#generation) this.#use(kept);
      kept.value ??= make();
      return kept.value;
    };
  }

  #use(kept: Kept<V>): void {
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
