import { describe, expect, it } from 'vitest';
import { IntegerStack } from '../../../src/iml/pattern/match-pattern.js';

describe('a stack of integers', () => {
  it('grows by what is reserved and keeps what it holds', () => {
    const stack = new IntegerStack();
    for (let index = 0; index < 5_000; index += 1) {
      stack.reserve(1);
      stack.set(index, -index);
      stack.length += 1;
    }
    expect(Array.from({ length: 5_000 }, (_, index) => stack.at(index) + index).some(Boolean)).toBe(false);
  });

  it('has 2^24 items at most', () => {
    const stack = new IntegerStack();
    for (let capacity = 1_024; capacity < 2 ** 24; capacity *= 2) {
      stack.length = capacity;
      stack.reserve(1);
    }
    stack.length = 2 ** 24 - 2;
    expect(() => stack.reserve(2)).not.toThrow();
    expect(() => stack.reserve(3)).toThrow(
      expect.objectContaining({
        code: 'IML_LIMIT',
        message: 'A regular expression needs too much memory for this text.',
      }),
    );
  });
});
