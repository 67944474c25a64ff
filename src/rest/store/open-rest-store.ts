import { ANY_TEXT, checkOptions, checkValue } from '../../shared/errors/check-options.js';
import { POSTGRES_SHAPES, type PostgresOptions } from '../../shared/store/database-options.js';
import { hasTable, migrate } from '../../shared/store/migrate.js';
import { openPostgres } from '../../shared/store/open-postgres.js';
import { openSqlite } from '../../shared/store/open-sqlite.js';
import type { SqlDatabase } from '../../shared/store/sql-database.js';
import { createSqlStore } from '../../shared/store/sql-store.js';
import { createRestMigrations } from './migrations.js';
import { REST_TABLES, type RestStore, type RestTables } from './tables.js';

const PREFIX = 'rest_';

/**
 * A store in a SQLite file, or in memory with `:memory:`. Creates or migrates its tables. @throws StoreError
 * `STORE_FAILED`
 */
export async function openRestSqlite(file: string): Promise<RestStore> {
  checkValue(file, ANY_TEXT, 'The file of openRestSqlite');
  return openSql(await openSqlite({ file }));
}

/** Use of a database: maximum connections, and how long to wait for a server that does not respond. */
export type RestPostgresOptions = Pick<PostgresOptions, 'maxConnections' | 'waitMs' | 'onWait' | 'signal'>;

/**
 * A store in a PostgreSQL database. Creates or migrates its tables.
 * @throws StoreError `STORE_FAILED`
 */
export async function openRestPostgres(url: string, options: RestPostgresOptions = {}): Promise<RestStore> {
  checkValue(url, ANY_TEXT, 'The address of openRestPostgres');
  const { maxConnections, waitMs, onWait, signal } = POSTGRES_SHAPES;
  checkOptions(options, { maxConnections, waitMs, onWait, signal }, 'The options of openRestPostgres');
  return openSql(await openPostgres({ url, ...options }));
}

/**
 * The store in a PostgreSQL database, with migrated tables. Returns `undefined` for a database without a store and
 * does not change it.
 * @throws StoreError `STORE_FAILED`
 */
export async function findRestPostgres(
  url: string,
  options?: RestPostgresOptions,
): Promise<RestStore | undefined> {
  const database = await openPostgres({ url, ...options });
  const isThere = await hasTable(database, `${PREFIX}users`).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  if (isThere) return openSql(database);
  await database.close();
  return undefined;
}

async function openSql(database: SqlDatabase): Promise<RestStore> {
  try {
    await migrate(database, createRestMigrations());
  } catch (error) {
    await database.close();
    throw error;
  }
  return createSqlStore<RestTables>(database, REST_TABLES, { prefix: PREFIX });
}
