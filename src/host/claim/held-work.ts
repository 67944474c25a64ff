import type { HostContext } from '../ports/context.js';
import type { HostWriter } from '../store/tables.js';
import type { Claim } from './claim.js';
import { freeWork, type HeldTable } from './free-work.js';

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

export function createHeldWork({
  clock,
  limits,
  worker,
}: Pick<HostContext, 'clock' | 'limits' | 'worker'>): HeldWork {
  const held = new Set<string>();
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  const makeKey = (table: HeldTable, id: number): string => `${table} ${id}`;
  const isKept = (table: HeldTable, id: number): boolean => held.has(makeKey(table, id));
  const isCheckDue = (): boolean => Math.abs(clock.now() - checkedAtMs) >= limits.leaseMs / 4;
  return {
    hold: (table, id) => void held.add(makeKey(table, id)),
    drop: (table, id) => void held.delete(makeKey(table, id)),
    isCheckDue,
    checkSoon: () => {
      checkedAtMs = Number.NEGATIVE_INFINITY;
    },
    freeUnattended: async (writer) => {
      if (!isCheckDue()) return;
      const nowMs = clock.now();
      await freeWork(writer, worker.name(), { isAlive: true, isKept });
      checkedAtMs = nowMs;
    },
  };
}

/** The row that was taken. */
export function locateClaim(claim: Claim): readonly [HeldTable, number] {
  switch (claim.kind) {
    case 'event':
      return ['events', claim.event.id];
    case 'incomplete':
      return ['incompletes', claim.incomplete.id];
    case 'scheduled':
      return ['scenarios', claim.scenario.id];
  }
}
