import {
  ANY_FUNCTION,
  ANY_TEXT,
  type OptionShapes,
  oneOfChoices,
  SIGNAL,
  wholeNumber,
} from '../errors/check-options.js';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database` with further settings in the query. */
  readonly url: string;
  /** Maximum number of connections. Default 10. */
  readonly maxConnections?: number | undefined;
  /**
   * Idle timeout of a transaction on the server. Default 5000. Without it, a suspended or disconnected process would
   * hold its locks forever.
   */
  readonly idleTransactionMs?: number | undefined;
  /** Statement timeout, after which the connection is closed because the response may be lost. Default 20000. */
  readonly statementTimeoutMs?: number | undefined;
  /** Application name of the connections. Default `iml-runtime`. */
  readonly applicationName?: string | undefined;
  /** How long to wait for a server that does not respond yet. Default 0. */
  readonly waitMs?: number | undefined;
  /** Called once when the wait starts. */
  readonly onWait?: (() => void) | undefined;
  /** Aborts the wait. Opening rejects with the reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Shapes of the options of PostgreSQL. */
export const POSTGRES_SHAPES: OptionShapes<PostgresOptions> = {
  url: ANY_TEXT,
  maxConnections: wholeNumber(1),
  idleTransactionMs: wholeNumber(0),
  statementTimeoutMs: wholeNumber(0),
  applicationName: ANY_TEXT,
  waitMs: wholeNumber(0),
  onWait: ANY_FUNCTION,
  signal: SIGNAL,
};

export interface SqliteOptions {
  /** Path of the file, or `:memory:`. */
  readonly file: string;
  /** How long a writer waits for another process. Default 5000. */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * `full`: every commit survives a power failure. `normal` (default): a power failure may lose the last commits, but
   * never corrupts the file.
   */
  readonly synchronous?: 'normal' | 'full' | undefined;
  /** Maximum file size in pages of 4096 bytes. Default: unlimited. */
  readonly maxPages?: number | undefined;
}

/** Shapes of the options of SQLite. */
export const SQLITE_SHAPES: OptionShapes<SqliteOptions> = {
  file: ANY_TEXT,
  busyTimeoutMs: wholeNumber(0),
  synchronous: oneOfChoices('normal', 'full'),
  maxPages: wholeNumber(1),
};
