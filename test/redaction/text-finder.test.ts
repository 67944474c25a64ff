import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildTextFinder, SKIPPED, type TextFinder } from '../../src/redaction/text-finder.js';
import { plainView } from '../../src/redaction/text-view.js';
import { portionsOf } from '../iml/portions.js';

function finish(building: ReturnType<typeof buildTextFinder>): { finder: TextFinder; stops: number } {
  for (let stops = 0; ; stops++) {
    const step = building.next();
    if (step.done === true) return { finder: step.value, stops };
  }
}

const build = (patterns: readonly string[]): TextFinder => finish(buildTextFinder(patterns)).finder;

function scan(finder: TextFinder, text: string): readonly string[] {
  const found: string[] = [];
  finder.scan(plainView(text).units, (last, length) => found.push(`${last} ${length}`));
  return found;
}

/** The same by trying every pattern at every place. */
function scanByHand(patterns: readonly string[], text: string): readonly string[] {
  return Array.from(text, (_, last) => {
    const ending = patterns.filter((pattern) => text.slice(0, last + 1).endsWith(pattern));
    const longest = Math.max(0, ...ending.map(({ length }) => length));
    return longest > 0 ? `${last} ${longest}` : [];
  }).flat();
}

const ASCII = Uint16Array.from({ length: 128 }, (_, unit) => unit);

describe('a finder of texts', () => {
  it.each([
    ['overlap', 'ab'],
    ['have more followers than are listed', 'abcdefghijklmnopž€Ж'],
  ])('tells what finding by hand tells, where patterns %s', (_title, letters) => {
    const unit = fc.constantFrom(...letters);
    const pattern = fc
      .tuple(fc.constantFrom('', 'a', 'aa'), fc.string({ unit, minLength: 1, maxLength: 4 }))
      .map((parts) => parts.join(''));
    for (const portion of portionsOf(60, 20)) {
      fc.assert(
        fc.property(
          fc.array(pattern, { maxLength: 40 }),
          fc.string({ unit, maxLength: 40 }),
          (patterns, text) => {
            const finder = build(patterns);
            const looked = `${text}${patterns.join('').slice(0, 60)}`;
            const found = scanByHand(patterns, looked);
            expect(scan(finder, looked)).toEqual(found);
            expect(finder.isIn(looked, { ascii: ASCII, goesOn: true })).toBe(found.length > 0);
          },
        ),
        portion,
      );
    }
  });

  it('goes on with the end of what was read where the next unit does not fit', () => {
    const finder = build(['abcdefgh', 'bcdx', 'cd', 'defy', 'd']);
    expect(scan(finder, 'abcdefgabcdxabcdefyd')).toEqual(['3 2', '10 2', '11 4', '15 2', '18 4', '19 1']);
  });

  it.each([8, 9, 10, 300])('knows each of %i followers of a state, and of the root', (count) => {
    const units = Array.from({ length: count }, (_, index) => String.fromCharCode(0x3b1 + index));
    for (const prefix of ['', 'key ']) {
      const patterns = units.map((each) => `${prefix}${each}`);
      const finder = build(patterns);
      for (const pattern of patterns) {
        expect(scan(finder, `- ${pattern}`)).toEqual([`${pattern.length + 1} ${pattern.length}`]);
      }
      expect(scan(finder, `${prefix}ž`)).toEqual([]);
    }
  });

  it('reads units through an alphabet, whichever they are', () => {
    const ascii = ASCII.map((unit) => (unit === 45 ? SKIPPED : unit));
    const finder = build(['a\x7fb', 'cÿd', 'eĀf']);
    const isIn = (text: string, goesOn: boolean): boolean => finder.isIn(text, { ascii, goesOn });
    for (const text of ['a\x7fb', 'c-ÿ-d', 'eĀ-f']) expect(isIn(text, true)).toBe(true);
    expect(isIn('a-\x7fb', false)).toBe(true);
    for (const text of ['cÿd', 'eĀf']) expect(isIn(text, false)).toBe(false);
  });

  it('knows an empty pattern of nothing, and has the size of all', () => {
    const finder = build(['', 'abc', 'de']);
    expect(finder.size).toBe(5);
    expect(finder.patterns).toEqual(['', 'abc', 'de']);
    expect(scan(finder, 'xyz')).toEqual([]);
    expect(scan(build([]), 'xyz')).toEqual([]);
  });

  it('stops for each ten thousand units or states, of short patterns and of long ones', () => {
    const short = Array.from({ length: 3000 }, (_, index) =>
      `${1_000_000 + index}`.split('').reverse().join(''),
    );
    const long = Array.from({ length: 3 }, (_, index) => `${index}${'x'.repeat(9999)}`);
    expect(finish(buildTextFinder(short)).stops).toBeGreaterThanOrEqual(2);
    expect(finish(buildTextFinder(short)).stops).toBeLessThanOrEqual(4);
    expect(finish(buildTextFinder(long)).stops).toBe(6);
    expect(finish(buildTextFinder(['abc'])).stops).toBe(0);
  });
});
