import { readPlan } from '../store/scenario-plan.js';
import type { EventRow, HostWriter, ScenarioRow } from '../store/tables.js';
import { type ClaimRequest, isSerial, OPEN_INCOMPLETES } from './claim.js';

/** What is under way of scenarios that do one thing at a time. */
export interface Busy {
  /** By hook that keeps order: the first event that waits. */
  readonly first: Queues;
  /** Hooks with an event that is being processed. */
  readonly hookIds: ReadonlySet<number>;
  /** Scenarios with a retry that is being made. */
  readonly scenarioIds: ReadonlySet<number>;
  /** Incomplete executions that hold up a sequential scenario. */
  readonly unresolved: ReadonlyMap<number, number>;
}

/** What is read of events that wait; what they brought is read as they are taken. */
export const QUEUED: readonly QueuedColumn[] = [
  'status',
  'hookId',
  'scenarioId',
  'attempts',
  'crashes',
  'crashesAlone',
  'notBeforeMs',
  'bytes',
];
type QueuedColumn =
  | 'status'
  | 'hookId'
  | 'scenarioId'
  | 'attempts'
  | 'crashes'
  | 'crashesAlone'
  | 'notBeforeMs'
  | 'bytes';
export type QueuedEvent = Pick<EventRow, 'id' | QueuedColumn>;
export type Queues = ReadonlyMap<number, readonly QueuedEvent[]>;

const NOTHING: Busy = {
  first: new Map(),
  hookIds: new Set(),
  scenarioIds: new Set(),
  unresolved: new Map(),
};

/** What is running and what waits is read as of one moment: what goes back to its queue is seen as either, never as neither. */
export async function findBusy(writer: HostWriter, rows: readonly ScenarioRow[]): Promise<Busy> {
  const serial = rows.filter((row) => isSerial(readPlan(row)));
  if (serial.length === 0) return NOTHING;
  const hookIds = serial.flatMap(({ hookId }) => (hookId === null ? [] : [hookId]));
  const sequential = serial.filter((row) => readPlan(row).settings.sequential).map(({ id }) => id);
  const where = [{ status: 'running' }, { status: 'pending' }] as const;
  const open = { scenarioId: sequential, status: OPEN_INCOMPLETES };
  const isAny = sequential.length > 0;
  const [events, retries, unresolved] = await Promise.all([
    writer.firstOf('events', { column: 'hookId', values: hookIds, where, columns: QUEUED }),
    isAny ? writer.distinct('incompletes', 'scenarioId', { scenarioId: sequential, status: 'running' }) : [],
    isAny ? writer.countBy('incompletes', 'scenarioId', open) : new Map<number, number>(),
  ]);
  return {
    first: byHook(events.filter(({ status }) => status === 'pending')),
    hookIds: new Set(events.filter(({ status }) => status === 'running').map(({ hookId }) => hookId)),
    scenarioIds: new Set(retries),
    unresolved,
  };
}

/** What was read before the rows of the scenarios were there, of those that were known as something else is told of them. */
export interface BusyAhead {
  readonly rows: readonly ScenarioRow[];
  readonly busy: Busy;
}

/** The same, where some of it was read ahead. What has been changed otherwise since is read again. */
export async function completeBusy(
  writer: HostWriter,
  rows: readonly ScenarioRow[],
  ahead: BusyAhead,
): Promise<Busy> {
  const known = new Map(ahead.rows.map((row) => [row.id, row]));
  const more = await findBusy(
    writer,
    rows.filter((row) => !asksTheSame(row, known.get(row.id))),
  );
  const { busy } = ahead;
  return {
    first: new Map([...busy.first, ...more.first]),
    hookIds: new Set([...busy.hookIds, ...more.hookIds]),
    scenarioIds: new Set([...busy.scenarioIds, ...more.scenarioIds]),
    unresolved: new Map([...busy.unresolved, ...more.unresolved]),
  };
}

function asksTheSame(row: ScenarioRow, known: ScenarioRow | undefined): boolean {
  if (known === undefined || row.hookId !== known.hookId) return false;
  const [plan, before] = [readPlan(row), readPlan(known)];
  return isSerial(plan) === isSerial(before) && plan.settings.sequential === before.settings.sequential;
}

/** By hook, in their order. */
export function byHook(events: readonly QueuedEvent[]): Queues {
  const queues = new Map<number, QueuedEvent[]>();
  for (const event of events) {
    const known = queues.get(event.hookId);
    if (known === undefined) queues.set(event.hookId, [event]);
    else known.push(event);
  }
  return queues;
}

/** Whether an event or the scheduled run of a scenario is under way, beside the one that asks. */
export function isRunning(scenario: ScenarioRow, request: ClaimRequest, { hookIds }: Busy): boolean {
  const hasEvent = scenario.hookId !== null && hookIds.has(scenario.hookId);
  return hasEvent || (scenario.claimedBy !== null && request.isScheduled !== true);
}

/** Whether that keeps it from taking another. */
export function isBusy(scenario: ScenarioRow, request: ClaimRequest, busy: Busy): boolean {
  return isSerial(readPlan(scenario)) && isRunning(scenario, request, busy);
}
