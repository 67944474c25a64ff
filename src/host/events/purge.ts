import type { HostContext } from '../context.js';
import type { HostWriter } from '../store/tables.js';

/** Interval of the purge. */
export const PURGE_EVERY_MS: number = 60 * 60 * 1000;

/** Delay of the first purge, so that a host that restarts often still purges. */
export const FIRST_PURGE_MS: number = 60 * 1000;

/** Maximum rows per transaction. */
const STEP = 1000;
type PurgeContext = Pick<HostContext, 'store' | 'clock' | 'limits'>;

const OVER = ['done', 'discarded', 'rejected'] as const;

/**
 * Deletes finished events and incomplete executions after the retention time and returns disk space. Keeps those that
 * wait for a person. Ids grow with time, so the scan stops at the first recent row.
 */
export async function purge(context: PurgeContext): Promise<void> {
  const beforeMs = context.clock.now() - context.limits.keepMs;
  await inSteps(context, (writer, afterId) => purgeEvents(writer, afterId, beforeMs));
  await inSteps(context, (writer, afterId) => purgeIncompletes(writer, afterId, beforeMs));
  await context.store.shrink();
}

/** Runs each step in its own transaction to keep them short. @param step returns the last id it read */
async function inSteps(
  { store }: PurgeContext,
  step: (writer: HostWriter, afterId: number) => Promise<number | undefined>,
): Promise<void> {
  let afterId: number | undefined = 0;
  while (afterId !== undefined) {
    const from: number = afterId;
    afterId = await store.transaction((writer) => step(writer, from), { isolation: 'read-committed' });
  }
}

async function purgeEvents(
  writer: HostWriter,
  afterId: number,
  beforeMs: number,
): Promise<number | undefined> {
  const columns = ['status', 'receivedAtMs', 'finishedAtMs'] as const;
  const rows = await writer.find('events', { where: { id: { above: afterId } }, columns, limit: STEP });
  const old = rows.filter(({ receivedAtMs }) => receivedAtMs <= beforeMs);
  const ids = old.filter(({ finishedAtMs }) => finishedAtMs !== null && finishedAtMs <= beforeMs);
  if (ids.length > 0) await writer.remove('events', { id: ids.map(({ id }) => id), status: OVER });
  return rows.length === STEP && old.length > 0 ? rows.at(-1)?.id : undefined;
}

async function purgeIncompletes(
  writer: HostWriter,
  afterId: number,
  beforeMs: number,
): Promise<number | undefined> {
  const columns = ['status', 'createdAtMs', 'finishedAtMs'] as const;
  const rows = await writer.find('incompletes', { where: { id: { above: afterId } }, columns, limit: STEP });
  const old = rows.filter(({ createdAtMs }) => createdAtMs <= beforeMs);
  const ids = old.filter(({ finishedAtMs }) => finishedAtMs !== null && finishedAtMs <= beforeMs);
  const status = ['resolved', 'discarded'] as const;
  if (ids.length > 0) await writer.remove('incompletes', { id: ids.map(({ id }) => id), status });
  return rows.length === STEP && old.length > 0 ? rows.at(-1)?.id : undefined;
}
