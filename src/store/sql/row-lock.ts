/** `update` keeps others from changing the rows, `key` only from removing them. Both wait for whoever holds them. */
export type RowLock = 'update' | 'key';

/** How a statement for PostgreSQL ends that locks the rows it reads. SQLite has one writer at a time, and no words for locks. */
export const LOCKS: Readonly<Record<RowLock, string>> = { update: ' for update', key: ' for key share' };
