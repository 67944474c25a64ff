import { nextState } from '../../scenario/state/next-state.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostWriter, ScenarioRow } from '../store/tables.js';
import type { Claim, EventClaim } from './claim.js';
import type { HostContext } from './context.js';
import { RELEASED } from './free-work.js';
import { isSameState } from './move-state.js';
import type { FlowOutcome } from './ports.js';
import type { Settled } from './run-scenario.js';
import { type Settlement, settleOne } from './settle-one.js';
import { resolveEnd } from './work-end.js';

/**
 * Writes down all that follows from runs: what became of what they worked on, the states of the scenarios, incomplete
 * executions. Events that went well and change nothing else share one statement.
 *
 * The caller has made sure that the work is still his (`assertOwn`). What was settled already, by a transaction whose
 * answer was lost with the connection, is left as it is.
 *
 * @param held by id, scenarios that the transaction holds already
 * @returns what followed for its scenario, where something did
 */
export async function settleAll(
  writer: HostWriter,
  context: HostContext,
  settlements: readonly Settlement[],
  held: ReadonlyMap<number, ScenarioRow> = new Map(),
): Promise<ReadonlyMap<Claim, Settled>> {
  const settled = new Map<Claim, Settled>();
  if (settlements.length === 0) return settled;
  const nowMs = context.clock.now();
  const ids = new Set(settlements.map(({ claim }) => claim.scenario.id));
  const others = [...ids].filter((id) => !held.has(id));
  const found = others.length === 0 ? [] : await writer.find('scenarios', { where: { id: others } });
  const fresh = new Map([...held, ...found.map((row) => [row.id, row] as const)]);
  const plain = settlements.filter(isQuiet).filter(({ claim: { scenario }, report }) => {
    const row = fresh.get(scenario.id) ?? scenario;
    return changesNothing(row, report, nowMs);
  });
  if (plain.length > 0) {
    const own = { status: 'running', claimedBy: context.worker.name() } as const;
    const done = { status: 'done', error: null, finishedAtMs: nowMs, ...RELEASED } as const;
    await writer.update('events', { id: plain.map(({ claim }) => claim.event.id), ...own }, done);
    await noteRuns(writer, plain, { fresh, held, nowMs });
  }
  // In one order everywhere: transactions that lock the same scenarios must not wait for each other in a circle.
  const moving = settlements
    .filter((one) => !plain.some(({ claim }) => claim === one.claim))
    .sort((a, b) => a.claim.scenario.id - b.claim.scenario.id);
  for (const one of moving) {
    const moved = await settleOne(writer, context, one);
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
interface QuietSettlement {
  readonly claim: EventClaim;
  readonly report: FlowOutcome;
}

/** Whether it is one; whether it moves its scenario all the same, the state tells. */
export function isQuiet(settlement: Settlement): settlement is QuietSettlement {
  const { claim, report } = settlement;
  return claim.kind === 'event' && report?.error === undefined && report?.incompletes.length === 0;
}

/** Whether such a run leaves nothing behind but an event that is done. */
function changesNothing(scenario: ScenarioRow, { outcome }: FlowOutcome, nowMs: number): boolean {
  const transition = nextState(readState(scenario), readPlan(scenario).settings, outcome, nowMs);
  return isSameState(transition.state, scenario.state) && resolveEnd(outcome, transition) === 'done';
}
