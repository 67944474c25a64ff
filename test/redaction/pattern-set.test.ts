import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKnownSecrets } from '../../src/redaction/known-secrets.js';
import { createPatternIndex } from '../../src/redaction/pattern-index.js';
import { createPatternSet } from '../../src/redaction/pattern-set.js';
import { SKIPPED } from '../../src/redaction/text-finder.js';
import { plainView } from '../../src/redaction/text-view.js';
import { portionsOf } from '../iml/portions.js';

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

  it('are found at each stop, by whoever settles them, however many do so at a time', () => {
    const set = createPatternSet(100);
    const first = many.slice(0, 11);
    const second = many.slice(11, 22);
    const text = `${first[3]} ${second[5]}`;
    const ends = [999, 2000];
    for (const pattern of first) set.add(pattern);
    const settling = [set.settle()];
    settling[0]?.next();
    expect(endsIn(set, text)).toEqual([999]);
    for (const pattern of second) set.add(pattern);
    settling.push(set.settle());
    settling[1]?.next();
    expect(endsIn(set, text)).toEqual(ends);
    for (const own of settling) {
      do expect(endsIn(set, text).toSorted((a, b) => a - b)).toEqual(ends);
      while (own.next().done !== true);
      expect(endsIn(set, text).toSorted((a, b) => a - b)).toEqual(ends);
    }
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

/** Every unit is read as it is. */
const AS_IT_IS = { ascii: Uint16Array.from({ length: 128 }, (_, unit) => unit), goesOn: true };

describe('a set of patterns', () => {
  // More letters than a state lists followers, and few enough to meet again.
  const letter = fc.constantFrom(...'aaaabbbcdefghijklž');
  const pattern = fc.string({ unit: letter, minLength: 1, maxLength: 12 });
  const text = fc.string({ unit: letter, maxLength: 80 });
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), patterns: fc.array(pattern, { maxLength: 12 }) }),
    fc.record({ kind: fc.constant('look' as const), text }),
    fc.record({ kind: fc.constant('settle' as const), stops: fc.nat(4) }),
  );

  it.each(portionsOf(60, 10))(
    'tells all places where one of them ends, whatever came in between, $seed',
    (portion) => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 14 }), fc.integer({ min: 0, max: 60 }), (steps, most) => {
          const set = createPatternSet(most);
          const known = new Set<string>();
          const settling: Generator<void, void>[] = [];
          const look = (looked: string): void => {
            const ends = Array.from(looked, (_, last) => last).filter((last) =>
              [...known].some((one) => looked.slice(0, last + 1).endsWith(one)),
            );
            expect(endsIn(set, looked).toSorted((a, b) => a - b)).toEqual(ends);
            expect(set.isIn(looked, AS_IT_IS)).toBe(ends.length > 0);
          };
          for (const one of steps) {
            if (one.kind === 'look') look(`${one.text}${[...known].at(-1) ?? ''}b`);
            if (one.kind === 'settle') {
              const own = set.settle();
              for (let stop = 0; stop < one.stops && own.next().done !== true; stop++);
              settling.push(own);
            }
            for (const added of one.kind === 'add' ? one.patterns : []) {
              known.add(added);
              set.add(added);
            }
          }
          look([...known].join(''));
          for (const own of settling) for (const _ of own);
          look([...known].toReversed().join('a'));
        }),
        portion,
      );
    },
  );

  it('tells of each place once, with the longest pattern that ends there, once it is settled', () => {
    const set = createPatternSet(3);
    for (const one of ['abcdefgh', 'cdefgh', 'gh', 'abcdefgh', '']) set.add(one);
    for (const _ of set.settle());
    const found: (readonly number[])[] = [];
    set.scan(plainView('xabcdefgh').units, (last, length) => found.push([last, length]));
    expect(found).toEqual([[8, 8]]);
    expect([...set.settle()]).toEqual([]);
  });

  it('reads over what an alphabet skips, and takes what it does not know for nothing', () => {
    const ascii = Uint16Array.from({ length: 128 }, (_, unit) =>
      unit === 45 ? SKIPPED : unit === 46 ? 0 : unit,
    );
    for (const most of [0, 1000]) {
      const set = createPatternSet(most);
      set.add('abcdefž');
      expect(set.isIn('-ab-cde-fž', { ascii, goesOn: true })).toBe(true);
      expect(set.isIn('ab.cdefž', { ascii, goesOn: true })).toBe(false);
      expect(set.isIn('abcdefž', { ascii, goesOn: false })).toBe(false);
    }
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
