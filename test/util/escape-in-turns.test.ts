import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeInTurns } from '../../src/util/text/escape-in-turns.js';
import { escapeUnsafe } from '../../src/util/text/escape-unsafe.js';
import { CountedTurns } from './counted-turns.js';

/** What looks at its neighbours, what they look at, and where a text may be cut. */
const PARTS = ['\u200d', '\u200c', '\ufe0f', '\ufe00', '\u{e0100}', 'क', '👩', '葛', '1', 'a', ' ', 'ア'];

it('gives what is given at once, wherever it has to cut', async () => {
  const text = fc
    .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 40 })
    .map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(text, async (part) => {
      const long = part.repeat(Math.ceil(70_000 / part.length));
      expect(await escapeInTurns(long, new CountedTurns())).toBe(escapeUnsafe(long));
    }),
    { numRuns: 50 },
  );
});

it('cuts nowhere but in front of what looks at nothing', async () => {
  for (const edge of [65_534, 65_535, 65_536, 65_537]) {
    const long = `${'क'.repeat(edge)}\u200d${'ष'.repeat(100_000)}👩\u200d💻 x`;
    expect(await escapeInTurns(long, new CountedTurns())).toBe(long);
  }
});

it('lets others have their turn', async () => {
  const turns = new CountedTurns();
  await escapeInTurns('{"id":1}'.repeat(100_000), turns);
  expect(turns.taken).toBe(13);
});
