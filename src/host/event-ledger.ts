import { EngineError } from '../errors/engine-error.js';
import { createBatcher } from '../util/batcher.js';
import { type Claim, claimAll, type Wanted } from './claim.js';
import type { HostContext } from './work/context.js';
import { isPassing, persist } from './work/persist.js';
import { type Settlement, settleAll } from './work/settle.js';
import type { HostWriter } from './store/tables.js';

/** What came of an event, and what its lane wants next. */
export interface LedgerEntry {
  readonly settled?: Settlement | undefined;
  readonly wanted?: Wanted | undefined;
  readonly signal: AbortSignal;
}

export interface LedgerAnswer {
  /** The event that was taken for `wanted`; undefined where there is none that may start now. */
  readonly next: Claim | undefined;
  /** Why the scenario went off, if it did. */
  readonly notification: string | undefined;
}

/**
 * Takes events and writes down what came of them. What comes in while a transaction is under way shares the next one,
 * so a commit and its round trips are paid once for many events.
 */
export interface EventLedger {
  /**
   * Settles an event, takes the next one, or both in one transaction. Waits for a store that is away.
   * @throws EngineError (HOST_LEASE); the reason of the signal; whatever no repeat can help
   */
  readonly enter: (entry: LedgerEntry) => Promise<LedgerAnswer>;
  /** Says that nobody of this process works on an event any more, though it was not settled. */
  readonly drop: (claim: Claim) => void;
}

/** A context with the one ledger of the process. */
export interface WorkContext extends HostContext {
  readonly ledger: EventLedger;
}

/** Lanes that share a transaction at most. */
const MAX_ENTRIES = 100;

export function createEventLedger(context: HostContext): EventLedger {
  const inHand = new Set<number>();

  async function commit(entries: readonly LedgerEntry[]): Promise<readonly LedgerAnswer[]> {
    const [first] = entries;
    if (first === undefined) return [];
    const answers = await persist(context, first.signal, (writer) => write(writer, entries));
    for (const [index, { settled }] of entries.entries()) {
      if (settled !== undefined) inHand.delete(settled.claim.event.id);
      const next = answers[index]?.next;
      if (next !== undefined) inHand.add(next.event.id);
    }
    return answers;
  }

  async function write(
    writer: HostWriter,
    entries: readonly LedgerEntry[],
  ): Promise<readonly LedgerAnswer[]> {
    await context.worker.assertOwn(writer);
    const settlements = entries.flatMap(({ settled }) => (settled === undefined ? [] : [settled]));
    const notifications = await settleAll(writer, context, settlements);
    const wanting = entries.filter(({ wanted, signal }) => wanted !== undefined && !signal.aborted);
    const claims = await claimAll(
      writer,
      { ...context, inHand },
      wanting.flatMap(({ wanted }) => (wanted === undefined ? [] : [wanted])),
    );
    if (settlements.length > 0) context.checkpoint('event: before the commit');
    return entries.map((entry) => ({
      next: claims[wanting.indexOf(entry)],
      notification: entry.settled && notifications.get(entry.settled.claim.event.id),
    }));
  }

  const enter = createBatcher(commit, { maxItems: MAX_ENTRIES, isOfOne: isNoLease });
  return { enter, drop: ({ event }) => void inHand.delete(event.id) };
}

/** What the store does not take of one event must not hold up the others. */
function isNoLease(error: unknown): boolean {
  return !(error instanceof EngineError && error.code === 'HOST_LEASE') && !isPassing(error);
}
