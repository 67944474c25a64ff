import { describe, expect, it } from 'vitest';
import {
  giveTree,
  LONG_TEXT,
  quotedPieces,
  quotedText,
  type TreeStyle,
  treeText,
  writeJson,
} from '../../src/iml/values/tree-text.js';
import { finishAtOnce } from '../../src/iml/values/work.js';

/** Plain JSON, long texts in pieces. */
const STYLE: TreeStyle = {
  listNames: Object.keys,
  stepsOfPart: 1,
  leaf: (value) => JSON.stringify(value) ?? 'null',
  longLeaf: (value) =>
    typeof value === 'string' && value.length > LONG_TEXT ? quotedPieces(value) : undefined,
};

function give(value: unknown): { readonly pieces: readonly string[]; readonly turns: number } {
  const pieces: string[] = [];
  const parts = giveTree(value, STYLE, (piece) => void pieces.push(piece));
  let turns = 0;
  while (parts.next().done !== true) turns++;
  return { pieces, turns };
}

describe('a tree that is given a piece at a time', () => {
  it.each([
    ['a leaf', 5],
    ['nothing', {}],
    ['a few values', { a: [1, 'two', { b: null }], c: [] }],
    ['many values', Array.from({ length: 2000 }, (_, id) => ({ id, name: `name ${id}` }))],
    ['many long texts', Array.from({ length: 8 }, (_, id) => `${id}`.repeat(30_000))],
    ['a text in pieces', ['\u{1f600}"\n'.repeat(60_000), 'end']],
  ])('has the text of the whole: %s', (_, value) => {
    const { pieces } = give(value);
    expect(pieces.join('')).toBe(JSON.stringify(value));
    expect(treeText(value, STYLE)).toBe(JSON.stringify(value));
  });

  it('is handed over as soon as a piece is long, and the rest at the end', () => {
    expect(give([1, 2]).pieces).toEqual(['[1,2]']);
    const { pieces } = give(Array.from({ length: 40_000 }, () => 'abc'));
    expect(pieces).toHaveLength(4);
    for (const piece of pieces.slice(0, -1)) {
      expect(piece.length).toBeGreaterThan(LONG_TEXT);
      expect(piece.length).toBeLessThan(LONG_TEXT + 1000);
    }
  });

  it('takes a turn for every 128 values, or two pieces of a text', () => {
    expect(give(Array.from({ length: 1280 }, () => 1)).turns).toBe(10);
    expect(give(1).turns).toBe(0);
    expect(give('x'.repeat(10 * LONG_TEXT)).turns).toBe(6);
  });

  it('is refused where all of it is too long, whatever its pieces are', () => {
    const text = 'x'.repeat(2 ** 22);
    expect(() => give(Array.from({ length: 15 }, () => text))).not.toThrow();
    expect(() => give(Array.from({ length: 16 }, () => text))).toThrow(
      expect.objectContaining({ code: 'IML_LIMIT' }),
    );
  });
});

it.each([4095, 4096, 4097, LONG_TEXT - 1, LONG_TEXT, LONG_TEXT + 1, 2 * LONG_TEXT])(
  'a text of %i units is written as the host writes it, wherever a piece of it ends',
  (length) => {
    for (const start of ['', 'x', '\u{1f600}', 'x\u{1f600}', '\ude00', '\ud83d']) {
      for (const filling of ['\u{1f600}', '"x', 'x\ud83d', '\ude00\ud83d']) {
        const text = `${start}${filling.repeat(length)}`.slice(0, length);
        expect(quotedText(text)).toBe(JSON.stringify(text));
        expect(writeJson([text])).toBe(JSON.stringify([text]));
      }
    }
  },
);

it('work in parts that is done at once gives what it ends with', () => {
  function* work(): Generator<undefined, string, undefined> {
    yield;
    yield;
    return 'done';
  }
  expect(finishAtOnce(work())).toBe('done');
});
