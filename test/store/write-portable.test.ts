import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPortable } from '../../src/store/read-portable.js';
import { writePortable } from '../../src/store/write-portable.js';
import { fromPortable, toPortable } from '../../src/util/portable-value.js';
import { CountedTurns } from '../util/counted-turns.js';

const leaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined, new Date(Number.NaN), () => 1, new Map()),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
  fc.uint8Array(),
);
const name = fc.oneof(fc.string(), fc.constantFrom('$date', '$bytes', '$value', '__proto__', '7'));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie('value')), fc.dictionary(name, tie('value'))),
}));

function nest(depth: number): unknown {
  let nested: unknown = 1;
  for (let level = 0; level < depth; level++) nested = level % 2 === 0 ? [nested] : { $value: nested };
  return nested;
}

describe('a value that is written and read in turns', () => {
  it('is the text, and the value, that one made at once is', async () => {
    const atOnce = (given: unknown): string => JSON.stringify(toPortable(given)) ?? 'null';
    const check = async (given: unknown): Promise<void> => {
      const { text, bytes } = await writePortable(given, new CountedTurns());
      expect(text).toBe(atOnce(given));
      expect(bytes).toBe(Buffer.byteLength(text));
      const expected = fromPortable(JSON.parse(text));
      expect(await readPortable(JSON.parse(text), new CountedTurns())).toStrictEqual(expected);
    };
    await fc.assert(fc.asyncProperty(value, check));
    for (const depth of [199, 200, 201, 5000]) await check(nest(depth));
    await check({ text: `${'x'.repeat(16 * 1024 - 1)}\u{1f600}${'"\ud800'.repeat(20_000)}` });
    await check([new Uint8Array(200_001).fill(7), new Date(0)]);
  });

  it.each([
    ['values', Array.from({ length: 100_000 }, (_, index) => index), 190],
    ['lists in lists', Array.from({ length: 50_000 }, () => [[]]), 190],
    ['one text', '"'.repeat(1_000_000), 60],
    ['bytes', new Uint8Array(3_000_000), 60],
  ])('lets others have their turns meanwhile: %s', async (_, given, least) => {
    const turns = new CountedTurns();
    const { text } = await writePortable(given, turns);
    expect(turns.taken).toBeGreaterThanOrEqual(least);
    const reading = new CountedTurns();
    await readPortable([JSON.parse(text)], reading);
    expect(reading.taken).toBeGreaterThanOrEqual(Array.isArray(given) ? 49 : 0);
  });
});
