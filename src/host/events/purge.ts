import type { HostContext } from '../ports/context.js';
import type { HostWriter } from '../store/tables.js';

/** How often a host forgets what is old. */
export const PURGE_EVERY_MS: number = 60 * 60 * 1000;

/** When it does so first: a process that is started anew each half hour would never get to it otherwise. */
export const FIRST_PURGE_MS: number = 60 * 1000;

/** Rows that are looked through in one transaction. */
const STEP = 1000;
type PurgeContext = Pick<HostContext, 'store' | 'clock' | 'limits'>;

const OVER = ['done', 'discarded', 'rejected'] as const;

/**
 * Forgets events and incomplete executions that are long done with, and gives their room back. Those that wait for a person stay until somebody
 * has seen to them. Goes by id, which grows with the time they came, so it reads no more than may be old enough.
 */
export async function purge(context: PurgeContext): Promise<void> {
  const beforeMs = context.clock.now() - context.limits.keepMs;
  await inSteps(context, (writer, afterId) => purgeEvents(writer, afterId, beforeMs));
  await inSteps(context, (writer, afterId) => purgeIncompletes(writer, afterId, beforeMs));
  await context.store.shrink();
}

/** Each step in a transaction of its own, so that nobody waits long. @param step gives the last id it has seen */
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
