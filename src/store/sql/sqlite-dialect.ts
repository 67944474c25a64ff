import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import type Database from 'libsql';
import { StoreError } from '../../errors/store-error.js';
import { whenFree } from './when-free.js';

interface Statement {
  readonly prepared: Database.Statement<unknown[]>;
  /** Asked once: the driver makes a list of the columns each time. */
  readonly isReader: boolean;
}

/** Statements kept compiled; a query beyond that is compiled again. */
const MAX_STATEMENTS = 200;

/**
 * The query builder's view of one SQLite connection, used by one caller at a time.
 * Transactions begin with the write lock: a reader that later wants to write would fail instead of waiting.
 *
 * @param waitMs how long another process that holds the file is waited for
 */
export async function createSqliteDialect(database: Database.Database, waitMs: number): Promise<Dialect> {
  const { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } = await import('kysely');
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => createDriver(database, waitMs),
  };
}

function createDriver(database: Database.Database, waitMs: number): Driver {
  const connection = createConnection(database, waitMs);
  const waiting: (() => void)[] = [];
  let taken = false;
  return {
    init: async () => undefined,
    acquireConnection: async () => {
      if (taken) await new Promise<void>((resolve) => waiting.push(resolve));
      taken = true;
      return connection;
    },
    releaseConnection: async () => {
      const next = waiting.shift();
      if (next) next();
      else taken = false;
    },
    beginTransaction: () => whenFree(() => void database.exec('begin immediate'), waitMs),
    commitTransaction: async () => void database.exec('commit'),
    // A full disk ends the transaction by itself; a rollback would then fail and hide why.
    rollbackTransaction: async () => void (database.inTransaction && database.exec('rollback')),
    destroy: async () => void database.close(),
  };
}

function createConnection(database: Database.Database, waitMs: number): DatabaseConnection {
  const statements = new Map<string, Statement>();
  const prepare = (sql: string): Statement => {
    const known = statements.get(sql);
    if (known) return known;
    if (statements.size >= MAX_STATEMENTS) statements.clear();
    const prepared = database.prepare(sql);
    const statement = { prepared, isReader: prepared.reader };
    statements.set(sql, statement);
    return statement;
  };
  return {
    executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      const values = query.parameters.map(toBindable);
      const run = (): QueryResult<R> => {
        const { prepared, isReader } = prepare(query.sql);
        // The rows are what the query selects; the builder gives them their type.
        if (isReader) return { rows: prepared.all(values) as R[] };
        const { changes, lastInsertRowid } = prepared.run(values);
        return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
      };
      // Inside of a transaction the file is ours.
      return database.inTransaction ? run() : whenFree(run, waitMs);
    },
    streamQuery: async function* () {
      yield* [];
      throw new StoreError('STORE_FAILED', 'Queries of a SQLite file are not streamed.');
    },
  };
}

/** The driver ends the process when it is given a value it has no type for, so none may reach it. */
function toBindable(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  throw new StoreError('STORE_FAILED', `A value of type ${typeof value} cannot be stored.`);
}
