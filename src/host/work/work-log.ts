import { EngineError } from '../../errors/engine-error.js';
import { createBatcher } from '../../util/batcher.js';
import type { HostWriter, ScenarioRow } from '../store/tables.js';
import { type Claim, type Claimed, type ClaimRequest, claimWork } from './claim.js';
import type { HostContext } from './context.js';
import { nextTurn } from './next-turn.js';
import { isPassing, persist } from './persist.js';
import type { Settled } from './run-scenario.js';
import { isQuiet, type Settlement, settleAll } from './settle.js';

/** What came of an event, and what work is wanted next. */
export interface WorkEntry {
  readonly settled?: Settlement | undefined;
  readonly requests?: readonly ClaimRequest[] | undefined;
  readonly signal: AbortSignal;
}

export interface WorkAnswer {
  /** For each request, in their order, what it got. */
  readonly claimed: readonly Claimed[];
  /** What followed for the scenario; undefined where the event is done and nothing else has changed. */
  readonly settled: Settled | undefined;
}

/**
 * Writes down what came of events and takes work. What comes in while a transaction is under way shares the next one,
 * so a commit and its round trips are paid once for many events: what is settled first makes room for what is taken.
 */
export interface WorkLog {
  /**
   * Settles an event, takes work, or both in one transaction. Waits for a store that is away.
   * @throws EngineError (HOST_LEASE); the reason of the signal; whatever no repeat can help
   */
  readonly write: (entry: WorkEntry) => Promise<WorkAnswer>;
  /** Says what this process works on, as the row of `table` that was just written in its name. */
  readonly hold: (table: HeldTable, id: number) => void;
  /** Says that nobody of this process works on something any more, though it was not settled here. */
  readonly drop: (table: HeldTable, id: number) => void;
}

/** Tables with rows that workers have to themselves. */
export type HeldTable = 'events' | 'incompletes' | 'scenarios';

/** Entries that share a transaction at most. */
const MAX_ENTRIES = 200;

export interface WorkLogOptions {
  /** Told of all that was taken, once it is committed. */
  readonly onTaken?: ((claim: Claim) => void) | undefined;
  /** Waits before each transaction for what belongs to it. Default: one turn of the event loop. */
  readonly gather?: (() => Promise<void>) | undefined;
}

export function createWorkLog(
  context: HostContext,
  { onTaken = () => {}, gather = nextTurn }: WorkLogOptions = {},
): WorkLog {
  const held = new Set<string>();
  const makeKey = (table: HeldTable, id: number): string => `${table} ${id}`;
  const isHeld = (table: HeldTable, id: number): boolean => held.has(makeKey(table, id));
  const hold = (claim: Claim, isOn: boolean): void => {
    const key = heldBy(claim);
    if (isOn) held.add(makeKey(...key));
    else held.delete(makeKey(...key));
  };
  let checkedAtMs = Number.NEGATIVE_INFINITY;

  async function commit(entries: readonly WorkEntry[]): Promise<readonly WorkAnswer[]> {
    const [first] = entries;
    if (first === undefined) return [];
    const taken: Claim[] = [];
    // What an attempt has taken is not ours where it failed; or it is, and nobody has heard of the commit.
    const forget = (): void => {
      if (taken.length > 0) checkedAtMs = Number.NEGATIVE_INFINITY;
      for (const claim of taken.splice(0)) hold(claim, false);
    };
    const attempt = (writer: HostWriter): Promise<readonly WorkAnswer[]> => {
      forget();
      return write(writer, entries, taken);
    };
    const answers = await persist(context, first.signal, attempt).catch((error: unknown) => {
      forget();
      throw error;
    });
    for (const { settled } of entries) if (settled !== undefined) hold(settled.claim, false);
    for (const claim of taken) onTaken(claim);
    for (const { claimed } of answers)
      for (const notice of claimed.flatMap(({ notices }) => notices)) context.observe(notice);
    return answers;
  }

  async function write(
    writer: HostWriter,
    entries: readonly WorkEntry[],
    taken: Claim[],
  ): Promise<readonly WorkAnswer[]> {
    await context.worker.assertOwn(writer);
    const settlements = entries.flatMap(({ settled }) => (settled === undefined ? [] : [settled]));
    const wanting = entries.filter(({ requests, signal }) => requests !== undefined && !signal.aborted);
    const requests = wanting.flatMap(({ requests: some = [] }) => some);
    // What is settled reads the rows that are held. Where states are moved others are locked, one after the other, and
    // who holds some must not wait for them.
    const isCalm = settlements.every(({ report }) => isQuiet(report));
    const early = isCalm ? await holdScenarios(writer, requests) : undefined;
    const moved = await settleAll(writer, context, settlements, early);
    await freeUnattended(writer);
    const claimed = await claimWork(
      writer,
      context,
      requests,
      early === undefined || moved.size > 0 ? await holdScenarios(writer, requests) : early,
    );
    // Before the commit: nobody may find them taken and not worked on.
    for (const claim of claimed.flatMap(({ claims }) => claims)) {
      hold(claim, true);
      taken.push(claim);
    }
    if (taken.length > 0) context.checkpoint('work: taken');
    if (settlements.length > 0) context.checkpoint('event: before the commit');
    let next = 0;
    return entries.map((entry) => {
      const count = wanting.includes(entry) ? (entry.requests?.length ?? 0) : 0;
      next += count;
      const settled = entry.settled && moved.get(entry.settled.claim.event.id);
      return { claimed: claimed.slice(next - count, next), settled };
    });
  }

  /**
   * What stands in the name of this process though it does not work on it was taken by a transaction whose answer was
   * lost with the connection. It waits again.
   *
   * A retry or a scheduled run settles in a transaction of its own, perhaps between the look and the change: so the
   * change asks again for what is still taken in the own name.
   */
  async function freeUnattended(writer: HostWriter): Promise<void> {
    const nowMs = context.clock.now();
    if (Math.abs(nowMs - checkedAtMs) < context.limits.leaseMs / 4) return;
    const own = { status: 'running', claimedBy: context.worker.name() } as const;
    const columns = ['id'] as const;
    const free = { claimedBy: null, crashes: 0, crashesAlone: 0 };
    const listFreeIds = (table: HeldTable, rows: readonly { readonly id: number }[]): number[] =>
      rows.map(({ id }) => id).filter((id) => !isHeld(table, id));
    const events = listFreeIds('events', await writer.find('events', { where: own, columns }));
    if (events.length > 0)
      await writer.update('events', { id: events, ...own }, { ...free, status: 'pending' });
    const retries = listFreeIds('incompletes', await writer.find('incompletes', { where: own, columns }));
    if (retries.length > 0)
      await writer.update('incompletes', { id: retries, ...own }, { ...free, status: 'waiting' });
    const { claimedBy } = own;
    const runs = listFreeIds('scenarios', await writer.find('scenarios', { where: { claimedBy }, columns }));
    if (runs.length > 0) await writer.update('scenarios', { id: runs, claimedBy }, free);
    checkedAtMs = nowMs;
  }

  const enter = createBatcher(commit, { maxItems: MAX_ENTRIES, isOfOne: isNoLease, gather });
  return {
    write: enter,
    hold: (table, id) => void held.add(makeKey(table, id)),
    drop: (table, id) => void held.delete(makeKey(table, id)),
  };
}

/** Holds those of the scenarios that were asked for and that nobody else is at, by id. */
async function holdScenarios(
  writer: HostWriter,
  requests: readonly ClaimRequest[],
): Promise<ReadonlyMap<number, ScenarioRow>> {
  const id = [...new Set(requests.map(({ scenarioId }) => scenarioId))];
  const rows = id.length === 0 ? [] : await writer.lockFree('scenarios', { id });
  return new Map(rows.map((row) => [row.id, row]));
}

function heldBy(claim: Claim): readonly [HeldTable, number] {
  switch (claim.kind) {
    case 'event':
      return ['events', claim.event.id];
    case 'incomplete':
      return ['incompletes', claim.incomplete.id];
    case 'scheduled':
      return ['scenarios', claim.scenario.id];
  }
}

/** What the store does not take of one event must not hold up the others. */
function isNoLease(error: unknown): boolean {
  return !(error instanceof EngineError && error.code === 'HOST_LEASE') && !isPassing(error);
}
