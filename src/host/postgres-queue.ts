import { EventEmitter } from 'node:events';
import type { Runner, WorkerEvents } from 'graphile-worker';
import type { Kysely } from 'kysely';
import pLimit from 'p-limit';
import type { Pool } from 'pg';
import { EngineError } from '../errors/engine-error.js';
import { StoreError } from '../errors/store-error.js';
import type { SqlTables } from '../store/sql-database.js';
import { type Clock, SYSTEM_CLOCK } from '../util/clock.js';
import { type Job, keyOf, readKey } from './job.js';
import { createLaneCalls, type LaneJob } from './lane-calls.js';
import type { HostQueue, JobEnd, JobHandler, QueueHooks } from './work/ports.js';
import type { HostWriter } from './store/tables.js';

export interface PostgresQueueOptions {
  /** The database the store is in. */
  readonly url: string;
  /** The schema of the queue's own tables. Default `iml_worker`. */
  readonly schema?: string | undefined;
  /** Jobs done at the same time by this process. Default 10. */
  readonly concurrency?: number | undefined;
  /** How often the queue is asked for jobs nobody has told about. Default 500. */
  readonly pollMs?: number | undefined;
  /** How many named queues the lanes share. Default 32; the same for all processes on a database. */
  readonly queues?: number | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

const TASK = 'iml';
const MAX_ADDS = 10;
const RESTART_MS = 1000;
/** A job that could not be done, because of the store or a defect, is tried again after this. */
const RETRY_MS = 1000;
/** As many as there are: an attempt is also what a process did not live to see the end of. */
const MAX_ATTEMPTS = 32_767;
/** Jobs are taken and forgotten in short statements; the work on them has the connections of the store. */
const MAX_CONNECTIONS = 6;
/** Any number of this package's own; processes that start together make the queue's tables one after the other. */
const LOCK = 7_130_202;

/**
 * A queue on Graphile Worker, for any number of processes on one PostgreSQL database. Needs the packages
 * "graphile-worker" and "pg". Lanes become named queues, so jobs of a lane run one after the other.
 *
 * @throws StoreError `STORE_FAILED` when a package is missing or the server does not answer
 */
export async function createPostgresQueue(options: PostgresQueueOptions): Promise<HostQueue> {
  const { schema = 'iml_worker', concurrency = 10, pollMs = 500, queues = 32 } = options;
  const { clock = SYSTEM_CLOCK } = options;
  if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema))
    throw new EngineError('USAGE', `"${schema}" is no name of a schema.`);
  const [{ run, runMigrations, Logger }, { Kysely, PostgresDialect, sql }, pool] = await Promise.all([
    load('graphile-worker', () => import('graphile-worker')),
    load('kysely', () => import('kysely')),
    openPool(options.url),
  ]);
  // Its own lines would mix with the output of whoever embeds this; failures come by `onError`.
  const logger = new Logger(() => () => {});
  await withLock(pool, () => runMigrations({ pgPool: pool, schema, logger }));

  const calls = createLaneCalls(pool, clock, queues);
  const db = new Kysely<SqlTables>({ dialect: new PostgresDialect({ pool }) });
  const limit = pLimit(concurrency);
  const agents = new Set<string>();
  let runner: Runner | undefined;
  let isStopping = false;

  /**
   * What Graphile Worker calls. It never rejects: Graphile Worker would try again after ever longer times, counting how
   * often a job was taken, and all lanes of a group would wait for that.
   */
  function createTask(handler: JobHandler, { onError }: QueueHooks): (payload: unknown) => Promise<void> {
    const answer = async (key: string): Promise<JobEnd> => {
      const job = readKey(key);
      return job === undefined ? 'done' : limit(() => handler(job));
    };
    return async (payload) => {
      const { key, group, atMs } = payload as Partial<Record<string, unknown>>;
      const options = { atMs: Number(atMs), isStopping: () => isStopping, answer };
      const work = async (): Promise<JobEnd> =>
        typeof group === 'number' ? calls.answerGroup(group, options) : answer(String(key));
      const jobAt = (runAtMs: number): WorkerJob =>
        typeof group === 'number' ? groupJob(group, runAtMs) : workerJob(String(key), runAtMs);
      let runAtMs: number | undefined;
      try {
        if ((await work()) === 'again') runAtMs = clock.now();
      } catch (error) {
        onError(error);
        runAtMs = clock.now() + RETRY_MS;
      }
      if (runAtMs === undefined) return;
      const next = jobAt(runAtMs);
      await surely(() => addJobs(db, [next]), onError);
    };
  }

  /** Waits for a store that does not answer. What has to be done is still to be done if this process ends before. */
  async function surely(work: () => Promise<void>, onError: QueueHooks['onError']): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        onError(error);
        if (isStopping) throw error;
      }
      await clock.sleep(RETRY_MS);
    }
  }

  async function begin(handler: JobHandler, hooks: QueueHooks): Promise<void> {
    const events: WorkerEvents = new EventEmitter();
    const own = new Set<string>();
    const underWay = new Set<Promise<void>>();
    let isBroken = false;
    let told: Promise<void> | undefined;
    // Nothing is done under a name nobody knows: others would free it.
    const tell = (): Promise<void> => {
      told ??= surely(() => hooks.onAgents([...agents]), hooks.onError);
      return told;
    };
    events.on('worker:create', ({ worker }) => {
      own.add(worker.workerId);
      agents.add(worker.workerId);
    });
    // The worker that could not mark its job as done is not replaced, so the whole pool is.
    events.on('worker:fatalError', ({ error }) => {
      hooks.onError(error);
      if (isBroken || isStopping) return;
      isBroken = true;
      void restart(handler, hooks).then(() => leave(own, underWay, hooks));
    });
    const task = createTask(handler, hooks);
    runner = await run({
      ...{ pgPool: pool, schema, logger, events, concurrency, pollInterval: pollMs },
      noHandleSignals: true,
      taskList: {
        [TASK]: async (payload) => {
          await tell();
          const work = task(payload);
          underWay.add(work);
          await work.finally(() => underWay.delete(work));
        },
      },
      parsedCronItems: [],
    });
    await tell();
    runner.promise.catch(hooks.onError);
  }

  async function restart(handler: JobHandler, hooks: QueueHooks): Promise<void> {
    const broken = runner;
    runner = undefined;
    void broken?.stop().catch(() => {});
    while (!isStopping && runner === undefined) {
      await begin(handler, hooks).catch(hooks.onError);
      if (runner === undefined) await clock.sleep(RESTART_MS);
    }
  }

  /** Frees what a broken pool of workers holds, as soon as all it had under way is over. */
  async function leave(
    names: ReadonlySet<string>,
    underWay: ReadonlySet<Promise<void>>,
    hooks: QueueHooks,
  ): Promise<void> {
    await Promise.allSettled(underWay);
    for (const name of names) agents.delete(name);
    await surely(async () => {
      await freeJobs(db, [...names]);
      await hooks.onAgents([...agents]);
    }, hooks.onError).catch(() => {});
  }

  /**
   * Frees what is held under some names. A job that was added again while it was done has lost its key to the new one,
   * and may never be taken again: nobody is left to forget it.
   */
  async function freeJobs(db: Kysely<SqlTables>, holders: readonly string[]): Promise<void> {
    const names = sql.join(holders.map((holder) => sql`${holder}`));
    await sql`select ${sql.raw(schema)}.force_unlock_workers(array[${names}]::text[])`.execute(db);
    await sql`
      delete from ${sql.raw(schema)}._private_jobs where id in (
        select job.id from ${sql.raw(schema)}._private_jobs as job
        join ${sql.raw(schema)}._private_tasks as task on task.id = job.task_id
        where task.identifier = ${TASK} and job.key is null
          and job.attempts >= job.max_attempts and job.locked_by is null
        for update of job skip locked)`.execute(db);
  }

  /** Adds jobs as Graphile Worker keeps them; those in lanes keep the time they have, so that no lane moves behind again and again. */
  async function addJobs(db: Kysely<SqlTables>, jobs: readonly WorkerJob[]): Promise<void> {
    let missing = [...jobs].sort((a, b) => (a.key < b.key ? -1 : 1));
    const keepsTime = jobs.every((job) => job.queue !== null);
    // A job does not come back where a worker has taken the one of its key between two steps of the function. That
    // worker may have looked before this transaction is seen, so the job has to be added once more.
    for (let attempt = 1; missing.length > 0; attempt++) {
      if (attempt > MAX_ADDS) throw new StoreError('STORE_BUSY', 'The queue did not take a job.');
      const { rows } = await sql<{ key: string }>`
        select key from ${sql.raw(schema)}.add_jobs(array(
          select row(${TASK}::text, job.payload, job.queue,
            clock_timestamp() + job.delay_ms * interval '1 millisecond',
            ${MAX_ATTEMPTS}::smallint, job.key, null::smallint, null::text[])::${sql.raw(schema)}.job_spec
          from json_to_recordset(${JSON.stringify(missing)}::json)
            as job(key text, payload json, queue text, delay_ms bigint)
        ), ${keepsTime})`.execute(db);
      const added = new Set(rows.map((row) => row.key));
      missing = missing.filter((job) => !added.has(job.key));
    }
  }

  /**
   * The jobs that are there, due, and with nobody. None can be taken before the transaction ends, so whoever takes one
   * sees what the transaction has written. To add them again would have all workers look for nothing.
   */
  async function holdWaiting(
    db: Kysely<SqlTables>,
    jobs: readonly WorkerJob[],
  ): Promise<ReadonlySet<string>> {
    const keys = sql.join(jobs.map((job) => sql`${job.key}`));
    const { rows } = await sql<{ key: string }>`
      select key from ${sql.raw(schema)}._private_jobs
      where key in (${keys}) and is_available and run_at <= now()
      for key share skip locked`.execute(db);
    return new Set(rows.map((row) => row.key));
  }

  /** Times are told as delays: the clock of the database may be another. */
  const delayOf = (runAtMs: number): number => Math.max(0, Math.ceil(runAtMs - clock.now()));

  /** One job for all lanes of a group that are called at the same time. */
  function groupJob(group: number, runAtMs: number): WorkerJob {
    const delay_ms = delayOf(runAtMs);
    const queue = `lanes:${group}`;
    return {
      key: delay_ms === 0 ? queue : `${queue}@${runAtMs}`,
      queue,
      payload: { group, atMs: runAtMs },
      delay_ms,
    };
  }

  function workerJob(key: string, runAtMs: number): WorkerJob {
    return { key, queue: null, payload: { key }, delay_ms: delayOf(runAtMs) };
  }

  async function addInLanes(db: Kysely<SqlTables>, jobs: readonly LaneJob[]): Promise<void> {
    await calls.add(db, jobs);
    const wanted = new Map<string, WorkerJob>();
    for (const { lane, runAtMs } of jobs) {
      const job = groupJob(calls.groupOf(lane), runAtMs);
      wanted.set(job.key, job);
    }
    const waiting = await holdWaiting(db, [...wanted.values()]);
    await addJobs(
      db,
      [...wanted.values()].filter((job) => !waiting.has(job.key)),
    );
  }

  return {
    add: async (writer, jobs) => {
      const transaction = transactionOf(writer);
      const inLanes = jobs.filter(isInLane);
      if (inLanes.length > 0) await addInLanes(transaction, inLanes);
      await addJobs(
        transaction,
        jobs.filter((job) => !isInLane(job)).map((job) => workerJob(keyOf(job), job.runAtMs)),
      );
    },
    wake: () => {},
    start: (_worker, handler, hooks) => begin(handler, hooks),
    stop: async () => {
      isStopping = true;
      await runner?.stop().catch(() => {});
      runner = undefined;
    },
    release: async (writer, holders) => {
      if (holders.length > 0) await freeJobs(transactionOf(writer), holders);
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

/** A job as Graphile Worker keeps it. */
interface WorkerJob {
  readonly key: string;
  readonly queue: string | null;
  readonly payload: { readonly key: string } | { readonly group: number; readonly atMs: number };
  readonly delay_ms: number;
}

function isInLane(job: Job): job is LaneJob {
  return job.lane !== null;
}

async function openPool(url: string): Promise<Pool> {
  const { default: pg } = await load('pg', () => import('pg'));
  const pool = new pg.Pool({ connectionString: url, max: MAX_CONNECTIONS });
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
