import { describe, expect, it } from 'vitest';
import { type BoundedCache, createBoundedCache } from '../../src/util/bounded-cache.js';

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
