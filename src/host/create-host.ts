import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { type IncomingCall, readCallBody } from '../engine/webhook/incoming-call.js';
import { type Clock, repeatEvery, SYSTEM_CLOCK } from '../shared/clock.js';
import {
  ANY_BOOLEAN,
  ANY_FUNCTION,
  ANY_OBJECT,
  ANY_TEXT,
  ANY_VALUE,
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
} from '../shared/errors/check-options.js';
import { EngineError } from '../shared/errors/engine-error.js';
import {
  type PlainRequest,
  type PlainResponse,
  sandboxPlainResponse,
  toFetchResponse,
} from '../shared/server/plain-request.js';
import { type FetchServer, type ListenOptions, serveOn } from '../shared/server/serve-fetch.js';
import { explainDriverError } from '../shared/store/sql-database.js';
import { NO_TRACING, type Tracing } from '../shared/tracing.js';
import type { Checkpoint, HostContext } from './context.js';
import {
  createIncomingConnections,
  createQueueCapacity,
  type IncomingConnections,
} from './events/backpressure.js';
import {
  createEventAdmin,
  type EventAdmin,
  FIRST_PURGE_MS,
  PURGE_EVERY_MS,
  purge,
} from './events/event-admin.js';
import { createIntake, type Intake } from './events/intake.js';
import { answerText, receiveCall } from './events/receive.js';
import {
  type CreateHookInput,
  createHookFinder,
  createHookKnowledge,
  type Hook,
  pathOfHook,
  putHook,
  removeHook,
} from './hooks/hooks.js';
import { DEFAULT_GRACE_MS, type HostLimits, resolveHostLimits } from './host-limits.js';
import { type HostObserver, tellAll } from './observer.js';
import type { Flows, Receiver } from './ports.js';
import type { HostQueue } from './queue/host-queue.js';
import { createLocalQueue } from './queue/local-queue.js';
import { createScenarioAdmin, type ScenarioAdmin } from './scenarios/scenario-admin.js';
import { type Health, readHealth } from './server/health.js';
import {
  createStatusPages,
  type HostMetrics,
  isStatusPath,
  type StatusPages,
} from './server/status-pages.js';
import type { HookRow, HostStore } from './store/tables.js';
import { untilAvailable } from './work/run-scenario.js';
import { FOLLOW_CLOCK_EVERY_MS, followClock } from './work/schedule.js';
import { Sweep } from './work/sweep.js';
import { Worker } from './work/worker.js';

/** Options of `createHost`. `store`, `receiver` and `flows` are required. */
export interface HostOptions {
  /** `openHostSqlite(...)` or `openHostPostgres(...)`. The host does not close it. */
  readonly store: HostStore;
  /**
   * Delivers due work to processes. Default: `createLocalQueue()`. Use `createPostgresQueue` with a store on
   * PostgreSQL.
   */
  readonly queue?: HostQueue | undefined;
  /** Processes requests: `createEngineReceiver({ engines })`. */
  readonly receiver: Receiver;
  /** Runs scenarios: `createScenarioFlows({ engines })`. */
  readonly flows: Flows;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Limits to change. Default: see `HostLimits`. */
  readonly limits?: Partial<HostLimits> | undefined;
  /** Public base URL such as `https://hooks.example.com`. Default: the origin of `listen`. */
  readonly baseUrl?: string | undefined;
  /** Receives notices of calls, runs, suspensions and problems. Default: none. `tellAll` combines several. */
  readonly observer?: HostObserver | undefined;
  /** Metrics for `/metrics`: `await createHostMetrics()`. Default: none; `/metrics` returns 404. */
  readonly metrics?: HostMetrics | undefined;
  /** Tracing of calls and runs: `await createTracing()`. Default: none. */
  readonly tracing?: Tracing | undefined;
  /** Whether scenarios are set up already. If not, `/ready` returns 503 until `start`. Default: true. */
  readonly isSetUp?: boolean | undefined;
  /** @internal Called at points where tests may end the process. */
  readonly checkpoint?: Checkpoint | undefined;
}

/** Receives webhooks, stores their events and runs scenarios. Several hosts can share one PostgreSQL database. */
export interface Host {
  readonly events: EventAdmin;
  readonly scenarios: ScenarioAdmin;
  /** Creates a hook, or returns the existing one of that name. */
  readonly putHook: (wanted: CreateHookInput) => Promise<Hook>;
  /** @throws EngineError (HOST_MISSING) */
  readonly hookAt: (id: number) => Promise<Hook>;
  /**
   * Removes a hook without calling the remote API; `detachHook` calls it. Discards waiting events and keeps them for
   * inspection.
   */
  readonly removeHook: (id: number) => Promise<void>;
  /** Serves `/hooks/<secret>`, `/live`, `/ready`, `/health`, and `/metrics` if the host has metrics. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly health: () => Promise<Health>;
  /** Starts processing due work. */
  readonly start: () => Promise<void>;
  /** Starts listening on a port. */
  readonly listen: (options?: ListenOptions) => Promise<FetchServer>;
  /**
   * Serves `/live`, `/ready`, `/health` and `/metrics` on a separate port. `listen` and `fetch` then no longer serve
   * them.
   */
  readonly listenStatus: (options?: ListenOptions) => Promise<FetchServer>;
  /**
   * Stops accepting requests and starting work, and waits for running work. Aborts it after `graceMs` (default 10 s);
   * aborted work stays in the store. Does not close the store.
   *
   * @param drainMs time before that during which the host accepts requests but `/ready` returns 503, so that load
   * balancers remove it first. Default: 0
   */
  readonly stop: (graceMs?: number, drainMs?: number) => Promise<void>;
}

const SHAPES: OptionShapes<HostOptions> = {
  store: objectWithFunctions(['get', 'transaction', 'close']),
  queue: objectWithFunctions(['wake', 'lock', 'end', 'findLost', 'held', 'start', 'stop', 'close']),
  receiver: ANY_FUNCTION,
  flows: objectWithFunctions(['run']),
  clock: objectWithFunctions(['now', 'sleep', 'after']),
  limits: ANY_OBJECT,
  baseUrl: ANY_TEXT,
  observer: ANY_FUNCTION,
  metrics: ANY_VALUE,
  tracing: objectWithFunctions(['startSpan']),
  isSetUp: ANY_BOOLEAN,
  checkpoint: ANY_FUNCTION,
};

/** How long the host reports a full store after a failed write. */
const FULL_MS = 30_000;

/**
 * Creates a host. Nothing runs before `start` and `listen`.
 *
 * Guarantees: a 2xx response means that the request is stored; every stored event is processed at least once, or is
 * stored as dead; an ordered scenario processes events in order; a suspended scenario starts nothing early; the state of
 * a trigger never moves past items that were not processed.
 *
 * @throws EngineError (USAGE) for an unknown option, an option of the wrong type, or an invalid limit
 * @example
 * const store = await openHostSqlite({ file: './data.db' });
 * const host = createHost({ store, receiver: createEngineReceiver({ engines }), flows: createScenarioFlows({ engines }) });
 * await host.start();
 * const { origin } = await host.listen({ port: 8080 });
 */
export function createHost(options: HostOptions): Host {
  checkOptions(options, SHAPES, 'The options of createHost', ['store', 'receiver', 'flows']);
  const parts = createParts(options);
  const { context, life } = parts;
  const { store, queue, clock } = context;
  const show = async (row: HookRow): Promise<Hook> => {
    const path = await pathOfHook(store, row);
    return { id: row.id, name: row.name, path, url: `${parts.baseUrl()}${path}` };
  };
  const handle = createHandler(parts, options);
  return {
    events: createEventAdmin({ store, queue, clock }),
    scenarios: createScenarioAdmin({ store, queue, clock }),
    putHook: async (wanted) => show(await putHook(store, clock, wanted)),
    hookAt: async (id) => {
      const row = await store.get('hooks', { id });
      if (row === undefined) throw new EngineError('HOST_MISSING', `Unknown hook ${id}.`);
      return show(row);
    },
    removeHook: (id) => removeHook(store, clock, id),
    fetch: async (request) => toFetchResponse(await handle(toPlainRequest(request))),
    health: () => parts.health(),
    start: () => startWork(parts),
    listen: async (where) => {
      await lockStore(parts);
      life.server = await serveOn(
        { plain: handle },
        { ...where, limits: context.limits, isVital: isStatusPath },
      );
      return life.server;
    },
    listenStatus: async (where) => {
      const plain = (request: PlainRequest): Promise<PlainResponse> =>
        parts.status(request.url) ?? Promise.resolve(nothingThere());
      life.statusServer = await serveOn(
        { plain },
        { ...where, limits: context.limits, isVital: isStatusPath },
      );
      return life.statusServer;
    },
    stop: (graceMs = DEFAULT_GRACE_MS, drainMs = 0) => stopAll(parts, graceMs, drainMs),
  };
}

/** Mutable state of a host. */
interface Life {
  /** Aborts running work. */
  readonly running: AbortController;
  isStarted: boolean;
  /** False while `serve` sets up its scenarios. */
  isSetUp: boolean;
  /** Releases the lock of the database file. */
  unlock: (() => void) | undefined;
  isStopping: boolean;
  /** Whether `/ready` returns 503 although the host accepts requests. */
  isDraining: boolean;
  server: FetchServer | undefined;
  /** The server of `listenStatus`. */
  statusServer: FetchServer | undefined;
  fullUntilMs: number;
  /** Stop functions of the periodic tasks. */
  readonly repeating: (() => void)[];
}

/** Every run adds a listener, so many listeners are not a leak. */
function createRunning(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

interface Parts {
  readonly context: HostContext;
  readonly life: Life;
  readonly worker: Worker;
  readonly sweep: Sweep;
  readonly intake: Intake;
  readonly arrivals: IncomingConnections;
  readonly baseUrl: () => string;
  readonly health: () => Promise<Health>;
  readonly status: StatusPages;
}

function createParts(options: HostOptions): Parts {
  const { store, clock = SYSTEM_CLOCK, flows } = options;
  const limits = resolveHostLimits(options.limits);
  const queue = options.queue ?? createLocalQueue({ clock });
  const life: Life = {
    running: createRunning(),
    isStarted: false,
    isSetUp: options.isSetUp !== false,
    unlock: undefined,
    isStopping: false,
    isDraining: false,
    server: undefined,
    statusServer: undefined,
    fullUntilMs: 0,
    repeating: [],
  };
  const tell = tellAll(options.metrics?.observer, options.observer);
  const observe: HostObserver = (notice) => {
    // A stored call proves that the store has space again.
    if (notice.kind === 'call-accepted' && notice.eventIds.length > 0) life.fullUntilMs = 0;
    return tell(notice);
  };
  const onError = (error: unknown): void => {
    if (error instanceof EngineError && error.code === 'STORE_FULL') life.fullUntilMs = clock.now() + FULL_MS;
    // The queue reports errors of its driver.
    observe({ kind: 'problem', error: explainDriverError(error) });
  };
  const { checkpoint = () => {}, tracing = NO_TRACING } = options;
  const isWorking = (): boolean => life.isStarted && !life.isStopping;
  const shared = {
    ...{ store, queue, clock, limits, observe, onError, flows, checkpoint, tracing, isWorking },
  };
  const sweep = new Sweep(shared);
  const context: HostContext = {
    ...shared,
    dueAt: (atMs) => sweep.at(atMs),
  };
  const capacity = createQueueCapacity(context);
  const arrivals = createIncomingConnections();
  const holdsProcess = store.capabilities.holdsProcess === true;
  const worker = new Worker(context, {
    signal: life.running.signal,
    isStopping: () => life.isStopping,
    onStarted: ({ hookId }) => capacity.release(hookId),
    gather: holdsProcess ? arrivals.shared : setImmediate,
  });
  const isStopping = (): boolean => life.isStopping || life.isDraining;
  const health = (): Promise<Health> =>
    readHealth(context, isStopping(), { isFull: () => clock.now() < life.fullUntilMs });
  return {
    context,
    life,
    worker,
    sweep,
    arrivals,
    intake: createIntake(context, capacity, holdsProcess ? arrivals.settled : setImmediate),
    baseUrl: () => (options.baseUrl ?? life.server?.origin ?? 'http://localhost').replace(/\/+$/, ''),
    health,
    status: createStatusPages({
      health,
      metrics: options.metrics,
      clock,
      isStopping,
      isSetUp: () => life.isSetUp,
    }),
  };
}

function createHandler(
  parts: Parts,
  { receiver }: HostOptions,
): (request: PlainRequest) => Promise<PlainResponse> {
  const { context, life, intake, baseUrl, worker, arrivals } = parts;
  // A synchronous driver looks up each call before the next one is read. Waiting for a turn of the loop gathers calls
  // that arrived together into one query.
  const { holdsProcess } = context.store.capabilities;
  const hookOf = createHookFinder(context.store, holdsProcess === true ? setImmediate : undefined);
  const knowHook = createHookKnowledge();
  return async (request) => {
    arrivals.note();
    const { method, url, headers, announcedBytes } = request;
    const status = life.statusServer === undefined ? parts.status(url) : undefined;
    if (status !== undefined) return status;
    const token = /^\/hooks\/([A-Za-z0-9_-]{1,100})\/?$/.exec(url.pathname)?.[1];
    if (token === undefined) return nothingThere();
    const readCall = async (): Promise<IncomingCall> => {
      const body = await request.readBody();
      arrivals.note();
      return { method, url: url.href, headers, body };
    };
    if (headers.some(([name]) => name === 'service-worker')) {
      return sandboxPlainResponse(answerText(403, 'Webhooks do not serve service workers.'));
    }
    const { signal } = life.running;
    const senderTrace = headers.find(([name]) => name === 'traceparent')?.[1];
    const answer = await receiveCall(
      {
        context,
        intake,
        receiver,
        hookOf,
        knowHook,
        baseUrl,
        signal,
        senderTrace,
        announcedBytes,
        worker,
      },
      token,
      readCall,
    );
    return sandboxPlainResponse(answer);
  };
}

/** Converts a Fetch API request to plain data. */
function toPlainRequest(request: Request): PlainRequest {
  const { method, url, headers, body } = request;
  return {
    method: method.toUpperCase(),
    url: new URL(url),
    headers: [...headers],
    announcedBytes: body === null ? undefined : Number(headers.get('content-length') ?? 0),
    readBody: () => readCallBody(request),
  };
}

/** Interval of the check for changes by other processes in a database file. */
const COMPARE_EVERY_MS = 500;

/** One host listens or works on a database file; `stop` lets go of it. */
async function lockStore({ context, life }: Pick<Parts, 'context' | 'life'>): Promise<void> {
  life.unlock ??= await context.store.lockHost?.();
}

async function startWork({ context, life, worker, sweep }: Parts): Promise<void> {
  const { clock, onError, queue, store, limits } = context;
  await lockStore({ context, life });
  const every = (ms: number, work: () => Promise<void>): void => {
    life.repeating.push(repeatEvery(clock, ms, work, onError));
  };
  const share = limits.tenantShare / 100;
  const { signal } = life.running;
  await untilAvailable(context, signal, () => followClock(store, queue, clock.now()));
  await untilAvailable(context, signal, () =>
    queue.start((turn) => worker.handle(turn), { concurrency: limits.concurrency, share, onError }),
  );
  life.isStarted = true;
  life.isSetUp = true;
  await sweep.start();
  if (!queue.isShared && store.changeCount !== undefined) {
    let known = await store.changeCount().catch(() => -1);
    every(COMPARE_EVERY_MS, async () => {
      const count = await store.changeCount?.();
      if (count === undefined || count === known) return;
      known = count;
      // Another process changed rows without access to the queue of this process.
      await sweep.run();
    });
  }
  every(PURGE_EVERY_MS, () => purge(context));
  life.repeating.push(clock.after(FIRST_PURGE_MS, () => void purge(context).catch(onError)));
  every(FOLLOW_CLOCK_EVERY_MS, () => followClock(store, queue, clock.now()));
}

async function stopAll(
  { context, life, worker, sweep }: Parts,
  graceMs: number,
  drainMs: number,
): Promise<void> {
  const { queue, onError } = context;
  life.isDraining = true;
  if (drainMs > 0) await new Promise((resolve) => setTimeout(resolve, drainMs));
  life.isStopping = true;
  for (const end of life.repeating.splice(0)) end();
  const timer = setTimeout(
    () => life.running.abort(new EngineError('ABORTED', 'The host is stopping.')),
    graceMs,
  );
  await sweep.stop();
  const stopped = queue.stop().catch(onError);
  await life.server?.close(graceMs);
  await stopped;
  await worker.settled();
  clearTimeout(timer);
  await queue.close();
  life.unlock?.();
  life.unlock = undefined;
  await life.statusServer?.close(graceMs);
}

function nothingThere(): PlainResponse {
  return answerText(404, 'Not found.');
}
