import { StoreError } from '../errors/store-error.js';
import { createBatcher } from '../util/batcher.js';
import type { PlainObject } from '../util/plain-object.js';
import type { HostContext } from './work/context.js';
import { eventJob, type Job, keyOf } from './job.js';
import { createQueueRoom, type QueueRoom } from './queue-room.js';
import { laneOf, planOf } from './scenario-plan.js';
import type { EventRow, HostWriter, ScenarioRow } from './store/tables.js';

/** An event that is about to be stored. */
export interface EventDraft {
  readonly hookId: number;
  readonly status: 'pending' | 'rejected';
  readonly bundles: unknown;
  readonly request: PlainObject;
  readonly error: unknown;
}

/** What became of the events of one request: all are stored, or none as a hook has no room for more. */
export type Stored =
  | {
      readonly kind: 'stored';
      readonly events: readonly EventRow[];
      /** Whether the caller runs the one event now, for its sender waits for what the scenario answers. */
      readonly isAnswering: boolean;
    }
  | { readonly kind: 'full'; readonly hookId: number };

export interface Intake {
  /**
   * Resolves when the events are stored for good, with the jobs that process them.
   * @throws StoreError when the store does not take them
   */
  readonly store: (drafts: Drafts) => Promise<Stored>;
}

/** Requests that share a transaction at most. */
const MAX_BATCH = 500;
/** Unreadable requests that are kept of a hook. */
const MAX_REJECTED = 1000;

type Drafts = readonly EventDraft[];

/**
 * Stores events in batches: what arrives while a transaction is under way goes into the next one. One transaction at a
 * time, so that events of this process are stored in the order they came.
 */
export function createIntake(context: HostContext): Intake {
  const room = createQueueRoom(context);
  const storeBatch = async (batch: readonly Drafts[]): Promise<readonly Stored[]> => {
    context.checkpoint('intake: before the transaction');
    const results = await context.store.transaction(
      async (writer) => {
        const stored = await storeAll(writer, { ...context, room }, batch);
        context.checkpoint('intake: before the commit');
        return stored;
      },
      { isolation: 'read-committed' },
    );
    context.checkpoint('intake: after the commit');
    context.queue.wake();
    return results;
  };
  // One that the store refuses must not take the others with it.
  const isOfOne = (error: unknown): boolean => error instanceof StoreError && error.code === 'STORE_FAILED';
  return { store: createBatcher(storeBatch, { maxItems: MAX_BATCH, isOfOne }) };
}

interface IntakeContext extends HostContext {
  readonly room: QueueRoom;
}

async function storeAll(
  writer: HostWriter,
  context: IntakeContext,
  batch: readonly Drafts[],
): Promise<readonly Stored[]> {
  const hookIds = [...new Set(batch.flatMap((drafts) => drafts.map((draft) => draft.hookId)))];
  const scenarios = new Map<number | null, ScenarioRow>();
  for (const row of await writer.find('scenarios', { where: { hookId: hookIds } }))
    scenarios.set(row.hookId, row);
  const room = await context.room.of(writer, hookIds);
  const isAnyRejected = batch.some((drafts) => drafts.some((draft) => draft.status === 'rejected'));
  const rejected = isAnyRejected
    ? await writer.countBy('events', 'hookId', { hookId: hookIds, status: 'rejected' })
    : new Map<number, number>();
  const nowMs = context.clock.now();

  const rows: Omit<EventRow, 'id'>[] = [];
  const counts: (number | { readonly fullHookId: number })[] = [];
  const holds: boolean[] = [];
  for (const drafts of batch) {
    // Nobody looks at more than some of what could not be read.
    const wanted = drafts.filter(
      (it) => it.status === 'pending' || (rejected.get(it.hookId) ?? 0) < MAX_REJECTED,
    );
    const fullHookId = takeRoom(wanted, room);
    counts.push(fullHookId === undefined ? wanted.length : { fullHookId });
    if (fullHookId !== undefined) continue;
    const isAnswering = answersAtOnce(drafts, scenarios);
    for (const draft of wanted) {
      rows.push(rowOf(draft, scenarios.get(draft.hookId), nowMs));
      holds.push(isAnswering);
    }
  }
  const events = rows.length === 0 ? [] : await writer.insertAll('events', rows);
  const runAtMs = events.map((_, index) => (holds[index] ? nowMs + context.limits.leaseMs : nowMs));
  await context.queue.add(writer, jobsOf(events, runAtMs, scenarios));
  context.room.take(events);

  let start = 0;
  return counts.map((count) => {
    if (typeof count !== 'number') return { kind: 'full', hookId: count.fullHookId };
    start += count;
    const isAnswering = holds[start - count] ?? false;
    return { kind: 'stored', events: events.slice(start - count, start), isAnswering };
  });
}

/**
 * Whether a request goes to one scenario that answers its sender, and may do so at once. The process that stores it
 * runs it then, and the queue leaves it alone for that time.
 */
function answersAtOnce(
  [draft, other]: readonly EventDraft[],
  scenarios: ReadonlyMap<number | null, ScenarioRow>,
): boolean {
  if (draft === undefined || other !== undefined || draft.status !== 'pending') return false;
  const scenario = scenarios.get(draft.hookId);
  if (scenario === undefined) return false;
  const { answers, ordered, settings } = planOf(scenario);
  return answers && !ordered && !settings.sequential && settings.scheduling === 'instant';
}

/** Takes the room for all drafts of a request or for none. @returns the hook that has not enough */
function takeRoom(drafts: readonly EventDraft[], room: Map<number, number>): number | undefined {
  const pending = drafts.filter((draft) => draft.status === 'pending');
  const needed = new Map<number, number>();
  for (const { hookId } of pending) needed.set(hookId, (needed.get(hookId) ?? 0) + 1);
  for (const [hookId, count] of needed) if ((room.get(hookId) ?? 0) < count) return hookId;
  for (const [hookId, count] of needed) room.set(hookId, (room.get(hookId) ?? 0) - count);
  return undefined;
}

function rowOf(draft: EventDraft, scenario: ScenarioRow | undefined, nowMs: number): Omit<EventRow, 'id'> {
  const { hookId, status, bundles, request, error } = draft;
  return {
    ...{ hookId, status, bundles, request, error },
    scenarioId: scenario?.id ?? null,
    lane: laneOf({ id: hookId }, scenario),
    attempts: 0,
    claimedBy: null,
    notBeforeMs: null,
    receivedAtMs: nowMs,
    finishedAtMs: status === 'pending' ? null : nowMs,
  };
}

/** One a lane, one an event that is in none, sorted: transactions that add the same jobs must not wait for each other in a circle. */
function jobsOf(
  events: readonly EventRow[],
  runAtMs: readonly number[],
  scenarios: ReadonlyMap<number | null, ScenarioRow>,
): readonly Job[] {
  const jobs = new Map<string, Job>();
  for (const [index, event] of events.entries()) {
    const scenario = scenarios.get(event.hookId);
    // Timed scenarios take what waits at their next run; hooks without a scenario wait for one.
    if (event.status !== 'pending' || scenario === undefined) continue;
    if (planOf(scenario).settings.scheduling === 'timed') continue;
    const job = eventJob(event, runAtMs[index] ?? event.receivedAtMs);
    jobs.set(keyOf(job), job);
  }
  return [...jobs.keys()].sort().map((key) => jobs.get(key) as Job);
}
