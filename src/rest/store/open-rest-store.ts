import { ANY_TEXT, checkOptions, checkValue } from '../../errors/check-options.js';
import { createMemoryStore } from '../../store/memory/memory-store.js';
import { hasAppliedAny, migrate } from '../../store/sql/migrate.js';
import { openPostgres, POSTGRES_SHAPES, type PostgresOptions } from '../../store/sql/open-postgres.js';
import { openSqlite } from '../../store/sql/open-sqlite.js';
import { createSqlStore } from '../../store/sql/sql-store.js';
import type { SqlDatabase } from '../../store/sql-database.js';
import { REST_MIGRATIONS, REST_TABLE_PREFIX } from './migrations.js';
import { REST_TABLES, type RestStore, type RestTables } from './tables.js';

/** A store of this process, empty, gone at its end. */
export function createRestMemoryStore(): RestStore {
  return createMemoryStore<RestTables>(REST_TABLES);
}

/** A store in a SQLite file; the tables are made or brought up to date. @throws StoreError `STORE_FAILED` */
export async function openRestSqlite(file: string): Promise<RestStore> {
  checkValue(file, ANY_TEXT, 'The file of openRestSqlite');
  return openSql(await openSqlite({ file }));
}

/**
 * How a database is used: connections at most, whether statements are kept prepared on them (default: yes), and how long to wait for a
 * server that does not answer yet.
 */
export type RestPostgresOptions = Pick<
  PostgresOptions,
  'maxConnections' | 'named' | 'waitMs' | 'onWait' | 'signal'
>;

/**
 * A store in a PostgreSQL database; the tables are made or brought up to date. Statements are kept prepared on each connection, unless
 * `named` is false.
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
 * A store in a PostgreSQL database that holds one; its tables are brought up to date. `undefined` for a database that holds none,
 * which is left as it is.
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
