import type { Migration } from '../../store/sql/migrate.js';

/** Migrations of the history. A released migration is never edited. */
export const HISTORY_MIGRATIONS: readonly Migration[] = [
  {
    name: 'dev/001-history',
    up: async (db) => {
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
];
