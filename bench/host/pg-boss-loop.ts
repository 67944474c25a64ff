import { setTimeout as sleep } from 'node:timers/promises';

/** A queue of pg-boss with a loop that fetches and deletes jobs: what a host on PostgreSQL is built on. */
export interface PgBossLoop {
  readonly add: (body: string) => Promise<unknown>;
  /** Adds jobs in turns over a number of keys. */
  readonly addAll: (count: number, keys: number) => Promise<void>;
  /** Starts to process jobs. */
  readonly start: () => void;
  readonly finished: () => number;
  /** Number of queries so far. */
  readonly statements: () => number;
  readonly close: () => Promise<void>;
}

/** The defaults of a host. */
const CONNECTIONS = 10;
const BATCH = 20;
const EMPTY_MS = 5;
const STEP = 1000;

const SETTINGS = {
  retryLimit: 2,
  retryDelay: 0,
  retryBackoff: false,
  expireInSeconds: 900,
  retentionSeconds: 3600,
  heartbeatSeconds: 60,
};

/**
 * Opens a queue and creates its tables.
 *
 * @param url address of a PostgreSQL database
 * @param ordered whether all jobs have one key and run one after another
 */
export async function openPgBossLoop(url: string, ordered: boolean): Promise<PgBossLoop> {
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({
    connectionString: url,
    schema: 'bench',
    max: CONNECTIONS,
    application_name: 'iml-bench',
    schedule: false,
    supervise: false,
    superviseIntervalSeconds: 60,
    monitorIntervalSeconds: 60,
    registerInstance: false,
    openTelemetry: { enabled: false },
  });
  // The benchmark drops the database, possibly before the connections are closed.
  boss.on('error', () => {});
  await boss.start();
  const name = ordered ? 'ordered' : 'parallel';
  await boss.createQueue(name, { ...SETTINGS, policy: ordered ? 'key_strict_fifo' : 'standard' });
  const db = boss.getDb();
  const execute = db.executeSql.bind(db);
  let statements = 0;
  db.executeSql = (text, values) => {
    statements++;
    return execute(text, values);
  };
  let added = 0;
  let finished = 0;
  let isOn = true;
  let loop: Promise<void> = Promise.resolve();
  const work = async (): Promise<void> => {
    while (isOn) {
      const jobs = await boss.fetch(name, { batchSize: BATCH, ignoreGroups: [] });
      if (jobs.length === 0) await sleep(EMPTY_MS);
      else await boss.deleteJob(name, jobs.map(toAttempt), {});
      finished += jobs.length;
    }
  };
  const newJob = (body: string, key: string) => {
    return { id: toUuid(++added), data: { body }, singletonKey: key, group: { id: key } };
  };
  return {
    add: (body) => boss.insert(name, [newJob(body, 'hook')], {}),
    addAll: async (count, keys) => {
      for (let left = count; left > 0; left -= STEP) {
        const jobs = Array.from({ length: Math.min(STEP, left) }, (_, n) =>
          newJob('{"n":1}', `hook-${n % keys}`),
        );
        await boss.insert(name, jobs, {});
      }
    },
    start: () => {
      loop = work();
    },
    finished: () => finished,
    statements: () => statements,
    close: async () => {
      isOn = false;
      await loop;
      await boss.stop({ graceful: false });
    },
  };
}

interface Attempt {
  readonly id: string;
  readonly retryCount: number;
}

function toAttempt({ id, retryCount }: Attempt): Attempt {
  return { id, retryCount };
}

/** Ids that grow and differ between processes. */
function toUuid(count: number): string {
  const own = process.pid.toString(16).padStart(8, '0').slice(-8);
  const row = count.toString(16).padStart(18, '0');
  return `${own}-0000-7${row.slice(0, 3)}-8${row.slice(3, 6)}-${row.slice(6)}`;
}
