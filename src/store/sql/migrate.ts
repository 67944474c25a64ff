import type { Kysely } from 'kysely';
import { StoreError } from '../../errors/engine-error.js';
import type { SqlDatabase } from '../sql-database.js';
import type { SqlTables } from '../sql-tables.js';

/** One step of a schema's history. A step that has been released is never edited. */
export interface Migration {
  /** Unique among all owners of tables in a database: `rest/001-tables`. */
  readonly name: string;
  up(db: Kysely<SqlTables>, kind: SqlDatabase['kind']): Promise<void>;
}

/** Any number that all processes of this package share; PostgreSQL locks by number. */
const LOCK = 7_130_201;

/**
 * Runs the steps a database has not seen yet, in order, all or none; processes that start together wait for each other.
 *
 * @throws StoreError (STORE_FAILED) for a database that has steps of the same owner which are not known here
 */
export async function migrate(database: SqlDatabase, migrations: readonly Migration[]): Promise<void> {
  const run = (db: Kysely<SqlTables>): Promise<void> => runMissing(db, database.kind, migrations);
  if (database.kind === 'sqlite') return database.db.transaction().execute(run);
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

/** Whether a PostgreSQL database, where this connection looks for tables, has seen any of the steps. It is not changed. */
export async function hasSeenAny(
  { db }: Pick<SqlDatabase, 'db'>,
  migrations: readonly Migration[],
): Promise<boolean> {
  const { sql } = await import('kysely');
  const { rows } = await sql<{
    found: unknown;
  }>`select to_regclass('schema_migrations') as found`.execute(db);
  if ((rows[0]?.found ?? null) === null) return false;
  const names = migrations.map(({ name }) => name);
  const seen = await db.selectFrom('schema_migrations').select('name').where('name', 'in', names).execute();
  return seen.length > 0;
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
  const done = new Set(rows.map((row) => String(row['name'])));
  assertKnown(done, migrations);
  for (const migration of migrations) {
    if (done.has(migration.name)) continue;
    await migration.up(db, kind);
    await db.insertInto('schema_migrations').values({ name: migration.name }).execute();
  }
}

/** What a later version has made of the tables must not be worked on by one that does not know it. */
function assertKnown(done: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const owners = new Set(migrations.map(({ name }) => readOwner(name)));
  const known = new Set(migrations.map(({ name }) => name));
  const later = [...done].find((name) => owners.has(readOwner(name)) && !known.has(name));
  if (later === undefined) return;
  throw new StoreError(
    'STORE_FAILED',
    `The database was brought up to "${later}" by a later version of iml-runtime, which this one cannot work with.`,
  );
}

/** `rest/001-tables` is of `rest`. */
function readOwner(name: string): string {
  return name.split('/')[0] ?? '';
}
