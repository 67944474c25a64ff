import type { Kysely } from 'kysely';
import { StoreError } from '../../errors/engine-error.js';
import type { SqlDatabase } from '../sql-database.js';
import type { SqlTables } from '../sql-tables.js';

/** A migration step. Never edit a released step. */
export interface Migration {
  /** Unique among all migrations of a database: `rest/001-tables`. */
  readonly name: string;
  up(db: Kysely<SqlTables>, kind: SqlDatabase['kind']): Promise<void>;
}

/** Key of the PostgreSQL advisory lock. All processes of this package share it. */
const LOCK = 7_130_201;

/**
 * Runs all pending migrations in order, in one transaction. Processes that start together wait for each other.
 *
 * @throws StoreError (STORE_FAILED) if the database has unknown steps of the same owner
 */
export async function migrate(database: SqlDatabase, migrations: readonly Migration[]): Promise<void> {
  const run = (db: Kysely<SqlTables>): Promise<void> => runMissing(db, database.kind, migrations);
  if (database.kind === 'sqlite') return database.db.transaction().execute(run);
  const { sql } = await import('kysely');
  // The lock precedes the transaction. A transaction that waits for the lock would not see what the other process
  // committed.
  await database.db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${LOCK})`.execute(connection);
    try {
      await connection.transaction().execute(run);
    } finally {
      await sql`select pg_advisory_unlock(${LOCK})`.execute(connection);
    }
  });
}

/** Whether a PostgreSQL database has any of the steps in its search path. Read-only. */
export async function hasAppliedAny(
  { db }: Pick<SqlDatabase, 'db'>,
  migrations: readonly Migration[],
): Promise<boolean> {
  const { sql } = await import('kysely');
  const { rows } = await sql<{
    found: unknown;
  }>`select to_regclass('schema_migrations') as found`.execute(db);
  if ((rows[0]?.found ?? null) === null) return false;
  const names = migrations.map(({ name }) => name);
  const applied = await db
    .selectFrom('schema_migrations')
    .select('name')
    .where('name', 'in', names)
    .execute();
  return applied.length > 0;
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

/** Refuses a database that a later version migrated. */
function assertKnown(done: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const owners = new Set(migrations.map(({ name }) => readOwner(name)));
  const known = new Set(migrations.map(({ name }) => name));
  const later = [...done].find((name) => owners.has(readOwner(name)) && !known.has(name));
  if (later === undefined) return;
  throw new StoreError(
    'STORE_FAILED',
    `The database was migrated to "${later}" by a later version of iml-runtime. Update iml-runtime.`,
  );
}

/** The owner of `rest/001-tables` is `rest`. */
function readOwner(name: string): string {
  return name.split('/')[0] ?? '';
}
