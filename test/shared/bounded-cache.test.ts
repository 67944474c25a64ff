import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BoundedCache, createBoundedCache, RecentlyUsed } from '../../src/shared/bounded-cache.js';

const kept = (cache: BoundedCache<number>, keys: readonly string[]): readonly string[] =>
  keys.filter((key) => cache.get(key) !== undefined);

describe('a bounded cache', () => {
  it('evicts the oldest entries beyond its capacity', () => {
    const cache = createBoundedCache<number>(2);
    for (const key of ['a', 'b', 'a', 'c']) cache.set(key, 1);
    expect(kept(cache, ['a', 'b', 'c'])).toEqual(['b', 'c']);
  });

  it('evicts the oldest entries if all keys are too long, and stores a longer key alone', () => {
    const cache = createBoundedCache<number>(10, 6);
    for (const key of ['aa', 'bb', 'cc']) cache.set(key, 1);
    expect(kept(cache, ['aa', 'bb', 'cc'])).toEqual(['aa', 'bb', 'cc']);
    cache.set('ddd', 1);
    expect(kept(cache, ['aa', 'bb', 'cc', 'ddd'])).toEqual(['cc', 'ddd']);
    cache.set('eeeeeeee', 1);
    expect(kept(cache, ['cc', 'ddd', 'eeeeeeee'])).toEqual(['eeeeeeee']);
  });

  it('frees capacity after a deletion', () => {
    const cache = createBoundedCache<number>(10, 4);
    cache.set('aa', 1);
    cache.set('bb', 1);
    cache.delete('bb');
    cache.delete('none');
    cache.set('cc', 1);
    expect(kept(cache, ['aa', 'bb', 'cc'])).toEqual(['aa', 'cc']);
  });
});

/** Owners that count how often they created their value. */
function openOwners(capacity: number, count: number): { use: (index: number) => string; made: number[] } {
  const values = new RecentlyUsed<string>(capacity);
  const made = Array.from({ length: count }, () => 0);
  const owners = made.map(() => values.own());
  const use = (index: number): string =>
    (owners[index] as (make: () => string) => string)(() => {
      made[index] = (made[index] ?? 0) + 1;
      return `value ${index}`;
    });
  return { use, made };
}

describe('RecentlyUsed', () => {
  it('creates a value once while it is used', () => {
    const { use, made } = openOwners(4, 2);
    for (let turn = 0; turn < 100; turn++) expect(use(turn % 2)).toBe(`value ${turn % 2}`);
    expect(made).toEqual([1, 1]);
  });

  it('keeps a used value among many that are used once', () => {
    const { use, made } = openOwners(20, 1000);
    for (let index = 1; index < 1000; index++) {
      use(index);
      use(0);
    }
    expect(made[0]).toBe(1);
  });

  it('creates an evicted value again', () => {
    const { use, made } = openOwners(10, 100);
    for (let index = 0; index < 100; index++) use(index);
    use(0);
    use(99);
    expect([made[0], made[99]]).toEqual([2, 1]);
  });

  it('keeps the most recent half of its capacity in any order of use', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 12 }),
        fc.array(fc.nat(15), { maxLength: 200 }),
        (capacity, uses) => {
          const { use, made } = openOwners(capacity, 16);
          for (const [at, index] of uses.entries()) {
            const before = made[index];
            use(index);
            const last = uses.lastIndexOf(index, at - 1);
            const since = at === 0 || last === -1 ? undefined : new Set(uses.slice(last + 1, at)).size;
            if (since !== undefined && since < Math.ceil(capacity / 2)) expect(made[index]).toBe(before);
          }
        },
      ),
    );
  });
});
