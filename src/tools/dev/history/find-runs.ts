import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RawBuilder } from 'kysely';
import type { SqlDatabase } from '../../../shared/store/sql-database.js';

type Db = SqlDatabase['db'];
type Sql = typeof import('kysely')['sql'];

/** Maximum number of matching values that are resolved to runs. */
const MAX_VALUES = 2000;

/** SQLite searches about 100 MB per second and blocks, so values are searched in slices. */
const SLICE_MS = 20;
const FIRST_SLICE = 200;

/** Locations of user text in an event, a summary and a detail. */
const WORDS = {
  event: ['$.url', '$.headers', '$.message', '$.expression', '$.warning.message', '$.values'],
  summary: ['$.name', '$.error.type', '$.error.message'],
  detail: ['$.input.parameters', '$.input.payload', '$.failure', '$.allWarnings'],
};

/**
 * IDs of all runs that contain a text in input, requests, responses, output or errors. Ignores the case of ASCII
 * letters.
 */
export async function findRunsWith(text: string, db: Db, sql: Sql): Promise<readonly string[]> {
  const pattern = writePattern(escapeJson(text));
  const refs = await findValues(text, db, sql);
  const { rows } = await sql<{ id: string }>`
    select id from dev_runs where ${holds(sql, 'summary', pattern)} or ${holds(sql, 'detail', pattern)}
    union select run as id from dev_events where ${holds(sql, 'event', pattern)}
    union select run as id from dev_run_bodies
      where ref in (select value from json_each(${JSON.stringify(refs)})) and place not like 'document %'`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** A check of the whole text first is faster than parsing. */
function holds(sql: Sql, column: keyof typeof WORDS, pattern: string): RawBuilder<boolean> {
  const words = joinWords(sql, column);
  return sql`(${sql.ref(column)} like ${pattern} escape '\\' and ${words} like ${pattern} escape '\\')`;
}

function joinWords(sql: Sql, column: keyof typeof WORDS): RawBuilder<string> {
  const words = WORDS[column].map((path) => sql`coalesce(json_extract(${sql.ref(column)}, ${path}), '')`);
  return sql`(${sql.join(words, sql` || ' ' || `)})`;
}

/** A text as it is escaped in JSON. */
function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A `like` pattern without wildcards. */
function writePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Values that contain a text, newest first. */
async function findValues(text: string, db: Db, sql: Sql): Promise<readonly string[]> {
  const [plain, escaped] = [writePattern(text), writePattern(escapeJson(text))];
  const { rows: ends } = await sql<{
    last: number | null;
  }>`select max(rowid) as last from dev_bodies`.execute(db);
  const found: string[] = [];
  let slice = FIRST_SLICE;
  for (let last = ends[0]?.last ?? 0; last > 0 && found.length < MAX_VALUES; ) {
    const from = Math.max(0, last - slice);
    const startedAt = performance.now();
    const { rows } = await sql<{ ref: string }>`select ref from dev_bodies
      where rowid > ${from} and rowid <= ${last} and (text like ${plain} escape '\\'
        ${escaped === plain ? sql`` : sql`or text like ${escaped} escape '\\'`})
      order by rowid desc`.execute(db);
    found.push(...rows.map(({ ref }) => ref));
    last = from;
    slice = performance.now() - startedAt > SLICE_MS ? Math.max(1, slice >> 1) : slice * 2;
    await nextTurn();
  }
  return found;
}
