import { createBoundedCache } from '../../util/bounded-cache.js';
import type { EventRow, HostReader } from '../store/tables.js';
import type { HostContext } from '../work/context.js';

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
}

interface Known {
  readonly untilMs: number;
  readonly recountBelow: Capacity;
  events: number;
  bytes: number;
}

/** How long a count may be relied upon. */
const COUNT_MS = 1000;
/** The part of what is free that is given away without counting again, as other processes give away theirs. */
const SHARE = 8;
/** Hooks whose count is kept. */
const MAX_HOOKS = 10_000;

/**
 * Counts what waits for a hook only where the bound may be near: counting a long queue for each event would make it
 * longer. The bound is exact for one process; each further one may go beyond it by an eighth of what was free.
 */
export function createQueueCapacity({ limits, clock }: Pick<HostContext, 'limits' | 'clock'>): QueueCapacity {
  const known = createBoundedCache<Known>(MAX_HOOKS);

  async function count(reader: HostReader, hookIds: readonly number[]): Promise<void> {
    const where = { hookId: hookIds, status: 'pending' } as const;
    const queued = await reader.tally('events', 'hookId', 'bytes', where);
    const untilMs = clock.now() + COUNT_MS;
    for (const id of hookIds) {
      const { count: waiting, sum } = queued.get(id) ?? { count: 0, sum: 0 };
      const events = limits.maxQueued - waiting;
      const bytes = limits.maxQueuedBytes - sum;
      const recountBelow = { events: events - events / SHARE, bytes: bytes - bytes / SHARE };
      known.set(String(id), { untilMs, events, bytes, recountBelow });
    }
  }

  function isStale(id: number, nowMs: number): boolean {
    const last = known.get(String(id));
    if (last === undefined || last.untilMs <= nowMs || last.untilMs > nowMs + COUNT_MS) return true;
    return last.events < last.recountBelow.events || last.bytes < last.recountBelow.bytes;
  }

  return {
    of: async (reader, hookIds) => {
      const nowMs = clock.now();
      const stale = hookIds.filter((id) => isStale(id, nowMs));
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
  };
}
