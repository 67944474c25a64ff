import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inOrder } from '../../src/shared/store/memory/compare.js';

/** Texts with and without the units whose order is not that of code points. */
const TEXTS = fc.array(
  fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('', '\u{1f600}', '\uffee', '\ue000a', 'a\u{10000}')),
  { maxLength: 12 },
);

describe('rows in memory', () => {
  it('are sorted by the bytes of their texts and then by id, like in the databases', () => {
    fc.assert(
      fc.property(TEXTS, fc.boolean(), (texts, descending) => {
        const rows = texts.map((name, id) => ({ id, name }));
        const sign = descending ? -1 : 1;
        const expected = [...rows].sort(
          (a, b) => sign * (Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) || a.id - b.id),
        );
        expect(inOrder(rows, 'name', descending)).toEqual(expected);
      }),
    );
  });

  it('are sorted by values that are not texts', () => {
    const rows = [3, null, 1, 2].map((value, id) => ({ id, value }));
    expect(inOrder(rows, 'value', false).map((row) => row.value)).toEqual([null, 1, 2, 3]);
    expect(inOrder(rows, 'value', true).map((row) => row.value)).toEqual([3, 2, 1, null]);
  });
});
