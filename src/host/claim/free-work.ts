import type { HostWriter } from '../store/tables.js';

/** Tables with rows that workers have to themselves. */
export type HeldTable = 'events' | 'incompletes' | 'scenarios';

/** Of what a living process has seen the end of, or was not at: it ended none. */
export const RELEASED = { claimedBy: null, crashes: 0, crashesAlone: 0 } as const;

export interface FreeOptions {
  /** Whether the process lives, so that nothing of this has ended it. */
  readonly isAlive: boolean;
  /** What of it stays. Default: nothing. */
  readonly isKept?: ((table: HeldTable, id: number) => boolean) | undefined;
}

/**
 * What is under way in the name of a worker waits again.
 *
 * What is settled between the look and the change, in a transaction of its own, stays settled: the change asks again for what
 * is still taken in that name.
 */
export async function freeWork(
  writer: HostWriter,
  claimedBy: string,
  { isAlive, isKept }: FreeOptions,
): Promise<void> {
  const free = isAlive ? RELEASED : { claimedBy: null };
  const running = { status: 'running', claimedBy } as const;
  /** By id, where some of it stays; undefined where there is nothing. */
  const choose = async <W extends object>(
    table: HeldTable,
    where: W,
    find: () => Promise<readonly { readonly id: number }[]>,
  ): Promise<(W & { readonly id?: readonly number[] }) | undefined> => {
    if (isKept === undefined) return where;
    const id = (await find()).map((row) => row.id).filter((one) => !isKept(table, one));
    return id.length === 0 ? undefined : { ...where, id };
  };
  const columns = ['claimedBy'] as const;
  const events = await choose('events', running, () => writer.find('events', { where: running, columns }));
  if (events !== undefined) await writer.update('events', events, { ...free, status: 'pending' });
  const retries = await choose('incompletes', running, () =>
    writer.find('incompletes', { where: running, columns }),
  );
  if (retries !== undefined) await writer.update('incompletes', retries, { ...free, status: 'waiting' });
  const own = { claimedBy };
  const runs = await choose('scenarios', own, () => writer.find('scenarios', { where: own, columns }));
  if (runs !== undefined) await writer.update('scenarios', runs, free);
}
