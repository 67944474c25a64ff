import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RawBuilder } from 'kysely';
import type { SqlDatabase } from '../../../shared/store/sql-database.js';
import type { RunSummary, SearchHit } from '../protocol.js';

type Db = SqlDatabase['db'];
type Sql = typeof import('kysely')['sql'];

const MAX_HITS = 50;

/** Maximum number of matching values that are resolved to runs. */
const MAX_VALUES = 2000;

/** SQLite searches about 100 MB per second and blocks, so values are searched in slices. */
const SLICE_MS = 20;
const FIRST_SLICE = 200;

/** Characters around a hit. */
const AROUND = 60;

/** Locations of user text in an event, a summary and a detail. */
const WORDS = {
  event: ['$.url', '$.headers', '$.message', '$.expression', '$.warning.message', '$.values'],
  summary: ['$.name', '$.error.type', '$.error.message'],
  detail: ['$.input.parameters', '$.input.payload', '$.failure', '$.allWarnings'],
};

/** Searches the newest runs first; one hit per location; ignores the case of ASCII letters. */
export async function searchRuns(text: string, db: Db, sql: Sql): Promise<readonly SearchHit[]> {
  const escaped = escapeJson(text);
  const pattern = writePattern(escaped);
  const refs = await findValues(text, db, sql);
  const excerpt = (source: RawBuilder<unknown>) => {
    const at = sql`max(instr(lower(${source}), lower(${text})), instr(lower(${source}), lower(${escaped})))`;
    return sql<string>`substr(${source}, max(1, ${at} - ${AROUND}), ${2 * AROUND + text.length})`;
  };
  const { rows: values } = await sql<HitRow>`select r.summary as summary, b.place as place, b.seq as seq,
      ${excerpt(sql`v.text`)} as text
    from dev_run_bodies b join dev_runs r on r.id = b.run join dev_bodies v on v.ref = b.ref
    where b.ref in (select value from json_each(${JSON.stringify(refs)})) and b.place not like 'document %'
    order by r.started_at desc, b.seq limit ${MAX_HITS}`.execute(db);
  const { rows: events } = await sql<Omit<HitRow, 'place'>>`select r.summary as summary, e.seq as seq,
      ${excerpt(joinWords(sql, 'event'))} as text
    from dev_events e join dev_runs r on r.id = e.run
    where ${holds(sql, 'event', pattern)}
    order by r.started_at desc, e.seq limit ${MAX_HITS}`.execute(db);
  const { rows: runs } = await sql<Pick<HitRow, 'summary' | 'text'>>`select summary,
      ${excerpt(joinWords(sql, 'summary'))} as text
    from dev_runs where ${holds(sql, 'summary', pattern)} order by started_at desc limit ${MAX_HITS}`.execute(
    db,
  );
  const hits: SearchHit[] = [
    ...runs.map(({ summary, text: around }) => {
      const run = JSON.parse(summary) as RunSummary;
      return { run, where: 'run', seq: undefined, excerpt: run.error?.message ?? around };
    }),
    ...values.map(({ summary, place, seq, text: around }) => ({
      run: JSON.parse(summary) as RunSummary,
      where: place,
      seq: seq < 0 ? undefined : seq,
      excerpt: around,
    })),
    ...events.map(({ summary, seq, text: around }) => ({
      run: JSON.parse(summary) as RunSummary,
      where: 'address and headers',
      seq,
      excerpt: around,
    })),
  ];
  return hits.sort((a, b) => b.run.startedAt - a.run.startedAt).slice(0, MAX_HITS);
}

interface HitRow {
  readonly summary: string;
  readonly place: string;
  readonly seq: number;
  readonly text: string;
}

/** IDs of all runs that contain a text in input, requests, responses, output or errors. */
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
