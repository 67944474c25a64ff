import { toPlanColumns } from '../../src/host/queue/scenario-keys.js';
import { readPlan } from '../../src/host/store/scenario-plan.js';
import type { EventRow, IncompleteRow, ScenarioRow } from '../../src/host/store/tables.js';
import { plan } from './test-flows.js';

/** A row that no worker has started. */
const UNTOUCHED = { attempts: 0, crashes: 0, crashesAlone: 0 } as const;

/** Complete rows for tests that insert them directly. */
export function newEvent(change: Partial<EventRow> = {}): Omit<EventRow, 'id'> {
  return {
    hookId: 1,
    scenarioId: null,
    status: 'pending',
    bundles: [{}],
    request: {},
    bytes: 4,
    ...UNTOUCHED,
    notBeforeMs: null,
    error: null,
    receivedAtMs: 1,
    finishedAtMs: null,
    turn: null,
    ...change,
  };
}

export function newScenario(change: Partial<ScenarioRow> = {}): Omit<ScenarioRow, 'id'> {
  return {
    name: 's',
    definition: plan(),
    hookId: null,
    ...toPlanColumns(readPlan({ definition: change.definition ?? plan() })),
    tenant: 's',
    state: { kind: 'active', errors: 0 },
    triggerState: null,
    scheduledMs: null,
    nextRunMs: null,
    lastRunMs: null,
    lastError: null,
    ...UNTOUCHED,
    ...change,
  };
}

export function newIncomplete(change: Partial<IncompleteRow> = {}): Omit<IncompleteRow, 'id'> {
  return {
    scenarioId: 1,
    status: 'waiting',
    execution: {},
    bytes: 2,
    error: null,
    ...UNTOUCHED,
    createdAtMs: 1,
    retryAtMs: 1,
    finishedAtMs: null,
    turn: null,
    ...change,
  };
}
