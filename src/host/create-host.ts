import { EngineError } from '../errors/engine-error.js';
import { type Clock, SYSTEM_CLOCK } from '../util/clock.js';
import type { Checkpoint, HostContext } from './work/context.js';
import { createEventLedger, type WorkContext } from './event-ledger.js';
import { createEventDesk, type EventDesk } from './events.js';
import { type Health, readHealth } from './health.js';
import { createHookFinder, type HookWanted, pathOfHook, putHook, removeHook } from './hooks/hooks.js';
import { createIntake } from './intake.js';
import type { JobKind } from './job.js';
import { type HostLimits, hostLimitsOf } from './work/limits.js';
import { createMembership } from './work/lease.js';
import type { Flows, HostQueue, JobEnd, JobHandler, Receiver } from './work/ports.js';
import { processEvents } from './process-events.js';
import { purge } from './purge.js';
import { receiveCall, textResponse } from './receive.js';
import { createIncompleteRunner } from './run-incomplete.js';
import { runScenario } from './run-scenario.js';
import { createScenarioDesk, type ScenarioDesk } from './scenarios.js';
import { type HostServer, type ListenOptions, serveHttp } from './serve-http.js';
import { createStoreQueue } from './store-queue.js';
import { sweep } from './sweep.js';
import type { HookRow, HostStore } from './store/tables.js';

export interface HostOptions {
  readonly store: HostStore;
  /** Default: one over the store, in this process. A store on PostgreSQL needs `createPostgresQueue`. */
  readonly queue?: HostQueue | undefined;
  /** What reads requests: `createEngineReceiver({ engines })`. */
  readonly receiver: Receiver;
  /** What runs scenarios: `createScenarioFlows({ engines })`. */
  readonly flows: Flows;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  readonly limits?: Partial<HostLimits> | undefined;
  /** Where the host is reached from outside, such as `https://hooks.example.com`. Default: the origin it listens on. */
  readonly baseUrl?: string | undefined;
  /** Gets what nobody else is told: a store that does not answer, a defect. Default: nothing. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Gets the scenarios that went off by themselves, with the reason. Default: nothing. */
  readonly onNotify?: HostContext['onNotify'] | undefined;
  /** @internal Called where a test may end the process. */
  readonly checkpoint?: Checkpoint | undefined;
}

/** A hook with its address. */
export interface Hook {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly url: string;
}

/** Receives webhooks, keeps their events, and runs scenarios. Several on one store share the work. */
export interface Host {
  readonly events: EventDesk;
  readonly scenarios: ScenarioDesk;
  /** Makes a hook, or gives the one of that name. */
  readonly putHook: (wanted: HookWanted) => Promise<Hook>;
  /** @throws EngineError (HOST_MISSING) */
  readonly hookAt: (id: number) => Promise<Hook>;
  /** Removes a hook; its service is told by `detachHook`. What waits for it is discarded, and stays to be looked at. */
  readonly removeHook: (id: number) => Promise<void>;
  /** Answers `/health` and `/hooks/<secret>`. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly health: () => Promise<Health>;
  /** Begins to work on the queue. */
  readonly start: () => Promise<void>;
  /** Begins to take requests on a port. */
  readonly listen: (options?: ListenOptions) => Promise<HostServer>;
  /**
   * Takes no more requests, starts nothing more, and waits for what is under way; what is not through after `graceMs`
   * (default 10 s) is stopped and waits in the queue. The store stays open.
   */
  readonly stop: (graceMs?: number) => Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;
const PURGE_EVERY_MS = 60 * 60 * 1000;
const SWEEP_EVERY_MS = 5 * 60 * 1000;

/**
 * Makes a host. Nothing runs before `start` and `listen`.
 *
 * Guarantees: a request that was answered 2xx is stored; every stored event is processed at least once, or is there as
 * dead; events of a hook are processed in order where its scenario asks for it; a suspended scenario starts nothing
 * early; the state of a trigger never moves past items that were not processed.
 *
 * @throws EngineError (USAGE) for limits that make no sense
 * @example
 * const store = await openHostSqlite({ file: './data.db' });
 * const host = createHost({ store, receiver: createEngineReceiver({ engines }), flows: createScenarioFlows({ engines }) });
 * await host.start();
 * const { origin } = await host.listen({ port: 8080 });
 */
export function createHost(options: HostOptions): Host {
  const { store, clock = SYSTEM_CLOCK, onError = () => {}, onNotify = () => {} } = options;
  const limits = hostLimitsOf(options.limits);
  const queue = options.queue ?? createStoreQueue({ store, clock });
  let stopping = new AbortController();
  let isStopping = false;
  let origin: string | undefined;
  let server: HostServer | undefined;
  let cancelPurge: () => void = () => {};
  let cancelSweep: () => void = () => {};

  const membership = createMembership({
    ...{ store, queue, clock, onError },
    leaseMs: limits.leaseMs,
    onLost: () => {
      // What is under way belongs to others now; what comes next runs under the new name.
      const lost = stopping;
      stopping = new AbortController();
      lost.abort(new EngineError('HOST_LEASE', 'Others have taken over the work of this process.'));
    },
  });
  const shared: HostContext = {
    ...{ store, queue, clock, limits, onError, onNotify, worker: membership },
    flows: options.flows,
    checkpoint: options.checkpoint ?? (() => {}),
  };
  const context: WorkContext = { ...shared, ledger: createEventLedger(shared) };
  const intake = createIntake(context);
  const runIncomplete = createIncompleteRunner(context);
  const hookOf = createHookFinder(store);
  const baseUrl = (): string => (options.baseUrl ?? origin ?? 'http://localhost').replace(/\/+$/, '');

  async function handleJob(kind: JobKind, id: number): Promise<JobEnd> {
    const { signal } = stopping;
    switch (kind) {
      case 'hook':
        return drain(context, id, signal, () => isStopping);
      case 'event':
        await processEvents(context, { eventId: id }, { signal, mayGoOn: () => false });
        return 'done';
      case 'scenario':
        await runScenario(context, id, signal, () => isStopping);
        return 'done';
      case 'incomplete':
        await runIncomplete(id, signal);
        return 'done';
    }
  }

  async function handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/health') return healthResponse(await readHealth(context, isStopping));
    const token = /^\/hooks\/([A-Za-z0-9_-]{1,100})\/?$/.exec(pathname)?.[1];
    if (token === undefined) return textResponse(404, 'There is nothing at this address.');
    const body = new Uint8Array(await request.arrayBuffer());
    const call = {
      method: request.method.toUpperCase(),
      url: request.url,
      headers: [...request.headers],
      body,
    };
    const receiving = {
      context,
      intake,
      receiver: options.receiver,
      hookOf,
      baseUrl,
      signal: stopping.signal,
    };
    return receiveCall(receiving, token, call);
  }

  const purgeLater = (): void => {
    cancelPurge = clock.after(PURGE_EVERY_MS, () => {
      purge(context).catch(onError).finally(purgeLater);
    });
  };
  const sweepLater = (): void => {
    cancelSweep = clock.after(SWEEP_EVERY_MS, () => {
      sweep(context).catch(onError).finally(sweepLater);
    });
  };

  const shown = async (row: HookRow): Promise<Hook> => {
    const path = await pathOfHook(store, row);
    return { id: row.id, name: row.name, path, url: `${baseUrl()}${path}` };
  };

  return {
    events: createEventDesk(context),
    scenarios: createScenarioDesk(context),
    putHook: async (wanted) => shown(await putHook(store, clock, wanted)),
    hookAt: async (id) => {
      const row = await store.get('hooks', { id });
      if (row === undefined) throw new EngineError('HOST_MISSING', `There is no hook ${id}.`);
      return shown(row);
    },
    removeHook: (id) => removeHook(store, clock, id),
    fetch: handle,
    health: () => readHealth(context, isStopping),
    start: async () => {
      await membership.join();
      // A rejection (the store is away, the lease is lost) leaves the job in the queue, for this process or another.
      const handler: JobHandler = ({ kind, id }) => handleJob(kind, id);
      await queue.start(membership.name, handler, { onAgents: membership.setAgents, onError });
      purgeLater();
      sweepLater();
    },
    listen: async (where) => {
      server = await serveHttp(handle, limits, where);
      origin = server.origin;
      return server;
    },
    stop: async (graceMs = DEFAULT_GRACE_MS) => {
      isStopping = true;
      cancelPurge();
      cancelSweep();
      await server?.close(graceMs);
      const timer = setTimeout(() => stopping.abort(new EngineError('ABORTED', 'The host stops.')), graceMs);
      await queue.stop();
      clearTimeout(timer);
      await membership.leave().catch(onError);
      await queue.close();
    },
  };
}

/** Works on the events of a hook in order, and lets others have their turn after a while. */
async function drain(
  context: WorkContext,
  hookId: number,
  signal: AbortSignal,
  isStopping: () => boolean,
): Promise<JobEnd> {
  const { clock, limits } = context;
  const endMs = clock.now() + limits.sliceMs;
  const mayGoOn = (): boolean => !isStopping() && clock.now() < endMs;
  const { isCut } = await processEvents(context, { hookId, isTimed: false }, { signal, mayGoOn });
  context.checkpoint('hook: before the end');
  return isCut ? 'again' : 'done';
}

function healthResponse(health: Health): Response {
  return new Response(`${JSON.stringify(health)}\n`, {
    status: health.status === 'ok' ? 200 : 503,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  });
}
