import type { ColumnDataType, Kysely, Migration as KyselyMigration } from 'kysely';
import { StoreError } from '../errors/engine-error.js';
import type { Tables } from './record-store.js';
import { retry, type SqlDatabase, type SqlTables } from './sql-database.js';
import { sqlName, type TableDefinition, type TableDefinitions } from './table.js';

/** The migrations of the tables of one owner in a database. */
export interface Migrations {
  /** Prefix of the tables, including those of Kysely's `Migrator`: `rest`. */
  readonly owner: string;
  /**
   * The last step in `schema_migrations`, where versions before Kysely's `Migrator` noted their steps. Such a database
   * has the tables of the first step. Undefined if there was no such version.
   */
  readonly before: string | undefined;
  /**
   * Steps by name, run in the order of their names in one transaction. Never edit a released step. The first step
   * creates what does not exist yet (`createTables`).
   */
  readonly steps: Readonly<
    Record<string, (db: Kysely<SqlTables>, kind: SqlDatabase['kind']) => Promise<void>>
  >;
}

/**
 * Runs all pending migrations. Processes that start together wait for each other.
 *
 * @throws StoreError (STORE_FAILED) if the database is of a later version, or of one that was never released
 */
export async function migrate(database: SqlDatabase, migrations: Migrations): Promise<void> {
  const { db, kind, kysely } = database;
  const { owner, before, steps } = migrations;
  const all = Object.entries(steps).map(([name, up], index): [string, KyselyMigration] => [
    name,
    {
      up: async (on: Kysely<SqlTables>) => {
        if (index === 0 && before !== undefined) await assertComplete(database, on, { owner, before });
        await up(on, kind);
      },
    },
  ]);
  const { sql } = kysely;
  const { rows } =
    kind === 'postgres'
      ? await sql<{ name: string | null }>`select current_schema() as name`.execute(db)
      : { rows: [] };
  const migrator = new kysely.Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries(all) },
    migrationTableName: `${owner}_migrations`,
    migrationLockTableName: `${owner}_migrations_lock`,
    // Tables of the same name in other schemas are not ours.
    ...(rows[0]?.name != null && { migrationTableSchema: rows[0].name }),
  });
  await retry(database.retrying, async () => {
    const { error } = await migrator.migrateToLatest();
    if (error instanceof Error && error.message.startsWith('corrupted migrations')) {
      const message = `The database was migrated by a later version of iml-runtime (${error.message}). Update iml-runtime.`;
      throw new StoreError('STORE_FAILED', message, { cause: error });
    }
    if (error !== undefined) throw error;
  });
}

const BEFORE = 'schema_migrations';

/** Refuses a database of a version in development, whose tables differ. */
async function assertComplete(
  database: SqlDatabase,
  on: Kysely<SqlTables>,
  { owner, before }: { readonly owner: string; readonly before: string },
): Promise<void> {
  if (!(await hasTable({ ...database, db: on }, BEFORE))) return;
  const rows = await on.selectFrom(BEFORE).select('name').where('name', 'like', `${owner}/%`).execute();
  if (rows.length === 0 || rows.some(({ name }) => name === before)) return;
  const message = `The database was created by a development version of iml-runtime, whose ${owner} tables are not supported. Start with an empty database.`;
  throw new StoreError('STORE_FAILED', message);
}

/** Whether a database has a table in its search path. Read-only. */
export async function hasTable(
  { db, kind, kysely: { sql } }: Pick<SqlDatabase, 'db' | 'kind' | 'kysely'>,
  name: string,
): Promise<boolean> {
  const query =
    kind === 'postgres'
      ? sql<{ found: unknown }>`select to_regclass(${name}) as found`
      : sql<{ found: unknown }>`select name as found from sqlite_master where name = ${name}`;
  return ((await query.execute(db)).rows[0]?.found ?? null) !== null;
}

/** Creates the tables and indexes that do not exist, and the table of `countInWindow`. */
export async function createTables<T extends Tables>(
  db: Kysely<SqlTables>,
  kind: SqlDatabase['kind'],
  prefix: string,
  definitions: TableDefinitions<T>,
): Promise<void> {
  for (const [name, definition] of Object.entries<TableDefinition<never>>(definitions)) {
    await createTable(db, kind, { prefix, name, definition });
  }
}

async function createTable(
  db: Kysely<SqlTables>,
  kind: SqlDatabase['kind'],
  {
    prefix,
    name,
    definition,
  }: { readonly prefix: string; readonly name: string; readonly definition: TableDefinition<never> },
): Promise<void> {
  const { sql } = await import('kysely');
  // Both databases sort by code point. A PostgreSQL database with a locale would sort differently.
  const text = kind === 'postgres' ? sql`text collate "C"` : 'text';
  const types: Record<string, ColumnDataType | ReturnType<typeof sql>> = {
    ...{ text, json: 'text', whole: 'bigint', flag: 'integer', decimal: 'double precision' },
  };
  const { apart, unique = [], indexes = [] } = definition;
  const create = async (table: string, isApart: boolean): Promise<void> => {
    let builder = db.schema
      .createTable(table)
      .ifNotExists()
      .addColumn('id', kind === 'sqlite' ? 'integer' : 'bigint', (column) => {
        if (isApart) return column.primaryKey();
        return kind === 'sqlite'
          ? column.primaryKey().autoIncrement()
          : column.primaryKey().generatedByDefaultAsIdentity();
      });
    for (const [column, declared] of Object.entries<string>(definition.columns)) {
      if ((apart?.columns.some((it) => it === column) === true) !== isApart) continue;
      const type = types[declared.replace('?', '')] ?? 'text';
      builder = builder.addColumn(sqlName(column), type, (it) =>
        declared.endsWith('?') ? it : it.notNull(),
      );
    }
    await builder.execute();
  };
  const table = prefix + sqlName(name);
  await create(table, false);
  if (apart !== undefined) await create(prefix + sqlName(apart.table), true);
  for (const [list, isUnique] of [
    [unique, true],
    [indexes, false],
  ] as const) {
    for (const names of list) {
      const columns = names.map(sqlName);
      const index = db.schema
        .createIndex(`${table}_${columns.join('_')}`)
        .ifNotExists()
        .on(table)
        .columns(columns);
      await (isUnique ? index.unique() : index).execute();
    }
  }
}

/** Creates the table of `countInWindow`. PostgreSQL does not log its changes: a crash may empty it. */
export async function createWindowTable(
  db: Kysely<SqlTables>,
  kind: SqlDatabase['kind'],
  table: string,
): Promise<void> {
  const { sql } = await import('kysely');
  const builder = db.schema.createTable(table).ifNotExists();
  await (kind === 'postgres' ? builder.modifyFront(sql`unlogged`) : builder)
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .execute();
}
