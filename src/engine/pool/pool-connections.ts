import { EngineError } from '../../shared/errors/engine-error.js';
import type { ConnectionStore, StoredConnection } from '../connection/connection-store.js';
import type { AppDefinition } from '../loading/define-app.js';

/** The store of all apps, or a function that returns the store of one app. */
export type PoolConnections = ConnectionStore | ((app: string | AppDefinition) => ConnectionStore);

type WorkerCall = (values: readonly unknown[], worker: AbortSignal) => unknown;

/** Calls of workers to the connection store of the main thread. */
export function connectionCalls(connections: PoolConnections): Readonly<Record<string, WorkerCall>> {
  const storeOf = (app: unknown): ConnectionStore =>
    typeof connections === 'function' ? connections(app as string | AppDefinition) : connections;
  const locks = new ConnectionLocks();
  return {
    'connection.get': ([app, name]) => storeOf(app).get(String(name)),
    'connection.save': ([app, name, stored]) => storeOf(app).save(String(name), stored as StoredConnection),
    'connection.lock': ([app, name], worker) => locks.lock(storeOf(app), String(name), worker),
    'connection.unlock': ([id]) => locks.unlock(Number(id)),
  };
}

/**
 * One worker at a time locks a connection, because two refreshes with one token would end it. The lock of a terminated
 * worker is released.
 */
class ConnectionLocks {
  readonly #releases = new Map<number, () => void>();
  /** The last waiter per name. Apps whose stores have equal names wait for each other. */
  readonly #queues = new Map<string, Promise<void>>();
  #lastLock = 0;

  lock(store: ConnectionStore, name: string, worker: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      const hold = (): Promise<void> =>
        new Promise((release) => {
          if (worker.aborted) return release();
          const id = ++this.#lastLock;
          const end = (): void => {
            worker.removeEventListener('abort', end);
            this.#releases.delete(id);
            release();
          };
          this.#releases.set(id, end);
          worker.addEventListener('abort', end, { once: true });
          resolve(id);
        });
      this.#exclusively(store, name, hold).catch(reject);
    });
  }

  unlock(id: number): void {
    const release = this.#releases.get(id);
    if (release === undefined) throw new EngineError('USAGE', 'The connection is not locked.');
    release();
  }

  async #exclusively(store: ConnectionStore, name: string, work: () => Promise<void>): Promise<void> {
    const before = this.#queues.get(name);
    const own = (async () => {
      await before;
      await (store.exclusively === undefined ? work() : store.exclusively(name, work));
    })();
    const done = own.catch(() => {});
    this.#queues.set(name, done);
    try {
      await own;
    } finally {
      if (this.#queues.get(name) === done) this.#queues.delete(name);
    }
  }
}
