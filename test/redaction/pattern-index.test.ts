import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPatternIndex, type PatternIndex } from '../../src/redaction/pattern-index.js';
import { plainView } from '../../src/redaction/text-view.js';

const scan = (index: PatternIndex, text: string): readonly string[] => {
  const found: string[] = [];
  expect(
    index.scan(plainView(text).units, (last, length) => found.push(text.slice(last + 1 - length, last + 1))),
  ).toBe(true);
  return found;
};

/** Each pattern at each place. */
const find = (patterns: readonly string[], text: string): readonly string[] =>
  [...text].flatMap((_, at) => [...new Set(patterns)].filter((pattern) => text.startsWith(pattern, at)));

const over = (alphabet: string, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });

describe('an index of patterns', () => {
  it.each([
    ['one letter', 'a'],
    ['two letters', 'ab'],
    ['three letters', 'abc'],
  ])('tells of each pattern at each place, whatever is added in between: %s', (_what, alphabet) => {
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(over(alphabet, 6, 12), { maxLength: 8 }), { minLength: 1, maxLength: 3 }),
        over(alphabet, 0, 40),
        (portions, text) => {
          const index = createPatternIndex();
          const added: string[] = [];
          for (const portion of portions) {
            for (const pattern of portion.filter((each) => !added.includes(each))) {
              index.add(pattern);
              added.push(pattern);
            }
            expect([...scan(index, text)].sort()).toEqual([...find(added, text)].sort());
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ['nothing of them', 'token-of-nobody '],
    ['one of them', 'token-4321-abcdef '],
    ['what they begin with', 'token- '],
  ])(
    'does not take longer where thousands begin alike: in a text that holds %s a thousand times',
    (_what, part) => {
      const index = createPatternIndex();
      for (let number = 0; number < 5000; number++) index.add(`token-${number}-abcdef`);
      const found = scan(index, part.repeat(1000));
      expect(found).toHaveLength(part.startsWith('token-4321') ? 1000 : 0);
    },
  );
});
