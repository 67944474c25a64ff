import { ANY_TEXT, checkValue, type GivenShape } from '../../errors/check-given.js';
import type { Clock } from '../../util/clock.js';

const INSTANT: GivenShape = { expected: 'milliseconds since the epoch', fits: Number.isFinite };
const SHARE: GivenShape = {
  expected: 'a number from 0 to below 1',
  fits: (value) => typeof value === 'number' && value >= 0 && value < 1,
};
const CANCEL: GivenShape = { expected: 'a function', fits: (value) => typeof value === 'function' };

/**
 * A clock of an embedder's whose answers are looked at: with an hour that is none a run would never end in time.
 *
 * @returns one that throws EngineError (USAGE)
 */
export function checkedClock(clock: Clock): Clock {
  return {
    now: () => {
      const now = clock.now();
      if (!Number.isFinite(now)) checkValue(now, INSTANT, 'What now() of the clock gives');
      return now;
    },
    sleep: async (delayMs, signal) => clock.sleep(delayMs, signal),
    after: (delayMs, callback) => {
      const cancel = clock.after(delayMs, callback);
      checkValue(cancel, CANCEL, 'What after() of the clock gives');
      return cancel;
    },
  };
}

/** Random numbers of an embedder's, looked at. @returns what throws EngineError (USAGE) */
export function checkedRandom(random: (() => number) | undefined): (() => number) | undefined {
  return random && checkedDraw(random, SHARE, 'What random() gives');
}

/** UUIDs of an embedder's, looked at. @returns what throws EngineError (USAGE) */
export function checkedUuid(uuid: (() => string) | undefined): (() => string) | undefined {
  return uuid && checkedDraw(uuid, ANY_TEXT, 'What uuid() gives');
}

function checkedDraw<T>(draw: () => T, shape: GivenShape, what: string): () => T {
  return () => {
    const value = draw();
    checkValue(value, shape, what);
    return value;
  };
}
