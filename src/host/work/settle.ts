import { nextState } from '../../scenario/next-state.js';
import type { HostContext } from '../context.js';
import type { FlowOutcome } from '../ports.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostWriter, ScenarioRow } from '../store/tables.js';
import type { EventClaim } from './claim.js';
import { isSameState } from './move-state.js';
import type { Settled } from './run-scenario.js';
import { completeJobs, RELEASED, type Settlement, settleOne } from './settle-one.js';

/**
 * Stores the results of runs: inputs, states of scenarios, incomplete executions, jobs. Most events succeed without
 * further changes and share statements.
 *
 * @returns per run the effect on its scenario, undefined if none
 * @throws EngineError (HOST_LEASE) if another process took over one of the jobs
 */
export async function settleAll(
  writer: HostWriter,
  context: HostContext,
  settlements: readonly Settlement[],
): Promise<readonly (Settled | undefined)[]> {
  const nowMs = context.clock.now();
  const through = settlements.filter(isThrough);
  const states = await readStates(writer, through);
  const quiet = new Set<Settlement>(
    through.filter((one) => leavesState(states.get(one.claim.scenario.id), one, nowMs)),
  );
  await endEvents(
    writer,
    context,
    through.filter((one) => quiet.has(one)),
  );
  const settled = new Map<Settlement, Settled | undefined>();
  // One global order prevents deadlocks of transactions that lock the same scenarios.
  const others = settlements.filter((one) => !quiet.has(one));
  for (const one of others.toSorted((a, b) => a.claim.scenario.id - b.claim.scenario.id)) {
    settled.set(one, await settleOne(writer, context, one));
  }
  await noteRuns(writer, through, states, nowMs);
  return settlements.map((one) => settled.get(one));
}

/** An event whose run has no results to store except its end. */
interface QuietSettlement {
  readonly claim: EventClaim;
  readonly report: FlowOutcome;
}

/** Whether it is a successful event. */
function isThrough(settlement: Settlement): settlement is QuietSettlement {
  const { claim, report } = settlement;
  if (claim.kind !== 'event' || report === undefined || report === 'stopped') return false;
  const { outcome, error, incompletes } = report;
  const isWell = outcome.kind === 'success' || outcome.kind === 'warning';
  return isWell && error === undefined && incompletes.length === 0;
}

type KnownState = Pick<ScenarioRow, 'id' | 'state' | 'lastRunMs'>;

async function readStates(
  writer: HostWriter,
  settlements: readonly QuietSettlement[],
): Promise<ReadonlyMap<number, KnownState>> {
  const id = [...new Set(settlements.map(({ claim }) => claim.scenario.id))];
  if (id.length === 0) return new Map();
  const rows = await writer.find('scenarios', { where: { id }, columns: ['state', 'lastRunMs'] });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether the state of the scenario stays unchanged, as in most runs. */
function leavesState(
  fresh: KnownState | undefined,
  { claim, report }: QuietSettlement,
  nowMs: number,
): boolean {
  const { settings } = readPlan(claim.scenario);
  const present = (fresh ?? claim.scenario).state;
  const { state } = nextState(readState({ state: present }), settings, report.outcome, nowMs);
  return isSameState(state, present);
}

async function endEvents(
  writer: HostWriter,
  context: HostContext,
  settlements: readonly QuietSettlement[],
): Promise<void> {
  if (settlements.length === 0) return;
  const id = settlements.map(({ claim }) => claim.event.id);
  const done = { status: 'done', error: null, finishedAtMs: context.clock.now(), ...RELEASED } as const;
  // Started together: PostgreSQL pipelines both.
  await Promise.all([
    writer.update('events', { id, status: 'running' }, done),
    completeJobs(
      writer,
      context,
      settlements.map(({ claim }) => claim),
    ),
  ]);
}

/** Minimum interval of writes of the last run time of a busy scenario. */
const NOTE_EVERY_MS = 1000;

async function noteRuns(
  writer: HostWriter,
  settlements: readonly QuietSettlement[],
  states: ReadonlyMap<number, KnownState>,
  nowMs: number,
): Promise<void> {
  const ids = new Set(settlements.map(({ claim }) => claim.scenario.id));
  const id = [...ids].filter((one) => Math.abs(nowMs - (states.get(one)?.lastRunMs ?? 0)) >= NOTE_EVERY_MS);
  if (id.length > 0) await writer.update('scenarios', { id }, { lastRunMs: nowMs });
}
