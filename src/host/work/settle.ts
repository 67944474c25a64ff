import { nextState } from '../../scenario/state/next-state.js';
import type { Claim, EventClaim } from '../claim/claim.js';
import { RELEASED } from '../claim/free-work.js';
import type { HostContext } from '../ports/context.js';
import type { FlowOutcome } from '../ports/ports.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostWriter, ScenarioRow } from '../store/tables.js';
import { isSameState, moveState } from './move-state.js';
import type { Settled } from './run-scenario.js';
import { type Settlement, settleOne } from './settle-one.js';

/**
 * Writes down that events are through, whatever the states of their scenarios are, in one statement.
 *
 * @returns whether they were still this worker's: a transaction whose answer was lost with the connection may have settled
 * them already, and then all of them
 */
export async function endEvents(
  writer: HostWriter,
  { clock, worker }: HostContext,
  settlements: readonly QuietSettlement[],
): Promise<boolean> {
  if (settlements.length === 0) return false;
  const mine = { status: 'running', claimedBy: worker.name() } as const;
  const done = { status: 'done', error: null, finishedAtMs: clock.now(), ...RELEASED } as const;
  const ids = settlements.map(({ claim }) => claim.event.id);
  return (await writer.update('events', { id: ids, ...mine }, done)) > 0;
}

export interface SettleOptions {
  /** By id, scenarios that the transaction holds already. */
  readonly held?: ReadonlyMap<number, ScenarioRow> | undefined;
  /** What `endEvents` said of those that are through. */
  readonly wereMine: boolean;
}

/**
 * Writes down what else follows from runs: what became of what they worked on, the states of the scenarios, incomplete
 * executions. Most events go well and change nothing else.
 *
 * The caller has made sure that the work is still his (`assertOwn`), and has ended the events that are through
 * (`endEvents`). What was settled already, by a transaction whose answer was lost with the connection, is left as it is.
 *
 * @returns what followed for its scenario, where something did
 */
export async function settleAll(
  writer: HostWriter,
  context: HostContext,
  settlements: readonly Settlement[],
  { held = new Map(), wereMine }: SettleOptions,
): Promise<ReadonlyMap<Claim, Settled>> {
  const settled = new Map<Claim, Settled>();
  if (settlements.length === 0) return settled;
  const nowMs = context.clock.now();
  const through = settlements.filter(isThrough);
  const ids = new Set(settlements.map(({ claim }) => claim.scenario.id));
  const others = [...ids].filter((id) => !held.has(id));
  const found = others.length === 0 ? [] : await writer.find('scenarios', { where: { id: others } });
  const fresh = new Map([...held, ...found.map((row) => [row.id, row] as const)]);
  if (through.length > 0) await noteRuns(writer, through, { fresh, held, nowMs });
  // In one order everywhere: transactions that lock the same scenarios must not wait for each other in a circle.
  const inOrder = settlements.toSorted((a, b) => a.claim.scenario.id - b.claim.scenario.id);
  for (const one of inOrder) {
    const { scenario } = one.claim;
    const isEnded = isThrough(one);
    if (isEnded && (!wereMine || leavesState(fresh.get(scenario.id) ?? scenario, one, nowMs))) continue;
    const moved = isEnded
      ? await moveState(writer, context, scenario, one.report)
      : await settleOne(writer, context, one);
    if (moved !== undefined) settled.set(one.claim, moved);
  }
  return settled;
}

/** How often a scenario whose runs are many writes down when the last one was. */
const NOTE_EVERY_MS = 1000;

async function noteRuns(
  writer: HostWriter,
  settlements: readonly QuietSettlement[],
  { fresh, held, nowMs }: NoteOptions,
): Promise<void> {
  const ids = new Set(settlements.map(({ claim }) => claim.scenario.id));
  const old = [...ids].filter((id) => Math.abs(nowMs - (fresh.get(id)?.lastRunMs ?? 0)) >= NOTE_EVERY_MS);
  // Those somebody else holds note a run of their own.
  const others = old.filter((id) => !held.has(id));
  const free = others.length === 0 ? [] : await writer.lockFree('scenarios', { id: others });
  const noting = [...old.filter((id) => held.has(id)), ...free.map(({ id }) => id)];
  if (noting.length > 0) await writer.update('scenarios', { id: noting }, { lastRunMs: nowMs });
}

interface NoteOptions {
  /** The scenarios as they are. */
  readonly fresh: ReadonlyMap<number, ScenarioRow>;
  /** Those that the transaction holds. */
  readonly held: ReadonlyMap<number, ScenarioRow>;
  readonly nowMs: number;
}

/** An event whose run brought nothing that is written down beside its end. */
export interface QuietSettlement {
  readonly claim: EventClaim;
  readonly report: FlowOutcome;
}

/** Whether it is an event that went well. It is done then, whatever the state of its scenario. */
export function isThrough(settlement: Settlement): settlement is QuietSettlement {
  const { claim, report } = settlement;
  if (claim.kind !== 'event' || report === undefined) return false;
  const { outcome, error, incompletes } = report;
  const isWell = outcome.kind === 'success' || outcome.kind === 'warning';
  return isWell && error === undefined && incompletes.length === 0;
}

/** Whether the state of the scenario stays as it is, as it mostly does. */
function leavesState(scenario: ScenarioRow, { report }: QuietSettlement, nowMs: number): boolean {
  const { state } = nextState(readState(scenario), readPlan(scenario).settings, report.outcome, nowMs);
  return isSameState(state, scenario.state);
}
