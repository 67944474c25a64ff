import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasMarkers, mergeLines } from '../../src/shared/line-diff.js';

/** One side of a merged text. */
function sideOf(merged: string, side: 'here' | 'there'): string {
  const block = /<<<<<<< here\n(.*?)=======\n(.*?)>>>>>>> there\n/gs;
  return merged.replace(block, (_, here: string, there: string) => (side === 'here' ? here : there));
}

describe('mergeLines', () => {
  it.each([
    ['a\nb\nc\n', 'a\nB\nc\n', 'a\n<<<<<<< here\nb\n=======\nB\n>>>>>>> there\nc\n'],
    ['a\n', 'a\nb', 'a\n<<<<<<< here\n=======\nb\n>>>>>>> there\n'],
    ['a\r\nb', 'b', '<<<<<<< here\na\r\n=======\n>>>>>>> there\nb'],
    ['', 'a\n', '<<<<<<< here\n=======\na\n>>>>>>> there\n'],
    ['same\n', 'same\n', 'same\n'],
  ])('puts the differing lines of %j and %j between markers', (here, there, merged) => {
    expect(mergeLines(here, there)).toBe(merged);
  });

  it('holds both texts completely, also if too much differs for a comparison', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    const text = lines.map((all) => all.map((line) => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (here, there) => {
        const merged = mergeLines(here, there);
        expect([sideOf(merged, 'here'), sideOf(merged, 'there')]).toEqual([here, there]);
        expect(hasMarkers(merged)).toBe(here !== there);
      }),
    );
    const [here, there] = ['x', 'y'].map((word) =>
      Array.from({ length: 3000 }, (_, index) => `${word}${index}\n`).join(''),
    );
    expect(sideOf(mergeLines(here ?? '', there ?? ''), 'there')).toBe(there);
  });
});
