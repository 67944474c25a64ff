import type { Writable } from 'node:stream';
import type { QueryResult } from 'kysely';
import type Postgres from 'pg';
import type { QueryResult as PgResult, Pool, PoolClient } from 'pg';
import type { SqlRunner } from '../sql-runner.js';
import { isStale, type StatementNames } from './statement-names.js';

type Rows = Record<string, unknown>;

/** The connections of a pool, as our statements use them. */
export interface PostgresClients {
  /** Runs a statement on any connection. */
  query(text: string, values: readonly unknown[]): Promise<QueryResult<Rows>>;
  /** Runs a statement as a serializable transaction of its own: begin, statement and commit go out together. */
  queryAlone(text: string, values: readonly unknown[]): Promise<QueryResult<Rows>>;
  /** Runs `work` whole or not at all. */
  transaction<R>(level: IsolationLevel, work: (on: SqlRunner) => Promise<R>): Promise<R>;
}

export type IsolationLevel = 'serializable' | 'read committed';

const begin = (level: IsolationLevel): string => `start transaction isolation level ${level}`;

/** What the driver says of an answer that did not come in time; it has no code for it. */
const LOST = 'Query read timeout';

/** @param names statements without are read and planned by the server each time */
export function createPostgresClients(
  { Query }: Pick<typeof Postgres, 'Query'>,
  pool: Pool,
  names: StatementNames | undefined,
): PostgresClients {
  const clients = new WeakMap<PoolClient, Client>();
  const use = async <R>(work: (client: Client) => Promise<R>): Promise<R> => {
    const given = await pool.connect();
    const client = clients.get(given) ?? createClient(Query, given, names);
    clients.set(given, client);
    try {
      return await work(client);
    } finally {
      client.release();
    }
  };
  return {
    query: (text, values) => use(async (client) => toResult(await client.ask(text, values))),
    queryAlone: (text, values) => use(async (client) => toResult(await askAlone(client, text, values))),
    transaction: (level, work) => use((client) => client.transact(level, work)),
  };
}

interface Client extends Asking {
  readonly transact: <R>(level: IsolationLevel, work: (on: SqlRunner) => Promise<R>) => Promise<R>;
  release(): void;
}

interface Asking {
  readonly ask: (text: string, values: readonly unknown[]) => Promise<PgResult<Rows>>;
  /** Has the connection closed as it is released: it is not known what state it is in. */
  readonly giveUp: () => void;
}

/**
 * A connection that is given up once an answer did not come: whatever would be asked on it next would wait for that
 * answer, too.
 */
function createClient(
  Query: typeof Postgres.Query,
  client: PoolClient,
  names: StatementNames | undefined,
): Client {
  let isLost = false;
  const ask: Asking['ask'] = (text, values) =>
    new Promise((resolve, reject) => {
      if (isLost) throw new Error('Connection terminated, as an answer did not come.');
      // A text without values may hold several statements, which cannot be prepared.
      const name = values.length === 0 ? undefined : names?.find(text);
      // What is given as plain options is copied property by property, which takes longer than sending it.
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
    ask,
    giveUp,
    transact: createTransactions({ ask, giveUp }),
    release: () => client.release(isLost),
  };
}

const corked = new WeakSet<PoolClient>();

/** What is asked of a connection before anything else happens is sent as one: a call of the system costs more than a statement. */
function sendTogether(client: PoolClient): void {
  // The driver's types leave out its connection, which its own extensions write to as well.
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

async function askAlone(client: Asking, text: string, values: readonly unknown[]): Promise<PgResult<Rows>> {
  const asked = [client.ask(begin('serializable'), []), client.ask(text, values), client.ask('commit', [])];
  const settled = await Promise.allSettled(asked);
  // A begin that failed is why the statement did, and a commit of what failed is a rollback.
  const [, result, commit] = settled.map((it) => {
    if (it.status === 'rejected') throw it.reason;
    return it.value;
  });
  if (result === undefined) throw new Error('The statement was not answered.');
  assertKept(commit);
  return result;
}

/**
 * The transactions of a connection, one after the other, which hand out the same runner.
 *
 * The begin goes out with the first statement: one round trip less.
 */
function createTransactions(client: Asking): Client['transact'] {
  let begun: Promise<unknown> | undefined;
  const run: SqlRunner['run'] = async (text, values) => {
    const answer = client.ask(text, values);
    const before = begun;
    begun = undefined;
    // What kept it from beginning is why whatever was asked in it failed.
    const [result] = await Promise.all([answer, before]);
    return toResult(result);
  };
  const on: SqlRunner = { run };
  return async (level, work) => {
    begun = askQuietly(client, begin(level));
    try {
      const result = await work(on);
      assertKept(await client.ask('commit', []));
      return result;
    } catch (error) {
      await client.ask('rollback', []).catch(client.giveUp);
      throw error;
    }
  };
}

/** It is told to whoever waits for it, if anybody does. */
function askQuietly(client: Asking, text: string): Promise<PgResult<Rows>> {
  const answer = client.ask(text, []);
  answer.catch(() => {});
  return answer;
}

/** The commit of what has failed is a rollback. */
function assertKept(commit: PgResult<Rows> | undefined): void {
  if (commit?.command !== 'COMMIT') throw new Error('The transaction was not kept.');
}

function toResult({ rows, rowCount }: PgResult<Rows>): QueryResult<Rows> {
  return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
}
