import { describe, expect, it } from 'vitest';
import { quotedText, type TreeStyle, treeText, writeJson } from '../../src/iml/values/tree-text.js';

const STYLE: TreeStyle = { listNames: Object.keys, leaf: (value) => JSON.stringify(value) ?? 'null' };

describe('treeText', () => {
  it.each([
    ['a leaf', 5],
    ['an empty object', {}],
    ['a few values', { a: [1, 'two', { b: null }], c: [] }],
    ['many values', Array.from({ length: 2000 }, (_, id) => ({ id, name: `name ${id}` }))],
  ])('writes %s as JSON', (_, value) => {
    expect(treeText(value, STYLE)).toBe(JSON.stringify(value));
  });

  it('throws IML_LIMIT for a text that is too long', () => {
    const text = 'x'.repeat(2 ** 22);
    expect(() => treeText(Array(15).fill(text), STYLE)).not.toThrow();
    expect(() => treeText(Array(16).fill(text), STYLE)).toThrow(
      expect.objectContaining({ code: 'IML_LIMIT' }),
    );
  });
});

const CHUNK = 65_536;

it.each([CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK])(
  'quotedText writes a text of %i units as JSON.stringify does',
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
