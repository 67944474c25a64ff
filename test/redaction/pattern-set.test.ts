import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKnownSecrets } from '../../src/redaction/known-secrets.js';
import { createPatternIndex } from '../../src/redaction/pattern-index.js';
import { createPatternSet } from '../../src/redaction/pattern-set.js';
import { plainView } from '../../src/redaction/text-view.js';
import { cpuMsOf } from '../cpu-time.js';

const randomText = (seed: number, length: number): string =>
  createHash('shake256', { outputLength: length }).update(`${seed}`).digest('base64url').slice(0, length);

/** Patterns that are more than a search gets ready for. */
const many = Array.from({ length: 300 }, (_, index) => randomText(index, 1000));

const endsIn = (set: ReturnType<typeof createPatternSet>, text: string): readonly number[] => {
  const ends = new Set<number>();
  set.scan(plainView(text).units, (last) => ends.add(last));
  return [...ends];
};

describe('more patterns than a search gets ready for', () => {
  const text = `a ${many[7]} b ${many[299]?.slice(0, 999)} c ${many[299]}`;
  const ends = [1001, text.length - 1];

  it.each([
    ['as they were added', false],
    ['once they are settled', true],
  ])('are found %s', (_title, settles) => {
    const set = createPatternSet();
    for (const pattern of many) set.add(pattern);
    if (settles) for (const _ of set.settle());
    expect(endsIn(set, text)).toEqual(ends);
    set.add('later and short');
    expect(endsIn(set, `${text}later and short`)).toContain(text.length + 14);
  });

  it('are found while they are settled, and those that come meanwhile', () => {
    const set = createPatternSet();
    for (const pattern of many.slice(0, 200)) set.add(pattern);
    let stops = 0;
    for (const _ of set.settle()) {
      if (++stops === 2) for (const pattern of many.slice(200)) set.add(pattern);
      if (stops === 4) expect(endsIn(set, text)).toEqual(ends);
    }
    expect(stops).toBeGreaterThan(10);
    expect(endsIn(set, text)).toEqual(ends);
  });

  it('are found in a text that holds the start of one again and again', () => {
    const set = createPatternSet();
    const alike = Array.from({ length: 200 }, (_, index) => `${'ab'.repeat(500)}${index + 1000}`);
    for (const pattern of alike) set.add(pattern);
    const found = endsIn(set, `${'ab'.repeat(20_000)}1199`);
    expect(found).toEqual([40_003]);
  });

  it('are looked for in texts that are read through an alphabet', () => {
    const known = createKnownSecrets();
    for (const secret of many) known.add(secret);
    const written = Buffer.from(many[3] ?? '').toString('base64');
    expect(known.isIn(`data: ${written.replace(/.{60}/g, '$&\r\n ')}`)).toBe(true);
    expect(known.isIn(`data: ${written.slice(0, 900)}`)).toBe(false);
  });
});

describe('an index of patterns', () => {
  it('finds each place of each of them, and no other', () => {
    const letters = (most: number) =>
      fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 6, maxLength: most });
    fc.assert(
      fc.property(fc.uniqueArray(letters(9), { maxLength: 10 }), letters(60), (patterns, text) => {
        const index = createPatternIndex();
        for (const pattern of patterns) expect(index.add(pattern)).toBe(true);
        const found: string[] = [];
        const isWhole = index.scan(plainView(text).units, (last, length) =>
          found.push(`${last - length + 1} ${text.slice(last - length + 1, last + 1)}`),
        );
        const wanted = patterns.flatMap((pattern) =>
          Array.from(text, (_, start) =>
            text.startsWith(pattern, start) ? `${start} ${pattern}` : [],
          ).flat(),
        );
        expect(isWhole).toBe(true);
        expect(found.toSorted()).toEqual(wanted.toSorted());
      }),
    );
  });

  it('takes no pattern that is shorter than a beginning', () => {
    expect(createPatternIndex().add('abcde')).toBe(false);
  });

  it('says where a text takes too long, and stops', () => {
    const index = createPatternIndex();
    for (let length = 2000; length < 2100; length++) index.add('a'.repeat(length));
    expect(index.scan(plainView('a'.repeat(100_000)).units, () => {})).toBe(false);
  });
});

it('a message is looked through for 64,000 characters of secrets in a few milliseconds', {
  retry: 3,
}, async () => {
  const look = (seed: number): Promise<number> => {
    const secrets = Array.from({ length: 64 }, (_, index) => randomText(seed + index, 1000));
    return cpuMsOf(() => {
      const known = createKnownSecrets();
      for (const secret of secrets) known.add(secret);
      expect(known.isIn(`It failed: ${secrets[63]}`)).toBe(true);
      expect(known.isIn('It failed for another reason.')).toBe(false);
    });
  };
  await look(1);
  // Some 10 to 20 here; an automaton of all forms took 150.
  expect(await look(1000)).toBeLessThan(75);
});
