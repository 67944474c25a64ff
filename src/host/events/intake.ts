import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { nextStart } from '../../scenario/scenario-state.js';
import { createBatcher } from '../../shared/concurrency.js';
import { StoreError } from '../../shared/errors/engine-error.js';
import type { PlainObject } from '../../shared/plain-object.js';
import type { HostContext } from '../context.js';
import { MAX_REJECTED } from '../host-limits.js';
import type { LaneKey } from '../queue/host-queue.js';
import { keyOf, wakeAll } from '../queue/scenario-keys.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { EventRow, HostWriter, ScenarioRow } from '../store/tables.js';
import type { EventClaim } from '../work/claim.js';
import { RESERVED } from '../work/sweep.js';
import { RESERVE_MS } from '../work/worker.js';
import type { Capacity, QueueCapacity } from './backpressure.js';

/** An event to store. */
export interface EventDraft {
  readonly hookId: number;
  readonly status: 'pending' | 'rejected';
  readonly bundles: unknown;
  /** Bytes of the stored bundles. */
  readonly bytes: number;
  readonly request: PlainObject;
  readonly error: unknown;
}

/** Result for the events of one request: all stored, or none because a queue is full. */
export type Stored =
  | {
      readonly kind: 'stored';
      readonly eventIds: readonly number[];
      /** The claim of an event whose sender waits for the response of the scenario. It is stored as running. */
      readonly answering: EventClaim | undefined;
    }
  | { readonly kind: 'full'; readonly hookId: number };

export interface Intake {
  /**
   * Resolves after the commit.
   * @throws StoreError if the store rejects the events
   */
  readonly store: (drafts: Drafts) => Promise<Stored>;
  /** Whether the store is slow and many calls wait, so that further calls should be refused. */
  readonly isLate: () => boolean;
  /** Whether the queue was recently too full for a call of this size, so the body need not be read. */
  readonly isFull: QueueCapacity['isFull'];
  /** Records that a queue had no capacity for a call of this size. */
  readonly refuse: QueueCapacity['refuse'];
}

/** Minimum number of waiting calls for `isLate`: fewer calls are stored soon after the store responds. */
const MANY_WAITING = 100;

/** Maximum requests per transaction. */
const MAX_BATCH = 500;
/** Maximum bytes of events per transaction. A commit blocks the event loop in proportion. [choice] */
const MAX_BATCH_BYTES = 2 * 1024 * 1024;

type Drafts = readonly EventDraft[];
type NewEvent = Omit<EventRow, 'id'>;

/**
 * Stores events in batches. Calls of one iteration of the event loop, and calls during a transaction, share the next
 * transaction. One transaction at a time keeps the order of events.
 */
export function createIntake(
  context: HostContext,
  capacity: QueueCapacity,
  gather: () => Promise<void> = setImmediate,
): Intake {
  /** Start of the current transaction; undefined while none runs. */
  let storingSinceMs: number | undefined;
  let waiting = 0;
  const storeBatch = async (batch: readonly Drafts[]): Promise<readonly Stored[]> => {
    context.checkpoint('intake: before the transaction');
    storingSinceMs = context.clock.now();
    const results = await context.store
      .transaction(
        async (writer) => {
          const stored = await storeAll(writer, { ...context, capacity }, batch);
          context.checkpoint('intake: before the commit');
          return stored;
        },
        { isolation: 'read-committed' },
      )
      .finally(() => {
        storingSinceMs = undefined;
      });
    context.checkpoint('intake: after the commit');
    return results;
  };
  // An error of one request must not fail the others.
  const isOfOne = (error: unknown): boolean => error instanceof StoreError && error.code === 'STORE_FAILED';
  const weight = { of: countBytes, most: MAX_BATCH_BYTES };
  const enter = createBatcher(storeBatch, { maxItems: MAX_BATCH, weight, isOfOne, gather });
  return {
    isFull: capacity.isFull,
    refuse: capacity.refuse,
    isLate: () => {
      if (storingSinceMs === undefined || waiting < MANY_WAITING) return false;
      return context.clock.now() - storingSinceMs > context.limits.maxStoreWaitMs;
    },
    store: async (drafts) => {
      waiting++;
      try {
        return await enter(drafts);
      } finally {
        waiting--;
      }
    },
  };
}

/** Bytes of the stored bundles. */
export function countBytes(drafts: Drafts): number {
  return drafts.reduce((sum, { bytes }) => sum + bytes, 0);
}

interface IntakeContext extends HostContext {
  readonly capacity: QueueCapacity;
}

async function storeAll(
  writer: HostWriter,
  context: IntakeContext,
  batch: readonly Drafts[],
): Promise<readonly Stored[]> {
  const hookIds = [...new Set(batch.flatMap((drafts) => drafts.map((draft) => draft.hookId)))];
  const found = await writer.find('scenarios', { where: { hookId: hookIds } });
  const scenarios = new Map(found.map((row) => [row.hookId, row]));
  const free = await context.capacity.of(writer, hookIds);
  const rejected = await countRejected(writer, batch, hookIds);
  const answering = chooseAnswering(context, batch, scenarios);
  const rows: NewEvent[] = [];
  const counts: (number | { readonly fullHookId: number })[] = [];
  for (const drafts of batch) {
    const owner = answering.get(drafts);
    // Only a limited number of rejected calls is stored.
    const wanted = drafts
      .filter((it) => it.status === 'pending' || (rejected.get(it.hookId) ?? 0) < MAX_REJECTED)
      .map((draft) => toRow(draft, context, { scenario: scenarios.get(draft.hookId), owner }));
    const fullHookId = takeCapacity(wanted, free);
    counts.push(fullHookId === undefined ? wanted.length : { fullHookId });
    if (fullHookId === undefined) rows.push(...wanted);
  }
  const events = rows.length === 0 ? [] : await writer.insertAll('events', rows);
  const unassigned = new Set(
    events.filter(({ hookId }) => !scenarios.has(hookId)).map(({ hookId }) => hookId),
  );
  for (const row of await findLateScenarios(writer, [...unassigned])) scenarios.set(row.hookId, row);
  await wakeAll(writer, context.queue, listKeys(events, scenarios), true);
  context.capacity.use(events);
  return inBatches(batch, counts, events, answering);
}

function inBatches(
  batch: readonly Drafts[],
  counts: readonly (number | { readonly fullHookId: number })[],
  events: readonly EventRow[],
  answering: ReadonlyMap<Drafts, ScenarioRow>,
): readonly Stored[] {
  let start = 0;
  return counts.map((count, index) => {
    if (typeof count !== 'number') return { kind: 'full', hookId: count.fullHookId };
    start += count;
    const own = events.slice(start - count, start);
    const scenario = answering.get(batch[index] ?? []);
    const [event] = own;
    const claim =
      scenario &&
      event &&
      ({ kind: 'event', event, scenario, turn: undefined, mark: event.turn ?? '' } as const);
    return { kind: 'stored', eventIds: own.map(({ id }) => id), answering: claim };
  });
}

async function countRejected(
  writer: HostWriter,
  batch: readonly Drafts[],
  hookIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const isAny = batch.some((drafts) => drafts.some((draft) => draft.status === 'rejected'));
  if (!isAny) return new Map();
  return writer.countBy('events', 'hookId', { hookId: hookIds, status: 'rejected' });
}

/** Scenarios assigned to hooks since the lookup. Locked from here on. */
async function findLateScenarios(
  writer: HostWriter,
  hookIds: readonly number[],
): Promise<readonly ScenarioRow[]> {
  if (hookIds.length === 0) return [];
  for (const id of hookIds) await writer.getLocked('hooks', { id }, 'key');
  return writer.find('scenarios', { where: { hookId: hookIds } });
}

/** The keys of waiting events. Scheduled scenarios take events as they run, inactive ones take none. */
function listKeys(
  events: readonly EventRow[],
  scenarios: ReadonlyMap<number | null, ScenarioRow>,
): readonly LaneKey[] {
  const hookIds = new Set(events.filter(({ status }) => status === 'pending').map(({ hookId }) => hookId));
  return [...hookIds].flatMap((hookId): LaneKey[] => {
    const scenario = scenarios.get(hookId);
    if (scenario === undefined || scenario.isTimed || readState(scenario).kind === 'inactive') return [];
    return [{ ...keyOf(scenario), lane: scenario.lane }];
  });
}

/** Requests whose sender waits for a responder and that can run immediately. */
function chooseAnswering(
  context: IntakeContext,
  batch: readonly Drafts[],
  scenarios: ReadonlyMap<number | null, ScenarioRow>,
): ReadonlyMap<Drafts, ScenarioRow> {
  const chosen = new Map<Drafts, ScenarioRow>();
  if (!context.isWorking()) return chosen;
  for (const drafts of batch) {
    const [draft, other] = drafts;
    const scenario = draft?.status === 'pending' ? scenarios.get(draft.hookId) : undefined;
    if (scenario !== undefined && other === undefined && answersAtOnce(context, scenario)) {
      chosen.set(drafts, scenario);
    }
  }
  return chosen;
}

function answersAtOnce({ clock }: IntakeContext, scenario: ScenarioRow): boolean {
  const { answers, ordered, settings } = readPlan(scenario);
  if (!answers || ordered || settings.sequential || settings.scheduling !== 'instant') return false;
  return nextStart(readState(scenario), settings, { kind: 'run', nowMs: clock.now() }).kind === 'now';
}

/** Reserves capacity for all events of a request or none. @returns the hook without capacity */
function takeCapacity(rows: readonly NewEvent[], free: Map<number, Capacity>): number | undefined {
  const left = new Map<number, Capacity>();
  for (const { hookId, status, bytes } of rows) {
    if (status === 'rejected') continue;
    const has = left.get(hookId) ?? free.get(hookId) ?? { events: 0, bytes: 0 };
    if (has.events < 1 || has.bytes < bytes) return hookId;
    left.set(hookId, { events: has.events - 1, bytes: has.bytes - bytes });
  }
  for (const [hookId, has] of left) free.set(hookId, has);
  return undefined;
}

interface NewEventOptions {
  /** The scenario of the hook. */
  readonly scenario: ScenarioRow | undefined;
  /** The scenario, if this process starts the event immediately. */
  readonly owner: ScenarioRow | undefined;
}

function toRow(draft: EventDraft, { clock }: IntakeContext, { scenario, owner }: NewEventOptions): NewEvent {
  const { hookId, status, bundles, bytes, request, error } = draft;
  const receivedAtMs = clock.now();
  const isTaken = owner !== undefined;
  return {
    hookId,
    bundles,
    request,
    error,
    receivedAtMs,
    bytes,
    status: isTaken ? 'running' : status,
    // The claim of the event sets it otherwise.
    scenarioId: status === 'rejected' ? null : (scenario?.id ?? null),
    ...(isTaken ? { attempts: 1, crashes: 1 } : { attempts: 0, crashes: 0 }),
    crashesAlone: 0,
    // Another process takes over the event if this one ends.
    notBeforeMs: isTaken ? receivedAtMs + RESERVE_MS : null,
    turn: isTaken ? `${RESERVED}:${randomUUID()}` : null,
    finishedAtMs: status === 'pending' ? null : receivedAtMs,
  };
}
