import type { Clock } from '../../shared/clock.js';
import { checkOptions, type OptionShapes, objectWithFunctions } from '../../shared/errors/check-options.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import type { Where } from '../../shared/store/record-store.js';
import type { HostContext } from '../context.js';
import type { HostQueue } from '../queue/host-queue.js';
import { wakeScenarios } from '../queue/scenario-keys.js';
import { showStored } from '../store/stored-value.js';
import type { EventRow, EventStatus, HostStore, HostWriter } from '../store/tables.js';

/** Selects events. Absent members match all. */
export interface EventFilter {
  readonly status?: readonly EventStatus[] | undefined;
  readonly hookId?: number | undefined;
  /** Received before this time, in milliseconds since the epoch. */
  readonly beforeMs?: number | undefined;
  /** Received after this time. */
  readonly afterMs?: number | undefined;
}

/** A filter with paging, newest first. */
export interface EventQuery extends EventFilter {
  /** Default 50. */
  readonly limit?: number | undefined;
}

/** An event without payload and request. */
export type EventSummary = Omit<EventRow, 'bundles' | 'request' | 'turn'>;

/** Manages stored events from any process with access to the store. */
export interface EventAdmin {
  readonly list: (query?: EventQuery) => Promise<readonly EventSummary[]>;
  /** @throws EngineError (HOST_MISSING) */
  readonly get: (id: number) => Promise<EventRow>;
  /**
   * Returns an event to the queue regardless of its status. In an ordered hook, it runs before all later events.
   * @throws EngineError (HOST_MISSING); (HOST_REFUSED) if it waits, runs or was rejected
   */
  readonly replay: (id: number) => Promise<EventRow>;
  /** Discards a waiting or dead event. @throws EngineError (HOST_MISSING), (HOST_REFUSED) */
  readonly discard: (id: number) => Promise<EventRow>;
  /** Replays all matching events that can be replayed. Default `status`: `dead`. @returns their number */
  readonly replayAll: (filter: EventFilter) => Promise<number>;
  /** Discards all matching events that wait or are dead. Default `status`: `dead`. @returns their number */
  readonly discardAll: (filter: EventFilter) => Promise<number>;
}

/** Store, queue and clock of an admin. */
export interface AdminOptions {
  readonly store: HostStore;
  readonly queue: HostQueue;
  readonly clock: Clock;
}

const ADMIN_SHAPES: OptionShapes<AdminOptions> = {
  store: objectWithFunctions(['get', 'find', 'transaction']),
  queue: objectWithFunctions(['wake', 'lock', 'end']),
  clock: objectWithFunctions(['now']),
};

/** @throws EngineError (USAGE) for an unknown, missing or invalid option */
export function checkAdminOptions(options: AdminOptions, caller: string): void {
  checkOptions(options, ADMIN_SHAPES, `The options of ${caller}`, ['store', 'queue', 'clock']);
}

const DEFAULT_LIMIT = 50;
/** Maximum events per transaction. */
const STEP = 500;

const REPLAYABLE = ['done', 'dead', 'discarded'] as const;
const DISCARDABLE = ['pending', 'dead'] as const;
const SHOWN = [
  ...(['hookId', 'scenarioId', 'status', 'bytes', 'attempts', 'crashes', 'crashesAlone'] as const),
  ...(['notBeforeMs', 'error', 'receivedAtMs', 'finishedAtMs'] as const),
] as const;

/**
 * Manages the events of a store.
 *
 * @throws EngineError (USAGE) for an unknown, missing or invalid option
 */
export function createEventAdmin(options: AdminOptions): EventAdmin {
  checkAdminOptions(options, 'createEventAdmin');
  const { store } = options;
  const get = async (id: number): Promise<EventRow> => {
    const event = await store.get('events', { id });
    if (event === undefined) throw new EngineError('HOST_MISSING', `Unknown event ${id}.`);
    return {
      ...event,
      bundles: showStored(event.bundles),
      request: showStored(event.request),
      error: showStored(event.error),
    };
  };
  const changeOne = async (id: number, change: Change, what: string): Promise<EventRow> => {
    const event = await get(id);
    const count = await changeEvents(options, { id, status: change.from }, change);
    if (count > 0) return get(id);
    throw new EngineError('HOST_REFUSED', `The event ${id} is ${event.status} and cannot be ${what}.`);
  };
  return {
    get,
    list: (query) => list(store, query),
    replay: (id) => changeOne(id, REPLAY, 'replayed'),
    discard: (id) => changeOne(id, DISCARD, 'discarded'),
    replayAll: (filter) => changeAll(options, filter, REPLAY),
    discardAll: (filter) => changeAll(options, filter, DISCARD),
  };
}

/** Reads in batches from the newest id, because only one time bound can use an index. */
async function list(
  store: HostStore,
  { limit = DEFAULT_LIMIT, ...filter }: EventQuery = {},
): Promise<readonly EventSummary[]> {
  const { afterMs, beforeMs } = filter;
  const where = toCondition(filter);
  const query = { columns: SHOWN, descending: true, limit } as const;
  if (afterMs === undefined || beforeMs === undefined) return store.find('events', { ...query, where });
  const found: EventSummary[] = [];
  for (let offset = 0; found.length < limit; offset += limit) {
    const rows = await store.find('events', { ...query, where, offset });
    found.push(...rows.filter(({ receivedAtMs }) => receivedAtMs > afterMs));
    // Ids grow with the time of receipt, so all further rows are older.
    if (rows.length < limit || found.length < offset + rows.length) break;
  }
  return found.slice(0, limit);
}

interface Change {
  readonly from: readonly EventStatus[];
  readonly to: (nowMs: number) => Partial<Omit<EventRow, 'id'>>;
}

const REPLAY: Change = {
  from: REPLAYABLE,
  to: () => ({
    status: 'pending',
    attempts: 0,
    crashes: 0,
    crashesAlone: 0,
    error: null,
    finishedAtMs: null,
    notBeforeMs: null,
  }),
};

const DISCARD: Change = {
  from: DISCARDABLE,
  to: (nowMs) => ({ status: 'discarded', finishedAtMs: nowMs }),
};

/** Changes events in batches by id without reading payloads. Ignores events that arrive meanwhile. */
async function changeAll(options: AdminOptions, filter: EventFilter, change: Change): Promise<number> {
  const wanted: readonly EventStatus[] = filter.status ?? ['dead'];
  const status = wanted.filter((one) => change.from.includes(one));
  if (status.length === 0) return 0;
  let count = 0;
  let afterId = 0;
  for (;;) {
    const where = { ...toCondition({ ...filter, status }), id: { above: afterId } };
    const columns = ['receivedAtMs'] as const;
    const rows = await options.store.find('events', { where, columns, limit: STEP });
    const last = rows.at(-1);
    if (last === undefined) return count;
    const { afterMs = Number.NEGATIVE_INFINITY } = filter;
    const ids = rows.filter(({ receivedAtMs }) => receivedAtMs > afterMs).map(({ id }) => id);
    if (ids.length > 0) count += await changeEvents(options, { id: ids, status }, change);
    afterId = last.id;
  }
}

async function changeEvents(
  { store, queue, clock }: AdminOptions,
  where: Where<EventRow>,
  change: Change,
): Promise<number> {
  return store.transaction(
    async (writer) => {
      const events = await writer.find('events', { where, columns: ['hookId'] });
      const hookId = [...new Set(events.map((event) => event.hookId))];
      const scenarios = await writer.find('scenarios', { where: { hookId }, columns: ['tenant'] });
      await wakeScenarios(writer, queue, scenarios);
      return writer.update('events', where, change.to(clock.now()));
    },
    { isolation: 'read-committed' },
  );
}

function toCondition({ status, hookId, beforeMs, afterMs }: EventFilter): Where<EventRow> {
  const isBounded = beforeMs !== undefined || afterMs !== undefined;
  const receivedAtMs = beforeMs !== undefined ? { atMost: beforeMs } : { above: afterMs ?? 0 };
  return {
    ...(status && { status }),
    ...(hookId !== undefined && { hookId }),
    ...(isBounded && { receivedAtMs }),
  };
}

/** Interval of the purge. */
export const PURGE_EVERY_MS: number = 60 * 60 * 1000;

/** Delay of the first purge, so that a host that restarts often still purges. */
export const FIRST_PURGE_MS: number = 60 * 1000;

/** Maximum rows per transaction. */
const PURGE_STEP = 1000;
type PurgeContext = Pick<HostContext, 'store' | 'clock' | 'limits'>;

const OVER = ['done', 'discarded', 'rejected'] as const;

/**
 * Deletes finished events and incomplete executions after the retention time and returns disk space. Keeps those that
 * wait for a person. Ids grow with time, so the scan stops at the first recent row.
 */
export async function purge(context: PurgeContext): Promise<void> {
  const beforeMs = context.clock.now() - context.limits.keepMs;
  await inSteps(context, (writer, afterId) => purgeEvents(writer, afterId, beforeMs));
  await inSteps(context, (writer, afterId) => purgeIncompletes(writer, afterId, beforeMs));
  await context.store.shrink();
}

/** Runs each step in its own transaction to keep them short. @param step returns the last id it read */
async function inSteps(
  { store }: PurgeContext,
  step: (writer: HostWriter, afterId: number) => Promise<number | undefined>,
): Promise<void> {
  let afterId: number | undefined = 0;
  while (afterId !== undefined) {
    const from: number = afterId;
    afterId = await store.transaction((writer) => step(writer, from), { isolation: 'read-committed' });
  }
}

async function purgeEvents(
  writer: HostWriter,
  afterId: number,
  beforeMs: number,
): Promise<number | undefined> {
  const columns = ['status', 'receivedAtMs', 'finishedAtMs'] as const;
  const rows = await writer.find('events', { where: { id: { above: afterId } }, columns, limit: PURGE_STEP });
  const old = rows.filter(({ receivedAtMs }) => receivedAtMs <= beforeMs);
  const ids = old.filter(({ finishedAtMs }) => finishedAtMs !== null && finishedAtMs <= beforeMs);
  if (ids.length > 0) await writer.remove('events', { id: ids.map(({ id }) => id), status: OVER });
  return rows.length === PURGE_STEP && old.length > 0 ? rows.at(-1)?.id : undefined;
}

async function purgeIncompletes(
  writer: HostWriter,
  afterId: number,
  beforeMs: number,
): Promise<number | undefined> {
  const columns = ['status', 'createdAtMs', 'finishedAtMs'] as const;
  const rows = await writer.find('incompletes', {
    where: { id: { above: afterId } },
    columns,
    limit: PURGE_STEP,
  });
  const old = rows.filter(({ createdAtMs }) => createdAtMs <= beforeMs);
  const ids = old.filter(({ finishedAtMs }) => finishedAtMs !== null && finishedAtMs <= beforeMs);
  const status = ['resolved', 'discarded'] as const;
  if (ids.length > 0) await writer.remove('incompletes', { id: ids.map(({ id }) => id), status });
  return rows.length === PURGE_STEP && old.length > 0 ? rows.at(-1)?.id : undefined;
}
