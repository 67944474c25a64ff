import type { Db, JobAttempt, PgBoss } from 'pg-boss';
import { type Clock, repeatEvery, SYSTEM_CLOCK } from '../../shared/clock.js';
import {
  ANY_TEXT,
  checkOptions,
  objectWithFunctions,
  wholeNumber,
} from '../../shared/errors/check-options.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { loadPackages } from '../../shared/errors/load-packages.js';
import type { HostWriter } from '../store/tables.js';
import {
  assertOwned,
  type HostQueue,
  type JobKind,
  type QueueDelivery,
  type QueueJob,
  type QueueStartOptions,
  TAKEN_OVER,
} from './host-queue.js';

/** Options of `createPostgresQueue`. */
export interface PostgresQueueOptions {
  /** URL of the database of the store. */
  readonly url: string;
  /** Polling interval in milliseconds, in addition to notifications. Default 500. */
  readonly pollMs?: number | undefined;
  /**
   * Time without a heartbeat after which other processes take over the jobs of a process. Minimum and default: 10.
   */
  readonly heartbeatSeconds?: number | undefined;
  /** PostgreSQL schema of pg-boss. Default `iml_queue`. */
  readonly schema?: string | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const QUEUES = { ordered: 'ordered', parallel: 'parallel' } as const;
/** `hold` fails a job, which counts as a retry. A job without retries left would block its key forever. */
const RETRY_LIMIT = 2_000_000_000;
/** The maximum of pg-boss. Heartbeats detect dead processes. */
const EXPIRE_SECONDS = 24 * 60 * 60;
/** pg-boss deletes older waiting jobs, but a scenario may be off for years. */
const RETENTION_SECONDS = 20 * 365 * 24 * 60 * 60;
const SUPERVISE_SECONDS = 2;
const CHANNEL = 'iml_host';
const MAX_FETCH = 20;
/** Delay before an unsettled job is delivered again. */
const UNSETTLED_SECONDS = 1;
/** Maximum share of the concurrent deliveries per key. [choice] */
const KEY_SHARE = 0.75;

/** A job delivered to this process. */
interface Held {
  readonly name: string;
  readonly attempt: JobAttempt;
  readonly key: string;
  readonly abort: AbortController;
}

interface Run extends QueueStartOptions {
  readonly handler: (delivery: QueueDelivery) => Promise<void>;
  readonly loop: Promise<void>;
  readonly end: () => Promise<void>;
}

/**
 * A queue on pg-boss 12 in a PostgreSQL database, for any number of processes. Needs the package "pg-boss". Adds and
 * settles jobs in the transactions of their rows.
 *
 * @throws EngineError (PACKAGE_MISSING)
 */
export async function createPostgresQueue(options: PostgresQueueOptions): Promise<HostQueue> {
  checkOptions(
    options,
    {
      url: ANY_TEXT,
      pollMs: wholeNumber(1),
      heartbeatSeconds: wholeNumber(10),
      schema: ANY_TEXT,
      clock: objectWithFunctions(['now', 'sleep', 'after']),
    },
    'The options of createPostgresQueue',
    ['url'],
  );
  const loaded = await loadPackages('A queue on PostgreSQL', {
    'pg-boss': () => import('pg-boss'),
  });
  const { url, pollMs = 500, heartbeatSeconds = 10, schema = 'iml_queue', clock = SYSTEM_CLOCK } = options;
  let onError: (error: unknown) => void = () => {};
  const held = new Map<string, Held>();
  const handlers = new Set<Promise<void>>();
  const settled = new WeakSet<Held>();
  let run: Run | undefined;
  let opening: Promise<PgBoss> | undefined;
  let wake: () => void = () => {};
  let isWoken = false;

  const wakeUp = (): void => {
    isWoken = true;
    wake();
  };

  /** A process that only adds jobs does not supervise others. */
  async function open(isWorking: boolean): Promise<PgBoss> {
    const boss = new loaded['pg-boss'].PgBoss({
      connectionString: url,
      schema,
      max: isWorking ? 4 : 2,
      application_name: 'iml-host queue',
      // Without a response, `fetch` would wait forever and this process would take no more jobs.
      query_timeout: heartbeatSeconds * 1000,
      schedule: false,
      supervise: isWorking,
      superviseIntervalSeconds: SUPERVISE_SECONDS,
      // Monitoring also checks heartbeats.
      monitorIntervalSeconds: SUPERVISE_SECONDS,
      registerInstance: isWorking,
      openTelemetry: { enabled: false },
    });
    boss.on('error', (error) => onError(error));
    try {
      await boss.start();
      const settings = {
        retryLimit: RETRY_LIMIT,
        retryDelay: 0,
        retryBackoff: false,
        expireInSeconds: EXPIRE_SECONDS,
        retentionSeconds: RETENTION_SECONDS,
        heartbeatSeconds,
      };
      const known = await boss.getQueues([QUEUES.ordered, QUEUES.parallel]);
      for (const name of [QUEUES.ordered, QUEUES.parallel]) {
        const queue = known.find((one) => one.name === name);
        const policy = name === QUEUES.ordered ? 'key_strict_fifo' : 'standard';
        if (queue === undefined) await boss.createQueue(name, { ...settings, policy });
        else if (isWorking && queue.heartbeatSeconds !== heartbeatSeconds) {
          await boss.updateQueue(name, settings);
        }
      }
      return boss;
    } catch (error) {
      await boss.stop({ graceful: false }).catch(() => {});
      throw error;
    }
  }

  function requireBoss(): Promise<PgBoss> {
    opening ??= open(false).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  async function closeBoss(): Promise<void> {
    const boss = await opening?.catch(() => undefined);
    opening = undefined;
    await boss?.stop({ graceful: false });
  }

  async function sleep(ms: number): Promise<void> {
    if (isWoken) return;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });
  }

  async function fetchAll(
    boss: PgBoss,
    isOn: () => boolean,
    start: Omit<Run, 'loop' | 'end'>,
  ): Promise<void> {
    const { concurrency } = start;
    while (isOn()) {
      isWoken = false;
      let count = 0;
      try {
        for (const name of [QUEUES.ordered, QUEUES.parallel]) {
          const free = Math.min(MAX_FETCH, concurrency - handlers.size);
          if (free < 1 || !isOn()) continue;
          const isOrdered = name === QUEUES.ordered;
          const { full, left } = countShares(concurrency);
          const jobs = await boss.fetch<JobData>(name, {
            batchSize: isOrdered ? free : Math.min(free, left),
            ignoreGroups: isOrdered ? [] : full,
          });
          count += jobs.length;
          for (const job of jobs) handle(boss, start, name, job);
        }
      } catch (error) {
        onError(error);
      }
      if (count === 0 || handlers.size >= concurrency) await sleep(pollMs);
    }
  }

  /** Keys that used up their share of the deliveries of this process, and the remaining number for other keys. */
  function countShares(concurrency: number): { readonly full: string[]; readonly left: number } {
    const counts = new Map<string, number>();
    for (const { key, name } of held.values()) {
      if (name === QUEUES.parallel) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const share = Math.max(1, Math.floor(concurrency * KEY_SHARE));
    const full = [...counts].filter(([, count]) => count >= share).map(([key]) => key);
    const others = [...counts.values()].filter((count) => count < share);
    return { full, left: share - Math.max(0, ...others) };
  }

  function handle(
    boss: PgBoss,
    { handler }: Pick<Run, 'handler'>,
    name: string,
    { id, retryCount, data }: JobAttempt & { readonly data: JobData },
  ): void {
    const abort = new AbortController();
    // Its earlier delivery was lost because this process was considered dead.
    held.get(id)?.abort.abort(takenOver());
    const one: Held = { name, key: data.key, attempt: { id, retryCount }, abort };
    held.set(id, one);
    const job = { ...fromUuid(id), key: data.key, isOrdered: name === QUEUES.ordered };
    const done: Promise<void> = handler({ ...job, attempt: retryCount, signal: abort.signal })
      .catch(onError)
      .then(async () => {
        if (!settled.has(one)) await holdFor(boss, undefined, one, UNSETTLED_SECONDS);
      })
      .catch(onError)
      .finally(() => {
        handlers.delete(done);
        if (held.get(id) === one) held.delete(id);
        wakeUp();
      });
    handlers.add(done);
  }

  /** Fails a job with a new start time. Keeps its position and key. */
  async function holdFor(
    boss: PgBoss,
    db: Db | undefined,
    { name, attempt }: Pick<Held, 'name' | 'attempt'>,
    seconds: number,
  ): Promise<number> {
    const on = db === undefined ? {} : { db };
    const { affected } = await boss.fail(name, attempt, null, on);
    if (affected > 0) await boss.update(name, undefined, { id: attempt.id, startAfter: seconds, ...on });
    return affected;
  }

  /** The delivery known to this process; undefined for a job settled without a delivery. */
  function toAttempt({ attempt, ...job }: QueueDelivery): JobAttempt | undefined {
    return attempt === undefined ? undefined : { id: toUuid(job), retryCount: attempt };
  }

  /** Marks a job as settled after the commit. */
  function settle(writer: HostWriter, job: QueueDelivery): void {
    const one = held.get(toUuid(job));
    if (one === undefined || one.attempt.retryCount !== job.attempt) return;
    writer.afterCommit(() => settled.add(one));
  }

  /** Notifies the other processes, which then fetch immediately. */
  async function announce(writer: HostWriter): Promise<void> {
    await requireDb(writer).executeSql('select pg_notify($1, $2)', [CHANNEL, '']);
  }

  async function sendHeartbeat(boss: PgBoss): Promise<void> {
    for (const name of [QUEUES.ordered, QUEUES.parallel]) {
      const own = [...held.values()].filter((one) => one.name === name);
      if (own.length === 0) continue;
      const { settled: alive } = await boss.touch(
        name,
        own.map(({ attempt }) => attempt),
      );
      for (const one of own) {
        const isLost = !alive.includes(one.attempt.id) && held.get(one.attempt.id) === one;
        if (isLost && !settled.has(one)) one.abort.abort(takenOver());
      }
    }
  }

  const secondsUntil = (atMs: number): number => Math.max(0, (atMs - clock.now()) / 1000);

  return {
    isShared: true,
    enqueue: async (writer, jobs) => {
      if (jobs.length === 0) return;
      const boss = await requireBoss();
      const db = requireDb(writer);
      for (const isOrdered of [true, false]) {
        const own = jobs.filter((job) => job.isOrdered === isOrdered);
        if (own.length === 0) continue;
        const rows = own.map((job) => ({
          id: toUuid(job),
          data: { key: job.key },
          singletonKey: job.key,
          group: { id: job.key },
          // A delay instead of a time, because the server clock may differ.
          ...(job.runAtMs !== undefined && { startAfter: String(secondsUntil(job.runAtMs)) }),
        }));
        await boss.insert(queueOf({ isOrdered }), rows, { db });
      }
      await announce(writer);
    },
    complete: async (writer, jobs) => {
      const boss = await requireBoss();
      const db = requireDb(writer);
      for (const isOrdered of [true, false]) {
        const own = jobs.filter((job) => job.isOrdered === isOrdered);
        const name = queueOf({ isOrdered });
        const attempts = own.flatMap((job) => toAttempt(job) ?? []);
        if (attempts.length > 0) {
          // Deleted instead of completed: the row records the result.
          const { affected } = await boss.deleteJob(name, attempts, { db });
          assertOwned(affected, attempts.length);
        }
        const ids = own.filter(({ attempt }) => attempt === undefined).map(toUuid);
        if (ids.length > 0) await boss.deleteJob(name, ids, { db });
      }
      for (const job of jobs) settle(writer, job);
    },
    hold: async (writer, job, untilMs) => {
      const boss = await requireBoss();
      const db = requireDb(writer);
      const name = queueOf(job);
      const attempt = toAttempt(job);
      if (attempt === undefined) {
        await boss.update(name, undefined, { id: toUuid(job), startAfter: secondsUntil(untilMs), db });
      } else assertOwned(await holdFor(boss, db, { name, attempt }, secondsUntil(untilMs)), 1);
      settle(writer, job);
    },
    renew: async (writer, job) => {
      const attempt = toAttempt(job);
      if (attempt === undefined) return;
      const boss = await requireBoss();
      const { affected } = await boss.touch(queueOf(job), attempt, { db: requireDb(writer) });
      assertOwned(affected, 1);
    },
    release: async (writer, key) => {
      const boss = await requireBoss();
      const db = requireDb(writer);
      for (const name of [QUEUES.ordered, QUEUES.parallel]) {
        await boss.update(name, undefined, { singletonKey: key, match: 'all', startAfter: 0, db });
      }
      await announce(writer);
    },
    start: async (handler, startOptions) => {
      onError = startOptions.onError;
      await closeBoss();
      opening = open(true);
      opening.catch(() => {
        opening = undefined;
      });
      const boss = await opening;
      const listener = await boss
        .getDb()
        .listen?.(CHANNEL, wakeUp, wakeUp)
        .catch((error: unknown) => void onError(error));
      let isOn = true;
      const start = { handler, ...startOptions };
      const loop = fetchAll(boss, () => isOn, start);
      const endHeartbeat = repeatEvery(
        clock,
        (heartbeatSeconds * 1000) / 4,
        () => sendHeartbeat(boss),
        onError,
      );
      run = {
        ...start,
        loop,
        end: async () => {
          isOn = false;
          wakeUp();
          await loop;
          while (handlers.size > 0) await Promise.all(handlers);
          endHeartbeat();
          await listener?.close();
        },
      };
    },
    stop: async () => {
      const current = run;
      run = undefined;
      await current?.end();
    },
    close: closeBoss,
  };
}

/** Data of a job in addition to its id. */
interface JobData {
  readonly key: string;
}

function queueOf({ isOrdered }: Pick<QueueJob, 'isOrdered'>): string {
  return isOrdered ? QUEUES.ordered : QUEUES.parallel;
}

function requireDb(writer: HostWriter): Db {
  const { sql } = writer;
  if (sql === undefined) {
    throw new EngineError(
      'USAGE',
      'createPostgresQueue needs a store on the same database: openHostPostgres.',
    );
  }
  return {
    executeSql: async (text, values = []) => ({ rows: [...(await sql.run(text, values)).rows] }),
  };
}

function takenOver(): EngineError {
  return new EngineError('HOST_LEASE', TAKEN_OVER);
}

const KINDS: readonly JobKind[] = ['event', 'retry', 'run'];

/**
 * Derives the id from kind and row, so that a job exists once. Ids grow with row ids, because pg-boss orders jobs of
 * one insert by id.
 */
function toUuid({ kind, rowId }: Pick<QueueJob, 'kind' | 'rowId'>): string {
  const row = rowId.toString(16).padStart(18, '0');
  const first = (KINDS.indexOf(kind) + 1).toString(16).padStart(8, '0');
  return `${first}-0000-7${row.slice(0, 3)}-8${row.slice(3, 6)}-${row.slice(6)}`;
}

function fromUuid(id: string): Pick<QueueJob, 'kind' | 'rowId'> {
  const kind = KINDS[Number.parseInt(id.slice(0, 8), 16) - 1];
  const rowId = Number.parseInt(`${id.slice(15, 18)}${id.slice(20, 23)}${id.slice(24)}`, 16);
  if (kind !== undefined && Number.isSafeInteger(rowId)) return { kind, rowId };
  throw new EngineError('USAGE', `The queue contains a job of another program: ${id}.`);
}
