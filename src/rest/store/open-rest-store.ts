import { createMemoryStore } from '../../store/memory/memory-store.js';
import { migrate } from '../../store/sql/migrate.js';
import { openPostgres } from '../../store/sql/open-postgres.js';
import { openSqlite } from '../../store/sql/open-sqlite.js';
import type { SqlDatabase } from '../../store/sql-database.js';
import { createSqlStore } from '../../store/sql/sql-store.js';
import { REST_MIGRATIONS, REST_TABLE_PREFIX } from './migrations.js';
import { REST_TABLES, type RestStore, type RestTables } from './tables.js';

/** A store of this process, empty, gone at its end. */
export function createRestMemoryStore(): RestStore {
  return createMemoryStore<RestTables>(REST_TABLES);
}

/** A store in a SQLite file; the tables are made or brought up to date. @throws StoreError `STORE_FAILED` */
export async function openRestSqlite(file: string): Promise<RestStore> {
  return openSql(await openSqlite({ file }));
}

/** A store in a PostgreSQL database; the tables are made or brought up to date. @throws StoreError `STORE_FAILED` */
export async function openRestPostgres(url: string, maxConnections?: number): Promise<RestStore> {
  return openSql(await openPostgres({ url, maxConnections }));
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
