import type { PostgresPool, PostgresPoolClient, QueryResult } from 'kysely';
import type { QueryResult as PgResult, Pool, PoolClient } from 'pg';
import { isStale, type StatementNames } from './statement-names.js';

type Rows = Record<string, unknown>;

/** The connections of a pool, as our statements use them and as the query builder does. */
export interface PostgresClients {
  /** What the query builder opens its connections with. */
  readonly pool: PostgresPool;
  /** Runs a statement on any connection. */
  query(text: string, values: readonly unknown[]): Promise<QueryResult<Rows>>;
  /** Runs a statement as a serializable transaction of its own: begin, statement and commit go out together. */
  queryAlone(text: string, values: readonly unknown[]): Promise<QueryResult<Rows>>;
}

/** How the query builder begins a transaction of a level; all of ours name theirs. */
const BEGIN = 'start transaction';
const BEGIN_SERIALIZABLE = `${BEGIN} isolation level serializable`;
const NO_ROWS = { rows: [], rowCount: 0 } as const;

/** What the driver says of an answer that did not come in time; it has no code for it. */
const LOST = 'Query read timeout';

/** @param names statements without are read and planned by the server each time */
export function createPostgresClients(pool: Pool, names: StatementNames | undefined): PostgresClients {
  const use = async <R>(work: (client: Client) => Promise<R>): Promise<R> => {
    const client = createClient(await pool.connect(), names);
    try {
      return await work(client);
    } finally {
      client.release();
    }
  };
  return {
    pool: {
      connect: async () => toBuilderClient(createClient(await pool.connect(), names)),
      end: () => pool.end(),
    },
    query: (text, values) => use(async (client) => toResult(await client.ask(text, values))),
    queryAlone: (text, values) => use(async (client) => toResult(await askAlone(client, text, values))),
  };
}

interface Client {
  ask(text: string, values: readonly unknown[]): Promise<PgResult<Rows>>;
  release(): void;
}

/**
 * A connection that is given up once an answer did not come: whatever would be asked on it next would wait for that
 * answer, too.
 */
function createClient(client: PoolClient, names: StatementNames | undefined): Client {
  let isLost = false;
  return {
    ask: async (text, values) => {
      if (isLost) throw new Error('Connection terminated, as an answer did not come.');
      // A text without values may hold several statements, which cannot be prepared.
      const name = values.length === 0 ? undefined : names?.find(text);
      const query = { text, values: [...values], ...(name !== undefined && { name }) };
      return client.query<Rows>(query).catch((error: unknown) => {
        isLost ||= error instanceof Error && error.message === LOST;
        if (name !== undefined && isStale(error)) names?.forget(text);
        throw error;
      });
    },
    release: () => client.release(isLost),
  };
}

async function askAlone(client: Client, text: string, values: readonly unknown[]): Promise<PgResult<Rows>> {
  const asked = [client.ask(BEGIN_SERIALIZABLE, []), client.ask(text, values), client.ask('commit', [])];
  const settled = await Promise.allSettled(asked);
  // A begin that failed is why the statement did, and a commit of what failed is a rollback.
  const [, result, commit] = settled.map((it) => {
    if (it.status === 'rejected') throw it.reason;
    return it.value;
  });
  if (result === undefined || commit?.command !== 'COMMIT') throw new Error('The transaction was not kept.');
  return result;
}

/** The begin of a transaction goes out with its first statement, which is answered once both are: a round trip less. */
function toBuilderClient({ ask, release }: Client): PostgresPoolClient {
  let begun: Promise<unknown> | undefined;
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    const answer = ask(text, values);
    if (text.startsWith(BEGIN)) {
      begun = answer;
      // It is told to whoever asks next, if anybody does.
      answer.catch(() => undefined);
      return NO_ROWS;
    }
    const [result] = await Promise.all([answer, begun]);
    return result;
  };
  // The query builder asks with text and values only; cursors belong to streams, which no store uses.
  return { query, release } as PostgresPoolClient;
}

function toResult({ rows, rowCount }: PgResult<Rows>): QueryResult<Rows> {
  return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
}
