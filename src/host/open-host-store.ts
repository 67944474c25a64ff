import { createMemoryStore } from '../store/memory/memory-store.js';
import { migrate } from '../store/sql/migrate.js';
import { openPostgres, type PostgresOptions } from '../store/sql/open-postgres.js';
import { openSqlite, type SqliteOptions } from '../store/sql/open-sqlite.js';
import type { SqlDatabase } from '../store/sql-database.js';
import { createSqlStore } from '../store/sql/sql-store.js';
import { HOST_MIGRATIONS, HOST_TABLE_PREFIX } from './store/migrations.js';
import { HOST_TABLES, type HostStore, type HostTables } from './store/tables.js';

/** A store of this process, empty, gone at its end: for tests. */
export function createHostMemoryStore(): HostStore {
  return createMemoryStore<HostTables>(HOST_TABLES);
}

/**
 * A store in a SQLite file; the tables are made or brought up to date. Needs the package "libsql".
 * A commit is on the disk when it returns, so that a webhook answered 2xx outlives a power cut.
 *
 * @throws StoreError `STORE_FAILED`
 */
export async function openHostSqlite(options: SqliteOptions): Promise<HostStore> {
  return openSql(await openSqlite({ ...options, synchronous: 'full' }));
}

/**
 * A store in a PostgreSQL database; the tables are made or brought up to date. Needs the package "pg".
 *
 * @throws StoreError `STORE_FAILED`
 */
export async function openHostPostgres(options: PostgresOptions): Promise<HostStore> {
  return openSql(await openPostgres(options));
}

async function openSql(database: SqlDatabase): Promise<HostStore> {
  try {
    await migrate(database, HOST_MIGRATIONS);
  } catch (error) {
    await database.close();
    throw error;
  }
  return createSqlStore<HostTables>(database, HOST_TABLES, { prefix: HOST_TABLE_PREFIX });
}
