import type { CountedWindow } from '../record-store.js';
import type { SqlRunner } from '../sql-runner.js';
import { quoteName } from './quote-name.js';
import { runText } from './run-text.js';
import { type SqlSources, SqlValues } from './sql-where.js';

export interface WindowEvent {
  readonly name: string;
  readonly nowMs: number;
  readonly windowMs: number;
}

/**
 * Counts an event in one statement, so that all nodes agree. Events may arrive out of order and clocks differ between
 * nodes: a window that starts at most its own length in the future counts as the current one.
 */
export async function countInWindow(
  on: SqlRunner,
  sources: SqlSources,
  table: string,
  { name, nowMs, windowMs }: WindowEvent,
): Promise<CountedWindow> {
  const values = new SqlValues(sources.kind);
  const own = quoteName(table);
  const inserted = `${values.mark(name)}, ${values.mark(nowMs)}, 1`;
  // SQLite placeholders have no numbers, so each use needs its own value.
  const isOpen = (): string =>
    `${own}."started_at" > ${values.mark(nowMs - windowMs)} and ${own}."started_at" < ${values.mark(nowMs + windowMs)}`;
  const startedAt = `case when ${isOpen()} then ${own}."started_at" else excluded."started_at" end`;
  const count = `case when ${isOpen()} then ${own}."count" + 1 else 1 end`;
  const text = `insert into ${own} ("name", "started_at", "count") values (${inserted}) on conflict ("name") do update set "started_at" = ${startedAt}, "count" = ${count} returning "started_at", "count"`;
  const { rows } = await runText(on, text, values);
  return { startedAtMs: Number(rows[0]?.['started_at']), count: Number(rows[0]?.['count']) };
}
