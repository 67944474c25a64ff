import type { HostWriter } from '../store/tables.js';
import type { HostContext } from './context.js';

/** Tables with rows that workers have to themselves. */
export type HeldTable = 'events' | 'incompletes' | 'scenarios';

/** What this process works on, beside what the store says of that. */
export interface HeldWork {
  readonly hold: (table: HeldTable, id: number) => void;
  readonly drop: (table: HeldTable, id: number) => void;
  /** Whether the store was not compared for a quarter of the lease. */
  readonly isCheckDue: () => boolean;
  /** Has the next transaction compare: it is not known what became of one. */
  readonly checkSoon: () => void;
  /**
   * What stands in the name of this process though it does not work on it was taken by a transaction whose answer was
   * lost with the connection. It waits again. Does nothing where no check is due.
   */
  readonly freeUnattended: (writer: HostWriter) => Promise<void>;
}

/**
 * A retry or a scheduled run settles in a transaction of its own, perhaps between the look and the change: so the change
 * asks again for what is still taken in the own name.
 */
export function createHeldWork({
  clock,
  limits,
  worker,
}: Pick<HostContext, 'clock' | 'limits' | 'worker'>): HeldWork {
  const held = new Set<string>();
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  const makeKey = (table: HeldTable, id: number): string => `${table} ${id}`;
  const isCheckDue = (): boolean => Math.abs(clock.now() - checkedAtMs) >= limits.leaseMs / 4;
  const listFreeIds = (table: HeldTable, rows: readonly { readonly id: number }[]): number[] =>
    rows.map(({ id }) => id).filter((id) => !held.has(makeKey(table, id)));

  async function freeUnattended(writer: HostWriter): Promise<void> {
    if (!isCheckDue()) return;
    const nowMs = clock.now();
    const own = { status: 'running', claimedBy: worker.name() } as const;
    const columns = ['id'] as const;
    const free = { claimedBy: null, crashes: 0, crashesAlone: 0 };
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

  return {
    hold: (table, id) => void held.add(makeKey(table, id)),
    drop: (table, id) => void held.delete(makeKey(table, id)),
    isCheckDue,
    checkSoon: () => {
      checkedAtMs = Number.NEGATIVE_INFINITY;
    },
    freeUnattended,
  };
}
