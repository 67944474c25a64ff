import type { Client } from 'pg';
import { ANY_TEXT, checkOptions } from '../../errors/check-options.js';
import { EngineError } from '../../errors/engine-error.js';
import type { SqlRunner } from '../../store/sql-runner.js';
import { type Clock, SYSTEM_CLOCK } from '../../util/clock.js';
import type { HostQueue } from '../ports/ports.js';
import type { HostWriter } from '../store/tables.js';
import { createStoreQueue, STORE_QUEUE_SHAPES } from './store-queue.js';

/** Where the queue listens, and how often (milliseconds) it looks for itself. */
export interface PostgresQueueOptions {
  /** The database the store is in. */
  readonly url: string;
  /** How often the store is looked at for work nobody has told about. Default 500. */
  readonly pollMs?: number | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

const CHANNEL = 'iml_host';
/** How long a connection that broke is left alone before the next. */
const RECONNECT_MS = 1000;
/** A notification carries 8000 bytes at most. */
const MAX_IDS = 500;

/**
 * The queue of a PostgreSQL database, for any number of processes: those that work are told by `LISTEN` of what others
 * have made due, and look by themselves in any case. Needs the package "pg".
 *
 * Nothing is held through it: a connection that breaks, or a notification that is lost, costs one `pollMs` at most.
 */
export async function createPostgresQueue(options: PostgresQueueOptions): Promise<HostQueue> {
  const shapes = { ...STORE_QUEUE_SHAPES, url: ANY_TEXT };
  checkOptions(options, shapes, 'The options of createPostgresQueue', ['url']);
  const { url, clock = SYSTEM_CLOCK, pollMs } = options;
  const own = createStoreQueue({ clock, pollMs });
  let isStarted = false;
  let listener: Client | undefined;
  let cancelReconnect: () => void = () => {};

  async function listen(look: Parameters<HostQueue['start']>[0]): Promise<void> {
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: url,
      application_name: 'iml-host listener',
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
    });
    listener = client;
    let isLost = false;
    const reconnect = (): void => {
      if (isLost || !isStarted) return;
      isLost = true;
      client.end().catch(() => {});
      // What was announced meanwhile is found by looking.
      cancelReconnect = clock.after(RECONNECT_MS, () => void listen(look));
    };
    client.on('error', reconnect);
    client.on('end', reconnect);
    client.on('notification', ({ payload }) => look(readIds(payload)));
    await client
      .connect()
      .then(() => client.query(`listen ${CHANNEL}`))
      .catch(reconnect);
  }

  return {
    announce: async (writer, scenarioIds) => {
      await own.announce(writer, scenarioIds);
      // A process that works itself looks at what it adds; the others find what it leaves.
      if (isStarted || scenarioIds.length === 0) return;
      const ids = scenarioIds.length > MAX_IDS ? '' : scenarioIds.join(',');
      await requireTransaction(writer).run('select pg_notify($1, $2)', [CHANNEL, ids]);
    },
    wake: own.wake,
    start: async (look) => {
      isStarted = true;
      await own.start(look);
      await listen(look);
    },
    stop: async () => {
      isStarted = false;
      cancelReconnect();
      await own.stop();
      await listener?.end().catch(() => {});
    },
    close: own.close,
  };
}

/** Undefined for all that may be due. */
function readIds(payload: string | undefined): readonly number[] | undefined {
  const ids = (payload ?? '').split(',').map(Number);
  return ids.every((id) => Number.isSafeInteger(id) && id > 0) ? ids : undefined;
}

function requireTransaction(writer: HostWriter): SqlRunner {
  if (writer.sql !== undefined) return writer.sql;
  throw new EngineError('USAGE', 'A queue on PostgreSQL needs a store on the same database.');
}
