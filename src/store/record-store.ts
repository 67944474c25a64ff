import type { SqlRunner } from './sql-runner.js';

/** A row: members are text, numbers, booleans, null or JSON, as its table says. Every row has an `id` given by the store. */
export interface Row {
  readonly id: number;
}

/** The rows of each table, by the name of the table. */
export type Tables = { readonly [name: string]: Row };

/** How a table is kept. Columns of the row that are in neither list are text or numbers (perhaps null). */
export interface TableDefinition<R extends Row = Row> {
  /** Every column but `id`. */
  readonly columns: readonly Exclude<keyof R & string, 'id'>[];
  readonly flags?: readonly (keyof R & string)[];
  readonly json?: readonly (keyof R & string)[];
  /** Columns of JSON whose values are given as `JsonText` where they are large. */
  readonly large?: readonly (keyof R & string)[];
  /** Columns of JSON that is read far more often than it changes: equal texts are read as one and the same value. */
  readonly shared?: readonly (keyof R & string)[];
  /**
   * Large columns that hardly ever change, kept in a table of their own, so that a change of the others does not write
   * them anew. Rows cannot be looked up by them.
   */
  readonly apart?: { readonly table: string; readonly columns: readonly (keyof R & string)[] };
  /** Columns of numbers with a fraction. */
  readonly decimals?: readonly (keyof R & string)[];
  /** Columns of JSON that a store with a key keeps encrypted. Rows cannot be looked up by them. */
  readonly sealed?: readonly (keyof R & string)[];
  /** Sets of columns no two rows may share. */
  readonly unique?: readonly (readonly (keyof R & string)[])[];
  /** Single columns rows are looked up by. */
  readonly indexes?: readonly (keyof R & string)[];
}

export type TableDefinitions<T extends Tables> = { readonly [K in keyof T & string]: TableDefinition<T[K]> };

/** Rows whose column is among the values another table holds. */
export interface Within {
  readonly within: string;
  readonly column: string;
  readonly where: Readonly<Record<string, unknown>>;
}

/** Rows whose text holds a text somewhere; upper and lower case differ. */
export interface Containing {
  readonly containing: string;
}

/** Rows whose number is not above `atMost`, or is above `above`. Null is neither, unless `orNull` admits it. */
export type Bounded = ({ readonly atMost: number } | { readonly above: number }) & { readonly orNull?: true };

/** Conditions that all have to hold: a value, one of several values, or a condition of its own. */
export type Where<R extends Row> = {
  readonly [C in keyof R]?: R[C] | readonly R[C][] | Within | Containing | Bounded;
};

export interface Query<R extends Row, C extends keyof R & string = keyof R & string> {
  readonly where?: Where<R> | undefined;
  /** The columns that are needed, beside `id`; a store may leave out the others. Default: all. */
  readonly columns?: readonly C[] | undefined;
  /** Texts are ordered by code point; rows of equal value by id. Default: by id. */
  readonly sortBy?: (keyof R & string) | undefined;
  readonly descending?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** For which values of a column how many rows are wanted, and of which kind. */
export interface FirstQuery<
  R extends Row,
  C extends keyof R & string = keyof R & string,
  S extends keyof R & string = keyof R & string,
> {
  readonly column: C;
  readonly values: readonly R[C][];
  /** One or several. */
  readonly where: Where<R> | readonly Where<R>[];
  /** How many for each value and condition. Default 1. */
  readonly limit?: number | undefined;
  /** The columns that are needed, beside `id`; a store may leave out the others. Default: all. */
  readonly columns?: readonly S[] | undefined;
}

/** A number of rows, and the sum of a column over them. */
export interface Tally {
  readonly count: number;
  readonly sum: number;
}

/** Where a condition of `getLinked` has its value from: the values of the call, or a row that was found before. */
export type LinkSource = { readonly value: string } | { readonly of: string; readonly column: string };

/** One row of `getLinked`: of which table, and by which columns. They have to lead to one row at most. */
export interface Link<K extends string = string> {
  readonly table: K;
  readonly where: Readonly<Record<string, LinkSource>>;
}

/** Rows that lead to one another, by name, each behind those it is found by. Made once: what is read by it is kept with it. */
export type Links<T extends Tables> = { readonly [name: string]: Link<keyof T & string> };

/** The rows that were found. A row that leads nowhere leaves out those behind it. */
export type LinkedRows<T extends Tables, L extends Links<T>> = {
  readonly [N in keyof L]: T[L[N]['table']] | undefined;
};

export type LinkValues = Readonly<Record<string, string | number>>;

/** Rows of a table, some of their columns; see `RecordReader.find`. */
type FindQuestion<T extends Tables, K extends keyof T & string> = {
  readonly find: K;
  readonly columns: readonly (keyof T[K] & string)[];
} & Omit<Query<T[K]>, 'columns'>;

/** How many rows there are of each value, and a sum over them; see `RecordReader.tally`. */
interface TallyQuestion<T extends Tables, K extends keyof T & string> {
  readonly tally: K;
  readonly column: keyof T[K] & string;
  readonly summed: keyof T[K] & string;
  readonly where: Where<T[K]>;
}

/** Questions that are asked together, by name; an undefined one is not asked. */
export type Questions<T extends Tables> = {
  readonly [name: string]:
    | { [K in keyof T & string]: FindQuestion<T, K> | TallyQuestion<T, K> }[keyof T & string]
    | undefined;
};

type Answer<T extends Tables, Q> = Q extends {
  readonly find: infer K extends keyof T & string;
  readonly columns: readonly (infer C)[];
}
  ? readonly Pick<T[K], (C & keyof T[K] & string) | 'id'>[]
  : Q extends { readonly tally: infer K extends keyof T & string; readonly column: infer C }
    ? ReadonlyMap<T[K][C & keyof T[K]], Tally>
    : undefined;

/** What was answered to questions, by their names. */
export type Answers<T extends Tables, Q extends Questions<T>> = { readonly [N in keyof Q]: Answer<T, Q[N]> };

/** Stands in a new row for the id of one that is added before it. A class: no JSON that somebody sends is one. */
export class IdOf {
  /** The name of that row among those that are added. */
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A row that is to be added to a table. */
export interface NewRow<T extends Tables, K extends keyof T & string> {
  readonly table: K;
  readonly row: { readonly [C in Exclude<keyof T[K], 'id'>]: T[K][C] | IdOf };
}

/** Rows that lead to one another, by name, each behind those whose ids it holds; an undefined one is not added. */
export type NewRows<T extends Tables> = {
  readonly [name: string]: { [K in keyof T & string]: NewRow<T, K> }[keyof T & string] | undefined;
};

type AddedRow<T extends Tables, N> = N extends { readonly table: infer K extends keyof T & string }
  ? T[K]
  : undefined;

/** The rows that were added, by their names. */
export type AddedRows<T extends Tables, N extends NewRows<T>> = {
  readonly [M in keyof N]: AddedRow<T, N[M]>;
};

export interface RecordReader<T extends Tables> {
  /** Rows of several tables that lead to one another, all as of one moment, in one statement where the store is a database. */
  getLinked<const L extends Links<T>>(links: L, values: LinkValues): Promise<LinkedRows<T, L>>;
  /**
   * Answers several questions as of one moment, in one statement where the store is a database, whose answer is read whole, as one
   * text: for rows that are many and short.
   */
  ask<const Q extends Questions<T>>(questions: Q): Promise<Answers<T, Q>>;
  /** The first row by id that fits. */
  get<K extends keyof T & string>(table: K, where: Where<T[K]>): Promise<T[K] | undefined>;
  find<K extends keyof T & string, C extends keyof T[K] & string = keyof T[K] & string>(
    table: K,
    query?: Query<T[K], C>,
  ): Promise<readonly Pick<T[K], C | 'id'>[]>;
  /**
   * For each of the values of a column the first rows by id that fit; by id. With several conditions, those of each, all as
   * of one moment. Fast where an index leads to them.
   */
  firstOf<
    K extends keyof T & string,
    C extends keyof T[K] & string,
    S extends keyof T[K] & string = keyof T[K] & string,
  >(table: K, query: FirstQuery<T[K], C, S>): Promise<readonly Pick<T[K], S | 'id'>[]>;
  /** The values a column has in the rows that fit. Fast where an index begins with the conditions and the column. */
  distinct<K extends keyof T & string, C extends keyof T[K] & string>(
    table: K,
    column: C,
    where: Where<T[K]>,
  ): Promise<readonly T[K][C][]>;
  /** For each value of a column how many rows fit, and the sum of another column over them; values without any are absent. */
  tally<K extends keyof T & string, C extends keyof T[K] & string>(
    table: K,
    column: C,
    summed: keyof T[K] & string,
    where: Where<T[K]>,
  ): Promise<ReadonlyMap<T[K][C], Tally>>;
  count<K extends keyof T & string>(table: K, where?: Where<T[K]>): Promise<number>;
  /** How many rows that fit there are for each value of a column; values without any are absent. */
  countBy<K extends keyof T & string, C extends keyof T[K] & string>(
    table: K,
    column: C,
    where?: Where<T[K]>,
  ): Promise<ReadonlyMap<T[K][C], number>>;
}

/**
 * Reads and changes within a transaction. What is asked is done in the order it was asked for, whether answers were waited for
 * or not, but for rows that are added and large values that are sealed, which are there once that is answered: so a database in a network is spared the way
 * there and back. Whoever does so waits for all of them (`Promise.all`).
 */
export interface RecordWriter<T extends Tables> extends RecordReader<T> {
  /**
   * The first row by id that fits, which nobody else changes (`update`) or removes (`key`) until the transaction ends.
   * Only read-committed transactions need it; elsewhere it is `get`.
   */
  getLocked<K extends keyof T & string>(
    table: K,
    where: Where<T[K]>,
    lock: 'update' | 'key',
  ): Promise<T[K] | undefined>;
  /** The open SQL transaction, for a queue that adds and settles its jobs in it; undefined in memory. */
  readonly sql?: SqlRunner | undefined;
  /** Calls back in order once the transaction is committed. A transaction that is not committed calls nothing. */
  afterCommit(callback: () => void): void;
  /** Adds rows that lead to one another, in one statement on PostgreSQL. @throws StoreError `STORE_CONFLICT` */
  insertLinked<const N extends NewRows<T>>(rows: N): Promise<AddedRows<T, N>>;
  /** Adds a row and gives it the next id. @throws StoreError `STORE_CONFLICT` */
  insert<K extends keyof T & string>(table: K, row: Omit<T[K], 'id'>): Promise<T[K]>;
  /** Adds rows in their order, in as few statements as possible. @throws StoreError `STORE_CONFLICT` */
  insertAll<K extends keyof T & string>(
    table: K,
    rows: readonly Omit<T[K], 'id'>[],
  ): Promise<readonly T[K][]>;
  /** Changes every row that fits; answers how many. @throws StoreError `STORE_CONFLICT` */
  update<K extends keyof T & string>(
    table: K,
    where: Where<T[K]>,
    change: Partial<Omit<T[K], 'id'>>,
  ): Promise<number>;
  /** Changes every row that fits; gives them as they are then, by id. @throws StoreError `STORE_CONFLICT` */
  updateAndRead<K extends keyof T & string, C extends keyof T[K] & string = keyof T[K] & string>(
    table: K,
    where: Where<T[K]>,
    change: Partial<Omit<T[K], 'id'>>,
    options?: UpdateOptions<C>,
  ): Promise<readonly Pick<T[K], C | 'id'>[]>;
  /** Removes every row that fits; answers how many. */
  remove<K extends keyof T & string>(table: K, where: Where<T[K]>): Promise<number>;
}

export interface UpdateOptions<C extends string> {
  /** The columns that are wanted, beside `id`; a store may leave out the others. Default: all. */
  readonly columns?: readonly C[] | undefined;
}

export interface TransactionOptions {
  /**
   * How much PostgreSQL keeps apart. `serializable` (default): no thought of other writers is needed.
   * `read-committed`: for work that only changes rows under conditions it names, or that it holds by `getLocked`.
   */
  readonly isolation?: 'serializable' | 'read-committed' | undefined;
}

/** What a store can do beyond one process. */
export interface StoreCapabilities {
  /** Rows survive the end of the process. */
  readonly durable: boolean;
  /** `process`: one process sees them; `machine`: all processes of one machine; `network`: all that reach the server. */
  readonly reach: 'process' | 'machine' | 'network';
  /** A transaction holds up the whole process until it is on the disk, as the driver waits for it. Default: no. */
  readonly holdsProcess?: boolean;
}

/** How often something happened in a window of time that its first event opens. */
export interface CountedWindow {
  readonly startedAtMs: number;
  readonly count: number;
}

/**
 * Rows of named tables behind transactions.
 *
 * Invariant for callers: inside `transaction` only the writer it hands out is used; a store with one connection would
 * wait for itself otherwise.
 */
export interface RecordStore<T extends Tables> extends RecordReader<T> {
  readonly capabilities: StoreCapabilities;
  /**
   * Runs `work` so that it sees and changes rows as if nothing else ran, and keeps all of its changes or none.
   * It may run more than once when other writers interfere, so it must touch nothing but the writer.
   * @throws StoreError `STORE_BUSY` when it did not get through
   */
  transaction<R>(work: (writer: RecordWriter<T>) => Promise<R>, options?: TransactionOptions): Promise<R>;
  /**
   * Adds rows that lead to one another, all or none, as a transaction would that does nothing else: on PostgreSQL in one round trip.
   * @throws StoreError `STORE_CONFLICT`, `STORE_BUSY`
   */
  insertLinked<const N extends NewRows<T>>(rows: N): Promise<AddedRows<T, N>>;
  /** Counts one event under a name; the window starts anew once `windowMs` have passed since its first event. */
  countInWindow(name: string, nowMs: number, windowMs: number): Promise<CountedWindow>;
  /** Gives the room of removed rows back to the disk, in small steps, where that is not done by itself. */
  shrink(): Promise<void>;
  /** A number that differs once another process has changed the database. Absent where no other process can. */
  readonly changeCount?: (() => Promise<number>) | undefined;
  /**
   * Makes this process the one that runs a host on the database file. Absent where several may.
   * @returns what releases the lock; the end of the process does as well
   * @throws EngineError (HOST_REFUSED) if another host has it
   */
  readonly lockHost?: (() => Promise<() => void>) | undefined;
  /**
   * Runs work while no other process runs work of the same name on the database. The end of the process or of its connection
   * releases the lock. Absent where no other process shares the database.
   * @throws StoreError `STORE_BUSY` if the lock is not free within a minute
   */
  readonly exclusively?: (<R>(name: string, work: () => Promise<R>) => Promise<R>) | undefined;
  close(): Promise<void>;
}

export function isWithin(value: unknown): value is Within {
  return typeof value === 'object' && value !== null && 'within' in value;
}

export function isBounded(value: unknown): value is Bounded {
  return typeof value === 'object' && value !== null && ('atMost' in value || 'above' in value);
}

export function isContaining(value: unknown): value is Containing {
  return typeof value === 'object' && value !== null && 'containing' in value;
}
