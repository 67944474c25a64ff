import { ANY_FUNCTION, ANY_TEXT, checkValue, type OptionShape } from '../../errors/check-options.js';
import type { Clock } from '../../util/clock.js';
import type { EngineOptions } from './engine-options.js';

const INSTANT: OptionShape = { expected: 'milliseconds since the epoch', fits: Number.isFinite };
const SHARE: OptionShape = {
  expected: 'a number from 0 to below 1',
  fits: (value) => typeof value === 'number' && value >= 0 && value < 1,
};

/**
 * The options with what an embedder's clock, random numbers and UUIDs give looked at: they throw EngineError (USAGE) where that is
 * none. With an hour that is none a run would never end in time.
 */
export function withCheckedPorts(options: EngineOptions): EngineOptions {
  const { clock, random, uuid } = options;
  return {
    ...options,
    clock: clock && checkedClock(clock),
    random: random && checkedDraw(random, SHARE, 'What random() gives'),
    uuid: uuid && checkedDraw(uuid, ANY_TEXT, 'What uuid() gives'),
  };
}

function checkedClock(clock: Clock): Clock {
  return {
    now: () => {
      const now = clock.now();
      if (!Number.isFinite(now)) checkValue(now, INSTANT, 'What now() of the clock gives');
      return now;
    },
    sleep: async (delayMs, signal) => clock.sleep(delayMs, signal),
    after: (delayMs, callback) => {
      const cancel = clock.after(delayMs, callback);
      checkValue(cancel, ANY_FUNCTION, 'What after() of the clock gives');
      return cancel;
    },
  };
}

function checkedDraw<T>(draw: () => T, shape: OptionShape, what: string): () => T {
  return () => {
    const value = draw();
    checkValue(value, shape, what);
    return value;
  };
}
