import { isSerial, readPlan } from '../store/scenario-plan.js';
import type {
  EventRow,
  HostReader,
  HostStore,
  HostWriter,
  IncompleteRow,
  ScenarioRow,
} from '../store/tables.js';
import type { HostQueue, NewQueueJob, QueueDelivery } from './host-queue.js';

type Scenario = Pick<ScenarioRow, 'id' | 'definition'>;

/** The key shared by all jobs of a scenario. */
export function keyOf(scenarioId: number): string {
  return `scenario-${scenarioId}`;
}

export function scenarioIdOf(key: string): number {
  return Number(key.slice('scenario-'.length));
}

/** The job of an event. Scheduled scenarios take events as they run, so their events have none. */
export function eventJob(scenario: Scenario, rowId: number): NewQueueJob {
  return { kind: 'event', rowId, key: keyOf(scenario.id), isOrdered: isSerial(readPlan(scenario)) };
}

/** The job of an incomplete execution. */
export function retryJob(scenario: Scenario, rowId: number, runAtMs: number | null): NewQueueJob {
  const isOrdered = readPlan(scenario).settings.sequential;
  return { kind: 'retry', rowId, key: keyOf(scenario.id), isOrdered, runAtMs: runAtMs ?? undefined };
}

/** The job of the scheduled run. */
export function runJob({ id }: Scenario, runAtMs: number): NewQueueJob {
  return { kind: 'run', rowId: id, key: keyOf(id), isOrdered: true, runAtMs };
}

const COMMITTED = { isolation: 'read-committed' } as const;
/** Maximum jobs per transaction on start. */
const STEP = 1000;

/** Adds the jobs of all work of a scenario. Existing jobs stay. */
export async function enqueueScenario(
  writer: HostWriter,
  queue: HostQueue,
  scenario: ScenarioRow,
): Promise<void> {
  await queue.enqueue(writer, await findScheduled(writer, scenario));
  for (let afterId = 0; ; ) {
    const jobs = await findEvents(writer, scenario, afterId);
    await queue.enqueue(writer, jobs);
    if (jobs.length < STEP) return;
    afterId = jobs.at(-1)?.rowId ?? 0;
  }
}

/**
 * Adds the jobs of all rows. A queue in memory is empty on start, and a database may be older than its queue. Each
 * step is its own transaction.
 *
 * @param options.isReleasing also makes held jobs due
 */
export async function restoreJobs(
  store: HostStore,
  queue: HostQueue,
  { isReleasing = false }: { readonly isReleasing?: boolean } = {},
): Promise<void> {
  for (const scenario of await store.find('scenarios')) {
    const scheduled = await findScheduled(store, scenario);
    if (isReleasing)
      await store.transaction((writer) => queue.release(writer, keyOf(scenario.id)), COMMITTED);
    const add = (jobs: readonly NewQueueJob[]): Promise<void> =>
      store.transaction((writer) => queue.enqueue(writer, jobs), COMMITTED);
    if (scheduled.length > 0) await add(scheduled);
    for (let afterId = 0; ; ) {
      const jobs = await findEvents(store, scenario, afterId);
      if (jobs.length > 0) await add(jobs);
      if (jobs.length < STEP) break;
      afterId = jobs.at(-1)?.rowId ?? 0;
    }
  }
}

async function findScheduled(reader: HostReader, scenario: ScenarioRow): Promise<readonly NewQueueJob[]> {
  const where = { scenarioId: scenario.id, status: ['waiting', 'running'] } as const;
  const retries = await reader.find('incompletes', { where, columns: ['retryAtMs'] });
  return [
    ...(scenario.nextRunMs === null ? [] : [runJob(scenario, scenario.nextRunMs)]),
    ...retries.map(({ id, retryAtMs }) => retryJob(scenario, id, retryAtMs)),
  ];
}

async function findEvents(
  reader: HostReader,
  scenario: ScenarioRow,
  afterId: number,
): Promise<readonly NewQueueJob[]> {
  const { hookId } = scenario;
  if (hookId === null || readPlan(scenario).settings.scheduling === 'timed') return [];
  const where = { hookId, status: ['pending', 'running'], id: { above: afterId } } as const;
  const rows = await reader.find('events', { where, columns: ['status'], limit: STEP });
  return rows.map(({ id }) => eventJob(scenario, id));
}

/** An event that this process runs. */
export interface EventClaim {
  readonly kind: 'event';
  readonly event: EventRow;
  readonly scenario: ScenarioRow;
  readonly delivery: QueueDelivery;
}

/** An incomplete execution that this process retries. */
export interface IncompleteClaim {
  readonly kind: 'incomplete';
  readonly incomplete: IncompleteRow;
  readonly scenario: ScenarioRow;
  readonly delivery: QueueDelivery;
}

/** A scheduled run of this process. */
export interface ScheduledClaim {
  readonly kind: 'scheduled';
  readonly scenario: ScenarioRow;
  readonly delivery: QueueDelivery;
  /** Whether it runs without other work in this process. */
  readonly isAlone: boolean;
}

/** Work of this process with its job. The job may be another one of the same ordered key. */
export type Claim = EventClaim | IncompleteClaim | ScheduledClaim;

/** States of incomplete executions that block a sequential scenario. */
export const OPEN_INCOMPLETES = ['waiting', 'running', 'unresolved'] as const;
