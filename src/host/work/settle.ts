import { nextState } from '../../scenario/state/next-state.js';
import type { HostContext } from '../ports/context.js';
import type { FlowOutcome } from '../ports/ports.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostWriter, ScenarioRow } from '../store/tables.js';
import type { EventClaim } from './claim.js';
import { isSameState } from './move-state.js';
import type { Settled } from './run-scenario.js';
import { completeJobs, RELEASED, type Settlement, settleOne } from './settle-one.js';

/**
 * Writes down what follows from runs: what became of what they worked on, the states of the scenarios, incomplete
 * executions, jobs. Most events go well and change nothing else; they share their statements.
 *
 * @returns for each of them what followed for its scenario, undefined where nothing did
 * @throws EngineError (HOST_LEASE) if another process has one of the jobs
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
  // In one order everywhere: transactions that lock the same scenarios must not wait for each other in a circle.
  const others = settlements.filter((one) => !quiet.has(one));
  for (const one of others.toSorted((a, b) => a.claim.scenario.id - b.claim.scenario.id)) {
    settled.set(one, await settleOne(writer, context, one));
  }
  await noteRuns(writer, through, states, nowMs);
  return settlements.map((one) => settled.get(one));
}

/** An event whose run brought nothing that is written down beside its end. */
interface QuietSettlement {
  readonly claim: EventClaim;
  readonly report: FlowOutcome;
}

/** Whether it is an event that went well. */
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

/** Whether the state of the scenario stays as it is, as it mostly does. */
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
  // Asked at once: on PostgreSQL both go out together.
  await Promise.all([
    writer.update('events', { id, status: 'running' }, done),
    completeJobs(
      writer,
      context,
      settlements.map(({ claim }) => claim),
    ),
  ]);
}

/** How often a scenario whose runs are many writes down when the last one was. */
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
