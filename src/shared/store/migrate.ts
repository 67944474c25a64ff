import type { ColumnDataType, Kysely, Migration as KyselyMigration } from 'kysely';
import { StoreError } from '../errors/engine-error.js';
import { retry, type SqlDatabase, type SqlTables } from './sql-database.js';
import { type ColumnType, sqlName, type TableShape } from './table.js';

/** The migrations of the tables of one owner in a database. */
export interface Migrations {
  /** Prefix of the tables, including those of Kysely's `Migrator`: `rest`. */
  readonly owner: string;
  /**
   * Steps by name, run in the order of their names in one transaction. Never edit a released step: it contains literal
   * tables, not the definitions of the present version, which change.
   */
  readonly steps: Readonly<Record<string, (schema: SchemaChange) => Promise<void>>>;
}

/** Changes of a schema, the same on SQLite and PostgreSQL. Names are those of the program: `createdAt`. */
export interface SchemaChange {
  readonly db: Kysely<SqlTables>;
  readonly addTables: (shapes: Readonly<Record<string, TableShape>>) => Promise<void>;
  /** @param initial value in existing rows. Required unless the column is nullable */
  readonly addColumn: (
    table: string,
    column: string,
    type: ColumnType,
    initial?: string | number,
  ) => Promise<void>;
  readonly addIndex: (
    table: string,
    columns: readonly string[],
    options?: { readonly isUnique?: boolean },
  ) => Promise<void>;
  /** Adds the table of `countInWindow`. PostgreSQL does not log its changes: a crash may empty it. */
  readonly addWindowTable: (table: string) => Promise<void>;
}

/**
 * Runs all pending migrations. Processes that start together wait for each other.
 *
 * @throws StoreError (STORE_FAILED) if the database is of a later version
 */
export async function migrate(database: SqlDatabase, { owner, steps }: Migrations): Promise<void> {
  const { db, kind, kysely } = database;
  const all = Object.entries(steps).map(([name, up]): [string, KyselyMigration] => [
    name,
    { up: (on: Kysely<SqlTables>) => up(changeSchema({ db: on, kind, kysely }, `${owner}_`)) },
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
    if (error instanceof Error && /^corrupted migrations: .* is missing$/.test(error.message)) {
      const message = `The database was migrated by a later version of iml-runtime (${error.message}). Update iml-runtime.`;
      throw new StoreError('STORE_FAILED', message, { cause: error });
    }
    if (error !== undefined) throw error;
  });
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

/** Changes of the tables with a prefix. */
export function changeSchema(
  { db, kind, kysely: { sql } }: Pick<SqlDatabase, 'db' | 'kind' | 'kysely'>,
  prefix: string,
): SchemaChange {
  // Both databases sort by code point. A PostgreSQL database with a locale would sort differently.
  const text = kind === 'postgres' ? sql`text collate "C"` : 'text';
  const types: Readonly<Record<string, ColumnDataType | ReturnType<typeof sql>>> = {
    ...{ text, json: 'text', whole: 'bigint', flag: 'integer', decimal: 'double precision' },
  };
  const typeOf = (type: string): ColumnDataType | ReturnType<typeof sql> =>
    types[type.replace('?', '')] ?? 'text';

  const addTable = async (
    table: string,
    columns: readonly (readonly [name: string, type: string])[],
    hasOwnIds: boolean,
  ): Promise<void> => {
    let builder = db.schema
      .createTable(table)
      .addColumn('id', kind === 'sqlite' ? 'integer' : 'bigint', (column) => {
        if (!hasOwnIds) return column.primaryKey();
        return kind === 'sqlite'
          ? column.primaryKey().autoIncrement()
          : column.primaryKey().generatedByDefaultAsIdentity();
      });
    for (const [name, type] of columns) {
      builder = builder.addColumn(sqlName(name), typeOf(type), (it) =>
        type.endsWith('?') ? it : it.notNull(),
      );
    }
    await builder.execute();
  };

  const addIndex: SchemaChange['addIndex'] = async (name, names, { isUnique = false } = {}) => {
    const table = prefix + sqlName(name);
    const columns = names.map(sqlName);
    const index = db.schema
      .createIndex(`${table}_${columns.join('_')}`)
      .on(table)
      .columns(columns);
    await (isUnique ? index.unique() : index).execute();
  };

  return {
    db,
    addIndex,
    addTables: async (shapes) => {
      for (const [name, { columns, apart, unique = [], indexes = [] }] of Object.entries(shapes)) {
        const all = Object.entries(columns);
        const isApart = ([column]: readonly [string, string]): boolean =>
          apart?.columns.includes(column) === true;
        await addTable(
          prefix + sqlName(name),
          all.filter((one) => !isApart(one)),
          true,
        );
        if (apart !== undefined) await addTable(prefix + sqlName(apart.table), all.filter(isApart), false);
        for (const names of unique) await addIndex(name, names, { isUnique: true });
        for (const names of indexes) await addIndex(name, names);
      }
    },
    addColumn: async (table, column, type, initial) => {
      await db.schema
        .alterTable(prefix + sqlName(table))
        .addColumn(sqlName(column), typeOf(type), (it) => {
          const added = type.endsWith('?') ? it : it.notNull();
          return initial === undefined ? added : added.defaultTo(initial);
        })
        .execute();
    },
    addWindowTable: async (table) => {
      const builder = db.schema.createTable(prefix + sqlName(table));
      await (kind === 'postgres' ? builder.modifyFront(sql`unlogged`) : builder)
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('started_at', 'bigint', (column) => column.notNull())
        .addColumn('count', 'bigint', (column) => column.notNull())
        .execute();
    },
  };
}
