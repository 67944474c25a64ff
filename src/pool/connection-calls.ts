import type { ConnectionStore, StoredConnection } from '../connection/connection-store.js';
import { EngineError } from '../errors/engine-error.js';

type WorkerCall = (values: readonly unknown[], worker: AbortSignal) => unknown;

/**
 * What the workers of a pool call of the connection store of the main thread. A connection is locked for one worker at a
 * time: two refreshes with one token would end it. The lock of a worker that ends is released.
 */
export function connectionCalls(store: ConnectionStore): Readonly<Record<string, WorkerCall>> {
  const releases = new Map<number, () => void>();
  /** The last one to wait for each connection. */
  const queues = new Map<string, Promise<void>>();
  let lastLock = 0;
  const exclusively = async (name: string, work: () => Promise<void>): Promise<void> => {
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
  const lock = (name: string, worker: AbortSignal): Promise<number> =>
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
      exclusively(name, hold).catch(reject);
    });
  return {
    'connection.get': ([name]) => store.get(String(name)),
    'connection.save': ([name, stored]) => store.save(String(name), stored as StoredConnection),
    'connection.lock': ([name], worker) => lock(String(name), worker),
    'connection.unlock': ([id]) => {
      const release = releases.get(Number(id));
      if (release === undefined) throw new EngineError('USAGE', 'The connection is not locked.');
      release();
    },
  };
}
