import { createHash } from 'node:crypto';
import type { TraceEvent } from '../../../engine/run/trace.js';
import { StoreError } from '../../../shared/errors/engine-error.js';
import { setMember } from '../../../shared/plain-object.js';
import { toPortable } from '../../../shared/portable-value.js';
import { type Migrations, migrate } from '../../../shared/store/migrate.js';
import { openSqlite } from '../../../shared/store/open-sqlite.js';
import type { SqlDatabase } from '../../../shared/store/sql-database.js';
import type { BodyRef, PackedEvent, RunDetail, RunSummary } from '../protocol.js';
import { findRunsWith } from './find-runs.js';

/** Filter of a list of runs. */
export interface RunFilter {
  /** Default: runs without tests. */
  readonly source?: 'runs' | 'tests' | 'all' | undefined;
  readonly state?: string | undefined;
  /** Name of a component. */
  readonly name?: string | undefined;
  /** Full-text filter, bodies included. */
  readonly text?: string | undefined;
  /** Only older runs than this one. */
  readonly before?: string | undefined;
  /** Default 50, at most 200. */
  readonly limit?: number | undefined;
}

/** Stored details of a run that lists do not need. */
export type RunRest = Omit<RunDetail, keyof RunSummary>;

/** The stored runs of an app. */
export interface History {
  readonly saveRun: (run: RunSummary, rest: RunRest) => Promise<void>;
  readonly addEvents: (run: string, packed: readonly Packed[]) => Promise<void>;
  readonly addBody: (run: string, body: PackedBody) => Promise<void>;
  /** Newest first. */
  readonly list: (filter: RunFilter) => Promise<readonly RunSummary[]>;
  readonly find: (id: string) => Promise<RunDetail | undefined>;
  readonly events: (run: string, after: number, limit: number) => Promise<readonly PackedEvent[]>;
  readonly body: (ref: string) => Promise<Pick<PackedBody, 'kind' | 'text'> | undefined>;
  /** Removes one run or all. */
  readonly remove: (id?: string) => Promise<void>;
  readonly removeAll: (ids: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Size limits; the oldest runs are removed first. */
export interface HistoryLimits {
  readonly maxRuns: number;
  /** Total length of all long values. */
  readonly maxSize: number;
}

const DEFAULT_HISTORY_LIMITS: HistoryLimits = { maxRuns: 1000, maxSize: 512 * 1024 * 1024 };

const MAX_LISTED = 200;
/** Number of runs between two size checks, which read the sizes of all values. */
const RUNS_BETWEEN_LOOKS = 20;

/**
 * Opens or creates the history in a SQLite file. Runs of a killed process become stopped ones.
 *
 * @throws StoreError (STORE_FAILED) for a damaged file, a foreign file, or one of a later version; the file is not
 * changed
 */
export async function openHistory(
  file: string,
  limits: HistoryLimits = DEFAULT_HISTORY_LIMITS,
): Promise<History> {
  const history = await openSharedHistory(file, limits);
  try {
    for (const run of await history.list({ state: 'running', source: 'all', limit: MAX_LISTED })) {
      const { summary, rest } = split(await history.find(run.id));
      if (summary !== undefined && rest !== undefined)
        await history.saveRun({ ...summary, state: 'stopped' }, rest);
    }
    return history;
  } catch (cause) {
    await history.close().catch(() => {});
    throw unusable(file, cause);
  }
}

/**
 * Opens a history that another process may be writing.
 *
 * @throws StoreError (STORE_FAILED), see `openHistory`
 */
export async function openSharedHistory(
  file: string,
  limits: HistoryLimits = DEFAULT_HISTORY_LIMITS,
): Promise<History> {
  const database = await openSqlite({ file }).catch((cause: unknown) =>
    Promise.reject(unusable(file, cause)),
  );
  try {
    await migrate(database, HISTORY_MIGRATIONS);
    return createHistory(database, database.kysely.sql, limits);
  } catch (cause) {
    await database.close().catch(() => {});
    throw unusable(file, cause);
  }
}

function unusable(file: string, cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  if (cause.message.includes('later version')) {
    const message = `The history ${file} was written by a later version of iml-runtime. Use that version, or pass another file with --history. Nothing was changed.`;
    return new StoreError('STORE_FAILED', message, { cause });
  }
  if (cause instanceof StoreError && cause.code !== 'STORE_FAILED') return cause;
  if ('code' in cause && cause.code === 'PACKAGE_MISSING') return cause;
  const message = `The history ${file} cannot be read: it is damaged or not a history. Move it, or pass another file with --history. Nothing was changed.`;
  return new StoreError('STORE_FAILED', message, { cause });
}

function split(detail: RunDetail | undefined): {
  readonly summary: RunSummary | undefined;
  readonly rest: RunRest | undefined;
} {
  if (detail === undefined) return { summary: undefined, rest: undefined };
  const { limits, input, replayOf, documents, failure, allWarnings, bundleList, canReplay, ...others } =
    detail;
  const { testRun, hook, ...summary } = others;
  const rest = {
    limits,
    input,
    replayOf,
    documents,
    failure,
    allWarnings,
    bundleList,
    canReplay,
    testRun,
    hook,
  };
  return { summary, rest };
}

type Sql = typeof import('kysely')['sql'];

interface SummaryRow {
  readonly summary: string;
}

function createHistory(database: SqlDatabase, sql: Sql, limits: HistoryLimits): History {
  const { db } = database;
  let saved = 0;

  const putBody = async (run: string, seq: number, { ref, kind, text, place }: PackedBody, on: typeof db) => {
    await sql`insert or ignore into dev_bodies (ref, kind, text) values (${ref}, ${kind}, ${text})`.execute(
      on,
    );
    await sql`insert or ignore into dev_run_bodies (run, ref, seq, place) values (${run}, ${ref}, ${seq}, ${place})`.execute(
      on,
    );
  };

  const dropUnused = async (): Promise<void> => {
    await sql`delete from dev_bodies where ref not in (select ref from dev_run_bodies)`.execute(db);
  };

  /** Removes the oldest runs until the limits hold. */
  const prune = async (): Promise<void> => {
    await sql`delete from dev_runs where id in (
      select id from dev_runs order by started_at desc, id limit -1 offset ${limits.maxRuns})`.execute(db);
    await dropUnused();
    for (;;) {
      const { rows } = await sql<{ size: number | null; runs: number }>`select
        (select sum(length(text)) from dev_bodies) as size, (select count(*) from dev_runs) as runs`.execute(
        db,
      );
      if ((rows[0]?.size ?? 0) <= limits.maxSize || (rows[0]?.runs ?? 0) <= 1) return;
      await sql`delete from dev_runs where id in (select id from dev_runs order by started_at, id desc limit 10)
        and id not in (select id from dev_runs order by started_at desc, id limit 1)`.execute(db);
      await dropUnused();
    }
  };

  const summaries = async (filter: RunFilter): Promise<readonly RunSummary[]> => {
    const { state, name, before } = filter;
    const limit = Math.min(Math.max(1, filter.limit ?? 50), MAX_LISTED);
    const from = before ?? '';
    const source = filter.source ?? 'runs';
    const text = filter.text?.trim() ?? '';
    const ids = text === '' ? undefined : JSON.stringify(await findRunsWith(text, db, sql));
    const { rows } = await sql<SummaryRow>`select summary from dev_runs
      where (${state ?? ''} = '' or state = ${state ?? ''}) and (${name ?? ''} = '' or name = ${name ?? ''})
      and (${source} = 'all' or (json_extract(summary, '$.source') = 'test') = (${source} = 'tests'))
      and (${from} = '' or (started_at, id) < (select started_at, id from dev_runs where id = ${from}))
      and (${ids ?? ''} = '' or id in (select value from json_each(${ids ?? '[]'})))
      order by started_at desc, id desc limit ${limit}`.execute(db);
    return rows.map((row) => JSON.parse(row.summary) as RunSummary);
  };

  return {
    saveRun: async (run, rest) => {
      await sql`insert into dev_runs (id, started_at, kind, name, state, summary, detail)
        values (${run.id}, ${run.startedAt}, ${run.kind}, ${run.name}, ${run.state}, ${JSON.stringify(run)}, ${JSON.stringify(rest)})
        on conflict (id) do update set state = excluded.state, summary = excluded.summary, detail = excluded.detail`.execute(
        db,
      );
      if (run.state !== 'running' && ++saved % RUNS_BETWEEN_LOOKS === 1) await prune();
    },
    addEvents: (run, packed) =>
      database.db.transaction().execute(async (on) => {
        for (const { event, bodies } of packed) {
          await sql`insert or replace into dev_events (run, seq, event) values (${run}, ${event.seq}, ${JSON.stringify(event)})`.execute(
            on,
          );
          for (const body of bodies) await putBody(run, event.seq, body, on);
        }
      }),
    addBody: (run, body) => putBody(run, -1, body, db),
    list: summaries,
    find: async (id) => {
      const { rows } = await sql<{ summary: string; detail: string }>`select summary, detail from dev_runs
        where id = ${id}`.execute(db);
      const [row] = rows;
      if (row === undefined) return undefined;
      return { ...(JSON.parse(row.summary) as RunSummary), ...(JSON.parse(row.detail) as RunRest) };
    },
    events: async (run, after, limit) => {
      const { rows } = await sql<{ event: string }>`select event from dev_events
        where run = ${run} and seq > ${after} order by seq limit ${limit}`.execute(db);
      return rows.map(({ event }) => JSON.parse(event) as PackedEvent);
    },
    body: async (ref) => {
      const { rows } = await sql<Pick<PackedBody, 'kind' | 'text'>>`select kind, text from dev_bodies
        where ref = ${ref}`.execute(db);
      return rows[0];
    },
    remove: async (id) => {
      if (id === undefined) await sql`delete from dev_runs`.execute(db);
      else await sql`delete from dev_runs where id = ${id}`.execute(db);
      await dropUnused();
    },
    removeAll: async (ids) => {
      if (ids.length === 0) return;
      for (const id of ids) await sql`delete from dev_runs where id = ${id}`.execute(db);
      await dropUnused();
    },
    close: () => database.close(),
  };
}

const HISTORY_MIGRATIONS: Migrations = {
  owner: 'dev',
  steps: {
    '001-history': async ({ db }) => {
      const { sql } = await import('kysely');
      await sql`create table dev_runs (
        id text primary key, started_at integer not null, kind text not null, name text not null,
        state text not null, summary text not null, detail text not null
      )`.execute(db);
      await sql`create index dev_runs_newest on dev_runs (started_at desc, id)`.execute(db);
      await sql`create table dev_events (
        run text not null references dev_runs (id) on delete cascade, seq integer not null, event text not null,
        primary key (run, seq)
      ) without rowid`.execute(db);
      await sql`create table dev_bodies (ref text primary key, kind text not null, text text not null)`.execute(
        db,
      );
      await sql`create table dev_run_bodies (
        run text not null references dev_runs (id) on delete cascade, ref text not null,
        seq integer not null, place text not null, primary key (run, ref, seq, place)
      ) without rowid`.execute(db);
      await sql`create index dev_run_bodies_ref on dev_run_bodies (ref)`.execute(db);
    },
  },
};

/** Length of a long value in responses, unless the client requests all of it. */
export const MAX_BODY_SHOWN: number = 64 * 1024;

/** A stored long value: text, or JSON. */
export interface PackedBody {
  readonly ref: string;
  readonly kind: 'text' | 'json';
  readonly text: string;
  /** Its name in the event: `request body`, `response body`, `name temp`, `outputs`. */
  readonly place: string;
}

/** An event and its long values. */
export interface Packed {
  readonly event: PackedEvent;
  readonly bodies: readonly PackedBody[];
}

/**
 * Replaces long values of events by references. Equal values are stored once.
 *
 * @param seq number of the first event
 */
export function packEvents(events: readonly TraceEvent[], seq: number): readonly Packed[] {
  const all: Packed[] = [];
  for (const event of events) {
    const bodies: PackedBody[] = [];
    const pack = (value: unknown, place: string): BodyRef => {
      const body = packBody(value, place);
      bodies.push(body);
      return { ref: body.ref, size: body.text.length };
    };
    all.push({ event: packed(event, seq + all.length, pack), bodies });
  }
  return all;
}

/** A single value, such as the bundles of a run. */
export function packBody(value: unknown, place: string): PackedBody {
  const kind = typeof value === 'string' ? 'text' : 'json';
  const text = typeof value === 'string' ? value : JSON.stringify(toPortable(value) ?? null);
  const ref = createHash('sha256').update(`${kind}\n${text}`).digest('hex').slice(0, 32);
  return { ref, kind, text, place };
}

function packed(
  event: TraceEvent,
  seq: number,
  pack: (value: unknown, place: string) => BodyRef,
): PackedEvent {
  switch (event.kind) {
    case 'request':
    case 'response': {
      const isEmpty = event.body === undefined || event.body === '';
      return { ...event, seq, body: isEmpty ? undefined : pack(event.body, `${event.kind} body`) };
    }
    case 'scope': {
      const names: Record<string, BodyRef> = {};
      for (const [name, value] of Object.entries(event.names)) {
        setMember(names, name, pack(value, `name ${name}`));
      }
      return { ...event, seq, names };
    }
    case 'page':
      return { ...event, seq, outputs: pack(event.outputs, 'outputs'), count: event.outputs.length };
    default:
      return { ...event, seq };
  }
}
