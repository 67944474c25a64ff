import { availableParallelism } from 'node:os';
import { createEnginePool, type EnginePool } from '../../engine/pool/engine-pool.js';
import { DEFAULT_LIMITS } from '../../engine/run/limits.js';
import { HOST_WORKER, type PoolHostApp } from '../../host/pool-ports.js';
import {
  type ConnectionFiles,
  identifyOwner,
  isSameApp,
  storeForApp,
} from './connections/connection-store.js';
import type { ServeSettings } from './input/serve-options.js';
import type { LoadedApp } from './open-app.js';

/** Worker threads of `iml serve`. Webhooks have their own threads, so that a call never waits for a scenario. */
export interface ServePools {
  readonly webhooks: EnginePool;
  readonly flows: EnginePool;
  readonly apps: Readonly<Record<string, PoolHostApp>>;
  /** Names of the stored connections of an app. */
  readonly connectionNames: (app: string) => Promise<readonly string[]>;
  /** Starts the threads and loads the apps in the background. */
  readonly warmUp: () => void;
  readonly close: () => Promise<void>;
}

/** Processing a webhook call sends no requests, so two threads suffice. */
const WEBHOOK_THREADS = 2;

/** Grace period after `limits.timeoutMs` before the pool terminates the worker. */
const EXTRA_MS = 20_000;

export function openServePools(
  loaded: readonly LoadedApp[],
  { engine, threads, limits }: Pick<ServeSettings, 'engine' | 'threads' | 'limits'>,
  files: ConnectionFiles,
): ServePools {
  const stores = new Map(
    loaded.map(({ app, root }) => [root, storeForApp(files, identifyOwner(app))] as const),
  );
  const options = {
    setup: HOST_WORKER,
    setupData: engine,
    connections: (root: unknown) => stores.get(String(root)) ?? NO_CONNECTIONS,
    runTimeoutMs: (engine.limits?.timeoutMs ?? DEFAULT_LIMITS.timeoutMs) + EXTRA_MS,
  };
  const webhooks = createEnginePool({ ...options, threads: WEBHOOK_THREADS, runsPerWorker: 64 });
  const flows = createEnginePool({
    ...options,
    threads: threads ?? chooseThreads(loaded.length),
    runsPerWorker: limits.concurrency ?? 40,
  });
  const apps = Object.fromEntries(
    loaded.map(({ app, root }) => [app.name, { app, source: root, webhook: flows.app(root).webhook }]),
  );
  return {
    webhooks,
    flows,
    apps,
    connectionNames: async (name) => {
      const app = loaded.find((one) => one.app.name === name)?.app;
      if (app === undefined) return [];
      const { entries } = await files.list();
      return entries.filter(({ owner }) => isSameApp(owner, identifyOwner(app))).map((entry) => entry.name);
    },
    warmUp: () => {
      for (const { app, root } of loaded) {
        const task = { module: HOST_WORKER, name: 'loadApp', app: app.name, input: root };
        // The first run reports the error.
        for (const pool of [webhooks, flows]) void pool.run(task).catch(() => {});
      }
    },
    close: async () => {
      await Promise.all([webhooks.close(), flows.close()]);
    },
  };
}

/** One thread per app plus one, at least the number of processors, from 2 to 8. [choice] */
function chooseThreads(apps: number): number {
  return Math.min(8, Math.max(2, apps + 1, availableParallelism()));
}

const NO_CONNECTIONS = {
  get: async () => undefined,
  save: async () => {},
};
