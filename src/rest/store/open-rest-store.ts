import { ANY_TEXT, checkOptions, checkValue } from '../../shared/errors/check-options.js';
import { createMemoryStore } from '../../shared/store/memory/memory-store.js';
import { hasAppliedAny, migrate } from '../../shared/store/sql/migrate.js';
import { openPostgres, POSTGRES_SHAPES, type PostgresOptions } from '../../shared/store/sql/open-postgres.js';
import { openSqlite } from '../../shared/store/sql/open-sqlite.js';
import { createSqlStore } from '../../shared/store/sql/sql-store.js';
import type { SqlDatabase } from '../../shared/store/sql-database.js';
import { REST_MIGRATIONS, REST_TABLE_PREFIX } from './migrations.js';
import { REST_TABLES, type RestStore, type RestTables } from './tables.js';

/** An empty store in memory. */
export function createRestMemoryStore(): RestStore {
  return createMemoryStore<RestTables>(REST_TABLES);
}

/** A store in a SQLite file. Creates or migrates its tables. @throws StoreError `STORE_FAILED` */
export async function openRestSqlite(file: string): Promise<RestStore> {
  checkValue(file, ANY_TEXT, 'The file of openRestSqlite');
  return openSql(await openSqlite({ file }));
}

/**
 * Use of a database: maximum connections, whether connections prepare statements (default: yes), and how long to wait
 * for a server that does not respond.
 */
export type RestPostgresOptions = Pick<
  PostgresOptions,
  'maxConnections' | 'named' | 'waitMs' | 'onWait' | 'signal'
>;

/**
 * A store in a PostgreSQL database. Creates or migrates its tables. Connections prepare statements, unless `named` is
 * false.
 * @throws StoreError `STORE_FAILED`
 */
export async function openRestPostgres(url: string, options: RestPostgresOptions = {}): Promise<RestStore> {
  checkValue(url, ANY_TEXT, 'The address of openRestPostgres');
  const { maxConnections, named, waitMs, onWait, signal } = POSTGRES_SHAPES;
  const shapes = { maxConnections, named, waitMs, onWait, signal };
  checkOptions(options, shapes, 'The options of openRestPostgres');
  return openSql(await openPostgres({ url, named: true, ...options }));
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
  const database = await openPostgres({ url, named: true, ...options });
  const isThere = await hasAppliedAny(database, REST_MIGRATIONS).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  if (isThere) return openSql(database);
  await database.close();
  return undefined;
}

async function openSql(database: SqlDatabase): Promise<RestStore> {
  try {
    await migrate(database, REST_MIGRATIONS);
  } catch (error) {
    await database.close();
    throw error;
  }
  return createSqlStore<RestTables>(database, REST_TABLES, { prefix: REST_TABLE_PREFIX });
}
