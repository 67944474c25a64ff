/** `update` blocks changes of the rows, `key` blocks only their removal. Both wait for other locks. */
export type RowLock = 'update' | 'key';

/** Locking clauses for PostgreSQL. SQLite has one writer at a time and no such clauses. */
export const LOCKS: Readonly<Record<RowLock, string>> = { update: ' for update', key: ' for key share' };
