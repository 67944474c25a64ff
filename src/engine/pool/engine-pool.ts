import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ResourceLimits } from 'node:worker_threads';
import {
  ANY_FUNCTION,
  ANY_OBJECT,
  ANY_TEXT,
  ANY_VALUE,
  checkMembers,
  checkOptions,
  checkValue,
  either,
  type OptionShape,
  type OptionShapes,
  objectWithFunctions,
  SIGNAL,
  wholeNumber,
} from '../../shared/errors/check-options.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import type { Tracing } from '../../shared/tracing.js';
import { POOL_WORKER } from '../../shared/worker-urls.js';
import type { AnyApp } from '../app-types.js';
import { DEFAULT_LIMITS } from '../run/limits.js';
import { isCloneable, notPlain } from './find-uncloneable.js';
import { type AppSource, type PoolTask, toLocalSource } from './messages.js';
import { createPoolApp, type PoolApp } from './pool-app.js';
import { connectionCalls, type PoolConnections } from './pool-connections.js';
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.js';

/** Memory of one worker, as `resourceLimits` of node:worker_threads. Bytes of buffers do not count. */
export type PoolResourceLimits = Pick<
  ResourceLimits,
  'maxOldGenerationSizeMb' | 'maxYoungGenerationSizeMb' | 'codeRangeSizeMb' | 'stackSizeMb'
>;

/** Options of an engine pool. All are optional. */
export interface EnginePoolOptions {
  /**
   * Path or URL of a module whose default export is the options of the engines, or a function that gives those of one app (`PoolSetup`):
   * functions such as `transport` cannot be sent to another thread. Default: the defaults of `createEngine`.
   */
  readonly setup?: string | URL | undefined;
  /** Plain data for the function of `setup`. */
  readonly setupData?: unknown;
  /** Worker threads. An app holds at most one less than there are, or the only one. Default: 2. */
  readonly threads?: number | undefined;
  /** Memory of each worker. Default: 512 MB of old generation. */
  readonly resourceLimits?: PoolResourceLimits | undefined;
  /**
   * A run that takes longer ends with WORKER_TERMINATED. Its worker is terminated only if the run does not end then. Runs end by
   * themselves at `limits.timeoutMs`. Default: 330 s, more than an app can ask for.
   */
  readonly runTimeoutMs?: number | undefined;
  /** Time for loading an app, which does not count as time of its first run. Default: 30 s. */
  readonly loadTimeoutMs?: number | undefined;
  /** A worker is terminated when a run blocks its thread for longer. Default: 30 s. */
  readonly blockTimeoutMs?: number | undefined;
  /** Time limit of webhook calls. Default: 5 s. */
  readonly webhookTimeoutMs?: number | undefined;
  /** Concurrent runs of one app per worker. Default: 16. */
  readonly runsPerWorker?: number | undefined;
  /**
   * Bytes of responses, webhook calls and results that all runs of the pool hold at a time: a run that finds too few left waits.
   * Up to 256 kB each, and responses of a transport of the setup module, do not count. Default: 256 MB.
   */
  readonly maxBytesInFlight?: number | undefined;
  /**
   * Bytes of what a run gives at a time: its report, or a page of its bundles. A text counts as often as it occurs. A run that
   * gives more rejects with ImlError (IML_LIMIT). Default: 64 MB.
   */
  readonly maxResultBytes?: number | undefined;
  /** Maximum number of loaded apps per worker. Default: 16. */
  readonly maxApps?: number | undefined;
  /**
   * Called with the path or name of an app that a worker closes because it holds `maxApps`: its next run there loads it again.
   */
  readonly onEvict?: ((app: string) => void) | undefined;
  /** The connection store, or a function that returns the store of an app. It stays in the main thread. */
  readonly connections?: PoolConnections | undefined;
  /** Spans of runs, pages and requests, as children of the span that is active when a run starts. Default: none. */
  readonly tracing?: Tracing | undefined;
  /** The worker module, for bundles: see docs/isolation.md. Default: that of this package. */
  readonly worker?: string | URL | undefined;
}

/** Runs apps in worker threads, which are terminated when an app does not end or takes too much memory. */
export interface EnginePool {
  /** @typeParam Types the `AppTypes` that `iml types` writes */
  readonly app: <Types extends AnyApp = AnyApp>(source: AppSource) => PoolApp<Types>;
  /** Runs a function of your own in a worker, beside the engines of its pool. */
  readonly run: (task: PoolTask) => Promise<unknown>;
  /** Loads an app again for the next run, as its files have changed. */
  readonly reload: (source: AppSource) => void;
  /** Rejects runs that wait for a worker, waits for those that have started, and ends the workers. */
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

const MODULE: OptionShape = {
  expected: 'a path or a URL',
  fits: (value) => typeof value === 'string' || value instanceof URL,
};
const MILLISECONDS = wholeNumber(1, 2 ** 31 - 1);

const SHAPES: OptionShapes<EnginePoolOptions> = {
  setup: MODULE,
  setupData: ANY_VALUE,
  threads: wholeNumber(1, 256),
  resourceLimits: ANY_OBJECT,
  runTimeoutMs: MILLISECONDS,
  loadTimeoutMs: MILLISECONDS,
  blockTimeoutMs: MILLISECONDS,
  webhookTimeoutMs: MILLISECONDS,
  runsPerWorker: wholeNumber(1),
  maxBytesInFlight: wholeNumber(1),
  maxResultBytes: wholeNumber(1),
  maxApps: wholeNumber(1),
  onEvict: ANY_FUNCTION,
  connections: either(ANY_FUNCTION, objectWithFunctions(['get', 'save'], ['exclusively'])),
  tracing: objectWithFunctions(['startSpan']),
  worker: MODULE,
};

const MEGABYTES: OptionShape = { expected: 'a positive number', fits: (value) => Number(value) > 0 };

const MEMORY_SHAPES: OptionShapes<PoolResourceLimits> = {
  maxOldGenerationSizeMb: MEGABYTES,
  maxYoungGenerationSizeMb: MEGABYTES,
  codeRangeSizeMb: MEGABYTES,
  stackSizeMb: MEGABYTES,
};

const TASK_SHAPES: OptionShapes<PoolTask> = {
  module: MODULE,
  name: ANY_TEXT,
  app: ANY_TEXT,
  input: ANY_VALUE,
  bytes: wholeNumber(0),
  timeoutMs: MILLISECONDS,
  signal: SIGNAL,
  calls: ANY_OBJECT,
};

const APP: OptionShape = either(MODULE, ANY_OBJECT);

/** More than an app can ask for with `timeout` (`maxTimeoutMs` of DEFAULT_LIMITS). [choice] */
const RUN_TIMEOUT_MS = DEFAULT_LIMITS.maxTimeoutMs + 30_000;

const MEGABYTE = 1024 * 1024;

/**
 * Creates a pool of worker threads that run engines. A worker runs one app at a time.
 *
 * A run that the pool ended rejects with WORKER_TERMINATED. The `causedBy` of the error says why: `run` (its deadline or its memory),
 * `other-run` (another run of the same app blocked their worker), `pool`, or `unknown`.
 *
 * @throws EngineError (USAGE) for an unknown or invalid option, and if the worker or setup module is not found
 * @example
 * const pool = createEnginePool({ threads: 4 });
 * const report = await pool.app('./my-app').module('listContacts').run({ connection: { apiKey } });
 * await pool.close();
 */
export function createEnginePool(options: EnginePoolOptions = {}): EnginePool {
  checkMembers(options, SHAPES, 'The options of createEnginePool');
  checkMembers(options.resourceLimits ?? {}, MEMORY_SHAPES, 'The option "resourceLimits"');
  const { runTimeoutMs = RUN_TIMEOUT_MS, webhookTimeoutMs = 5000 } = options;
  const pool = new WorkerPool(toWorkerOptions(options, runTimeoutMs));
  const close = (): Promise<void> => pool.close();
  return {
    app: <Types extends AnyApp>(source: AppSource) => {
      checkValue(source, APP, 'The app of an engine pool');
      const app: PoolApp = createPoolApp(toLocalSource(source), pool, { runTimeoutMs, webhookTimeoutMs });
      return app as PoolApp<Types>; // Types are those that the caller states.
    },
    run: async (task) => {
      checkOptions(task, TASK_SHAPES, 'The task', ['module', 'name', 'app']);
      const given = { what: 'The option "input" of the task', value: task.input };
      return pool.run({ ...task, given });
    },
    reload: (source) => pool.reload(toLocalSource(source)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function toWorkerOptions(options: EnginePoolOptions, runTimeoutMs: number): WorkerPoolOptions {
  const { connections, tracing, setupData, maxApps = 16, maxResultBytes = 64 * MEGABYTE, onEvict } = options;
  const setup = options.setup === undefined ? undefined : findModule(options.setup, 'setup');
  if (!isCloneable(setupData)) throw notPlain('The option "setupData"', setupData, undefined);
  return {
    threads: options.threads ?? 2,
    tasksPerWorker: options.runsPerWorker ?? 16,
    resourceLimits: { maxOldGenerationSizeMb: 512, ...options.resourceLimits },
    worker: findWorker(options.worker),
    workerData: {
      setup: setup?.href,
      setupData,
      maxApps,
      hasConnections: connections !== undefined,
      hasTracing: tracing !== undefined,
      runTimeoutMs,
      maxResultBytes,
    },
    timeoutMs: runTimeoutMs,
    loadTimeoutMs: options.loadTimeoutMs ?? 30_000,
    blockTimeoutMs: options.blockTimeoutMs ?? 30_000,
    maxBytesInFlight: options.maxBytesInFlight ?? 256 * MEGABYTE,
    onEvict,
    tracing,
    calls: connections === undefined ? {} : connectionCalls(connections),
  };
}

function toUrl(module: string | URL): URL {
  if (module instanceof URL) return module;
  return module.startsWith('file:') ? new URL(module) : pathToFileURL(path.resolve(module));
}

/** @throws EngineError (USAGE) that names the option */
function findModule(given: string | URL, option: string): URL {
  const url = toUrl(given);
  // A module may also be a `data:` URL.
  if (url.protocol !== 'file:' || existsSync(fileURLToPath(url))) return url;
  const message = `The option "${option}" of createEnginePool names no file: ${fileURLToPath(url)} is not found.`;
  throw new EngineError('USAGE', message);
}

function findWorker(given: string | URL | undefined): URL {
  if (given !== undefined) return findModule(given, 'worker');
  if (existsSync(fileURLToPath(POOL_WORKER))) return POOL_WORKER;
  throw new EngineError(
    'USAGE',
    'The module of the workers is not found. In a bundle, name a file that imports `iml-runtime/worker` as the option "worker".',
  );
}
