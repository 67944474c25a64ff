import { quoteName } from './quote-name.js';

/**
 * What is done about rows that others may have locked: `update` waits for them and keeps others from changing them, `key`
 * waits and only keeps them from going, `free` passes over what is locked.
 */
export type RowLock = 'update' | 'key' | 'free';

/** SQLite has one writer at a time, and no words for locks. */
const LOCKS = { update: ' for update', key: ' for key share', free: ' for update' } as const;

/**
 * How a statement for PostgreSQL ends that locks the rows it reads.
 *
 * @param table as the database names it, where rows of others are read beside it. Default: rows of all tables
 */
export function writeLock(lock: RowLock, table?: string): string {
  const rows = table === undefined ? '' : ` of ${quoteName(table)}`;
  return `${LOCKS[lock]}${rows}${lock === 'free' ? ' skip locked' : ''}`;
}
