import { BYTES, checkOptions } from '../../shared/errors/check-options.js';
import { StoreError } from '../../shared/errors/engine-error.js';
import { SEAL_KEY_BYTES } from '../../shared/seal.js';
import {
  POSTGRES_SHAPES,
  type PostgresOptions,
  SQLITE_SHAPES,
  type SqliteOptions,
} from '../../shared/store/database-options.js';
import { migrate } from '../../shared/store/migrate.js';
import { openPostgres } from '../../shared/store/open-postgres.js';
import { openSqlite } from '../../shared/store/open-sqlite.js';
import type { SqlDatabase } from '../../shared/store/sql-database.js';
import { createSqlStore } from '../../shared/store/sql-store.js';
import { HOST_MIGRATIONS } from './migrations.js';
import { assertOpens } from './stored-value.js';
import { HOST_TABLES, type HostStore, type HostTables } from './tables.js';

/** Encryption of secrets in a store. */
export interface SealOptions {
  /**
   * 32 bytes, the same in all processes of a host. Encrypts hook parameters and data, flows and incomplete executions
   * (AES-256-GCM), each bound to its row. Without it, they are stored in plain text.
   */
  readonly sealKey?: Uint8Array | undefined;
}

/**
 * Opens a SQLite store and migrates its tables; `:memory:` is a store of this process. Needs the package "libsql".
 * Commits are flushed to disk, so that an event with a 2xx response survives a power failure.
 *
 * @throws StoreError `STORE_FAILED`, also for an invalid or wrong key
 */
export async function openHostSqlite(options: SqliteOptions & SealOptions): Promise<HostStore> {
  checkOptions(options, { ...SQLITE_SHAPES, sealKey: BYTES }, 'The options of openHostSqlite', ['file']);
  assertKey(options);
  return openSql(await openSqlite({ ...options, synchronous: 'full' }), options);
}

/**
 * Opens a PostgreSQL store and migrates its tables. Needs the package "pg".
 *
 * @throws StoreError `STORE_FAILED`, also for an invalid or wrong key
 */
export async function openHostPostgres(options: PostgresOptions & SealOptions): Promise<HostStore> {
  checkOptions(options, { ...POSTGRES_SHAPES, sealKey: BYTES }, 'The options of openHostPostgres', ['url']);
  assertKey(options);
  return openSql(await openPostgres(options), options);
}

function assertKey({ sealKey }: SealOptions): void {
  if (sealKey === undefined || sealKey.byteLength === SEAL_KEY_BYTES) return;
  throw new StoreError('STORE_FAILED', `"sealKey": expected ${SEAL_KEY_BYTES} bytes.`);
}

const PREFIX = 'host_';

async function openSql(database: SqlDatabase, { sealKey }: SealOptions): Promise<HostStore> {
  try {
    await migrate(database, HOST_MIGRATIONS);
    const store = createSqlStore<HostTables>(database, HOST_TABLES, { prefix: PREFIX, sealKey });
    await assertSealKey(store, sealKey);
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}

const CHECK = 'seal-check';

/** Refuses another key than the one of the stored data. */
async function assertSealKey(store: HostStore, sealKey: Uint8Array | undefined): Promise<void> {
  const known = await store.get('settings', { name: CHECK });
  if (known !== undefined) return assertKnownKey(known.value, sealKey);
  if (sealKey === undefined) return;
  await store
    .transaction((writer) => writer.insert('settings', { name: CHECK, value: CHECK }))
    .catch(async (error: unknown) => {
      // Another process was faster.
      if (!(error instanceof StoreError && error.code === 'STORE_CONFLICT')) throw error;
      assertKnownKey((await store.get('settings', { name: CHECK }))?.value, sealKey);
    });
}

function assertKnownKey(value: unknown, sealKey: Uint8Array | undefined): void {
  try {
    assertOpens(value);
  } catch (cause) {
    const why = sealKey === undefined ? 'is missing' : 'does not open its stored data';
    const message = `The key of the host ("sealKey", IML_HOST_KEY) ${why}.`;
    throw new StoreError('STORE_FAILED', message, { cause });
  }
}
