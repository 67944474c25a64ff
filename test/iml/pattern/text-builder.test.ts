import { describe, expect, it } from 'vitest';
import { MAX_RESULT_LENGTH } from '../../../src/iml/pattern/pattern-node.js';
import { TextBuilder } from '../../../src/iml/pattern/replace-pattern.js';
import { errorOf } from '../functions/call-function.js';

describe('a text of pieces', () => {
  it.each([0, 1, 4_095, 4_096, 4_097, 9_000])('is all of them in their order: %i', (count) => {
    const builder = new TextBuilder();
    const pieces = Array.from({ length: count }, (_, index) => `${index},`);
    for (const piece of pieces) builder.append(piece);
    expect(builder.text()).toBe(pieces.join(''));
  });

  it('has 2^25 units at most', () => {
    const builder = new TextBuilder();
    const half = 'x'.repeat(MAX_RESULT_LENGTH / 2);
    for (const piece of [half, '', half]) expect(errorOf(() => builder.append(piece))).toBeUndefined();
    expect(errorOf(() => builder.append('x'))).toEqual({
      code: 'IML_LIMIT',
      message: 'A replacement may give 33554432 characters of at most 16777216 pieces, this one gives more.',
    });
  });
});
