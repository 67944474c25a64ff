import { createBoundedCache } from '../util/bounded-cache.js';
import type { HostContext } from './work/context.js';
import type { EventRow, HostReader } from './store/tables.js';

/** How many more events the queues of hooks take. */
export interface QueueRoom {
  readonly of: (reader: HostReader, hookIds: readonly number[]) => Promise<Map<number, number>>;
  /** Counts events that are about to be stored. */
  readonly take: (events: readonly EventRow[]) => void;
}

/** How long a count may be relied upon. */
const COUNT_MS = 1000;
/** The part of the free room that is given away without counting again, as other processes give away theirs. */
const SHARE = 8;
/** Hooks whose count is kept. */
const MAX_HOOKS = 10_000;

/**
 * Counts what waits for a hook only where the bound may be near: counting a long queue for each event would make it
 * longer. The bound is exact for one process; each further one may go beyond it by an eighth of what was free.
 */
export function createQueueRoom({ limits, clock }: Pick<HostContext, 'limits' | 'clock'>): QueueRoom {
  const known = createBoundedCache<{ readonly untilMs: number; free: number; shareLeft: number }>(MAX_HOOKS);

  async function count(reader: HostReader, hookIds: readonly number[]): Promise<void> {
    const queued = await reader.countBy('events', 'hookId', { hookId: hookIds, status: 'pending' });
    const untilMs = clock.now() + COUNT_MS;
    for (const id of hookIds) {
      const free = limits.maxQueued - (queued.get(id) ?? 0);
      known.set(String(id), { untilMs, free, shareLeft: Math.floor(free / SHARE) });
    }
  }

  return {
    of: async (reader, hookIds) => {
      const nowMs = clock.now();
      const isStale = (id: number): boolean => {
        const last = known.get(String(id));
        return last === undefined || last.shareLeft <= 0 || last.untilMs <= nowMs;
      };
      const stale = hookIds.filter(isStale);
      if (stale.length > 0) await count(reader, stale);
      return new Map(hookIds.map((id) => [id, known.get(String(id))?.free ?? limits.maxQueued]));
    },
    take: (events) => {
      for (const { hookId, status } of events) {
        const last = known.get(String(hookId));
        if (last === undefined || status !== 'pending') continue;
        last.free--;
        last.shareLeft--;
      }
    },
  };
}
