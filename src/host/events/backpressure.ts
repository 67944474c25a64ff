import { setImmediate } from 'node:timers/promises';
import { createBoundedCache } from '../../shared/bounded-cache.js';
import type { HostContext } from '../context.js';
import type { EventRow, HostReader } from '../store/tables.js';

/** Remaining capacity of a queue. */
export interface Capacity {
  readonly events: number;
  readonly bytes: number;
}

/** Remaining capacity of the queues of hooks. */
export interface QueueCapacity {
  readonly of: (reader: HostReader, hookIds: readonly number[]) => Promise<Map<number, Capacity>>;
  /** Counts events that are about to be stored. */
  readonly use: (events: readonly Pick<EventRow, 'hookId' | 'status' | 'bytes'>[]) => void;
  /**
   * Whether a call of this size can be refused without reading its body. Uses the last count and refusals, and
   * refreshes them in the background while calls arrive.
   */
  readonly isFull: (hookId: number, bytes: number) => boolean;
  /** Records that a queue had no capacity for a call of this size. */
  readonly refuse: (hookId: number, bytes: number) => void;
  /** Records that this process removed an event from the queue. */
  readonly release: (hookId: number) => void;
}

interface Known {
  readonly countedAtMs: number;
  readonly recountBelow: Capacity;
  events: number;
  bytes: number;
  /** Smallest call size that had no capacity. */
  refusedBytes: number;
  /** Events removed by this process since the count. */
  released: number;
}

/** Maximum age of a count. */
const COUNT_MS = 1000;
/** Refresh interval for the count of a full queue. */
const RECOUNT_MS = 200;
/** Minimum time between two refreshes over all queues. */
const BETWEEN_MS = 10;
/** Share of the free capacity that may be used before the next count, because other processes use it as well. */
const SHARE = 8;
/**
 * Minimum use before the next count, as a divisor of the limit, so that a full queue is not counted for each event.
 */
const LEAST_SHARE = 1000;
/** Events removed before an immediate recount of a full queue, as a divisor of the limit. */
const RELEASED_SHARE = 100;
/** Maximum hooks with a cached count. */
const MAX_HOOKS = 10_000;

type Options = Pick<HostContext, 'limits' | 'clock' | 'store' | 'onError'>;

/**
 * Tracks the capacity of queues. Counts events only near the limit, because counting a long queue per event is
 * expensive. The limit is exact for one process. Each further process may exceed it by an eighth of the free capacity
 * or a thousandth of the limit.
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
      // A stale count does not apply to a caller after a pause.
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

/** Lets synchronous transactions wait for pending socket reads. */
export interface IncomingConnections {
  /** Reports an incoming connection or call. */
  readonly note: () => void;
  /** Resolves after pending arrivals were read, within a time limit. */
  readonly settled: () => Promise<void>;
  /**
   * Like `settled`, for work on stored events. While calls keep arriving, such work gets a share of the time without
   * waiting, so that an ordered hook makes progress.
   */
  readonly shared: () => Promise<void>;
}

/**
 * Turns of the event loop without a new call after which nothing more is expected: one accepts a connection, the next
 * reads its data, one is spare. [choice]
 */
const IDLE_TURNS = 3;
/** Longest wait for calls to stop arriving, because they may never stop. [choice] */
const MAX_MS = 25;
/** Share of the waiting time that work may use before it waits again. */
const WORK_SHARE = 0.25;

/**
 * An iteration of the event loop accepts one new connection. If each iteration ended with a synchronous commit, the
 * disk would limit the rate of new connections. Transactions therefore wait until no more arrive.
 */
export function createIncomingConnections(
  nowMs: () => number = () => performance.now(),
): IncomingConnections {
  let count = 0;
  let shareEndMs = Number.NEGATIVE_INFINITY;
  const settled = async (): Promise<void> => {
    const endMs = nowMs() + MAX_MS;
    for (let idle = 0; idle < IDLE_TURNS && nowMs() < endMs; ) {
      const before = count;
      await setImmediate();
      idle = count === before ? idle + 1 : 0;
    }
  };
  return {
    note: () => {
      count++;
    },
    settled,
    shared: async () => {
      const startMs = nowMs();
      if (startMs < shareEndMs) return pendingDone();
      await settled();
      shareEndMs = nowMs() + (nowMs() - startMs) * WORK_SHARE;
    },
  };
}

/** Resolves after all pending callbacks of this iteration, without another poll of sockets. */
function pendingDone(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
