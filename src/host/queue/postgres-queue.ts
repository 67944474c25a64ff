import type { Db, JobAttempt, PgBoss } from 'pg-boss';
import { type Clock, repeatEvery, SYSTEM_CLOCK } from '../../shared/clock.js';
import {
  ANY_TEXT,
  checkOptions,
  objectWithFunctions,
  wholeNumber,
} from '../../shared/errors/check-options.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import type { HostWriter, Lane } from '../store/tables.js';
import {
  assertOwned,
  type HeldSlots,
  type HostQueue,
  LANES,
  type QueueKey,
  type QueueStartOptions,
  type Turn,
  takenOver,
} from './host-queue.js';
import { loadBoss, lockKeys, type OpenBoss } from './open-boss.js';
import { Slots } from './slots.js';

/** Options of `createPostgresQueue`. */
export interface PostgresQueueOptions {
  /** URL of the database of the store. */
  readonly url: string;
  /** Polling interval in milliseconds, in addition to notifications. Default 500. */
  readonly pollMs?: number | undefined;
  /**
   * Time without a heartbeat after which other processes take over the turns of a process. Minimum and default: 10.
   */
  readonly heartbeatSeconds?: number | undefined;
  /** PostgreSQL schema of pg-boss. Default `iml_queue`. */
  readonly schema?: string | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const CHANNEL = 'iml_host';
const MAX_FETCH = 20;
/** Delay before a turn that was not ended is delivered again. */
const UNSETTLED_SECONDS = 1;
/** Priorities of jobs: keys that just woke come before keys that had a turn. */
const FRESH = 1;
const AGAIN = 0;

/** A turn delivered to this process. */
interface Held {
  readonly turn: Turn;
  readonly attempt: JobAttempt;
  readonly abort: AbortController;
  isEnded: boolean;
}

interface Run extends QueueStartOptions {
  readonly handler: (turn: Turn) => Promise<void>;
  readonly boss: PgBoss;
  readonly slots: Slots;
  isOn: boolean;
}

/** Data of a job. */
interface JobData {
  readonly key: string;
  readonly tenant: string;
}

/**
 * A queue on pg-boss 12 in a PostgreSQL database, for any number of processes. Needs the package "pg-boss".
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
  return new PostgresQueue(await loadBoss(), options);
}

class PostgresQueue implements HostQueue {
  readonly isShared = true;
  readonly #openBoss: OpenBoss;
  readonly #url: string;
  readonly #schema: string;
  readonly #pollMs: number;
  readonly #heartbeatSeconds: number;
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();
  readonly #handlers = new Set<Promise<void>>();
  #onError: (error: unknown) => void = () => {};
  #opening: Promise<PgBoss> | undefined;
  #run: Run | undefined;
  #end: (() => Promise<void>) | undefined;
  #wakeLoop: () => void = () => {};
  #isWoken = false;
  #rounds = 0;

  constructor(
    openBoss: OpenBoss,
    {
      url,
      pollMs = 500,
      heartbeatSeconds = 10,
      schema = 'iml_queue',
      clock = SYSTEM_CLOCK,
    }: PostgresQueueOptions,
  ) {
    this.#openBoss = openBoss;
    this.#url = url;
    this.#schema = schema;
    this.#pollMs = pollMs;
    this.#heartbeatSeconds = heartbeatSeconds;
    this.#clock = clock;
  }

  readonly wake: HostQueue['wake'] = async (writer, lane, keys, { isFresh }) => {
    if (keys.length === 0) return;
    const boss = await this.#requireBoss();
    const db = requireDb(writer);
    // Without the lock, a turn could end between the insert and the commit: it sees no rows, and its job is gone.
    const locked = lockKeys(
      db,
      keys.map(({ key }) => key),
      'shared',
    );
    await Promise.all([locked, this.#insert(boss, db, lane, keys, isFresh ? FRESH : AGAIN)]);
  };

  readonly renew: HostQueue['renew'] = async (writer, turns) => {
    const boss = await this.#requireBoss();
    const db = requireDb(writer);
    for (const lane of LANES) {
      const attempts = turns.filter((turn) => turn.lane === lane).map(toAttempt);
      if (attempts.length === 0) continue;
      const { affected } = await boss.touch(lane, attempts, { db });
      assertOwned(affected, attempts.length);
    }
  };

  readonly lock: HostQueue['lock'] = async (writer, turns) => {
    if (turns.length === 0) return;
    await lockKeys(
      requireDb(writer),
      turns.map(({ key }) => key),
      'exclusive',
    );
  };

  readonly end: HostQueue['end'] = async (writer, turns, again) => {
    const boss = await this.#requireBoss();
    const db = requireDb(writer);
    for (const lane of LANES) {
      const attempts = turns.filter((turn) => turn.lane === lane).map(toAttempt);
      if (attempts.length > 0) {
        // Deleted instead of completed: the rows record the results.
        const { affected } = await boss.deleteJob(lane, attempts, { db });
        assertOwned(affected, attempts.length);
      }
      const left = again.filter((one) => one.lane === lane);
      if (left.length > 0) await this.#insert(boss, db, lane, left, AGAIN);
    }
    writer.afterCommit(() => {
      for (const { id, job } of turns) {
        const held = this.#held.get(job);
        if (held?.turn.id === id) held.isEnded = true;
      }
    });
  };

  readonly findLost: HostQueue['findLost'] = async (jobs) => {
    const boss = await this.#requireBoss();
    const lost: string[] = [];
    for (const job of jobs) {
      if (this.#held.has(job)) continue;
      const found = await Promise.all(LANES.map((lane) => boss.findJobs(lane, { id: job })));
      if (found.flat().length === 0) lost.push(job);
    }
    return lost;
  };

  readonly held = (): readonly HeldSlots[] => this.#run?.slots.list() ?? [];

  readonly start: HostQueue['start'] = async (handler, options) => {
    this.#onError = options.onError;
    await this.close();
    const boss = await this.#open(true);
    const slots = new Slots(options.concurrency, options.share);
    const run: Run = { ...options, handler, boss, slots, isOn: true };
    this.#run = run;
    const listener = await boss
      .getDb()
      .listen?.(CHANNEL, this.#wakeUp, this.#wakeUp)
      .catch((error: unknown) => void this.#onError(error));
    const loop = this.#fetchAll(run);
    const everyMs = (this.#heartbeatSeconds * 1000) / 4;
    const endHeartbeat = repeatEvery(this.#clock, everyMs, () => this.#sendHeartbeat(boss), this.#onError);
    this.#end = async () => {
      run.isOn = false;
      this.#wakeUp();
      await loop;
      while (this.#handlers.size > 0) await Promise.all(this.#handlers);
      endHeartbeat();
      await listener?.close();
    };
  };

  readonly stop = async (): Promise<void> => {
    const end = this.#end;
    this.#end = undefined;
    await end?.();
    this.#run = undefined;
  };

  readonly close = async (): Promise<void> => {
    const boss = await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    await boss?.stop({ graceful: false });
  };

  readonly #wakeUp = (): void => {
    this.#isWoken = true;
    this.#wakeLoop();
  };

  #open(isWorking: boolean): Promise<PgBoss> {
    const opening = this.#openBoss({
      ...{ url: this.#url, schema: this.#schema, heartbeatSeconds: this.#heartbeatSeconds, isWorking },
      onError: (error) => this.#onError(error),
    });
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  #requireBoss(): Promise<PgBoss> {
    return this.#opening ?? this.#open(false);
  }

  /** Adds jobs of keys without one, and notifies the other processes. */
  async #insert(
    boss: PgBoss,
    db: Db,
    lane: Lane,
    keys: readonly QueueKey[],
    priority: number,
  ): Promise<void> {
    const unique = new Map(keys.map((one) => [one.key, one]));
    const jobs = [...unique.keys()].sort().map((key) => {
      const tenant = unique.get(key)?.tenant ?? key;
      return { data: { key, tenant } satisfies JobData, singletonKey: key, group: { id: tenant }, priority };
    });
    await boss.insert(lane, jobs, { db });
    await db.executeSql('select pg_notify($1, $2)', [CHANNEL, '']);
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#isWoken) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(ms, resolve);
      this.#wakeLoop = () => {
        cancel();
        resolve();
      };
    });
  }

  async #fetchAll(run: Run): Promise<void> {
    while (run.isOn) {
      this.#isWoken = false;
      let count = 0;
      try {
        count = await this.#fetchRound(run);
      } catch (error) {
        run.onError(error);
      }
      if (count === 0) await this.#sleep(this.#pollMs);
    }
  }

  /** Fetches from both lanes, another one first each time. @returns the number of turns */
  async #fetchRound(run: Run): Promise<number> {
    this.#rounds++;
    const lanes = this.#rounds % 2 === 0 ? LANES : LANES.toReversed();
    let count = 0;
    for (const lane of lanes) if (run.isOn) count += await this.#fetchLane(run, lane);
    return count;
  }

  async #fetchLane(run: Run, lane: Lane): Promise<number> {
    const { slots, boss } = run;
    const isReserve = slots.common < 1;
    const free = Math.min(MAX_FETCH, isReserve ? slots.free : slots.common);
    if (free < 1) return 0;
    const prefersAgain = !isReserve && slots.prefersAgain();
    const bounds = { ...(isReserve && { minPriority: FRESH }), ...(prefersAgain && { maxPriority: AGAIN }) };
    const full = slots.fullTenants;
    const fetch = (batchSize: number, ignoreGroups: readonly string[], priorities: object) =>
      boss.fetch<JobData>(lane, { batchSize, ignoreGroups: [...ignoreGroups], ...priorities });
    let jobs = await fetch(Math.min(free, slots.tenantRest), full, bounds);
    // Only keys that just woke wait.
    if (jobs.length === 0 && prefersAgain) jobs = await fetch(Math.min(free, slots.tenantRest), full, {});
    // No other tenant waits.
    if (jobs.length === 0 && full.length > 0) jobs = await fetch(free, [], isReserve ? bounds : {});
    let left = jobs.length;
    for (const job of jobs) {
      if (isReserve && slots.hasKey(job.data.key)) await this.#returnToQueue(boss, lane, job, 0);
      else this.#deliver(run, lane, job, slots.countFor(lane, job.data, left));
      left--;
    }
    return jobs.length;
  }

  #deliver(run: Run, lane: Lane, job: JobAttempt & { readonly data: JobData }, slots: number): void {
    const { id, retryCount, data } = job;
    const abort = new AbortController();
    // Its earlier delivery was lost because this process was considered dead.
    this.#held.get(id)?.abort.abort(takenOver());
    const attempt = { id, retryCount };
    const resize = run.slots.take(data, slots);
    const turn: Turn = {
      ...{ id: `${id}:${retryCount}`, job: id, lane, key: data.key, tenant: data.tenant, slots },
      isRepeat: retryCount > 0,
      signal: abort.signal,
      resize: (left) => {
        resize(left);
        this.#wakeUp();
      },
    };
    const held: Held = { turn, attempt, abort, isEnded: false };
    this.#held.set(id, held);
    const done: Promise<void> = run
      .handler(turn)
      .catch(run.onError)
      .then(async () => {
        if (!held.isEnded) await this.#returnToQueue(run.boss, lane, attempt, UNSETTLED_SECONDS);
      })
      .catch(run.onError)
      .finally(() => {
        this.#handlers.delete(done);
        if (this.#held.get(id) === held) this.#held.delete(id);
        turn.resize(0);
      });
    this.#handlers.add(done);
  }

  /** Delivers a job again, after the keys that just woke. */
  async #returnToQueue(
    boss: PgBoss,
    lane: Lane,
    { id, retryCount }: JobAttempt,
    seconds: number,
  ): Promise<void> {
    const { affected } = await boss.fail(lane, { id, retryCount }, null);
    if (affected > 0) await boss.update(lane, undefined, { id, startAfter: seconds, priority: AGAIN });
  }

  async #sendHeartbeat(boss: PgBoss): Promise<void> {
    for (const lane of LANES) {
      const own = [...this.#held.values()].filter(({ turn }) => turn.lane === lane);
      if (own.length === 0) continue;
      const { settled: alive } = await boss.touch(
        lane,
        own.map(({ attempt }) => attempt),
      );
      for (const one of own) {
        const isHeld = this.#held.get(one.attempt.id) === one && !one.isEnded;
        if (isHeld && !alive.includes(one.attempt.id)) one.abort.abort(takenOver());
      }
    }
  }
}

function toAttempt({ id, job }: Turn): JobAttempt {
  return { id: job, retryCount: Number(id.slice(job.length + 1)) };
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
