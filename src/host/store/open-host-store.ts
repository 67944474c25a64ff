import { BYTES, checkOptions } from '../../shared/errors/check-options.js';
import { StoreError } from '../../shared/errors/engine-error.js';
import { SEAL_KEY_BYTES } from '../../shared/seal.js';
import { createMemoryStore } from '../../shared/store/memory/memory-store.js';
import { migrate } from '../../shared/store/sql/migrate.js';
import { openPostgres, POSTGRES_SHAPES, type PostgresOptions } from '../../shared/store/sql/open-postgres.js';
import { openSqlite, SQLITE_SHAPES, type SqliteOptions } from '../../shared/store/sql/open-sqlite.js';
import { createSqlStore } from '../../shared/store/sql/sql-store.js';
import type { SqlDatabase } from '../../shared/store/sql-database.js';
import { copyStored } from './kept-value.js';
import { HOST_MIGRATIONS, HOST_TABLE_PREFIX } from './migrations.js';
import { HOST_TABLES, type HostStore, type HostTables } from './tables.js';

/** Creates an empty in-memory store, for tests. */
export function createHostMemoryStore(): HostStore {
  return createMemoryStore<HostTables>(HOST_TABLES);
}

/** Encryption of secrets in a store. */
export interface SealOptions {
  /**
   * 32 bytes, the same in all processes of a host. Encrypts hook parameters and data, flows and incomplete executions
   * (AES-256-GCM). Rows stored before stay readable. Without it, they are stored in plain text.
   */
  readonly sealKey?: Uint8Array | undefined;
}

/**
 * Opens a SQLite store and migrates its tables. Needs the package "libsql". Commits are flushed to disk, so that an
 * event with a 2xx response survives a power failure.
 *
 * @throws StoreError `STORE_FAILED`, also for an invalid or wrong key
 */
export async function openHostSqlite(options: SqliteOptions & SealOptions): Promise<HostStore> {
  checkOptions(options, { ...SQLITE_SHAPES, sealKey: BYTES }, 'The options of openHostSqlite', ['file']);
  assertKey(options);
  return openSql(await openSqlite({ ...options, synchronous: 'full' }), options);
}

/**
 * Opens a PostgreSQL store and migrates its tables. Needs the package "pg". Uses prepared statements unless `named`
 * is false.
 *
 * @throws StoreError `STORE_FAILED`, also for an invalid or wrong key
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
    // Detects a wrong key on opening instead of on the first event.
    const last = { limit: 1, sortBy: 'id', descending: true } as const;
    for (const table of ['hooks', 'scenarios'] as const) await store.find(table, last);
    for (const { execution } of await store.find('incompletes', last)) copyStored(execution);
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}
