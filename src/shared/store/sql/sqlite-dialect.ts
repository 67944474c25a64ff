import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import type Database from 'libsql';
import { StoreError } from '../../errors/engine-error.js';
import { whenUnlocked } from './wait-for-sqlite.js';

interface Statement {
  readonly prepared: Database.Statement<unknown[]>;
  /** Cached because the driver builds the list of columns on each call. */
  readonly isReader: boolean;
}

/** Maximum number of cached statements. */
const MAX_STATEMENTS = 200;

export type SqliteResult = QueryResult<Record<string, unknown>>;

/** One SQLite connection with exclusive use by one caller at a time. */
export interface SqliteConnection {
  /** Waits for exclusive use. */
  acquire(): Promise<void>;
  release(): void;
  /** Runs a statement of the current user of the connection. */
  run(text: string, values: readonly unknown[]): Promise<SqliteResult>;
  /** Takes the write lock at once. A read transaction that later writes would fail instead of waiting. */
  begin(): Promise<void>;
  commit(): void;
  rollback(): void;
  close(): void;
}

/** @param waitMs how long to wait for another process that locks the file */
export function createSqliteConnection(database: Database.Database, waitMs: number): SqliteConnection {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  let isClosed = false;
  const runNow = createRunner(database);
  return {
    acquire: async () => {
      if (isTaken) await new Promise<void>((resolve) => waiting.push(resolve));
      isTaken = true;
      if (isClosed) throw new StoreError('STORE_FAILED', 'The database file is closed.');
    },
    release: () => {
      const next = waiting.shift();
      if (next) next();
      else isTaken = false;
    },
    run: async (text, values) => {
      // Inside a transaction, this process holds the lock.
      return database.inTransaction ? runNow(text, values) : whenUnlocked(() => runNow(text, values), waitMs);
    },
    begin: () => whenUnlocked(() => void database.exec('begin immediate'), waitMs),
    commit: () => void database.exec('commit'),
    // SQLite ends the transaction itself if the disk is full. A rollback would then fail and hide the cause.
    rollback: () => void (database.inTransaction && database.exec('rollback')),
    close: () => {
      if (!isClosed) database.close();
      isClosed = true;
    },
  };
}

function createRunner(
  database: Database.Database,
): (text: string, values: readonly unknown[]) => SqliteResult {
  const statements = new Map<string, Statement>();
  const prepare = (text: string): Statement => {
    const known = statements.get(text);
    if (known) return known;
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    const prepared = database.prepare(text);
    const statement = { prepared, isReader: prepared.reader };
    statements.set(text, statement);
    return statement;
  };
  return (text, values) => {
    const bound = values.map(toBindable);
    const { prepared, isReader } = prepare(text);
    // The rows of a statement are objects by column.
    if (isReader) return { rows: prepared.all(bound) as Record<string, unknown>[] };
    const { changes, lastInsertRowid } = prepared.run(bound);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  };
}

/** Creates the Kysely dialect of a connection. */
export async function createSqliteDialect(connection: SqliteConnection): Promise<Dialect> {
  const { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } = await import('kysely');
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => createDriver(connection),
  };
}

function createDriver(connection: SqliteConnection): Driver {
  const view: DatabaseConnection = {
    executeQuery: async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
      // The query builder determines the type of the rows.
      return (await connection.run(sql, parameters)) as QueryResult<R>;
    },
    streamQuery: async function* () {
      yield* [];
      throw new StoreError('STORE_FAILED', 'Streaming of queries is not supported on SQLite.');
    },
  };
  return {
    init: async () => undefined,
    acquireConnection: async () => {
      await connection.acquire();
      return view;
    },
    releaseConnection: async () => connection.release(),
    beginTransaction: () => connection.begin(),
    commitTransaction: async () => connection.commit(),
    rollbackTransaction: async () => connection.rollback(),
    destroy: async () => connection.close(),
  };
}

/** libsql ends the process on a value of an unsupported type. */
function toBindable(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  throw new StoreError(
    'STORE_FAILED',
    `Cannot store a value of type ${typeof value}: expected a string, finite number, bigint, boolean or null.`,
  );
}
