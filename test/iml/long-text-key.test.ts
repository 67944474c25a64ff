import { describe, expect, it } from 'vitest';
import { createEqualityKey } from '../../src/iml/values/identity.js';
import { createLongTextKey } from '../../src/iml/values/long-text-key.js';

const LONG = 'x'.repeat(20_000);

describe('the key of a long text', () => {
  it('is short, and the same for the same text only', () => {
    const keyOf = createLongTextKey('\0L');
    const texts = Array.from({ length: 300 }, (_, index) => `${LONG}${String(index).padStart(3, '0')}`);
    const keys = texts.map(keyOf);
    expect(new Set(keys).size).toBe(300);
    expect(Math.max(...keys.map((key) => key.length))).toBeLessThan(60);
    expect(texts.map((text) => keyOf(`${text.slice(0, 9)}${text.slice(9)}`))).toEqual(keys);
    expect(keyOf('short')).toBe('short');
  });

  it('stands for values of every kind that are long', () => {
    const keyOf = createEqualityKey();
    const values = [LONG, `${LONG}y`, [LONG], [`${LONG}y`], { a: LONG }, `\0L${LONG}`];
    const keys = values.map(keyOf);
    expect(new Set(keys).size).toBe(values.length);
    for (const key of keys) expect(String(key).length).toBeLessThan(60);
    expect(structuredClone(values).map(keyOf)).toEqual(keys);
  });
});
