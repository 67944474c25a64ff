import type { Db, PgBoss } from 'pg-boss';
import { loadPackages } from '../../shared/errors/load-packages.js';
import { LANES } from './host-queue.js';

/** How the instance of pg-boss of a process is opened. */
export interface BossOptions {
  readonly url: string;
  readonly schema: string;
  readonly heartbeatSeconds: number;
  /** A process that only adds jobs does not supervise others. */
  readonly isWorking: boolean;
  readonly onError: (error: unknown) => void;
}

/** A turn that is not ended counts as a retry. A job without retries left would lose the wake-up of its key. */
const RETRY_LIMIT = 2_000_000_000;
/** The maximum of pg-boss. Heartbeats detect dead processes. */
const EXPIRE_SECONDS = 24 * 60 * 60;
/** pg-boss deletes older waiting jobs. A key may wait while no host runs. */
const RETENTION_SECONDS = 20 * 365 * 24 * 60 * 60;
const SUPERVISE_SECONDS = 2;

/** `exclusive`: one job per key, waiting or active. `short`: one waiting job per key, any number of active ones. */
const POLICIES = { ordered: 'exclusive', parallel: 'short' } as const;

export type OpenBoss = (options: BossOptions) => Promise<PgBoss>;

/** @throws EngineError (PACKAGE_MISSING) */
export async function loadBoss(): Promise<OpenBoss> {
  const loaded = await loadPackages('A queue on PostgreSQL', { 'pg-boss': () => import('pg-boss') });
  return (options) => openBoss(loaded['pg-boss'].PgBoss, options);
}

async function openBoss(
  Boss: typeof PgBoss,
  { url, schema, heartbeatSeconds, isWorking, onError }: BossOptions,
): Promise<PgBoss> {
  const boss = new Boss({
    connectionString: url,
    schema,
    max: isWorking ? 4 : 2,
    application_name: 'iml-host queue',
    // Without a response, `fetch` would wait forever and this process would take no more turns.
    query_timeout: heartbeatSeconds * 1000,
    schedule: false,
    supervise: isWorking,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    // Monitoring also checks heartbeats.
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    registerInstance: isWorking,
    openTelemetry: { enabled: false },
  });
  boss.on('error', onError);
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
    const known = await boss.getQueues([...LANES]);
    for (const name of LANES) {
      const queue = known.find((one) => one.name === name);
      if (queue === undefined) await boss.createQueue(name, { ...settings, policy: POLICIES[name] });
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

/** Locks of keys until the end of a transaction. One global order prevents deadlocks. */
export async function lockKeys(db: Db, keys: readonly string[], mode: 'shared' | 'exclusive'): Promise<void> {
  const sorted = [...new Set(keys)].sort();
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await db.executeSql(`select ${lock}(hashtextextended(key, 0)) from unnest($1::text[]) as key`, [sorted]);
}
