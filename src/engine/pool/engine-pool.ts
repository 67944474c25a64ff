import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
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
import { POOL_WORKER } from '../../shared/worker-urls.js';
import type { RunInput } from '../component/check-and-connect.js';
import type { ModuleRun } from '../component/module-run.js';
import type { RunReport } from '../component/report.js';
import { type AnyReport, assertOk, type Reporting, reporting, type Succeeded } from '../component/report.js';
import type { Connection } from '../connection/connection.js';
import type { ConnectionStore, StoredConnection } from '../connection/connection-store.js';
import type { StoredConnections } from '../connection/stored-connections.js';
import type { ModuleType } from '../document/app.js';
import type { Endpoint, Module, PollingTrigger, Responder, Rpc } from '../engine-components.js';
import type { AppDefinition } from '../loading/define-app.js';
import { toResponse } from '../run/build-answer.js';
import type { Bundle } from '../run/collect-outputs.js';
import type { Webhook } from '../webhook/create-webhook.js';
import { type IncomingCall, readCall } from '../webhook/incoming-call.js';
import type { WebhookInput } from '../webhook/process-webhook.js';
import type { WebhookReport } from '../webhook/webhook-report.js';
import { type AppSource, keyOf, type PoolCalls, type PoolTask, toLocalSource } from './messages.js';
import type { EngineCall } from './run-on-engine.js';
import { type PoolResourceLimits, WorkerPool } from './worker-pool.js';

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
  /** A worker is terminated when a run takes longer. Runs end by themselves at `limits.timeoutMs`. Default: 60 s. */
  readonly runTimeoutMs?: number | undefined;
  /** Time limit of webhook calls. Default: 5 s. */
  readonly webhookTimeoutMs?: number | undefined;
  /** Concurrent runs of one app per worker. Default: 16. */
  readonly runsPerWorker?: number | undefined;
  /**
   * Bytes of responses and webhook calls that all runs of the pool hold at a time: a run that finds too few left waits. Responses up
   * to 256 kB, and those of a transport of the setup module, do not count. Default: 256 MB.
   */
  readonly maxBytesInFlight?: number | undefined;
  /** Maximum number of loaded apps per worker. Default: 16. */
  readonly maxApps?: number | undefined;
  /** The connection store, or a function that returns the store of an app. It stays in the main thread. */
  readonly connections?: PoolConnections | undefined;
  /** The worker module, for bundles: see docs/isolation.md. Default: that of this package. */
  readonly worker?: string | URL | undefined;
}

/** A module of an app in a pool. */
interface PoolModule extends Pick<Module, 'name' | 'parameters'> {
  /** Starts when the result is awaited or iterated over. */
  readonly run: (input?: RunInput) => PoolRun;
}

/** Finds a module by name. With a type, the result has the members of that type. */
interface FindPoolModule {
  (name: string, type: 'trigger'): PoolModule & Pick<PollingTrigger, 'epoch'>;
  (name: string, type: 'responder'): Omit<Responder, 'type'>;
  (name: string, type?: ModuleType): PoolModule;
}

/**
 * An app in a pool: an `Engine` whose components run in workers. A name that the app does not have, and another type of
 * module, reject the call.
 */
export interface PoolApp {
  readonly module: FindPoolModule;
  readonly rpc: (address: string) => Rpc;
  readonly endpoint: (name: string) => Endpoint;
  readonly webhook: (name: string) => Omit<Webhook, 'type'>;
  readonly connection: (name: string) => Omit<Connection, 'type'>;
  readonly openConnection: StoredConnections['report'];
}

/** Runs apps in worker threads, which are terminated when an app does not end or takes too much memory. */
export interface EnginePool {
  readonly app: (source: AppSource) => PoolApp;
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
  webhookTimeoutMs: MILLISECONDS,
  runsPerWorker: wholeNumber(1),
  maxBytesInFlight: wholeNumber(1),
  maxApps: wholeNumber(1),
  connections: either(ANY_FUNCTION, objectWithFunctions(['get', 'save'], ['exclusively'])),
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

/** Maximum size of a web request that is read for a worker. The worker has a separate limit. [choice] */
const MAX_CALL_BYTES = 64 * 1024 * 1024;

/**
 * Creates a pool of worker threads that run engines. A worker runs one app at a time.
 *
 * A run whose worker was terminated rejects with `EngineError` (WORKER_TERMINATED): the run passed its deadline or its memory, or
 * another run of the same app did. It may be repeated.
 *
 * @throws EngineError (USAGE) for an unknown or invalid option, and if the worker module is not found
 * @example
 * const pool = createEnginePool({ threads: 4 });
 * const report = await pool.app('./my-app').module('listContacts').run({ connection: { apiKey } });
 * await pool.close();
 */
export function createEnginePool(options: EnginePoolOptions = {}): EnginePool {
  checkMembers(options, SHAPES, 'The options of createEnginePool');
  const { runTimeoutMs = 60_000, webhookTimeoutMs = 5000, connections, resourceLimits = {} } = options;
  checkMembers(resourceLimits, MEMORY_SHAPES, 'The option "resourceLimits"');
  const pool = new WorkerPool({
    threads: options.threads ?? 2,
    tasksPerWorker: options.runsPerWorker ?? 16,
    resourceLimits: { maxOldGenerationSizeMb: 512, ...resourceLimits },
    worker: findWorker(options.worker),
    workerData: {
      setup: options.setup === undefined ? undefined : toUrl(options.setup).href,
      setupData: options.setupData,
      maxApps: options.maxApps ?? 16,
      hasConnections: connections !== undefined,
    },
    timeoutMs: runTimeoutMs,
    maxBytesInFlight: options.maxBytesInFlight ?? 256 * 1024 * 1024,
    calls: connections === undefined ? {} : connectionCalls(connections),
  });
  const close = (): Promise<void> => pool.close();
  return {
    app: (source) => {
      checkSource(source);
      return createPoolApp(toLocalSource(source), pool, { runTimeoutMs, webhookTimeoutMs });
    },
    run: async (task) => {
      checkOptions(task, TASK_SHAPES, 'The task', ['module', 'name', 'app']);
      return pool.run(task);
    },
    reload: (source) => pool.reload(toLocalSource(source)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Deadlines {
  readonly runTimeoutMs: number;
  readonly webhookTimeoutMs: number;
}

function createPoolApp(app: string | AppDefinition, pool: WorkerPool, deadlines: Deadlines): PoolApp {
  const key = keyOf(app);
  const label = typeof app === 'string' ? app : app.name;
  const start = (call: Call, name: string, calls?: PoolCalls): Promise<unknown> => {
    const { signal, values } = takeSignal(call);
    const { timeoutMs = deadlines.runTimeoutMs, component, method, findsRecipients = false } = call;
    const input: EngineCall = {
      app,
      component,
      name: call.name,
      type: call.type,
      method,
      values,
      input: call.input,
      findsRecipients,
    };
    return pool.run({
      module: undefined,
      name,
      app: key,
      label,
      input,
      bytes: call.bytes,
      timeoutMs,
      signal,
      calls,
    });
  };
  // The worker calls the method by name.
  const report = <R extends AnyReport>(call: Call): Reporting<R> =>
    reporting(start(call, 'callEngine') as Promise<R>);
  return {
    module: (name: string, type?: ModuleType) => {
      const on = (method: string, input: object = {}): Call => ({
        component: 'module',
        name,
        type,
        method,
        values: [input],
        input: 0,
      });
      return {
        name,
        run: (input) =>
          new PoolRun({
            report: () => report(on('run', input)),
            stream: (onBundles, left) => {
              const signal = joinSignals(left, input?.signal);
              return start(on('run', { ...input, signal }), 'streamModule', { bundles: onBundles });
            },
          }),
        epoch: (input) => report(on('epoch', input)),
        respond: (input) => report(on('respond', input)),
        parameters: async (input) => (await start(on('parameters', input), 'callEngine')) as never,
      };
    },
    rpc: (address) => ({
      name: address,
      call: (input = {}) =>
        report({ component: 'rpc', name: address, method: 'call', values: [input], input: 0 }),
    }),
    endpoint: (name) => ({
      name,
      run: (input = {}) => report({ component: 'endpoint', name, method: 'run', values: [input], input: 0 }),
    }),
    webhook: (name) => {
      const on = (method: string, input: object = {}): Call => ({
        component: 'webhook',
        name,
        method,
        values: [input],
        input: 0,
      });
      const handle = async (
        request: Request | IncomingCall,
        input: WebhookInput = {},
      ): Promise<WebhookReport> => {
        const { call, error } = await readCall(request, MAX_CALL_BYTES);
        if (error !== undefined) throw error;
        const { connections, ...rest } = input;
        const isFunction = typeof connections === 'function';
        const given = isFunction ? rest : input;
        const work = start(
          {
            ...on('handle'),
            values: [call, given],
            input: 1,
            timeoutMs: deadlines.webhookTimeoutMs,
            findsRecipients: isFunction,
            bytes: call.body.byteLength,
          },
          'callEngine',
          isFunction ? { recipients: connections } : undefined,
        );
        return withResponse((await work) as WebhookReport);
      };
      return {
        name,
        handle: (request, input) => reporting(handle(request, input)),
        attach: (input) => report(on('attach', input)),
        detach: (input) => report(on('detach', input)),
        update: (input) => report(on('update', input)),
      };
    },
    connection: (name) => {
      const on = (method: string, ...values: unknown[]): Call => ({
        component: 'connection',
        name,
        method,
        values,
        input: values.length - 1,
      });
      return {
        name,
        needsPage: async () => (await start(on('needsPage', {}), 'callEngine')) as boolean,
        create: (input = {}) => report(on('create', input)),
        authorize: (input) => report(on('authorize', input)),
        complete: (pending, query, options = {}) => report(on('complete', pending, query, options)),
        test: (known, options = {}) => report(on('test', known, options)),
        refresh: (known, input = {}) => report(on('refresh', known, input)),
        invalidate: (known, options = {}) => report(on('invalidate', known, options)),
      };
    },
    openConnection: (name, options = {}) =>
      report({
        component: 'engine',
        name: '',
        method: 'openConnection',
        values: [name, options],
        input: 1,
      }),
  };
}

/** A call of a method, of which one value may have a signal. */
interface Call {
  readonly component: EngineCall['component'];
  readonly name: string;
  readonly type?: ModuleType | undefined;
  readonly method: string;
  readonly values: readonly unknown[];
  readonly input: number;
  readonly timeoutMs?: number;
  readonly findsRecipients?: boolean;
  readonly bytes?: number;
}

/** Signals cannot be cloned: the pool aborts the task instead. */
function takeSignal({ values, input }: Call): {
  readonly signal: AbortSignal | undefined;
  readonly values: readonly unknown[];
} {
  const given = values[input];
  if (typeof given !== 'object' || given === null || !('signal' in given))
    return { signal: undefined, values };
  const { signal, ...rest } = given;
  if (signal !== undefined) checkValue(signal, SIGNAL, '"signal"');
  return { signal: signal as AbortSignal | undefined, values: values.with(input, rest) };
}

function joinSignals(own: AbortSignal, given: AbortSignal | undefined): AbortSignal {
  return given === undefined ? own : AbortSignal.any([own, given]);
}

/** A Response cannot be cloned; it is created from the plain response when read. */
function withResponse(report: Omit<WebhookReport, 'response'>): WebhookReport {
  let response: Response | undefined;
  return Object.defineProperty(report, 'response', {
    enumerable: true,
    configurable: true,
    get: () => {
      response ??= toResponse(report.answer);
      return response;
    },
  }) as WebhookReport;
}

function checkSource(source: AppSource): void {
  checkValue(source, APP, 'The app of an engine pool');
}

function toUrl(module: string | URL): URL {
  if (module instanceof URL) return module;
  return module.startsWith('file:') ? new URL(module) : pathToFileURL(path.resolve(module));
}

function findWorker(given: string | URL | undefined): URL {
  const worker = given === undefined ? POOL_WORKER : toUrl(given);
  if (existsSync(fileURLToPath(worker))) return worker;
  throw new EngineError(
    'USAGE',
    'The module of the workers is not found. In a bundle, name a file that re-exports `iml-runtime/worker` as the option "worker".',
  );
}

/** Starts a run in a worker. */
export interface PoolRunStart {
  readonly report: () => Promise<RunReport>;
  /** Passes bundles page by page to `onBundles` and waits for it. */
  readonly stream: (
    onBundles: (bundles: readonly Bundle[]) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<unknown>;
}

/**
 * A run of a module in a worker; it starts when it is awaited or iterated over, once. Awaited it gives the report. Iterated
 * over it gives the bundles page by page; a failure throws its `AppError`.
 */
class PoolRun implements PromiseLike<RunReport>, AsyncIterable<Bundle>, Pick<ModuleRun, 'orThrow'> {
  readonly #start: PoolRunStart;
  #report: Promise<RunReport> | undefined;
  #isIterated = false;

  constructor(start: PoolRunStart) {
    this.#start = start;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a run for its report is the public contract.
  then<A = RunReport, B = never>(
    onFulfilled?: ((report: RunReport) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    if (this.#isIterated) return Promise.reject(takenTwice()).then(undefined, onRejected);
    this.#report ??= this.#start.report();
    return this.#report.then(onFulfilled, onRejected);
  }

  /** @throws the `error` of the report */
  async orThrow(): Promise<Succeeded<RunReport>> {
    return assertOk(await this);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Bundle, void> {
    if (this.#isIterated || this.#report !== undefined) throw takenTwice();
    this.#isIterated = true;
    const left = new AbortController();
    let isOver = false;
    let pages: (readonly Bundle[])[] = [];
    let wake = (): void => {};
    let resume = (): void => {};
    const onBundles = (bundles: readonly Bundle[]): Promise<void> => {
      pages.push(bundles);
      wake();
      return new Promise((resolve) => {
        resume = resolve;
      });
    };
    const work = this.#start.stream(onBundles, left.signal).finally(() => {
      isOver = true;
      wake();
    });
    // Prevents an unhandled rejection before it is awaited below.
    work.catch(() => {});
    try {
      for (;;) {
        const taken = pages;
        pages = [];
        for (const page of taken) yield* page;
        resume();
        if (isOver && pages.length === 0) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (isOver || pages.length > 0) resolve();
        });
      }
      await work;
    } finally {
      left.abort(new EngineError('ABORTED', 'The caller left the loop over the bundles.'));
      resume();
    }
  }
}

function takenTwice(): EngineError {
  return new EngineError(
    'USAGE',
    'A run can be awaited or iterated over only once. Call run() again to repeat it.',
  );
}

/** The store of all apps, or a function that returns the store of one app. */
type PoolConnections = ConnectionStore | ((app: string | AppDefinition) => ConnectionStore);

type WorkerCall = (values: readonly unknown[], worker: AbortSignal) => unknown;

/**
 * Calls of workers to the connection store of the main thread. One worker at a time locks a connection, because two
 * refreshes with one token would end it. The lock of a terminated worker is released.
 */
function connectionCalls(connections: PoolConnections): Readonly<Record<string, WorkerCall>> {
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
