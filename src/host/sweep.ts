import { nextStart } from '../scenario/state/next-start.js';
import type { HostContext } from './work/context.js';
import { eventJob, type Job, keyOf } from './job.js';
import { scenarioJob } from './scenario-job.js';
import { planOf, stateOf } from './scenario-plan.js';
import { incompleteJob } from './work/settle.js';
import type { HostWriter, ScenarioRow } from './store/tables.js';

/** What has waited for longer than this, though it may start, is looked at. */
const OVERDUE_MS = 60_000;
/** Events of a hook a sweep adds jobs for. */
const MAX_EVENTS = 1000;

/**
 * Adds the jobs of what is overdue. Jobs and events are stored together, so it finds nothing to mend unless a worker that
 * was taken for dead wakes and ends a job that others have begun, and they end before it is through; or somebody has
 * worked on the tables of the queue. A job too many does no harm.
 */
export async function sweep(context: HostContext): Promise<void> {
  const { store, clock, queue } = context;
  const overdue = { atMost: clock.now() - OVERDUE_MS };
  const hooks = await store.countBy('events', 'hookId', { status: 'pending', receivedAtMs: overdue });
  for (const scenario of await store.find('scenarios')) {
    const isReady = nextStart(stateOf(scenario), planOf(scenario).settings, {
      ...{ kind: 'run', nowMs: clock.now() },
    });
    if (isReady.kind !== 'now') continue;
    const hasEvents = scenario.hookId !== null && hooks.has(scenario.hookId);
    await store.transaction(
      async (writer) => {
        const jobs = [
          ...(await ownJobs(writer, scenario, overdue)),
          ...(await eventJobs(writer, scenario, hasEvents)),
        ];
        if (jobs.length > 0) await queue.add(writer, jobs);
      },
      { isolation: 'read-committed' },
    );
  }
  queue.wake();
}

async function ownJobs(
  writer: HostWriter,
  scenario: ScenarioRow,
  overdue: { readonly atMost: number },
): Promise<readonly Job[]> {
  const { id, nextRunMs } = scenario;
  const where = { scenarioId: id, status: 'waiting', retryAtMs: overdue } as const;
  const retries = (await writer.find('incompletes', { where })).map((row) =>
    incompleteJob(row.id, scenario, row.retryAtMs ?? overdue.atMost),
  );
  const isLate = nextRunMs !== null && nextRunMs <= overdue.atMost;
  return isLate ? [...retries, scenarioJob(scenario, nextRunMs)] : retries;
}

async function eventJobs(
  writer: HostWriter,
  scenario: ScenarioRow,
  hasEvents: boolean,
): Promise<readonly Job[]> {
  if (!hasEvents || scenario.hookId === null || planOf(scenario).settings.scheduling === 'timed') return [];
  const where = { hookId: scenario.hookId, status: 'pending' } as const;
  const jobs = new Map<string, Job>();
  for (const event of await writer.find('events', { where, limit: MAX_EVENTS })) {
    const job = eventJob(event, event.notBeforeMs ?? event.receivedAtMs);
    jobs.set(keyOf(job), job);
  }
  return [...jobs.values()];
}
