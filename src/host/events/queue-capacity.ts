import { createBoundedCache } from '../../util/bounded-cache.js';
import type { HostContext } from '../ports/context.js';
import type { EventRow, HostReader } from '../store/tables.js';

/** How much more the queue of a hook takes. */
export interface Capacity {
  readonly events: number;
  readonly bytes: number;
}

/** How much more the queues of hooks take. */
export interface QueueCapacity {
  readonly of: (reader: HostReader, hookIds: readonly number[]) => Promise<Map<number, Capacity>>;
  /** Counts events that are about to be stored. */
  readonly use: (events: readonly Pick<EventRow, 'hookId' | 'status' | 'bytes'>[]) => void;
  /**
   * Whether a call of so many bytes need not be read, as far as is known without asking: the queue was full a moment ago,
   * or had no room for one that was no larger. While calls come, what is known is looked at anew beside them.
   */
  readonly isFull: (hookId: number, bytes: number) => boolean;
  /** Remembers that a queue had no room for a call of so many bytes. */
  readonly refuse: (hookId: number, bytes: number) => void;
  /** Says that this process has taken an event out of the queue of a hook. */
  readonly release: (hookId: number) => void;
}

interface Known {
  readonly countedAtMs: number;
  readonly recountBelow: Capacity;
  events: number;
  bytes: number;
  /** Calls of this size and above had no room. */
  refusedBytes: number;
  /** Events that this process has taken since. */
  released: number;
}

/** How long a count may be relied upon. */
const COUNT_MS = 1000;
/** When the count of a full queue is looked at anew. */
const RECOUNT_MS = 200;
/** The least time between two such looks, whichever queues they are at: those of many full ones must not fill the time. */
const BETWEEN_MS = 10;
/** The part of what is free that is given away without counting again, as other processes give away theirs. */
const SHARE = 8;
/** What may be given away of the last that is free, as a part of the bound: a full queue is not counted for each event. */
const LEAST_SHARE = 1000;
/** How much of a full queue has to be taken before it is counted at once, as a part of the bound. */
const RELEASED_SHARE = 100;
/** Hooks whose count is kept. */
const MAX_HOOKS = 10_000;

type Options = Pick<HostContext, 'limits' | 'clock' | 'store' | 'onError'>;

/**
 * Counts what waits for a hook only where the bound may be near: counting a long queue for each event would make it
 * longer. The bound is exact for one process; each further one may go beyond it by an eighth of what was free, or a
 * thousandth of the bound. Room in a full queue is seen once a hundredth of it was taken here, else within `RECOUNT_MS`.
 */
export function createQueueCapacity({ limits, clock, store, onError }: Options): QueueCapacity {
  const known = createBoundedCache<Known>(MAX_HOOKS);
  let isCounting = false;
  let countedAtMs = Number.NEGATIVE_INFINITY;

  async function count(reader: HostReader, hookIds: readonly number[]): Promise<void> {
    const where = { hookId: hookIds, status: 'pending' } as const;
    const queued = await reader.tally('events', 'hookId', 'bytes', where);
    countedAtMs = clock.now();
    for (const id of hookIds) {
      const { count: waiting, sum } = queued.get(id) ?? { count: 0, sum: 0 };
      const events = limits.maxQueued - waiting;
      const bytes = limits.maxQueuedBytes - sum;
      const recountBelow = {
        events: events - Math.max(events / SHARE, limits.maxQueued / LEAST_SHARE),
        bytes: bytes - Math.max(bytes / SHARE, limits.maxQueuedBytes / LEAST_SHARE),
      };
      const refusedBytes = Number.POSITIVE_INFINITY;
      known.set(String(id), { countedAtMs, events, bytes, recountBelow, refusedBytes, released: 0 });
    }
  }

  function isOlder({ countedAtMs: atMs }: Known, ms: number): boolean {
    return Math.abs(clock.now() - atMs) >= ms;
  }

  function hasRoomAgain({ released }: Known): boolean {
    return released > 0 && released >= limits.maxQueued / RELEASED_SHARE;
  }

  function isStale(id: number): boolean {
    const last = known.get(String(id));
    if (last === undefined || isOlder(last, COUNT_MS)) return true;
    if (last.events < 1 && !hasRoomAgain(last) && !isOlder(last, RECOUNT_MS)) return false;
    return last.events < last.recountBelow.events || last.bytes < last.recountBelow.bytes;
  }

  function recount(hookId: number): void {
    if (isCounting || Math.abs(clock.now() - countedAtMs) < BETWEEN_MS) return;
    isCounting = true;
    count(store, [hookId])
      .catch(onError)
      .finally(() => {
        isCounting = false;
      });
  }

  return {
    of: async (reader, hookIds) => {
      const stale = hookIds.filter(isStale);
      if (stale.length > 0) await count(reader, stale);
      const readCapacity = (id: number): Capacity => {
        const { events, bytes } = known.get(String(id)) ?? { events: 0, bytes: 0 };
        return { events, bytes };
      };
      return new Map(hookIds.map((id) => [id, readCapacity(id)]));
    },
    use: (events) => {
      for (const { hookId, status, bytes } of events) {
        const last = known.get(String(hookId));
        if (last === undefined || status !== 'pending') continue;
        last.events--;
        last.bytes -= bytes;
      }
    },
    isFull: (hookId, bytes) => {
      const last = known.get(String(hookId));
      // Whoever calls again after a pause is not told of what was then.
      if (last === undefined || isOlder(last, COUNT_MS) || hasRoomAgain(last)) return false;
      if (last.events >= 1 && bytes < last.refusedBytes) return false;
      if (isOlder(last, RECOUNT_MS)) recount(hookId);
      return true;
    },
    refuse: (hookId, bytes) => {
      const last = known.get(String(hookId));
      if (last !== undefined && last.events >= 1) last.refusedBytes = Math.min(last.refusedBytes, bytes);
    },
    release: (hookId) => {
      const last = known.get(String(hookId));
      if (last !== undefined) last.released++;
    },
  };
}
