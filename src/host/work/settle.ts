import { nextState, type StoredExecution } from '../../scenario/state/next-state.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostWriter, IncompleteRow, ScenarioRow } from '../store/tables.js';
import type { EventClaim } from './claim.js';
import type { HostContext } from './context.js';
import type { FlowOutcome, IncompleteDraft } from './ports.js';
import type { Settled } from './run-scenario.js';
import { resolveEnd } from './work-end.js';

/** Even where nothing says how long to wait, a failure must not be repeated in a tight loop. */
const MIN_WAIT_MS = 1000;

/** Of an event whose run this process has seen the end of. */
const ENDED = { claimedBy: null, crashes: 0, crashesAlone: 0 } as const;

/** An event and what its run ended with. */
export interface Settlement {
  readonly claim: EventClaim;
  readonly report: FlowOutcome;
}

/**
 * Writes down all that follows from runs of events: what became of the events, the states of the scenarios, incomplete
 * executions. Those that went well and change nothing else share one statement.
 *
 * The caller has made sure that the work is still his (`assertOwn`). An event that was settled already, by a
 * transaction whose answer was lost with the connection, is left as it is.
 *
 * @param held by id, scenarios that the transaction holds already
 * @returns by event id: what followed for its scenario, where something did
 */
export async function settleAll(
  writer: HostWriter,
  context: HostContext,
  settlements: readonly Settlement[],
  held: ReadonlyMap<number, ScenarioRow> = new Map(),
): Promise<ReadonlyMap<number, Settled>> {
  const settled = new Map<number, Settled>();
  if (settlements.length === 0) return settled;
  const nowMs = context.clock.now();
  const ids = new Set(settlements.map(({ claim }) => claim.scenario.id));
  const others = [...ids].filter((id) => !held.has(id));
  const found = others.length === 0 ? [] : await writer.find('scenarios', { where: { id: others } });
  const fresh = new Map([...held, ...found.map((row) => [row.id, row] as const)]);
  const isPlain = ({ claim: { scenario }, report }: Settlement): boolean =>
    changesNothing(fresh.get(scenario.id) ?? scenario, report, nowMs);
  const plain = settlements.filter(isPlain);
  if (plain.length > 0) {
    const own = { status: 'running', claimedBy: context.worker.name() } as const;
    const done = { status: 'done', error: null, finishedAtMs: nowMs, ...ENDED } as const;
    await writer.update('events', { id: plain.map(({ claim }) => claim.event.id), ...own }, done);
    await noteRuns(writer, plain, { fresh, held, nowMs });
  }
  // In one order everywhere: transactions that lock the same scenarios must not wait for each other in a circle.
  const moving = settlements
    .filter((one) => !plain.includes(one))
    .sort((a, b) => a.claim.scenario.id - b.claim.scenario.id);
  for (const { claim, report } of moving) {
    const moved = await settleEvent(writer, context, claim, report);
    if (moved !== undefined) settled.set(claim.event.id, moved);
  }
  return settled;
}

/** How often a scenario whose runs are many writes down when the last one was. */
const NOTE_EVERY_MS = 1000;

async function noteRuns(
  writer: HostWriter,
  settlements: readonly Settlement[],
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

/** Whether a run brought nothing that is written down beside its end; whether it moves its scenario, the state tells. */
export function isQuiet({ error, incompletes }: FlowOutcome): boolean {
  return error === undefined && incompletes.length === 0;
}

/** Whether a run leaves nothing behind but an event that is done. */
function changesNothing(scenario: ScenarioRow, report: FlowOutcome, nowMs: number): boolean {
  if (!isQuiet(report)) return false;
  const transition = nextState(readState(scenario), readPlan(scenario).settings, report.outcome, nowMs);
  return isSame(transition.state, scenario.state) && resolveEnd(report.outcome, transition) === 'done';
}

async function settleEvent(
  writer: HostWriter,
  context: HostContext,
  { event, scenario }: EventClaim,
  report: FlowOutcome,
): Promise<Settled | undefined> {
  const { clock, worker } = context;
  const mine = { id: event.id, status: 'running', claimedBy: worker.name() } as const;
  if ((await writer.getLocked('events', mine, 'update')) === undefined) return undefined;
  const { transition, end } = await moveState(writer, context, scenario, report);
  const nowMs = clock.now();
  const error = report.error ?? null;
  if (end === 'again') {
    const notBeforeMs = nowMs + Math.max(MIN_WAIT_MS, transition.delayMs ?? 0);
    const bundles = dropDone(event.bundles, report.bundlesDone);
    await writer.update('events', mine, { status: 'pending', error, notBeforeMs, bundles, ...ENDED });
  } else {
    await writer.update('events', mine, { status: end, error, finishedAtMs: nowMs, ...ENDED });
  }
  await addIncompletes(writer, context, scenario, report.incompletes);
  return { transition, end };
}

/** Moves the state of a scenario on. One that stays as it is, is not even locked: runs of one scenario are many. */
export async function moveState(
  writer: HostWriter,
  { clock }: HostContext,
  scenario: ScenarioRow,
  report: FlowOutcome,
): Promise<Settled> {
  const nowMs = clock.now();
  const { settings } = readPlan(scenario);
  const fresh = (await writer.get('scenarios', { id: scenario.id })) ?? scenario;
  const transition = nextState(readState(fresh), settings, report.outcome, nowMs);
  if (isSame(transition.state, fresh.state) && report.error === undefined) {
    return { transition, end: resolveEnd(report.outcome, transition) };
  }
  const locked = (await writer.getLocked('scenarios', { id: scenario.id }, 'update')) ?? fresh;
  const moved = nextState(readState(locked), settings, report.outcome, nowMs);
  const lastError = report.error ?? locked.lastError;
  await writer.update('scenarios', { id: scenario.id }, { state: moved.state, lastRunMs: nowMs, lastError });
  return { transition: moved, end: resolveEnd(report.outcome, moved) };
}

/** Stores what could not be processed. */
export async function addIncompletes(
  writer: HostWriter,
  { clock }: HostContext,
  scenario: ScenarioRow,
  drafts: readonly IncompleteDraft[],
): Promise<void> {
  if (drafts.length === 0) return;
  const nowMs = clock.now();
  await writer.insertAll(
    'incompletes',
    drafts.map(({ execution, error, stored }) => ({
      scenarioId: scenario.id,
      execution,
      error,
      claimedBy: null,
      createdAtMs: nowMs,
      crashes: 0,
      crashesAlone: 0,
      finishedAtMs: null,
      ...toResolution(stored),
    })),
  );
}

/** How the row of an incomplete execution says whether and when it is retried. */
export function toResolution(
  stored: StoredExecution,
): Pick<IncompleteRow, 'status' | 'attempts' | 'retryAtMs'> {
  return stored.resolution === 'automatic'
    ? { status: 'waiting', attempts: stored.attempt, retryAtMs: stored.atMs }
    : { status: 'unresolved', attempts: 0, retryAtMs: null };
}

/** What is through is not done again. */
function dropDone(bundles: unknown, done = 0): unknown {
  return Array.isArray(bundles) ? bundles.slice(done) : bundles;
}

/** States are plain data whose members keep their order. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
