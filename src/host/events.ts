import { EngineError } from '../errors/engine-error.js';
import type { Clock } from '../util/clock.js';
import { eventJob } from './job.js';
import type { HostQueue } from './work/ports.js';
import { laneOf, planOf } from './scenario-plan.js';
import type { EventRow, EventStatus, HostStore } from './store/tables.js';

export interface EventQuery {
  readonly status?: readonly EventStatus[] | undefined;
  readonly hookId?: number | undefined;
  /** The newest first. Default 50. */
  readonly limit?: number | undefined;
}

/** What may be done with stored events by hand, from any process that reaches the store. */
export interface EventDesk {
  readonly list: (query?: EventQuery) => Promise<readonly EventRow[]>;
  /** @throws EngineError (HOST_MISSING) */
  readonly get: (id: number) => Promise<EventRow>;
  /**
   * Puts an event back into the queue, whatever came of it. It keeps its place: in a hook that keeps order it comes
   * before all that wait.
   * @throws EngineError (HOST_MISSING), (HOST_REFUSED) for one that waits or runs, or that was never read
   */
  readonly replay: (id: number) => Promise<EventRow>;
  /** Drops an event that waits or is dead. @throws EngineError (HOST_MISSING), (HOST_REFUSED) */
  readonly discard: (id: number) => Promise<EventRow>;
}

export interface DeskOptions {
  readonly store: HostStore;
  readonly queue: Pick<HostQueue, 'add' | 'wake'>;
  readonly clock: Clock;
}

const DEFAULT_LIMIT = 50;

const REPLAYABLE = ['done', 'dead', 'discarded'] as const;
const DISCARDABLE = ['pending', 'dead'] as const;

export function createEventDesk({ store, queue, clock }: DeskOptions): EventDesk {
  const get = async (id: number): Promise<EventRow> => {
    const event = await store.get('events', { id });
    if (event === undefined) throw new EngineError('HOST_MISSING', `There is no event ${id}.`);
    return event;
  };
  return {
    get,
    list: ({ status, hookId, limit = DEFAULT_LIMIT } = {}) =>
      store.find('events', {
        where: { ...(status && { status }), ...(hookId !== undefined && { hookId }) },
        descending: true,
        limit,
      }),
    replay: async (id) => {
      const event = await get(id);
      await store.transaction(async (writer) => {
        const scenario = await writer.get('scenarios', { hookId: event.hookId });
        const lane = laneOf({ id: event.hookId }, scenario);
        const changed = await writer.update(
          'events',
          { id, status: REPLAYABLE },
          {
            ...{ status: 'pending', lane, attempts: 0, error: null, finishedAtMs: null, notBeforeMs: null },
            scenarioId: scenario?.id ?? null,
          },
        );
        if (changed === 0) throw refused(event, 'replayed');
        const isInstant = scenario !== undefined && planOf(scenario).settings.scheduling === 'instant';
        if (isInstant) await queue.add(writer, [eventJob({ ...event, lane }, clock.now())]);
      });
      queue.wake();
      return get(id);
    },
    discard: async (id) => {
      const event = await get(id);
      await store.transaction(async (writer) => {
        const change = { status: 'discarded', finishedAtMs: clock.now() } as const;
        const changed = await writer.update('events', { id, status: DISCARDABLE }, change);
        if (changed === 0) throw refused(event, 'discarded');
      });
      return get(id);
    },
  };
}

function refused({ id, status }: EventRow, wanted: string): EngineError {
  return new EngineError('HOST_REFUSED', `The event ${id} is ${status} and cannot be ${wanted}.`);
}
