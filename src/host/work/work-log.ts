import { setImmediate } from 'node:timers/promises';
import { EngineError } from '../../errors/engine-error.js';
import { createBatcher } from '../../util/batcher.js';
import type { Claim, Claimed, ClaimRequest } from '../claim/claim.js';
import { claimWork } from '../claim/claim-work.js';
import { findBusy } from '../claim/find-busy.js';
import type { HeldTable } from '../claim/free-work.js';
import { createHeldWork, locateClaim } from '../claim/held-work.js';
import type { HostContext } from '../ports/context.js';
import type { HostWriter, ScenarioRow } from '../store/tables.js';
import { isPassing, persist } from './persist.js';
import type { Settled } from './run-scenario.js';
import { endEvents, isThrough, settleAll } from './settle.js';
import type { Settlement } from './settle-one.js';

/** What came of something that was taken, and what work is wanted next. */
export interface WorkEntry {
  readonly settled?: Settlement | undefined;
  readonly requests?: readonly ClaimRequest[] | undefined;
  readonly signal: AbortSignal;
}

export interface WorkAnswer {
  /** For each request, in their order, what it got. */
  readonly claimed: readonly Claimed[];
  /** What followed for the scenario; undefined where an event is done and nothing else has changed. */
  readonly settled: Settled | undefined;
}

/** How checkpoints call what was taken. */
export const POINT_NAMES = { event: 'event', incomplete: 'incomplete', scheduled: 'scenario' } as const;

/**
 * Writes down what came of what was taken, and takes work. What comes in while a transaction is under way shares the next one,
 * so a commit and its round trips are paid once for many: what is settled first makes room for what is taken.
 */
export interface WorkLog {
  /**
   * Settles something, takes work, or both in one transaction. Waits for a store that is away.
   * @throws EngineError (HOST_LEASE); the reason of the signal; whatever no repeat can help
   */
  readonly write: (entry: WorkEntry) => Promise<WorkAnswer>;
  /** Says what this process works on, as the row of `table` that was just written in its name. */
  readonly hold: (table: HeldTable, id: number) => void;
  /** Says that nobody of this process works on something any more, though it was not settled here. */
  readonly drop: (table: HeldTable, id: number) => void;
}

/** A context with the one log of the process. */
export interface WorkContext extends HostContext {
  readonly log: WorkLog;
}

/** Says, as a transaction begins, what it should take beside what its entries ask for. */
export interface WorkSource {
  readonly choose: () => readonly ClaimRequest[];
  /** Tells what each of them got, once that is committed; undefined where the transaction failed. */
  readonly give: (requests: readonly ClaimRequest[], claimed: readonly Claimed[] | undefined) => void;
}

const NO_SOURCE: WorkSource = { choose: () => [], give: () => {} };

/** Entries that share a transaction at most. */
const MAX_ENTRIES = 200;

export interface WorkLogOptions {
  /** Told of all that was taken, once it is committed. */
  readonly onTaken?: ((claim: Claim) => void) | undefined;
  /** Waits before each transaction for what belongs to it. Default: one turn of the event loop. */
  readonly gather?: (() => Promise<void>) | undefined;
  /** Default: nothing is taken but what is asked for. */
  readonly source?: WorkSource | undefined;
}

export function createWorkLog(
  context: HostContext,
  { onTaken = () => {}, gather = setImmediate, source = NO_SOURCE }: WorkLogOptions = {},
): WorkLog {
  const held = createHeldWork(context);

  async function commit(entries: readonly WorkEntry[]): Promise<readonly WorkAnswer[]> {
    const [first] = entries;
    if (first === undefined) return [];
    const chosen = source.choose();
    const isNothing = entries.every(
      ({ settled, requests }) => settled === undefined && requests === undefined,
    );
    if (isNothing && chosen.length === 0 && !held.isCheckDue()) return entries.map(() => NOTHING);
    let isRepeated = false;
    let [begunAtMs, own] = [0, ''];
    const attempt = (writer: HostWriter): Promise<Written> => {
      [begunAtMs, own] = [context.clock.now(), context.worker.name()];
      // What the one before has taken is not ours where it failed; or it is, and nobody has heard of the commit.
      if (isRepeated) held.checkSoon();
      isRepeated = true;
      return write(writer, { entries, chosen });
    };
    const { answers, given } = await persist(context, first.signal, attempt).catch((error: unknown) => {
      held.checkSoon();
      source.give(chosen, undefined);
      throw error;
    });
    for (const { settled } of entries) if (settled !== undefined) held.drop(...locateClaim(settled.claim));
    // No transaction of this log has looked meanwhile. What was settled may be taken again by now.
    const claimed = [...answers.flatMap((answer) => answer.claimed), ...given];
    for (const { notices } of claimed) for (const notice of notices) context.observe(notice);
    const claims = claimed.flatMap((one) => one.claims);
    if (claims.length > 0 && !(await isStillOwn(context, { begunAtMs, own, signal: first.signal }))) {
      source.give(chosen, undefined);
      return answers.map((answer) => ({ ...answer, claimed: answer.claimed.map(takeNothing) }));
    }
    for (const claim of claims) {
      held.hold(...locateClaim(claim));
      onTaken(claim);
    }
    source.give(chosen, given);
    return answers;
  }

  async function write(writer: HostWriter, { entries, chosen }: Batch): Promise<Written> {
    const settlements = entries.flatMap(({ settled }) => (settled === undefined ? [] : [settled]));
    const wanting = entries.filter(({ requests, signal }) => requests !== undefined && !signal.aborted);
    const asked = wanting.flatMap(({ requests = [] }) => requests);
    const requests = [...asked, ...chosen];
    const through = settlements.filter(isThrough);
    // What is settled reads the rows that are held. Where states are moved others are locked, one after the other, and
    // who holds some must not wait for them.
    const isCalm = through.length === settlements.length && !held.isCheckDue();
    const known = isCalm ? through.map(({ claim }) => claim.scenario) : [];
    const wanted = new Set(requests.map(({ scenarioId }) => scenarioId));
    const rows = known.filter(({ id }) => wanted.has(id));
    // All are asked at once, and answered in this order: what has ended is seen by the look at what is next, which is behind
    // the hold. Where the work is not this worker's, nothing of it is kept.
    const ids = [...wanted];
    const isHeldFirst = isCalm && ids.length > 0;
    const [early, , wereMine, busy] = await Promise.all([
      isHeldFirst ? context.worker.holdFree(writer, ids).then(byId) : undefined,
      isHeldFirst ? undefined : context.worker.assertOwn(writer),
      endEvents(writer, context, through),
      isCalm ? findBusy(writer, rows) : undefined,
    ]);
    const moved = await settleAll(writer, context, settlements, { held: early, wereMine });
    await held.freeUnattended(writer);
    const claimed = await claimWork(writer, context, requests, {
      held: early === undefined || moved.size > 0 ? await holdScenarios(writer, ids) : early,
      ahead: busy && { rows, busy },
    });
    if (claimed.some(({ claims }) => claims.length > 0)) context.checkpoint('work: taken');
    for (const kind of new Set(settlements.map(({ claim }) => claim.kind))) {
      context.checkpoint(`${POINT_NAMES[kind]}: before the commit`);
    }
    let next = 0;
    const answers = entries.map((entry) => {
      const count = wanting.includes(entry) ? (entry.requests?.length ?? 0) : 0;
      next += count;
      const settled = entry.settled && moved.get(entry.settled.claim);
      return { claimed: claimed.slice(next - count, next), settled };
    });
    return { answers, given: claimed.slice(asked.length) };
  }

  const enter = createBatcher(commit, { maxItems: MAX_ENTRIES, isOfOne: isNoLease, gather });
  return { write: enter, hold: held.hold, drop: held.drop };
}

const NOTHING: WorkAnswer = { claimed: [], settled: undefined };

function takeNothing(claimed: Claimed): Claimed {
  return { ...claimed, claims: [], rest: 'held', notices: [] };
}

/** When a transaction was begun, and under which name. */
interface Begun {
  readonly begunAtMs: number;
  readonly own: string;
  readonly signal: AbortSignal;
}

/**
 * Whether what a transaction has taken is this worker's still. One that was asleep as the answer came may have been taken for dead:
 * whoever has its work now is ahead of it, and what it began would come behind what they have done since.
 */
async function isStillOwn(context: HostContext, { begunAtMs, own, signal }: Begun): Promise<boolean> {
  const { clock, limits, worker } = context;
  for (let sinceMs = begunAtMs; Math.abs(clock.now() - sinceMs) >= limits.leaseMs / 2; ) {
    sinceMs = clock.now();
    try {
      await persist(context, signal, (writer) => worker.assertOwn(writer));
    } catch (error) {
      if (error instanceof EngineError && error.code === 'HOST_LEASE') return false;
      throw error;
    }
  }
  return worker.name() === own;
}

/** What a transaction does. */
interface Batch {
  readonly entries: readonly WorkEntry[];
  readonly chosen: readonly ClaimRequest[];
}

interface Written {
  readonly answers: readonly WorkAnswer[];
  /** What was chosen got. */
  readonly given: readonly Claimed[];
}

/** Holds those of some scenarios that nobody else is at, by id. */
async function holdScenarios(
  writer: HostWriter,
  id: readonly number[],
): Promise<ReadonlyMap<number, ScenarioRow>> {
  return byId(id.length === 0 ? [] : await writer.lockFree('scenarios', { id }));
}

function byId(rows: readonly ScenarioRow[]): ReadonlyMap<number, ScenarioRow> {
  return new Map(rows.map((row) => [row.id, row]));
}

/** What the store does not take of one entry must not hold up the others. */
function isNoLease(error: unknown): boolean {
  return !(error instanceof EngineError && error.code === 'HOST_LEASE') && !isPassing(error);
}
