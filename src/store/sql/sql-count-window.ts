import type { Kysely } from 'kysely';
import type { CountedWindow } from '../record-store.js';
import type { SqlTables } from '../sql-tables.js';

export interface WindowEvent {
  readonly name: string;
  readonly nowMs: number;
  readonly windowMs: number;
}

/**
 * Counts one event in one statement, so that any number of nodes agree.
 * Events do not arrive in the order of their moments, and clocks of nodes differ: a window that starts up to its own length
 * in the future is the present one.
 */
export async function countInWindow(
  db: Kysely<SqlTables>,
  table: string,
  { name, nowMs, windowMs }: WindowEvent,
): Promise<CountedWindow> {
  const started = `${table}.started_at`;
  const counted = `${table}.count`;
  const row = await db
    .insertInto(table)
    .values({ name, started_at: nowMs, count: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((it) => {
        const open = it.and([it(started, '>', nowMs - windowMs), it(started, '<', nowMs + windowMs)]);
        return {
          started_at: it.case().when(open).then(it.ref(started)).else(nowMs).end(),
          count: it
            .case()
            .when(open)
            .then(it(counted, '+', 1))
            .else(1)
            .end(),
        };
      }),
    )
    .returning(['started_at', 'count'])
    .executeTakeFirstOrThrow();
  return { startedAtMs: Number(row['started_at']), count: Number(row['count']) };
}
