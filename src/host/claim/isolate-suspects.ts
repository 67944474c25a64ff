import type { Row } from '../../store/record-store.js';
import type { HostContext } from '../ports/context.js';
import type { ClaimRequest } from './claim.js';
import type { GiveUpNotice } from './give-up.js';

/** After how many ends of a process something that was under way at all of them is tried alone, to see whether it is to blame. */
const SUSPECT_AFTER = 3;

/** Something that may have ended processes. */
export interface Crashing extends Row {
  /** Of what may be taken for one scenario or another: the one it names. */
  readonly scenarioId?: number | null;
  readonly attempts: number;
  readonly crashes: number;
  readonly crashesAlone: number;
}

/** What of some rows may be taken. */
export interface Sorted<R> {
  readonly rows: readonly R[];
  /** Whether something was left because it has to be alone. */
  readonly isSuspect: boolean;
  readonly notices: readonly GiveUpNotice[];
}

/**
 * What ends each process that works on it must not do so for ever, and what was only there when others did so must not
 * pay for it. So what was under way at several ends is tried alone, and only those ends count that it met alone.
 */
export async function sortOut<R extends Crashing>(
  { limits }: HostContext,
  rows: readonly R[],
  { isAlone }: ClaimRequest,
  giveUp: (row: R) => Promise<readonly GiveUpNotice[]>,
): Promise<Sorted<R>> {
  const over = rows.filter((row) => row.crashesAlone >= limits.maxAttempts);
  const notices: GiveUpNotice[] = [];
  for (const row of over) notices.push(...(await giveUp(row)));
  const left = rows.filter((row) => !over.includes(row));
  const suspects = left.filter(({ crashes }) => crashes >= SUSPECT_AFTER);
  const others = left.filter((row) => !suspects.includes(row));
  if (isAlone) return { rows: [...suspects, ...others].slice(0, 1), isSuspect: suspects.length > 1, notices };
  return { rows: others, isSuspect: suspects.length > 0, notices };
}
