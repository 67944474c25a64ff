import type { Clock } from '../util/clock.js';
import { eventJob, type Job } from './job.js';
import { scenarioJob } from './scenario-job.js';
import { planOf } from './scenario-plan.js';
import { incompleteJob } from './work/settle.js';
import type { HostReader, ScenarioRow } from './store/tables.js';

/** The jobs of all that waits for a scenario: for the moment it may go on again. */
export async function waitingJobs(
  reader: HostReader,
  scenario: ScenarioRow,
  clock: Clock,
): Promise<readonly Job[]> {
  const nowMs = clock.now();
  const { everyMs } = planOf(scenario);
  const retries = await reader.find('incompletes', { where: { scenarioId: scenario.id, status: 'waiting' } });
  const jobs = retries.map((row) => incompleteJob(row.id, scenario, row.retryAtMs ?? nowMs));
  if (everyMs !== undefined) return [...jobs, scenarioJob(scenario, scenario.nextRunMs ?? nowMs)];
  if (scenario.hookId === null) return jobs;
  const events = await reader.find('events', { where: { hookId: scenario.hookId, status: 'pending' } });
  const byKey = new Map<string, Job>();
  for (const event of events) {
    const job = eventJob(event, nowMs);
    byKey.set(`${job.kind}:${job.id}`, job);
  }
  return [...jobs, ...byKey.values()];
}
