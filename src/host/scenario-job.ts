import type { Job } from './job.js';
import { scenarioLane } from './scenario-plan.js';
import type { ScenarioRow } from './store/tables.js';

/** The job of the next run of a scenario that is not instant. */
export function scenarioJob(scenario: Pick<ScenarioRow, 'id'>, runAtMs: number): Job {
  return { kind: 'scenario', id: scenario.id, runAtMs, lane: scenarioLane(scenario) };
}

/** Times are counted from the one that was planned, so that runs do not drift; those that were missed are left out. */
export function nextRunAfter(plannedMs: number, everyMs: number, nowMs: number): number {
  const missed = Math.max(0, Math.floor((nowMs - plannedMs) / everyMs));
  return plannedMs + (missed + 1) * everyMs;
}
