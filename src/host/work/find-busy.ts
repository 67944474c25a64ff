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
];
type QueuedColumn =
  | 'status'
  | 'hookId'
  | 'scenarioId'
  | 'attempts'
  | 'crashes'
  | 'crashesAlone'
  | 'notBeforeMs';
export type QueuedEvent = Pick<EventRow, 'id' | QueuedColumn>;
export type Queues = ReadonlyMap<number, readonly QueuedEvent[]>;

/** What is running and what waits is read as of one moment: what goes back to its queue is seen as either, never as neither. */
export async function findBusy(writer: HostWriter, rows: readonly ScenarioRow[]): Promise<Busy> {
  const serial = rows.filter((row) => isSerial(readPlan(row)));
  const hookIds = serial.flatMap(({ hookId }) => (hookId === null ? [] : [hookId]));
  const sequential = serial.filter((row) => readPlan(row).settings.sequential).map(({ id }) => id);
  const where = [{ status: 'running' }, { status: 'pending' }] as const;
  const events = await writer.firstOf('events', {
    column: 'hookId',
    values: hookIds,
    where,
    columns: QUEUED,
  });
  const isAny = sequential.length > 0;
  const retries = isAny
    ? await writer.distinct('incompletes', 'scenarioId', { scenarioId: sequential, status: 'running' })
    : [];
  const open = { scenarioId: sequential, status: OPEN_INCOMPLETES };
  const unresolved = isAny
    ? await writer.countBy('incompletes', 'scenarioId', open)
    : new Map<number, number>();
  return {
    first: byHook(events.filter(({ status }) => status === 'pending')),
    hookIds: new Set(events.filter(({ status }) => status === 'running').map(({ hookId }) => hookId)),
    scenarioIds: new Set(retries),
    unresolved,
  };
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
