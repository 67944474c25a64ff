/** Graphile Worker, as it comes, on a database of its own: what a host would be built on if it had no queue itself. */
export interface Graphile {
  /** Adds a job; one queue for all that are to run one after the other. */
  readonly add: (body: string, ordered: boolean) => Promise<unknown>;
  /** Begins to work jobs off. */
  readonly start: () => Promise<void>;
  readonly finished: () => number;
  /** Queries asked so far, by adding and by working off. */
  readonly statements: () => number;
  readonly close: () => Promise<void>;
}

/** As many connections, and as many jobs at a time, as a host has by default. */
const CONNECTIONS = 10;

/** Opens it and makes its tables. @param url address of a PostgreSQL database */
export async function openGraphile(url: string): Promise<Graphile> {
  const { default: pg } = await import('pg');
  const { Logger, makeWorkerUtils, run } = await import('graphile-worker');
  let statements = 0;
  let finished = 0;
  class CountingClient extends pg.Client {
    constructor(config?: string | import('pg').ClientConfig) {
      super(config);
      const query = this.query.bind(this) as (...args: unknown[]) => unknown;
      Object.assign(this, {
        query: (...args: unknown[]) => {
          statements++;
          return query(...args);
        },
      });
    }
  }
  const pgPool = new pg.Pool({ connectionString: url, max: CONNECTIONS, Client: CountingClient });
  // The database goes as soon as all is measured, perhaps before its connections do.
  pgPool.on('error', () => {});
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  const taskList = { event: async () => void finished++ };
  let runner: Awaited<ReturnType<typeof run>> | undefined;
  return {
    add: (body, ordered) => utils.addJob('event', { body }, ordered ? { queueName: 'hook' } : {}),
    start: async () => {
      runner = await run({ pgPool, logger, taskList, concurrency: CONNECTIONS, noHandleSignals: true });
    },
    finished: () => finished,
    statements: () => statements,
    close: async () => {
      await runner?.stop();
      await utils.release();
      await pgPool.end();
    },
  };
}
