import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import type Database from 'libsql';
import { StoreError } from '../../errors/engine-error.js';
import { whenFree } from './wait-for-sqlite.js';

interface Statement {
  readonly prepared: Database.Statement<unknown[]>;
  /** Asked once: the driver makes a list of the columns each time. */
  readonly isReader: boolean;
}

/** Statements kept compiled; a query beyond that is compiled again. */
const MAX_STATEMENTS = 200;

export type SqliteResult = QueryResult<Record<string, unknown>>;

/** One SQLite connection, used by one caller at a time. */
export interface SqliteConnection {
  /** Waits until nobody else has it. */
  acquire(): Promise<void>;
  release(): void;
  /** Runs a statement of whoever has it. */
  run(text: string, values: readonly unknown[]): Promise<SqliteResult>;
  /** Begins with the write lock: a reader that later wants to write would fail instead of waiting. */
  begin(): Promise<void>;
  commit(): void;
  rollback(): void;
  close(): void;
}

/** @param waitMs how long another process that holds the file is waited for */
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
      // Inside of a transaction the file is ours.
      return database.inTransaction ? runNow(text, values) : whenFree(() => runNow(text, values), waitMs);
    },
    begin: () => whenFree(() => void database.exec('begin immediate'), waitMs),
    commit: () => void database.exec('commit'),
    // A full disk ends the transaction by itself; a rollback would then fail and hide why.
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
    // The rows of a statement are objects of its columns.
    if (isReader) return { rows: prepared.all(bound) as Record<string, unknown>[] };
    const { changes, lastInsertRowid } = prepared.run(bound);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  };
}

/** The query builder's view of a connection. */
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
      // The rows are what the query selects; the builder gives them their type.
      return (await connection.run(sql, parameters)) as QueryResult<R>;
    },
    streamQuery: async function* () {
      yield* [];
      throw new StoreError('STORE_FAILED', 'Queries of a SQLite file are not streamed.');
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

/** The driver ends the process when it is given a value it has no type for, so none may reach it. */
function toBindable(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  throw new StoreError('STORE_FAILED', `A value of type ${typeof value} cannot be stored.`);
}
