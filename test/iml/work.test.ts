import { describe, expect, it } from 'vitest';
import { ImlError } from '../../src/errors/iml-error.js';
import { FUNCTIONS } from '../../src/iml/functions/table.js';
import { toText } from '../../src/iml/values/coerce.js';
import {
  doInTurns,
  type Journal,
  once,
  onceElsewhere,
  onceInTurn,
  openJournal,
  type Parts,
  resumable,
  spend,
  withinSteps,
  withJournal,
  withoutSteps,
} from '../../src/iml/values/work.js';
import { cpuMsOf } from '../cpu-time.js';
import { ENVIRONMENT, stepsOf } from './functions/call-function.js';
import { BOUNDED_CALLS, WORST_CALLS } from './functions/growth-inputs.js';

const LIMIT = { name: 'ImlError', code: 'IML_LIMIT' };

describe('steps', () => {
  it('end with an error above the number allowed, not at it', () => {
    expect(withinSteps(10, () => spend(10))).toBeUndefined();
    expect(() => withinSteps(10, () => spend(11))).toThrow(expect.objectContaining(LIMIT));
  });

  it('are not counted outside of any work', () => {
    expect(() => spend(1e12)).not.toThrow();
    expect(() => withinSteps(1, () => spend(2))).toThrow();
    expect(() => spend(1e12)).not.toThrow();
  });

  it('taken inside are taken of what is around', () => {
    const inTwo = (): void => {
      withinSteps(6, () => spend(6));
      withinSteps(6, () => spend(6));
    };
    expect(() => withinSteps(12, inTwo)).not.toThrow();
    expect(() => withinSteps(11, inTwo)).toThrow(expect.objectContaining(LIMIT));
    expect(() => withinSteps(5, () => withinSteps(100, () => spend(6)))).toThrow(
      expect.objectContaining(LIMIT),
    );
  });

  it('left over inside are left to what is around', () => {
    const partly = (more: number) => (): void => {
      withinSteps(6, () => spend(2));
      spend(more);
    };
    expect(() => withinSteps(12, partly(10))).not.toThrow();
    expect(() => withinSteps(12, partly(11))).toThrow(expect.objectContaining(LIMIT));
  });

  it('have a number behind work that had none', () => {
    withinSteps(Number.POSITIVE_INFINITY, () => spend(1e12));
    expect(() => withinSteps(10, () => spend(11))).toThrow(expect.objectContaining(LIMIT));
  });

  it('that are too many tell the limit that allows more', () => {
    expect(() => withinSteps(1, () => spend(2))).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('limits.maxSteps'),
        hint: expect.stringContaining('raise the limit'),
      }),
    );
  });

  it('are back after an error', () => {
    const failing = (): void => {
      expect(() => withinSteps(5, () => spend(6))).toThrow();
      spend(4);
    };
    expect(() => withinSteps(10, failing)).not.toThrow();
  });

  it('are not counted where time is the bound', () => {
    const timed = (more: number) => (): number => {
      const result = withoutSteps(() => {
        spend(100);
        return 7;
      });
      spend(more);
      return result;
    };
    expect(withinSteps(5, timed(5))).toBe(7);
    expect(() => withinSteps(5, timed(6))).toThrow(expect.objectContaining(LIMIT));
  });
});

/** Evaluates within so many steps, and anew after each piece that was too much and is done in parts. */
function evaluateInParts<T>(journal: Journal, steps: number, evaluate: () => T): { value: T; parts: number } {
  let parts = 0;
  for (;;) {
    try {
      return { value: withJournal(journal, () => withinSteps(steps, evaluate)), parts };
    } catch (error) {
      const { pending } = journal;
      if (pending === undefined) throw error;
      let part = pending.parts.next();
      for (; part.done !== true; part = pending.parts.next()) parts++;
      const { value } = part;
      journal.done[pending.at] = () => value;
    }
  }
}

describe('an evaluation that is begun anew', () => {
  function* counting(to: number): Parts<number> {
    for (let done = 0; done < to; done++) yield;
    return to;
  }
  const large = (to: number): number =>
    resumable(
      () => {
        spend(100);
        return -1;
      },
      () => counting(to),
    );

  it('does in parts what is too much at a time, each piece once', () => {
    const seen: number[] = [];
    const evaluate = (): number => {
      const draw = once(() => seen.push(seen.length));
      const [three, four] = [large(3), large(4)];
      return 100 * draw + 10 * three + four + once(() => seen.push(seen.length));
    };
    expect(evaluateInParts(openJournal(), 50, evaluate)).toEqual({ value: 136, parts: 7 });
    expect(seen).toEqual([0, 1]);
  });

  it('passes over what is done inside of a piece that is done', () => {
    const told: string[] = [];
    const tell = (text: string): void => once(() => void told.push(text));
    const evaluate = (): number => {
      once(() => {
        tell('inner');
        tell('other');
        told.push('outer');
      });
      tell('behind');
      return large(2);
    };
    expect(evaluateInParts(openJournal(), 50, evaluate)).toEqual({ value: 2, parts: 2 });
    expect(told).toEqual(['inner', 'other', 'outer', 'behind']);
  });

  it('leaves what takes long for a turn of its own where the one under way is over', () => {
    let isOver = false;
    let calls = 0;
    const slow = (): number =>
      onceInTurn(() => {
        isOver = true;
        return ++calls;
      });
    for (const doesParts of [true, false]) {
      calls = 0;
      isOver = false;
      const evaluate = (): number => 100 * slow() + 10 * slow() + slow();
      const journal = openJournal(() => isOver, doesParts);
      expect(evaluateInParts(journal, 50, evaluate)).toEqual({ value: 123, parts: 0 });
      expect(calls).toBe(3);
    }
    expect(slow()).toBe(4);
  });

  it('does in parts, once, what others would have to wait for, whatever the journal does in parts', () => {
    function* learning(): Parts<void> {
      yield* counting(2);
      learned++;
    }
    let learned = 0;
    const evaluate = (): number => {
      const drawn = once(() => 7);
      doInTurns(learning);
      doInTurns(learning);
      return drawn + learned;
    };
    for (const doesParts of [true, false]) {
      learned = 0;
      expect(evaluateInParts(openJournal(undefined, doesParts), 50, evaluate)).toEqual({
        value: 9,
        parts: 4,
      });
    }
    doInTurns(learning);
    expect(learned).toBe(3);
  });

  it('tries at once no more than some milliseconds of what can be done in parts', () => {
    const costly = (steps: number): number =>
      resumable(
        () => {
          spend(steps);
          return -1;
        },
        () => counting(3),
      );
    expect(evaluateInParts(openJournal(), 2_000_000, () => costly(200_000))).toEqual({ value: -1, parts: 0 });
    expect(evaluateInParts(openJournal(), 2_000_000, () => costly(200_001))).toEqual({ value: 3, parts: 3 });
    expect(costly(200_001)).toBe(-1);
  });

  it('does at once, within steps, what a journal is not to do in parts', () => {
    const journal = openJournal(() => false, false);
    expect(() => withJournal(journal, () => withinSteps(50, () => large(1)))).toThrow(
      expect.objectContaining({ code: 'IML_LIMIT' }),
    );
    expect(journal.pending).toBeUndefined();
  });

  it('does at once what is not too much', () => {
    expect(evaluateInParts(openJournal(), 100, () => large(3))).toEqual({ value: -1, parts: 0 });
    expect(large(3)).toBe(-1);
  });

  it('leaves the first of what is too much, and no other error', () => {
    const journal = openJournal();
    expect(() => withJournal(journal, () => withinSteps(50, () => large(1)))).toThrow();
    expect(journal.pending?.at).toBe(0);
    const fail = (): never => {
      throw new ImlError('IML_FUNCTION', 'No.', { kind: 'function-error' });
    };
    expect(() => withJournal(journal, () => resumable(fail, () => counting(1)))).toThrow('No.');
    expect(journal.pending).toBeUndefined();
    const twice = (): void => {
      expect(() => large(1)).toThrow();
      large(2);
    };
    expect(() => withJournal(journal, () => withinSteps(50, twice))).toThrow();
    expect(journal.pending?.at).toBe(0);
  });

  it('leaves no journal behind', () => {
    const journal = openJournal();
    expect(() =>
      withJournal(journal, () => {
        throw new Error('No.');
      }),
    ).toThrow('No.');
    once(() => 1);
    expect(journal.done).toEqual([]);
  });

  describe.each([
    ['sort', ['desc', 'n']],
    ['sort', ['asc ci', 'name']],
    ['distinct', ['n']],
    ['distinct', []],
    ['createJSON', []],
  ])('gives what %s gives at once, with %j', (name, rest) => {
    it.each([0, 1, 255, 256, 257, 700, 1024])('and %i items', (size) => {
      const list = Array.from({ length: size }, (_, id) => ({
        n: (id * 7919) % 37,
        name: id % 3 === 0 ? `N${id % 11}` : `n${id % 11}`,
        id,
        text: id === 1 ? 'a"\n'.repeat(2_000) : '',
      }));
      const call = (): unknown => FUNCTIONS[name]?.(ENVIRONMENT, list, ...rest);
      const { value, parts } = evaluateInParts(openJournal(), 4 * size + 1, call);
      expect(value).toEqual(call());
      expect(parts).toBeGreaterThanOrEqual(Math.floor(size / 256));
    });
  });
});

/** Calls whose work is the same, however much they are given: they look at an end of it, or hand it on. */
const CHEAP: ReadonlySet<string> = new Set([
  ...[
    'if',
    'ifempty',
    'switch',
    'isArray',
    'first',
    'last',
    'substring',
    'capitalize',
    'length',
    'mime',
    'trim',
  ],
]);

/** The rest of what they get is refused or left alone before anything is done with it. */
const BOUNDED: ReadonlySet<string> = new Set([
  ...[
    'formatDate',
    'parseDate',
    'dateDifference',
    'addSeconds',
    'addMinutes',
    'addHours',
    'addDays',
    'addMonths',
  ],
  ...['addYears', 'setSecond', 'setMinute', 'setHour', 'setDate', 'setDay', 'setMonth', 'setYear'],
]);

/** Texts of one length that differ in their last characters. */
function alike(count: number, length: number): readonly string[] {
  return Array.from({ length: count }, (_, id) => 'x'.repeat(length - 3) + String(id).padStart(3, '0'));
}

describe('a built-in function', () => {
  const SIZE = 262_144;
  const calls = Object.entries(WORST_CALLS).filter(([name]) => !CHEAP.has(name) && !BOUNDED.has(name));

  it.each(calls)('%s takes steps for what it is given', (name, makers) => {
    let refused = 0;
    for (const make of makers) {
      const args = make(SIZE);
      try {
        withinSteps(500, () => FUNCTIONS[name]?.(ENVIRONMENT, ...args));
      } catch (error) {
        if (!(error instanceof ImlError)) throw error;
        if (error.code === 'IML_LIMIT') refused++;
      }
    }
    // Some inputs are no use to a function, which says so at once, or hands them on.
    expect(refused).toBeGreaterThan(makers.length / 5);
  });

  it.each([
    ['a byte of text in a buffer', 'upper', new Uint8Array(SIZE).fill(0xe2), 0.3],
    ['a byte that is read as text', 'toString', new Uint8Array(SIZE).fill(0xe2), 0.3],
    ['a byte within JSON', 'createJSON', [new Uint8Array(SIZE).fill(0xe2)], 0.5],
    ['a character of a name within JSON', 'createJSON', { ['n'.repeat(SIZE)]: 1 }, 0.2],
    ['a character that is written as bytes', 'toBinary', 'Ж'.repeat(SIZE), 0.15],
  ])('takes steps for %s', (_what, name, value, steps) => {
    const call = () => FUNCTIONS[name]?.(ENVIRONMENT, value);
    expect(() => withinSteps(steps * SIZE - 100, call)).toThrow(expect.objectContaining(LIMIT));
    expect(() => withinSteps(2 * SIZE, call)).not.toThrow();
  });

  it.each([
    ['a secret', 'jwt', [{}, 'k'.repeat(SIZE)], 0.3],
    ['an algorithm', 'jwt', [{}, 'k', 'A'.repeat(SIZE)], 12],
    ['members of a header', 'jwt', [{}, 'k', 'HS256', { header: { x: 'x'.repeat(SIZE) } }], 12],
    ['the key of an HMAC', 'sha256', ['text', 'hex', new Uint8Array(SIZE)], 0.12],
  ])('takes steps for each character of %s', (_what, name, args, steps) => {
    const call = () => withinSteps(steps * SIZE - 100, () => FUNCTIONS[name]?.(ENVIRONMENT, ...args));
    expect(call).toThrow(expect.objectContaining(LIMIT));
  });

  // The host tells longer texts apart by looking at all that have their length.
  it.each([
    ['parseJSON', (names: readonly string[]) => [`{${names.map((name) => `"${name}" : 1`).join()}}`]],
    ['toCollection', (names: readonly string[]) => [names.map((key) => ({ key })), 'key', 'value']],
  ])('%s takes steps for names of more than 16,000 characters', (name, make) => {
    const call = (length: number): unknown =>
      withinSteps(600_000, () => FUNCTIONS[name]?.(ENVIRONMENT, ...make(alike(100, length))));
    expect(() => call(15_000)).not.toThrow();
    expect(() => call(17_000)).toThrow(expect.objectContaining(LIMIT));
  });

  it('createJSON takes steps for the names of a large collection, which are looked up one by one', () => {
    const write = (value: unknown) => () =>
      withinSteps(2_000_000, () => FUNCTIONS['createJSON']?.(ENVIRONMENT, value));
    const items = Array.from({ length: 60_000 }, (_, index) => index);
    expect(write(items)).not.toThrow();
    expect(write(Object.fromEntries(items.map((index) => [`name ${index}`, index])))).toThrow(
      expect.objectContaining(LIMIT),
    );
  });

  it('sort takes steps for long texts that begin alike, and turns where they are too many', () => {
    const inOrder = alike(100, 20_000);
    const texts = inOrder.map((_, index) => inOrder[(index * 37) % 100]);
    const call = (): unknown => FUNCTIONS['sort']?.(ENVIRONMENT, texts);
    expect(() => withinSteps(100_000, call)).toThrow(expect.objectContaining(LIMIT));
    const { value, parts } = evaluateInParts(openJournal(), 100_000, call);
    expect(value).toEqual(inOrder);
    expect(parts).toBeGreaterThan(3);
  });

  it('sort has turns by characters: two long texts are not compared in the part of two others', () => {
    const partsOf = (length: number): number => {
      const texts = alike(64, length).toReversed();
      const call = (): unknown => FUNCTIONS['sort']?.(ENVIRONMENT, texts, 'asc ci');
      return evaluateInParts(openJournal(), 10_000, call).parts;
    };
    expect(partsOf(140_000)).toBeGreaterThan(64 + 64 * Math.log2(64) - 64);
  });

  it('takes steps for what a pattern may make it do', () => {
    for (const make of BOUNDED_CALLS['replace'] ?? []) {
      const args = make(SIZE);
      expect(() => withinSteps(50_000, () => FUNCTIONS['replace']?.(ENVIRONMENT, ...args))).toThrow(
        expect.objectContaining(LIMIT),
      );
    }
  });
});

it('a long text in a list takes steps to be put together with the others, short ones take those of an item', () => {
  const countSteps = (length: number): number => stepsOf(() => toText(['x'.repeat(length), 'y']));
  expect(countSteps(4096)).toBe(countSteps(1));
  expect(countSteps(100_000) - countSteps(1)).toBeCloseTo(5000);
});

it('a text with a character beyond Latin-1 takes twice the steps to be written as JSON or read', () => {
  for (const [name, narrow, wide] of [
    ['createJSON', 'a'.repeat(10_000), `${'é'.repeat(9_999)}日`],
    ['parseJSON', `"${'a'.repeat(9_998)}"`, `"${'é'.repeat(9_997)}日"`],
  ] as const) {
    const countSteps = (text: string): number => stepsOf(() => FUNCTIONS[name]?.(ENVIRONMENT, text));
    // The list or collection that is looked for first takes some, too.
    expect(countSteps(wide) - countSteps(narrow)).toBe(2000);
  }
});

it.each([
  [1000, 4],
  [1001, 26],
])('%i names of a collection are looked up for %i steps each', (count, steps) => {
  const collection = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`n${index}`, undefined]),
  );
  const took = stepsOf(() => FUNCTIONS['createJSON']?.(ENVIRONMENT, collection));
  expect(Math.floor(took / count)).toBe(steps);
});

it('200,000 matches are put something else in the place of at a time, not many more', () => {
  const replace = (count: number): unknown =>
    withinSteps(2_000_000, () => FUNCTIONS['replace']?.(ENVIRONMENT, 'ab'.repeat(count), '/a/g', 'c'));
  expect(replace(200_000)).toBe('cb'.repeat(200_000));
  expect(() => replace(230_000)).toThrow(expect.objectContaining(LIMIT));
});

it('bytes become a text of as many characters in no time', { retry: 3 }, async () => {
  const bytes = new Uint8Array(5_000_000).fill(0xe9);
  let text: unknown;
  const took = await cpuMsOf(() => {
    text = FUNCTIONS['toString']?.(ENVIRONMENT, bytes, 'binary');
  });
  expect(text).toBe('\u00e9'.repeat(5_000_000));
  // Some 3 here; by a call with each byte as an argument 130.
  expect(took).toBeLessThan(60);
});

it.each([
  ['onceInTurn', (work: () => never) => onceInTurn(work)],
  [
    'onceElsewhere',
    (work: () => never) =>
      onceElsewhere({
        atOnce: work,
        attempt: work,
        elsewhere: () => {
          throw new Error('not asked');
        },
      }),
  ],
])('what throws in %s is not done again where whoever catches it goes on', (_name, doIt) => {
  const journal = openJournal();
  let times = 0;
  const fail = (): never => {
    times++;
    throw new Error('once');
  };
  for (let pass = 0; pass < 3; pass++) expect(() => withJournal(journal, () => doIt(fail))).toThrow('once');
  expect(times).toBe(1);
});
