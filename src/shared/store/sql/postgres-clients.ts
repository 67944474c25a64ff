import type { Writable } from 'node:stream';
import type { QueryResult } from 'kysely';
import type Postgres from 'pg';
import type { QueryResult as PgResult, Pool, PoolClient } from 'pg';
import type { SqlRunner } from '../sql-runner.js';
import { isStale, type StatementNames } from './statement-names.js';

type Rows = Record<string, unknown>;

/** Runs statements on the connections of a pool. */
export interface PostgresClients {
  /** Runs a statement on any connection. */
  query(text: string, values: readonly unknown[]): Promise<QueryResult<Rows>>;
  /** Runs a statement as its own serializable transaction. Sends begin, statement and commit together. */
  queryAlone(text: string, values: readonly unknown[]): Promise<QueryResult<Rows>>;
  /** Runs `work` as a transaction. */
  transaction<R>(level: IsolationLevel, work: (on: SqlRunner) => Promise<R>): Promise<R>;
}

export type IsolationLevel = 'serializable' | 'read committed';

const begin = (level: IsolationLevel): string => `start transaction isolation level ${level}`;

/** Message of the driver for a query timeout, which has no code. */
const LOST = 'Query read timeout';

/** @param names without it, the server parses and plans each statement again */
export function createPostgresClients(
  { Query }: Pick<typeof Postgres, 'Query'>,
  pool: Pool,
  names: StatementNames | undefined,
): PostgresClients {
  const clients = new WeakMap<PoolClient, Client>();
  const use = async <R>(work: (client: Client) => Promise<R>): Promise<R> => {
    const pooled = await pool.connect();
    const client = clients.get(pooled) ?? createClient(Query, pooled, names);
    clients.set(pooled, client);
    try {
      return await work(client);
    } finally {
      client.release();
    }
  };
  return {
    query: (text, values) => use(async (client) => toResult(await client.send(text, values))),
    queryAlone: (text, values) => use(async (client) => toResult(await sendAlone(client, text, values))),
    transaction: (level, work) => use((client) => client.transact(level, work)),
  };
}

interface Client extends Sender {
  readonly transact: <R>(level: IsolationLevel, work: (on: SqlRunner) => Promise<R>) => Promise<R>;
  release(): void;
}

interface Sender {
  readonly send: (text: string, values: readonly unknown[]) => Promise<PgResult<Rows>>;
  /** Closes the connection on release because its state is unknown. */
  readonly giveUp: () => void;
}

/** Gives up a connection after a response timed out: later statements would wait for that response too. */
function createClient(
  Query: typeof Postgres.Query,
  client: PoolClient,
  names: StatementNames | undefined,
): Client {
  let isLost = false;
  const send: Sender['send'] = (text, values) =>
    new Promise((resolve, reject) => {
      if (isLost) throw new Error('Connection terminated because a response timed out.');
      // A text without values may hold several statements, which cannot be prepared.
      const name = values.length === 0 ? undefined : names?.find(text);
      // The driver copies plain options property by property, which is slower.
      const query = new Query<Rows>(text, [...values], (error, result) => {
        if (!error) return resolve(result);
        isLost ||= error.message === LOST;
        if (name !== undefined && isStale(error)) names?.forget(text);
        reject(error);
      });
      sendTogether(client);
      client.query(Object.assign(query, { name }));
    });
  const giveUp = (): void => {
    isLost = true;
  };
  return {
    send,
    giveUp,
    transact: createTransactions({ send, giveUp }),
    release: () => client.release(isLost),
  };
}

const corked = new WeakSet<PoolClient>();

/** Sends all statements of one tick as one packet to save system calls. */
function sendTogether(client: PoolClient): void {
  // The driver's types omit the connection. Its own extensions use it as well.
  const { stream } = (client as PoolClient & { readonly connection: { readonly stream: Writable } })
    .connection;
  if (corked.has(client)) return;
  corked.add(client);
  stream.cork();
  process.nextTick(() => {
    corked.delete(client);
    stream.uncork();
  });
}

async function sendAlone(client: Sender, text: string, values: readonly unknown[]): Promise<PgResult<Rows>> {
  const sent = [client.send(begin('serializable'), []), client.send(text, values), client.send('commit', [])];
  const settled = await Promise.allSettled(sent);
  // A failed begin is the cause of a failed statement. The commit of a failed transaction is a rollback.
  const [, result, commit] = settled.map((it) => {
    if (it.status === 'rejected') throw it.reason;
    return it.value;
  });
  if (result === undefined) throw new Error('The statement returned no result.');
  assertCommitted(commit);
  return result;
}

/**
 * Runs the transactions of a connection one after the other with one runner. The begin goes out with the first
 * statement, which saves a round trip.
 */
function createTransactions(client: Sender): Client['transact'] {
  let started: Promise<unknown> | undefined;
  let firstError: unknown;
  const run: SqlRunner['run'] = async (text, values) => {
    const sending = client.send(text, values);
    const before = started;
    started = undefined;
    try {
      // A failed begin is the cause of all later failures.
      const [result] = await Promise.all([sending, before]);
      return toResult(result);
    } catch (error) {
      firstError ??= error;
      throw error;
    }
  };
  const on: SqlRunner = { run };
  return async (level, work) => {
    started = sendWithoutRejection(client, begin(level));
    firstError = undefined;
    try {
      const result = await work(on);
      assertCommitted(await client.send('commit', []));
      return result;
    } catch (error) {
      const cause = isAborted(error) ? (firstError ?? error) : error;
      await client.send('rollback', []).catch(client.giveUp);
      throw cause;
    }
  };
}

/** Statements after a failed one in the same transaction fail with this code. They may reach the caller first. */
const IN_FAILED_TRANSACTION = '25P02';

function isAborted(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && error.code === IN_FAILED_TRANSACTION) return true;
  return 'cause' in error && isAborted(error.cause);
}

/** Prevents an unhandled rejection: the statement that depends on it reports the error. */
function sendWithoutRejection(client: Sender, text: string): Promise<PgResult<Rows>> {
  const result = client.send(text, []);
  result.catch(() => {});
  return result;
}

/** The commit of a failed transaction is a rollback. */
function assertCommitted(commit: PgResult<Rows> | undefined): void {
  if (commit?.command !== 'COMMIT') throw new Error('Transaction rolled back.');
}

function toResult({ rows, rowCount }: PgResult<Rows>): QueryResult<Rows> {
  return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
}
