import { EngineError } from '../../shared/errors/engine-error.js';
import type { ConnectionStore, StoredConnection } from '../connection/connection-store.js';
import { createEngine, type Engine } from '../create-engine.js';
import type { EngineOptions } from '../engine-options.js';
import { type AppDefinition, defineApp } from '../loading/define-app.js';
import { loadApp } from '../loading/load-app.js';
import { type AppSource, keyOf, type PoolWorkerData, toLocalSource } from './messages.js';
import { TASK_TRACING } from './task-spans.js';

/** Options of the engines of a pool. Without `app` the pool loads the app. */
export type PoolEngineOptions = Partial<EngineOptions>;

/** Input of a setup function. */
export interface PoolSetupContext {
  /** As passed to the pool. */
  readonly app: string | AppDefinition;
  /** `setupData` of the pool. */
  readonly data: unknown;
}

/** The default export of a setup module: options of all engines, or a function that gives those of one app. */
export type PoolSetup =
  | PoolEngineOptions
  | ((context: PoolSetupContext) => PoolEngineOptions | Promise<PoolEngineOptions>);

/** An engine with its number of users. */
export interface LentEngine {
  readonly key: string;
  /** The path of its folder, or the name in its definition. */
  readonly name: string;
  readonly opening: Promise<Engine>;
  isOpen: boolean;
  uses: number;
}

/** The engines of a worker. */
export interface WorkerEngines {
  readonly acquire: (app: AppSource) => LentEngine;
  readonly release: (lent: LentEngine) => void;
  /** Loads an app again when it is used next. */
  readonly forget: (app: AppSource) => void;
  readonly close: () => Promise<void>;
}

type Call = (name: string, values: readonly unknown[]) => Promise<unknown>;

/** Creates engines at their first use, and keeps as many as a worker may hold. */
export function createWorkerEngines(
  data: PoolWorkerData,
  call: Call,
  onEvict: (app: string) => void,
): WorkerEngines {
  /** The most recently used one is last. */
  const loaded = new Map<string, LentEngine>();
  const open = async (app: string | AppDefinition): Promise<Engine> => {
    const options = await readSetup(data, app);
    checkDeadline(options.limits?.maxTimeoutMs, data.runTimeoutMs);
    return createEngine({
      ...options,
      app: options.app ?? (typeof app === 'string' ? await loadApp(app) : defineApp(app)),
      tracing: data.hasTracing ? TASK_TRACING : options.tracing,
      connections: data.hasConnections ? connectionsOfPool(app, call) : options.connections,
    });
  };
  const drop = (lent: LentEngine): void => {
    if (loaded.get(lent.key) === lent) loaded.delete(lent.key);
    if (lent.uses === 0) void closeEngine(lent);
  };
  const lend = (key: string, app: string | AppDefinition): LentEngine => {
    const name = typeof app === 'string' ? app : app.name;
    const lent: LentEngine = { key, name, opening: open(app), isOpen: false, uses: 0 };
    lent.opening.then(
      () => {
        lent.isOpen = true;
      },
      // The next task tries again.
      () => drop(lent),
    );
    return lent;
  };
  const evict = (): void => {
    for (const other of loaded.values()) {
      if (loaded.size <= data.maxApps) return;
      if (other.uses > 0) continue;
      drop(other);
      onEvict(other.name);
    }
  };
  return {
    acquire: (source) => {
      const app = toLocalSource(source);
      const key = keyOf(app);
      const lent = loaded.get(key) ?? lend(key, app);
      lent.uses++;
      loaded.delete(key);
      loaded.set(key, lent);
      evict();
      return lent;
    },
    release: (lent) => {
      lent.uses--;
      if (lent.uses === 0 && loaded.get(lent.key) !== lent) drop(lent);
      evict();
    },
    forget: (source) => {
      const lent = loaded.get(keyOf(toLocalSource(source)));
      if (lent !== undefined) drop(lent);
    },
    close: async () => {
      await Promise.all([...loaded.values()].map(closeEngine));
    },
  };
}

/** A run may take as long as its app's limits allow, unless the pool was given a shorter deadline on purpose. */
function checkDeadline(maxTimeoutMs: number | undefined, runTimeoutMs: number): void {
  if (maxTimeoutMs === undefined || maxTimeoutMs <= runTimeoutMs) return;
  throw new EngineError(
    'USAGE',
    `The setup module allows runs of ${maxTimeoutMs} ms (limits.maxTimeoutMs), but the pool ends them after ${runTimeoutMs} ms. Set "runTimeoutMs" of createEnginePool to more.`,
  );
}

async function closeEngine({ opening }: LentEngine): Promise<void> {
  const engine = await opening.catch(() => undefined);
  await engine?.close();
}

async function readSetup(
  { setup, setupData }: PoolWorkerData,
  app: string | AppDefinition,
): Promise<PoolEngineOptions> {
  if (setup === undefined) return {};
  const exported = await import(setup);
  const made = exported.default;
  const options: unknown = typeof made === 'function' ? await made({ app, data: setupData }) : made;
  if (typeof options === 'object' && options !== null) return options;
  throw new EngineError(
    'USAGE',
    'The setup module of an engine pool must have a default export: options of createEngine, or a function that returns them.',
  );
}

/** The store is in the main thread, which also serializes refreshes. */
export function connectionsOfPool(app: string | AppDefinition, call: Call): ConnectionStore {
  return {
    get: async (name) => (await call('connection.get', [app, name])) as StoredConnection | undefined,
    save: async (name, stored) => void (await call('connection.save', [app, name, stored])),
    exclusively: async (name, work) => {
      const lock = await call('connection.lock', [app, name]);
      try {
        return await work();
      } finally {
        await call('connection.unlock', [lock]);
      }
    },
  };
}
