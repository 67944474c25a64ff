import { EngineError } from '../../shared/errors/engine-error.js';
import type { AppDefinition } from '../assembling/app-definition.js';
import type { ConnectionStore, StoredConnection } from '../connection/connection-store.js';

/** The store of all apps, or a function that returns the store of one app. */
export type PoolConnections = ConnectionStore | ((app: string | AppDefinition) => ConnectionStore);

type WorkerCall = (values: readonly unknown[], worker: AbortSignal) => unknown;

/**
 * What the workers of a pool call of the connection store of the main thread. A connection is locked for one worker at a
 * time: two refreshes with one token would end it. The lock of a worker that ends is released.
 */
export function connectionCalls(connections: PoolConnections): Readonly<Record<string, WorkerCall>> {
  const storeOf = (app: unknown): ConnectionStore =>
    typeof connections === 'function' ? connections(app as string | AppDefinition) : connections;
  const releases = new Map<number, () => void>();
  /** The last waiter per connection. */
  const queues = new Map<string, Promise<void>>();
  let lastLock = 0;
  const exclusively = async (
    store: ConnectionStore,
    name: string,
    work: () => Promise<void>,
  ): Promise<void> => {
    const before = queues.get(name);
    const own = (async () => {
      await before;
      await (store.exclusively === undefined ? work() : store.exclusively(name, work));
    })();
    const done = own.catch(() => {});
    queues.set(name, done);
    try {
      await own;
    } finally {
      if (queues.get(name) === done) queues.delete(name);
    }
  };
  const lock = (store: ConnectionStore, name: string, worker: AbortSignal): Promise<number> =>
    new Promise((resolve, reject) => {
      const hold = (): Promise<void> =>
        new Promise((release) => {
          if (worker.aborted) return release();
          const id = ++lastLock;
          const end = (): void => {
            worker.removeEventListener('abort', end);
            releases.delete(id);
            release();
          };
          releases.set(id, end);
          worker.addEventListener('abort', end, { once: true });
          resolve(id);
        });
      exclusively(store, name, hold).catch(reject);
    });
  return {
    'connection.get': ([app, name]) => storeOf(app).get(String(name)),
    'connection.save': ([app, name, stored]) => storeOf(app).save(String(name), stored as StoredConnection),
    'connection.lock': ([app, name], worker) => lock(storeOf(app), String(name), worker),
    'connection.unlock': ([id]) => {
      const release = releases.get(Number(id));
      if (release === undefined) throw new EngineError('USAGE', 'The connection is not locked.');
      release();
    },
  };
}
