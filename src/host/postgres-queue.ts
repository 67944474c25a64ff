import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Runner, WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
import { EngineError } from '../errors/engine-error.js';
import { StoreError } from '../errors/store-error.js';
import { keyOf, readKey } from './job.js';
import type { HostQueue, JobHandler, QueueHooks } from './ports.js';
import type { HostWriter } from './tables.js';

export interface PostgresQueueOptions {
  /** The database the store is in. */
  readonly url: string;
  /** The schema of the queue's own tables. Default `iml_worker`. */
  readonly schema?: string | undefined;
  /** Jobs done at the same time by this process. Default 10. */
  readonly concurrency?: number | undefined;
  /** How often the queue is asked for jobs nobody has told about. Default 500. */
  readonly pollMs?: number | undefined;
  /** How many named queues the lanes share. A lane waits for others of its queue. Default 128. */
  readonly queues?: number | undefined;
}

const TASK = 'iml';
const MAX_ADDS = 10;
const RESTART_MS = 1000;
/** Any number of this package's own; processes that start together make the queue's tables one after the other. */
const LOCK = 7_130_202;

/**
 * A queue on Graphile Worker, for any number of processes on one PostgreSQL database. Needs the packages
 * "graphile-worker" and "pg". Lanes become named queues, so jobs of a lane run one after the other.
 *
 * @throws StoreError `STORE_FAILED` when a package is missing or the server does not answer
 */
export async function createPostgresQueue(options: PostgresQueueOptions): Promise<HostQueue> {
  const { schema = 'iml_worker', concurrency = 10, pollMs = 500, queues = 128 } = options;
  if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema))
    throw new EngineError('USAGE', `"${schema}" is no name of a schema.`);
  const [{ run, runMigrations, Logger }, { sql }, pool] = await Promise.all([
    load('graphile-worker', () => import('graphile-worker')),
    load('kysely', () => import('kysely')),
    openPool(options.url, concurrency),
  ]);
  // Its own lines would mix with the output of whoever embeds this; failures come by `onError`.
  const logger = new Logger(() => () => {});
  await withLock(pool, () => runMigrations({ pgPool: pool, schema, logger }));

  let runner: Runner | undefined;
  let isStopping = false;

  async function begin(handler: JobHandler, hooks: QueueHooks): Promise<void> {
    const agents = new Set<string>();
    const events: WorkerEvents = new EventEmitter();
    let isBroken = false;
    let told: Promise<void> | undefined;
    const tell = (): Promise<void> => {
      told ??= hooks.onAgents([...agents]);
      return told;
    };
    events.on('worker:create', ({ worker }) => agents.add(worker.workerId));
    // The worker that could not mark its job as done is not replaced, so the whole pool is.
    events.on('worker:fatalError', ({ error }) => {
      hooks.onError(error);
      if (isBroken || isStopping) return;
      isBroken = true;
      void restart(handler, hooks);
    });
    const task = async (payload: unknown): Promise<void> => {
      await tell();
      const key = readKey(String((payload as { key?: unknown }).key));
      if (key !== undefined) await handler(key);
    };
    runner = await run({
      ...{ pgPool: pool, schema, logger, events, concurrency, pollInterval: pollMs },
      noHandleSignals: true,
      taskList: { [TASK]: task },
      parsedCronItems: [],
    });
    await tell();
    runner.promise.catch(hooks.onError);
  }

  async function restart(handler: JobHandler, hooks: QueueHooks): Promise<void> {
    const broken = runner;
    runner = undefined;
    await Promise.race([broken?.stop().catch(() => {}), sleep(RESTART_MS)]);
    while (!isStopping && runner === undefined) {
      await begin(handler, hooks).catch(hooks.onError);
      if (runner === undefined) await sleep(RESTART_MS);
    }
  }

  return {
    add: async (writer, jobs) => {
      const db = transactionOf(writer);
      let missing = jobs.map((job) => ({
        key: keyOf(job),
        queue: job.lane === null ? null : `lane:${bucketOf(job.lane, queues)}`,
        run_at: new Date(job.runAtMs).toISOString(),
      }));
      // A job does not come back where a worker has taken the one of its key between two steps of the function. That
      // worker may have looked before this transaction is seen, so the job has to be added once more.
      for (let attempt = 1; missing.length > 0; attempt++) {
        if (attempt > MAX_ADDS) throw new StoreError('STORE_BUSY', 'The queue did not take a job.');
        const { rows } = await sql<{ key: string }>`
          select key from ${sql.raw(schema)}.add_jobs(array(
            select row(${TASK}::text, json_build_object('key', job.key), job.queue, job.run_at,
              null::smallint, job.key, null::smallint, null::text[])::${sql.raw(schema)}.job_spec
            from json_to_recordset(${JSON.stringify(missing)}::json) as job(key text, queue text, run_at timestamptz)
          ))`.execute(db);
        const added = new Set(rows.map((row) => row.key));
        missing = missing.filter((job) => !added.has(job.key));
      }
    },
    wake: () => {},
    start: (_worker, handler, hooks) => begin(handler, hooks),
    stop: async () => {
      isStopping = true;
      await runner?.stop().catch(() => {});
      runner = undefined;
    },
    release: async (writer, holders) => {
      if (holders.length === 0) return;
      const names = sql.join(holders.map((holder) => sql`${holder}`));
      await sql`select ${sql.raw(schema)}.force_unlock_workers(array[${names}]::text[])`.execute(
        transactionOf(writer),
      );
    },
    holders: async (writer) => {
      const { rows } = await sql<{ holder: string }>`
        select locked_by as holder from ${sql.raw(schema)}._private_jobs where locked_by is not null
        union select locked_by from ${sql.raw(schema)}._private_job_queues where locked_by is not null`.execute(
        transactionOf(writer),
      );
      return rows.map((row) => row.holder);
    },
    close: () => pool.end(),
  };
}

function transactionOf(writer: HostWriter): NonNullable<HostWriter['sql']> {
  if (writer.sql !== undefined) return writer.sql;
  throw new EngineError('USAGE', 'A queue on PostgreSQL needs a store on the same database.');
}

async function openPool(url: string, concurrency: number): Promise<Pool> {
  const { default: pg } = await load('pg', () => import('pg'));
  const pool = new pg.Pool({ connectionString: url, max: Math.max(4, concurrency + 2) });
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    (await pool.connect()).release();
  } catch (cause) {
    await pool.end();
    throw new StoreError('STORE_FAILED', 'The PostgreSQL server does not answer.', { cause });
  }
  return pool;
}

async function withLock(pool: Pool, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await work();
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]).catch(() => {});
    client.release();
  }
}

async function load<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new StoreError(
      'STORE_FAILED',
      `The queue on PostgreSQL needs the package "${name}" to be installed.`,
      {
        cause,
      },
    );
  }
}

/** Lanes come and go; a named queue of each would stay behind and make every look for work slower. */
function bucketOf(lane: string, queues: number): number {
  return createHash('sha256').update(lane).digest().readUInt32BE(0) % queues;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
