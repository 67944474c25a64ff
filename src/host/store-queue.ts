import pLimit from 'p-limit';
import { EngineError } from '../errors/engine-error.js';
import { type Clock, SYSTEM_CLOCK } from '../util/clock.js';
import { keyOf, readKey } from './job.js';
import type { HostQueue, JobHandler, QueueHooks } from './work/ports.js';
import type { HostStore, HostWriter, JobRow } from './store/tables.js';

export interface StoreQueueOptions {
  readonly store: HostStore;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Jobs done at the same time. Default 10. */
  readonly concurrency?: number | undefined;
  /** How often the store is asked for jobs other processes have added. Default 1000. */
  readonly pollMs?: number | undefined;
}

/** How many due jobs are looked through for some whose lane is free. */
const WINDOW = 500;
/** A job that could not be done, because of the store or a defect, is tried again after this. */
const RETRY_MS = 1000;

/**
 * A queue in the tables of the store: for memory and for a SQLite file, which several processes of one machine may
 * share. On PostgreSQL `createPostgresQueue` does the same without asking all the time.
 *
 * @throws EngineError (USAGE) for a store whose transactions do not run one after the other
 */
export function createStoreQueue(options: StoreQueueOptions): HostQueue {
  const { store, clock = SYSTEM_CLOCK, concurrency = 10, pollMs = 1000 } = options;
  if (store.capabilities.reach === 'network') {
    throw new EngineError('USAGE', 'A store on PostgreSQL needs a queue on PostgreSQL: createPostgresQueue.');
  }
  const runs = pLimit(concurrency);
  /** From then on a job nobody can mark as done is left to whoever takes over. */
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let worker: () => string = () => '';
  let begin: ((job: JobRow, holder: string) => Promise<void>) | undefined;
  let onError: QueueHooks['onError'] = () => {};
  let cancelTimer: () => void = () => {};
  let taking: Promise<void> | undefined;
  let isWoken = false;

  /** Takes what is due and fits; one look at a time, once more if something came meanwhile. */
  function look(): void {
    if (begin === undefined) return;
    isWoken = true;
    taking ??= (async () => {
      while (isWoken && begin !== undefined) {
        isWoken = false;
        await takeDue();
      }
    })()
      .catch(onError)
      .finally(() => {
        taking = undefined;
        sleep();
      });
  }

  async function takeDue(): Promise<void> {
    const free = concurrency - runs.activeCount - runs.pendingCount;
    if (free <= 0) return;
    const holder = worker();
    const jobs = await store.transaction((writer) => take(writer, holder, clock.now(), free));
    for (const job of jobs) {
      const run = runs(async () => begin?.(job, holder));
      running.add(run);
      void run.finally(() => running.delete(run)).then(look);
    }
  }

  function sleep(): void {
    cancelTimer();
    if (begin === undefined) return;
    cancelTimer = clock.after(pollMs, look);
    store
      .find('jobs', { where: { locked: false }, sortBy: 'runAtMs', limit: 1 })
      .then(([next]) => {
        const delay = next === undefined ? pollMs : next.runAtMs - clock.now();
        // One that is due and was not taken waits for its lane, which wakes the queue.
        if (delay <= 0 || delay >= pollMs || begin === undefined) return;
        cancelTimer();
        cancelTimer = clock.after(delay, look);
      })
      .catch(onError);
  }

  return {
    add: addJobs,
    wake: look,
    start: async (name, handler, hooks) => {
      worker = name;
      onError = hooks.onError;
      await hooks.onAgents([]);
      begin = (job, holder) => doJob(job, { store, clock, handler, holder, hooks, signal: stopping.signal });
      look();
    },
    stop: async () => {
      begin = undefined;
      cancelTimer();
      await taking;
      stopping.abort();
      await Promise.all(running);
    },
    release: async (writer, holders) => {
      await writer.update('jobs', { lockedBy: holders }, { locked: false, lockedBy: null });
    },
    holders: async (writer) => {
      const held = await writer.countBy('jobs', 'lockedBy', { locked: true });
      return [...held.keys()].filter((holder) => holder !== null);
    },
    close: async () => {},
  };
}

async function addJobs(writer: HostWriter, jobs: Parameters<HostQueue['add']>[1]): Promise<void> {
  const wanted = new Map(jobs.map((job) => [keyOf(job), job]));
  const present = await writer.find('jobs', { where: { key: [...wanted.keys()] } });
  for (const row of present) {
    const job = wanted.get(row.key);
    wanted.delete(row.key);
    if (job === undefined) continue;
    const { runAtMs, lane } = job;
    await writer.update('jobs', { id: row.id }, { runAtMs, lane, version: row.version + 1 });
  }
  const rows = [...wanted].map(([key, { lane, runAtMs }]) => ({
    ...{ key, lane, runAtMs },
    ...{ lockedBy: null, locked: false, version: 0 },
  }));
  if (rows.length > 0) await writer.insertAll('jobs', rows);
}

async function take(
  writer: HostWriter,
  holder: string,
  nowMs: number,
  free: number,
): Promise<readonly JobRow[]> {
  const due = await writer.find('jobs', {
    where: { locked: false, runAtMs: { atMost: nowMs } },
    sortBy: 'runAtMs',
    limit: WINDOW,
  });
  if (due.length === 0) return [];
  const busy = await writer.countBy('jobs', 'lane', { locked: true });
  const lanes = new Set<string | null>(busy.keys());
  const chosen: JobRow[] = [];
  for (const job of due) {
    if (chosen.length === free) break;
    if (job.lane !== null && lanes.has(job.lane)) continue;
    lanes.add(job.lane);
    chosen.push(job);
  }
  const ids = chosen.map((job) => job.id);
  if (ids.length > 0) await writer.update('jobs', { id: ids }, { locked: true, lockedBy: holder });
  return chosen;
}

interface JobWork {
  readonly store: HostStore;
  readonly clock: Clock;
  readonly handler: JobHandler;
  readonly holder: string;
  readonly hooks: QueueHooks;
  readonly signal: AbortSignal;
}

async function doJob(job: JobRow, work: JobWork): Promise<void> {
  const { store, clock, handler, holder, hooks } = work;
  const key = readKey(job.key);
  let retryAtMs: number | undefined;
  try {
    const end = key === undefined ? 'done' : await handler(key);
    if (end === 'again') retryAtMs = clock.now();
  } catch (error) {
    hooks.onError(error);
    retryAtMs = clock.now() + RETRY_MS;
  }
  await untilDone(work, () =>
    store.transaction(async (writer) => {
      const mine = { id: job.id, lockedBy: holder };
      const gone =
        retryAtMs === undefined ? await writer.remove('jobs', { ...mine, version: job.version }) : 0;
      if (gone > 0) return;
      const change = retryAtMs === undefined ? {} : { runAtMs: retryAtMs };
      await writer.update('jobs', mine, { locked: false, lockedBy: null, ...change });
    }),
  );
}

/** A job that nobody could mark as done would keep its lane closed, so this waits for the store to work again. */
async function untilDone({ clock, hooks, signal }: JobWork, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      hooks.onError(error);
    }
    if (signal.aborted) return;
    await clock.sleep(RETRY_MS);
  }
}
