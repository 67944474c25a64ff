import { BYTES, checkOptions } from '../../errors/check-options.js';
import { StoreError } from '../../errors/engine-error.js';
import { createMemoryStore } from '../../store/memory/memory-store.js';
import { migrate } from '../../store/sql/migrate.js';
import { openPostgres, POSTGRES_SHAPES, type PostgresOptions } from '../../store/sql/open-postgres.js';
import { openSqlite, SQLITE_SHAPES, type SqliteOptions } from '../../store/sql/open-sqlite.js';
import { createSqlStore } from '../../store/sql/sql-store.js';
import type { SqlDatabase } from '../../store/sql-database.js';
import { SEAL_KEY_BYTES } from '../../util/seal.js';
import { copyKept } from './kept-value.js';
import { HOST_MIGRATIONS, HOST_TABLE_PREFIX } from './migrations.js';
import { HOST_TABLES, type HostStore, type HostTables } from './tables.js';

/** A store of this process, empty, gone at its end: for tests. */
export function createHostMemoryStore(): HostStore {
  return createMemoryStore<HostTables>(HOST_TABLES);
}

/** How a store of a host keeps secrets. */
export interface SealOptions {
  /**
   * 32 bytes, the same in every process of the host. With it, what services were given and gave at set-up, the flows of
   * scenarios and incomplete executions are kept encrypted (AES-256-GCM); what was kept before stays readable.
   * Without it they are kept as they are.
   */
  readonly sealKey?: Uint8Array | undefined;
}

/**
 * A store in a SQLite file; the tables are made or brought up to date. Needs the package "libsql".
 * A commit is on the disk when it returns, so that a webhook answered 2xx outlives a power cut.
 *
 * @throws StoreError `STORE_FAILED`, for a key as well that is none or not the one things are sealed with
 */
export async function openHostSqlite(options: SqliteOptions & SealOptions): Promise<HostStore> {
  checkOptions(options, { ...SQLITE_SHAPES, sealKey: BYTES }, 'The options of openHostSqlite', ['file']);
  assertKey(options);
  return openSql(await openSqlite({ ...options, synchronous: 'full' }), options);
}

/**
 * A store in a PostgreSQL database; the tables are made or brought up to date. Needs the package "pg". Statements are kept prepared
 * on each connection, unless `named` is false.
 *
 * @throws StoreError `STORE_FAILED`, for a key as well that is none or not the one things are sealed with
 */
export async function openHostPostgres(options: PostgresOptions & SealOptions): Promise<HostStore> {
  checkOptions(options, { ...POSTGRES_SHAPES, sealKey: BYTES }, 'The options of openHostPostgres', ['url']);
  assertKey(options);
  return openSql(await openPostgres({ named: true, ...options }), options);
}

function assertKey({ sealKey }: SealOptions): void {
  if (sealKey === undefined || sealKey.byteLength === SEAL_KEY_BYTES) return;
  throw new StoreError('STORE_FAILED', `"sealKey": ${SEAL_KEY_BYTES} bytes are expected.`);
}

async function openSql(database: SqlDatabase, { sealKey }: SealOptions): Promise<HostStore> {
  try {
    await migrate(database, HOST_MIGRATIONS);
    const store = createSqlStore<HostTables>(database, HOST_TABLES, { prefix: HOST_TABLE_PREFIX, sealKey });
    // Another key is told at once, and not by the first event.
    const last = { limit: 1, sortBy: 'id', descending: true } as const;
    for (const table of ['hooks', 'scenarios'] as const) await store.find(table, last);
    for (const { execution } of await store.find('incompletes', last)) copyKept(execution);
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}
