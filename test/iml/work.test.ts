import { describe, expect, it } from 'vitest';
import { ImlError } from '../../src/errors/iml-error.js';
import { FUNCTIONS } from '../../src/iml/functions/table.js';
import { spend, withinSteps, withoutSteps } from '../../src/iml/values/work.js';
import { ENVIRONMENT } from './functions/call-function.js';
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

  it('are back after an error', () => {
    const failing = (): void => {
      expect(() => withinSteps(5, () => spend(6))).toThrow();
      spend(4);
    };
    expect(() => withinSteps(10, failing)).not.toThrow();
  });

  it('are not counted where time is the bound', () => {
    expect(() =>
      withinSteps(5, () => {
        withoutSteps(() => spend(100));
        spend(5);
      }),
    ).not.toThrow();
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

  it('takes steps for what a pattern may make it do', () => {
    for (const make of BOUNDED_CALLS['replace'] ?? []) {
      const args = make(SIZE);
      expect(() => withinSteps(50_000, () => FUNCTIONS['replace']?.(ENVIRONMENT, ...args))).toThrow(
        expect.objectContaining(LIMIT),
      );
    }
  });
});
