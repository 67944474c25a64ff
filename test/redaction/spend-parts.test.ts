import { describe, expect, it } from 'vitest';
import type { Budget } from '../../src/redaction/redact-value.js';
import { spendParts } from '../../src/redaction/spend-parts.js';

const budgetOf = (left: number): Budget => ({ left, value: 48, encoded: 3 });

describe('parts of a text', () => {
  it.each<[string, string, number, number, number]>([
    ['a&b&c', '&', 24, 4, 4],
    ['a&b&c', '&', 25, 5, 5],
    ['a&b&c', '&', 23, 3, 13],
    ['a&b;c', '&', 15, 5, 5],
    ['a&b;c', '&;', 25, 5, 5],
    ['abc', '&', 2, 2, 2],
    ['abc', '&', 3, 3, 3],
    ['', '&', 0, 0, 0],
    ['&', '&', 0, 0, 0],
  ])('%s by %s, of %i: as far as %i, and %i are left for its characters', (text, signs, left, end, rest) => {
    const budget = budgetOf(left);
    // Characters of a text with escapes cost more: here none has any, as far as that is told from its signs.
    const plain = { ...budget, encoded: 1 };
    expect([spendParts(text, signs, 10, plain), plain.left]).toEqual([end, rest]);
  });

  it('cost three times as much for each character where there are escapes', () => {
    const budget = budgetOf(100);
    expect([spendParts('%41<%42<%43<%44', '<', 20, budget), budget.left]).toEqual([13, 40]);
  });
});
