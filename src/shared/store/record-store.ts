/** A row. Values are strings, numbers, booleans, null or JSON, as the table defines. The store assigns `id`. */
export interface Row {
  readonly id: number;
}

/** The rows of each table, by the name of the table. */
export type Tables = { readonly [name: string]: Row };

/** Matches rows whose column is among the values of a column of another table. */
export interface Within {
  readonly within: string;
  readonly column: string;
  readonly where: Readonly<Record<string, unknown>>;
}

/** Matches rows whose text contains a substring. Case-sensitive. */
export interface Containing {
  readonly containing: string;
}

/** Matches rows whose number is at most `atMost` or greater than `above`. Null matches `notAbove` only. */
export type Bounded =
  | { readonly atMost: number }
  | { readonly notAbove: number }
  | { readonly above: number };

/** Conditions combined by AND: a value, a list of values, or a condition object. */
export type Where<R extends Row> = {
  readonly [C in keyof R]?: R[C] | readonly R[C][] | Within | Containing | Bounded;
};

export interface Query<R extends Row, C extends keyof R & string = keyof R & string> {
  readonly where?: Where<R> | undefined;
  /** Columns to read in addition to `id`. Default: all. */
  readonly columns?: readonly C[] | undefined;
  /** Sort column. Strings sort by code point, equal values by id. Default: id. */
  readonly sortBy?: (keyof R & string) | undefined;
  readonly descending?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** A query for the first row per value of a column. */
export interface FirstQuery<
  R extends Row,
  C extends keyof R & string = keyof R & string,
  S extends keyof R & string = keyof R & string,
> {
  readonly column: C;
  readonly values: readonly R[C][];
  /** Alternatives: the result has the first row of each. */
  readonly where: readonly Where<R>[];
  /** Columns to read in addition to `id`. Default: all. */
  readonly columns?: readonly S[] | undefined;
}

/** A row count and the sum of a column. */
export interface Tally {
  readonly count: number;
  readonly sum: number;
}

export interface RecordReader<T extends Tables> {
  /** The first matching row by id. */
  get<K extends keyof T & string>(table: K, where: Where<T[K]>): Promise<T[K] | undefined>;
  find<K extends keyof T & string, C extends keyof T[K] & string = keyof T[K] & string>(
    table: K,
    query?: Query<T[K], C>,
  ): Promise<readonly Pick<T[K], C | 'id'>[]>;
  /** The first matching row by id for each value of a column, sorted by id. Needs an index to be fast. */
  firstOf<
    K extends keyof T & string,
    C extends keyof T[K] & string,
    S extends keyof T[K] & string = keyof T[K] & string,
  >(table: K, query: FirstQuery<T[K], C, S>): Promise<readonly Pick<T[K], S | 'id'>[]>;
  count<K extends keyof T & string>(table: K, where?: Where<T[K]>): Promise<number>;
  /** Counts matching rows per value of a column. Values without rows are absent. */
  countBy<K extends keyof T & string, C extends keyof T[K] & string>(
    table: K,
    column: C,
    where?: Where<T[K]>,
  ): Promise<ReadonlyMap<T[K][C], number>>;
  /** Counts matching rows and sums another column per value of a column. Values without rows are absent. */
  tally<K extends keyof T & string, C extends keyof T[K] & string>(
    table: K,
    column: C,
    summed: keyof T[K] & string,
    where: Where<T[K]>,
  ): Promise<ReadonlyMap<T[K][C], Tally>>;
}

/** Result of a statement. */
export interface SqlResult {
  readonly rows: Record<string, unknown>[];
  readonly numAffectedRows?: bigint | undefined;
  /** The last assigned id, on SQLite. */
  readonly insertId?: bigint | undefined;
}

/** Runs statements, in a transaction or outside of one. */
export interface SqlRunner {
  /**
   * Runs a statement with placeholders: `$1` on PostgreSQL, `?` in SQLite. Statements of a transaction run in call
   * order, even if the caller does not await each one.
   */
  run(text: string, values: readonly unknown[]): Promise<SqlResult>;
}

/**
 * Reads and writes within a transaction. Statements run in call order, even if the caller does not await each one.
 * Exceptions: added rows and sealed or large values are visible only after their promise resolves. Pipelined calls
 * save round trips; the caller awaits all of them (`Promise.all`).
 */
export interface RecordWriter<T extends Tables> extends RecordReader<T> {
  /**
   * The first matching row by id, locked against changes (`update`) or removal (`key`) until the transaction ends.
   * Needed in read-committed transactions only; otherwise the same as `get`.
   */
  getLocked<K extends keyof T & string>(
    table: K,
    where: Where<T[K]>,
    lock: 'update' | 'key',
  ): Promise<T[K] | undefined>;
  /**
   * Matching rows by id, locked until the transaction ends. `update` waits for rows that other transactions lock,
   * `skip` leaves them out.
   */
  findLocked<K extends keyof T & string, C extends keyof T[K] & string = keyof T[K] & string>(
    table: K,
    query: Query<T[K], C>,
    lock: 'update' | 'skip',
  ): Promise<readonly Pick<T[K], C | 'id'>[]>;
  /** The open SQL transaction, in which a queue can add and settle jobs; undefined in a store without SQL. */
  readonly sql?: SqlRunner | undefined;
  /** Registers a callback that runs after the commit, in order of registration. It does not run after a rollback. */
  afterCommit(callback: () => void): void;
  /** Adds a row with the next id. @throws StoreError `STORE_CONFLICT` */
  insert<K extends keyof T & string>(table: K, row: Omit<T[K], 'id'>): Promise<T[K]>;
  /** Adds rows in order with as few statements as possible. @throws StoreError `STORE_CONFLICT` */
  insertAll<K extends keyof T & string>(
    table: K,
    rows: readonly Omit<T[K], 'id'>[],
  ): Promise<readonly T[K][]>;
  /** Updates all matching rows. @returns their number @throws StoreError `STORE_CONFLICT` */
  update<K extends keyof T & string>(
    table: K,
    where: Where<T[K]>,
    change: Partial<Omit<T[K], 'id'>>,
  ): Promise<number>;
  /**
   * Updates all matching rows.
   * @returns the updated rows by id with the requested columns (default: all)
   * @throws StoreError `STORE_CONFLICT`
   */
  updateAndRead<K extends keyof T & string, C extends keyof T[K] & string = keyof T[K] & string>(
    table: K,
    where: Where<T[K]>,
    change: Partial<Omit<T[K], 'id'>>,
    options?: { readonly columns?: readonly C[] | undefined },
  ): Promise<readonly Pick<T[K], C | 'id'>[]>;
  /** Removes all matching rows. @returns their number */
  remove<K extends keyof T & string>(table: K, where: Where<T[K]>): Promise<number>;
}

export interface TransactionOptions {
  /**
   * Isolation level on PostgreSQL. `serializable` (default) needs no attention to other writers. `read-committed`
   * suits updates whose conditions name all they depend on, or that use `getLocked`.
   */
  readonly isolation?: 'serializable' | 'read-committed' | undefined;
}

/** Capabilities of a store beyond one process. */
export interface StoreCapabilities {
  /** Whether rows survive the end of the process. */
  readonly durable: boolean;
  /**
   * `process`: visible in this process; `machine`: in all processes of this machine; `network`: for all clients of
   * the server.
   */
  readonly reach: 'process' | 'machine' | 'network';
  /** Whether a transaction blocks the event loop until it is on disk. Default: false. */
  readonly holdsProcess?: boolean;
}

/**
 * Rows of named tables with transactions. Invariant for callers: inside `transaction`, use only the passed writer. A
 * store with one connection would deadlock otherwise.
 */
export interface RecordStore<T extends Tables, W = RecordWriter<T>> extends RecordReader<T> {
  readonly capabilities: StoreCapabilities;
  /**
   * Runs `work` as a serializable transaction: all of its changes apply or none. The store may run it again after a
   * conflict with other writers, so it must have no other side effects.
   * @throws StoreError `STORE_BUSY` if it does not succeed
   */
  transaction<R>(work: (writer: W) => Promise<R>, options?: TransactionOptions): Promise<R>;
  /** Returns free pages to the disk in small steps, if the database does not do so itself. */
  shrink(): Promise<void>;
  /** A number that changes whenever another process changes the database. Absent if no other process can. */
  readonly changeCount?: (() => Promise<number>) | undefined;
  /**
   * Locks the database file for one host. Absent if several hosts may share the database.
   * @returns a function that releases the lock; the end of the process does too
   * @throws EngineError (HOST_REFUSED) if another host holds the lock
   */
  readonly lockHost?: (() => Promise<() => void>) | undefined;
  /**
   * Runs work under a lock with a name that all processes of the database share. The end of the process or of its
   * connection releases the lock. Absent if no other process shares the database.
   * @throws StoreError `STORE_BUSY` if the lock is not free within a minute
   */
  readonly exclusively?: (<R>(name: string, work: () => Promise<R>) => Promise<R>) | undefined;
  close(): Promise<void>;
}

/** A query for rows. See `RecordReader.find`. */
type FindQuery<T extends Tables, K extends keyof T & string> = { readonly find: K } & Query<T[K]>;

/** A query for counts and sums per value. See `RecordReader.tally`. */
interface TallyQuery<T extends Tables, K extends keyof T & string> {
  readonly tally: K;
  readonly column: keyof T[K] & string;
  readonly summed: keyof T[K] & string;
  readonly where: Where<T[K]>;
}

/** Several queries by name. Undefined queries are skipped. */
export type Queries<T extends Tables> = {
  readonly [name: string]:
    | { [K in keyof T & string]: FindQuery<T, K> | TallyQuery<T, K> }[keyof T & string]
    | undefined;
};

type Answer<T extends Tables, Q> = Q extends { readonly find: infer K extends keyof T & string }
  ? readonly (Q extends { readonly columns: readonly (infer C)[] }
      ? Pick<T[K], (C & keyof T[K] & string) | 'id'>
      : T[K])[]
  : Q extends { readonly tally: infer K extends keyof T & string; readonly column: infer C }
    ? ReadonlyMap<T[K][C & keyof T[K]], Tally>
    : undefined;

/** Results of several queries by name. */
export type QueryResults<T extends Tables, Q extends Queries<T>> = {
  readonly [N in keyof Q]: Answer<T, Q[N]>;
};

/** Placeholder in a new row for the id of a row added before it. A class, so that no JSON input can equal it. */
export class IdOf {
  /** Name of the row within the batch. */
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A row to add and its table. */
export interface NewRow<T extends Tables, K extends keyof T & string> {
  readonly table: K;
  readonly row: { readonly [C in Exclude<keyof T[K], 'id'>]: T[K][C] | IdOf };
}

/** Rows to add by name, each after the rows whose ids it contains. Undefined rows are skipped. */
export type NewRows<T extends Tables> = {
  readonly [name: string]: { [K in keyof T & string]: NewRow<T, K> }[keyof T & string] | undefined;
};

/** The added rows by name. */
export type AddedRows<T extends Tables, N extends NewRows<T>> = {
  readonly [M in keyof N]: N[M] extends { readonly table: infer K extends keyof T & string }
    ? T[K]
    : undefined;
};

/** Number of events in a time window that starts with its first event. */
export interface CountedWindow {
  readonly startedAtMs: number;
  readonly count: number;
}

export interface SqlReader<T extends Tables> extends RecordReader<T> {
  /** Runs several queries in one statement. It must not read decimal columns: SQLite rounds them in JSON. */
  queryAll<const Q extends Queries<T>>(queries: Q): Promise<QueryResults<T, Q>>;
}

export interface SqlWriter<T extends Tables> extends SqlReader<T>, RecordWriter<T> {
  readonly sql: SqlRunner;
  /** Adds linked rows, in one statement on PostgreSQL. @throws StoreError `STORE_CONFLICT` */
  insertLinked<const N extends NewRows<T>>(rows: N): Promise<AddedRows<T, N>>;
}

/** A store on an SQL database, with verbs that only our own code needs. */
export interface SqlStore<T extends Tables> extends SqlReader<T>, RecordStore<T, SqlWriter<T>> {
  /** `SqlWriter.insertLinked` in a separate transaction, in one round trip on PostgreSQL. */
  insertLinked<const N extends NewRows<T>>(rows: N): Promise<AddedRows<T, N>>;
  /** Counts an event under a name. A new window starts with the first event after `windowMs`. */
  countInWindow(name: string, nowMs: number, windowMs: number): Promise<CountedWindow>;
}
