import {
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
  wholeNumber,
} from '../../errors/check-options.js';
import { type Clock, SYSTEM_CLOCK } from '../../util/clock.js';
import type { HostQueue } from '../ports/ports.js';

/** The clock of a queue, and how often (milliseconds) it looks at the store. Default: the clock of the system, 500 ms. */
export interface StoreQueueOptions {
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** How often the store is looked at for work that other processes or the time have made due. Default 500. */
  readonly pollMs?: number | undefined;
}

/** What its options may be. */
export const STORE_QUEUE_SHAPES: OptionShapes<StoreQueueOptions> = {
  clock: objectWithFunctions(['now', 'sleep', 'after']),
  pollMs: wholeNumber(1),
};

/**
 * The queue of a store of one machine: memory, or a SQLite file that several processes may share. This process is told
 * at once of what it adds itself; what others add is found by looking.
 */
export function createStoreQueue(options: StoreQueueOptions = {}): HostQueue {
  checkOptions(options, STORE_QUEUE_SHAPES, 'The options of createStoreQueue');
  const { clock = SYSTEM_CLOCK, pollMs = 500 } = options;
  const announced = new Set<number>();
  let look: ((scenarioIds?: readonly number[]) => void) | undefined;
  let cancel: () => void = () => {};

  function lookLater(): void {
    cancel = clock.after(pollMs, () => {
      look?.();
      if (look !== undefined) lookLater();
    });
  }

  return {
    announce: async (_writer, scenarioIds) => {
      for (const id of scenarioIds) announced.add(id);
    },
    wake: () => {
      const ids = [...announced];
      announced.clear();
      if (ids.length > 0) look?.(ids);
    },
    start: async (given) => {
      look = given;
      look();
      lookLater();
    },
    stop: async () => {
      look = undefined;
      cancel();
    },
    close: async () => {},
  };
}
