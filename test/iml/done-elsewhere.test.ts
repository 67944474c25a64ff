import { describe, expect, it } from 'vitest';
import { functionError, ImlError, limitError } from '../../src/errors/iml-error.js';
import { finishPending, type TurnRules } from '../../src/iml/values/finish-pending.js';
import {
  type AwaitedParts,
  clearJournal,
  goOnWithJournal,
  isBegunAnew,
  isTooMuchWork,
  type Journal,
  type LongWork,
  once,
  onceElsewhere,
  onceInTurn,
  openJournal,
  rewindJournal,
  spend,
  UNDONE,
  withinSteps,
  withJournal,
} from '../../src/iml/values/work.js';

const RULES: TurnRules = { maxSteps: 1000, assertGoesOn: () => {}, waitFor: (work) => work };

/** Work that gives what it is told for each way of doing it, and notes the ways. */
function longWork(ways: string[], attempt: () => unknown, elsewhere?: () => AwaitedParts<unknown>) {
  const work: LongWork<unknown> = {
    atOnce: () => {
      ways.push('at once');
      return 'at once';
    },
    attempt: () => {
      ways.push('attempt');
      return attempt();
    },
    elsewhere:
      elsewhere ??
      function* () {
        ways.push('elsewhere');
        yield Promise.resolve();
        return 'elsewhere';
      },
  };
  return work;
}

/** Evaluates as often as something is left to be done. */
async function evaluate(
  journal: Journal,
  expression: () => unknown,
  rules: TurnRules = RULES,
): Promise<unknown> {
  for (let times = 0; times < 20; times++) {
    try {
      return withJournal(journal, expression);
    } catch (error) {
      if (journal.pending === undefined) throw error;
      await finishPending(journal.pending, journal, rules);
    }
  }
  throw new Error('It never ends.');
}

describe('work that can be done elsewhere', () => {
  it('is done at once where nobody can wait', () => {
    const ways: string[] = [];
    expect(onceElsewhere(longWork(ways, () => 1))).toBe('at once');
    expect(ways).toEqual(['at once']);
  });

  it('is tried, and done elsewhere where that is not enough', async () => {
    const ways: string[] = [];
    const [short, long] = [longWork(ways, () => 'attempt'), longWork(ways, () => UNDONE)];
    const expression = () => [onceElsewhere(short), onceElsewhere(long), onceElsewhere(short)];
    expect(await evaluate(openJournal(), expression)).toEqual(['attempt', 'elsewhere', 'attempt']);
    // Each once: what was done before is known when it is begun anew.
    expect(ways).toEqual(['attempt', 'attempt', 'elsewhere', 'attempt']);
  });

  it.each([
    ['an attempt', () => 'attempt', ['attempt']],
    ['elsewhere', () => UNDONE, ['attempt', 'elsewhere']],
  ])('has a turn of its own where the one under way is over: %s', async (_where, attempt, expected) => {
    const ways: string[] = [];
    const journal = openJournal(() => true);
    expect(() => withJournal(journal, () => onceElsewhere(longWork(ways, attempt)))).toThrow(
      'limits.maxSteps',
    );
    expect([ways, journal.pending?.at]).toEqual([[], 0]);
    expect(await evaluate(journal, () => onceElsewhere(longWork(ways, attempt)))).toBe(expected.at(-1));
    expect(ways).toEqual(expected);
  });

  it('is one piece, whatever it draws of a journal inside', async () => {
    const draws: number[] = [];
    const draw = (): number => once(() => draws.push(0));
    const work = longWork([], () => {
      draw();
      draw();
      return UNDONE;
    });
    const expression = () => [draw(), onceElsewhere(work), draw()];
    expect(await evaluate(openJournal(), expression)).toEqual([1, 'elsewhere', 4]);
  });

  it('fails as it fails', async () => {
    const fail = (error: Error) => () => {
      throw error;
    };
    const refused = functionError('no');
    const ways: string[] = [];
    await expect(evaluate(openJournal(), () => onceElsewhere(longWork(ways, fail(refused))))).rejects.toBe(
      refused,
    );
    expect(ways).toEqual(['attempt']);
    const elsewhere = function* (): AwaitedParts<unknown> {
      yield undefined;
      throw refused;
    };
    const caught = () => {
      try {
        return onceElsewhere(longWork(ways, () => UNDONE, elsewhere));
      } catch (error) {
        if (isBegunAnew()) throw error;
        return [error];
      }
    };
    expect(await evaluate(openJournal(), caught)).toEqual([refused]);
  });

  it('says that it is to be begun anew while it is left, and then only', () => {
    expect(isBegunAnew()).toBe(false);
    const journal = openJournal();
    const seen: boolean[] = [];
    withJournal(journal, () => {
      seen.push(isBegunAnew());
      expect(() => onceElsewhere(longWork([], () => UNDONE))).toThrow(ImlError);
      seen.push(isBegunAnew());
    });
    expect(seen).toEqual([false, true]);
  });

  it('leaves the first of several', () => {
    const journal = openJournal();
    withJournal(journal, () => {
      once(() => 1);
      for (let n = 0; n < 2; n++) {
        expect(() => onceElsewhere(longWork([], () => UNDONE))).toThrow();
      }
    });
    expect(journal.pending?.at).toBe(1);
  });
});

describe('work that waits for a turn', () => {
  it("is one piece, whose own pieces are nobody else's", async () => {
    let draws = 0;
    const draw = (): number => once(() => ++draws);
    let isOver = true;
    const expression = () => [draw(), onceInTurn(() => [draw(), draw()]), draw()];
    const journal = openJournal(() => isOver);
    expect(await evaluate(journal, expression)).toEqual([1, [2, 3], 4]);
    isOver = false;
    draws = 0;
    expect(
      await evaluate(
        openJournal(() => isOver),
        expression,
      ),
    ).toEqual([1, [2, 3], 4]);
  });
});

describe('an evaluation in pieces', () => {
  it('goes on where the last piece has ended, and begins from the first one again', () => {
    let draws = 0;
    const draw = (): number => once(() => ++draws);
    const journal = openJournal();
    rewindJournal(journal);
    expect(goOnWithJournal(journal, draw)).toBe(1);
    expect(goOnWithJournal(journal, draw)).toBe(2);
    rewindJournal(journal);
    expect(goOnWithJournal(journal, () => [draw(), draw(), draw()])).toEqual([1, 2, 3]);
    expect(draws).toBe(3);
  });

  it('has nothing to do with the next one once its journal is cleared', () => {
    let draws = 0;
    const draw = (): number => once(() => ++draws);
    const journal = openJournal();
    expect(withJournal(journal, draw)).toBe(1);
    clearJournal(journal);
    expect([journal.done, journal.at]).toEqual([[], 0]);
    expect(withJournal(journal, draw)).toBe(2);
  });
});

describe('what is left', () => {
  const left = (parts: () => AwaitedParts<unknown>) => ({ at: 3, parts: parts() });

  it('is done a part at a time, within steps each, with what it waits for between them', async () => {
    const waited: unknown[] = [];
    const journal = openJournal();
    const parts = function* (): AwaitedParts<unknown> {
      for (let n = 0; n < 3; n++) {
        withinSteps(Number.POSITIVE_INFINITY, () => spend(900));
        yield n === 1 ? Promise.resolve('waited') : undefined;
      }
      return 'done';
    };
    const waitFor = async (work: Promise<unknown>) => waited.push(await work);
    await finishPending(left(parts), journal, { ...RULES, waitFor });
    expect(journal.done[3]?.()).toBe('done');
    expect(waited).toEqual(['waited']);
  });

  it.each([
    ['of the language', functionError('no'), true],
    ['of its limits', limitError('too much'), true],
    ['of anybody else', new Error('broken'), false],
  ])('that ends with an error %s', async (_whose, error, isKept) => {
    const journal = openJournal();
    // biome-ignore lint/correctness/useYield: it fails before.
    const parts = function* (): AwaitedParts<unknown> {
      throw error;
    };
    const finished = finishPending(left(parts), journal, RULES);
    if (isKept) {
      await finished;
      expect(() => journal.done[3]?.()).toThrow(error);
    } else {
      await expect(finished).rejects.toBe(error);
      expect(journal.done[3]).toBeUndefined();
    }
  });

  it('is given up with what ends the work', async () => {
    let isGivenUp = false;
    const parts = function* (): AwaitedParts<unknown> {
      try {
        yield new Promise(() => {});
      } finally {
        isGivenUp = true;
      }
      return undefined;
    };
    const over = new Error('over');
    const waitFor = () => Promise.reject(over);
    await expect(finishPending(left(parts), openJournal(), { ...RULES, waitFor })).rejects.toBe(over);
    expect(isGivenUp).toBe(true);
    const assertGoesOn = () => {
      throw over;
    };
    await expect(finishPending(left(parts), openJournal(), { ...RULES, assertGoesOn })).rejects.toBe(over);
  });
});

it('what is too much work is known from other errors, and from what is none', () => {
  const tooMuch = (() => {
    try {
      return withinSteps(1, () => spend(2));
    } catch (error) {
      return error;
    }
  })();
  expect(isTooMuchWork(tooMuch)).toBe(true);
  for (const other of [limitError('other'), null, undefined, 'text', 1])
    expect(isTooMuchWork(other)).toBe(false);
});
