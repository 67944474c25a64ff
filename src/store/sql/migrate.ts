import type { Kysely } from 'kysely';
import type { SqlDatabase, SqlTables } from '../sql-database.js';

/** One step of a schema's history. A step that has been released is never edited. */
export interface Migration {
  /** Unique among all owners of tables in a database: `rest/001-tables`. */
  readonly name: string;
  up(db: Kysely<SqlTables>, kind: SqlDatabase['kind']): Promise<void>;
}

/** Any number that all processes of this package share; PostgreSQL locks by number. */
const LOCK = 7_130_201;

/** Runs the steps a database has not seen yet, in order, all or none; processes that start together wait for each other. */
export async function migrate(database: SqlDatabase, migrations: readonly Migration[]): Promise<void> {
  const run = (db: Kysely<SqlTables>): Promise<void> => runMissing(db, database.kind, migrations);
  if (database.kind === 'sqlite') return database.transaction(run);
  const { sql } = await import('kysely');
  // The lock comes before the transaction: one that is open while it waits would not see what the other process did.
  await database.db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${LOCK})`.execute(connection);
    try {
      await connection.transaction().execute(run);
    } finally {
      await sql`select pg_advisory_unlock(${LOCK})`.execute(connection);
    }
  });
}

async function runMissing(
  db: Kysely<SqlTables>,
  kind: SqlDatabase['kind'],
  migrations: readonly Migration[],
): Promise<void> {
  await db.schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey())
    .execute();
  const rows = await db.selectFrom('schema_migrations').select('name').execute();
  const done = new Set(rows.map((row) => row['name']));
  for (const migration of migrations) {
    if (done.has(migration.name)) continue;
    await migration.up(db, kind);
    await db.insertInto('schema_migrations').values({ name: migration.name }).execute();
  }
}
