import { checkChecking } from '../../component/input-shapes.js';
import { assertOk } from '../../component/report.js';
import type { Runtime } from '../../component/runtime.js';
import type { TriggerStart } from '../../component/trigger-data.js';
import { type Connection, createConnection } from '../../connection/connection.js';
import type { ConnectionStore } from '../../connection/connection-store.js';
import { createStoredConnections, type StoredConnections } from '../../connection/stored-connections.js';
import type { App } from '../../document/app.js';
import { compileCommunication } from '../../document/compile/compile-request.js';
import type { CompiledRequest } from '../../document/compile/compiled-request.js';
import type { Document } from '../../document/reading/document.js';
import { checkGiven } from '../../errors/check-given.js';
import { EngineError } from '../../errors/engine-error.js';
import type { Transport } from '../../http/message/transport.js';
import type { HostMapping } from '../../http/transport/map-hosts.js';
import type { CompileOptions } from '../../iml/compile.js';
import type { Environment } from '../../iml/environment/environment.js';
import { toEnvironment } from '../../iml/environment/to-environment.js';
import { once } from '../../iml/values/work.js';
import type { CheckParameters } from '../../parameters/check/parameter-check.js';
import { type BudgetFigures, CallBudget, PROCESS_ACCOUNTS } from '../../run/limits/budget.js';
import { type Limits, resolveLimits, resolveLookAhead } from '../../run/limits/limits.js';
import { DEFAULT_ON_PAGE_LOOP } from '../../run/paging/paginate.js';
import type { EngineSettings } from '../../run/scope/engine-settings.js';
import type { RunObserver } from '../../run/scope/run-observer.js';
import type { TraceDepth, TraceListener } from '../../run/trace/trace.js';
import { type Clock, SYSTEM_CLOCK } from '../../util/clock.js';
import { type MakeAgain, RecentlyUsed } from '../../util/recently-used.js';
import { createWebhook, type Webhook } from '../../webhook/create-webhook.js';
import { resolveWebhookLimits, type WebhookLimits } from '../../webhook/payload/webhook-limits.js';
import { checkedClock, checkedRandom, checkedUuid } from './checked-ports.js';
import type { CustomFunctions } from './custom-functions.js';
import {
  callNamedRpc,
  createEngineModule,
  createEngineRpc,
  type EngineModule,
  type EngineRpc,
} from './engine-components.js';
import { ENGINE_SHAPES, NETWORK_SHAPES } from './engine-shapes.js';
import { createEngineTransport, type NetworkOptions } from './engine-transport.js';
import { findConnection, findModule, findWebhook } from './find-component.js';
import { type NamedFunctions, openWhenNamed } from './open-functions.js';
import { withBaseUrl } from './with-base-url.js';

/** What an engine is made of. Only `app` is needed; nothing is read from the process but the clock and randomness. */
export interface EngineOptions
  extends Pick<CompileOptions, 'random' | 'uuid' | 'timezone' | 'equality' | 'platformVersion' | 'digest'> {
  readonly app: App;
  /** One HTTP exchange; redirects and decoding are added above it. Default: undici behind the network guard. */
  readonly transport?: Transport | undefined;
  /**
   * Lays something over the transport, such as a recorder: it sees every hop of a redirect, with the address the app
   * meant, before hosts are mapped and bodies are decoded. Default: nothing.
   */
  readonly wrapTransport?: ((transport: Transport) => Transport) | undefined;
  /** Of the default transport. */
  readonly network?: NetworkOptions | undefined;
  /**
   * Where requests really go, by where they are addressed to: `{ 'https://api.example.com': 'http://127.0.0.1:9911' }`,
   * `*` for all. Redirects and links of next pages are mapped, too; what is mapped to may be called without `network.allow`.
   * Default: nothing is mapped.
   */
  readonly hosts?: HostMapping | undefined;
  /**
   * Replaces the `baseUrl` of the app's base. Nothing else is called then: an address that is written whole and leads to
   * another host ends its run with an error unless `hosts` maps it. Default: the app's.
   */
  readonly baseUrl?: string | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Default: 100 requests, 50 follow-up pages, 3200 records, 40 s. */
  readonly limits?: Partial<Limits> | undefined;
  /**
   * What all runs together may ask of one host with one connection: calls on their way, and calls of a window. What services
   * say (`Retry-After`, rate limit headers) lowers it, nothing raises it. All engines of a process share what is known of
   * services, but for those with a transport or a clock of their own. Default: as much as runs ask for. See docs/limits.md.
   */
  readonly budget?: Partial<BudgetFigures> | undefined;
  /**
   * Pages that are asked for at a time, up to 4, where a page depends on nothing of the one before: `iml info` tells of
   * which modules that holds. What a run gives is the same. Default: 1, one page after the other.
   */
  readonly lookAhead?: number | undefined;
  /** Of one call of a webhook. Default: 5 MB, 100000 items, 10000 form fields, 1000 levels. */
  readonly webhookLimits?: Partial<WebhookLimits> | undefined;
  /** Replaces the common data in the app's folder. */
  readonly common?: unknown;
  /** What expressions read as `environment` beside `timezone`. */
  readonly environment?: Readonly<Record<string, unknown>> | undefined;
  /** A page that repeats an earlier one: go on as the platform would and warn (default), stop, or fail. */
  readonly onPageLoop?: 'warn' | 'stop' | 'error' | undefined;
  /** Where polling triggers start that are given no state. Default: `now` for dates, `newest` for ids. */
  readonly triggerStart?: TriggerStart | undefined;
  /**
   * What trace events carry: sizes only (`summary`, default), bodies too (`full`), or also what expressions saw and what
   * each page gave (`deep`).
   */
  readonly trace?: TraceDepth | undefined;
  /** Gets each trace event as it happens. */
  readonly onTrace?: TraceListener | undefined;
  /** Told which directives and branches of the app runs reach: for coverage. Default: nobody is. */
  readonly observer?: RunObserver | undefined;
  /**
   * Whether and how the parameters of modules, and of webhooks that are attached or updated, are checked by their forms
   * and converted before anything is sent. Default: they are checked, defaults are not filled in, `rpc://` references
   * not followed. False hands all values to expressions as they are given. A run may say otherwise.
   */
  readonly checkParameters?: CheckParameters | undefined;
  /** Where connections are kept that runs name; one that is refreshed before a run is saved there. */
  readonly connections?: ConnectionStore | undefined;
  /** Runs custom functions in node:vm for debugging, which protects from nothing. Default: in a sandbox. */
  readonly trustFunctions?: boolean | undefined;
  /**
   * Opens custom functions of the app for engines that share them, asked when something names one; whoever gives it closes
   * them. Default: each engine loads its own.
   *
   * @internal
   */
  readonly sharedFunctions?: (() => Promise<CustomFunctions>) | undefined;
}

/** Runs the components of one app. Holds connections open until it is closed. */
export interface Engine {
  readonly app: App;
  /** @throws SpecError (SPEC_MISSING) for a name the app does not have */
  readonly module: (name: string) => EngineModule;
  /**
   * Takes a name, or an address as parameters hold it: `rpc://listFields?table={{parameters.table}}`.
   *
   * @throws SpecError (SPEC_MISSING) for a name the app does not have
   */
  readonly rpc: (address: string) => EngineRpc;
  /** @throws SpecError (SPEC_MISSING) for a name the app does not have */
  readonly webhook: (name: string) => Webhook;
  /** @throws SpecError (SPEC_MISSING) for a name the app does not have */
  readonly connection: (name: string) => Connection;
  /**
   * Finds a connection by the name it is kept under in `connections`, refreshes it if that is due, and saves it then. What
   * the store itself rejects with is handed on.
   */
  readonly openConnection: StoredConnections['report'];
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Makes an app ready to run. Nothing is sent or loaded before the first run.
 *
 * @throws EngineError (USAGE) for an option that is none, by its name, or not of the type it has to be of; for a limit, a budget, a
 *   base url, or a host in `hosts` or `network.allow` that is none; ImlError (IML_HOST_VALUE) for one that throws while it is read
 * @example
 * const engine = createEngine({ app: await loadApp('./my-app') });
 * for await (const bundle of engine.module('listContacts').run({ connection: { apiKey } })) console.log(bundle);
 * await engine.close();
 */
export function createEngine(options: EngineOptions): Engine {
  checkOptions(options);
  const app = options.baseUrl === undefined ? options.app : withBaseUrl(options.app, options.baseUrl);
  const webhookLimits = resolveWebhookLimits(options.webhookLimits);
  const {
    transport,
    policy,
    close: closeTransport,
  } = createEngineTransport({
    app,
    transport: options.transport,
    network: options.network,
    hosts: options.hosts,
    baseUrl: options.baseUrl,
    wrapTransport: options.wrapTransport,
  });
  const settings: EngineSettings = Object.freeze({
    transport,
    hosts: policy,
    limits: resolveLimits(options.limits),
    budget: createBudget(options),
    lookAhead: resolveLookAhead(options.lookAhead),
    clock: options.clock === undefined ? SYSTEM_CLOCK : checkedClock(options.clock),
    random: drawnOnce(checkedRandom(options.random) ?? Math.random),
    onPageLoop: options.onPageLoop ?? DEFAULT_ON_PAGE_LOOP,
    trace: options.trace ?? 'summary',
    onTrace: options.onTrace,
    observer: options.observer,
  });
  const functions = nameFunctions(options);
  const directives: Runtime['directives'] = async (...values) => ({
    environment: compileEnvironment(options),
    functions: await functions.tableFor(values),
  });
  const runtime: Runtime = {
    app,
    settings,
    triggerStart: options.triggerStart,
    checkParameters: options.checkParameters,
    askRpc: async (reference, input) => assertOk(await callNamedRpc(reference, input, runtime)).result,
    common: options.common ?? app.common?.value,
    environment: { timezone: options.timezone ?? 'UTC', ...options.environment },
    directives,
    functionWarnings: (...values) => functions.warningsFor(values),
    compile: compileOnce(app, directives),
    openConnection: (name, input) => stored.open(name, input),
  };
  const connection = createConnections(app, runtime);
  const stored = createStoredConnections(options.connections, (name) =>
    app.connections.has(name) ? connection(name) : undefined,
  );
  const webhooks = new Map<string, Webhook>();
  const close = async (): Promise<void> => {
    await stored.settled();
    functions.close();
    await closeTransport();
  };
  return {
    app,
    module: (name) => createEngineModule(findModule(app, name), runtime),
    rpc: (address) => createEngineRpc(address, runtime),
    webhook: (name) => {
      const webhook = webhooks.get(name) ?? createWebhook(findWebhook(app, name), runtime, webhookLimits);
      webhooks.set(name, webhook);
      return webhook;
    },
    connection,
    openConnection: stored.report,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** An embedder without types may hand in anything, and a misspelt name would go unheard. */
function checkOptions(options: EngineOptions): void {
  const what = 'The options of createEngine';
  checkGiven(options, ENGINE_SHAPES, what);
  if (options.app === undefined) throw new EngineError('USAGE', `${what}: "app" is missing.`);
  if (options.network !== undefined) checkGiven(options.network, NETWORK_SHAPES, 'The option "network"');
  checkChecking(options.checkParameters);
}

/** What was said at another time, or by stand-ins of services, means nothing to other engines. */
function createBudget({ budget, transport, clock }: EngineOptions): CallBudget {
  const isOfProcess = transport === undefined && clock === undefined;
  return new CallBudget(budget, isOfProcess ? PROCESS_ACCOUNTS : new Map());
}

/** One object a connection: callers who refresh the same one at the same time have to meet in it. */
function createConnections(app: App, runtime: Runtime): (name: string) => Connection {
  const made = new Map<string, Connection>();
  return (name) => {
    const connection = made.get(name) ?? createConnection(findConnection(app, name), runtime);
    made.set(name, connection);
    return connection;
  };
}

function compileEnvironment(options: EngineOptions): Environment {
  const { timezone, equality, platformVersion, digest, clock } = options;
  const environment = toEnvironment({
    now: clock && checkedClock(clock).now,
    random: checkedRandom(options.random),
    uuid: checkedUuid(options.uuid),
    timezone,
    equality,
    platformVersion,
    digest,
  });
  return {
    ...environment,
    now: drawnOnce(environment.now),
    random: drawnOnce(environment.random),
    uuid: drawnOnce(environment.uuid),
    ...(options.observer !== undefined && { reportsBranches: true }),
  };
}

/** An evaluation that is begun anew is to see what it saw. */
function drawnOnce<T>(draw: () => T): () => T {
  return () => once(draw);
}

/** A communication is compiled when it is first run, and kept while it is among those that run. */
function compileOnce(app: App, directives: Runtime['directives']): Runtime['compile'] {
  const places = new WeakMap<Document, MakeAgain<Promise<readonly CompiledRequest[]>>>();
  return (communication, withoutBase = false) => {
    const compiled = places.get(communication) ?? COMPILED.own();
    places.set(communication, compiled);
    return compiled(async () => {
      const context = await directives(communication.value);
      return compileCommunication(communication, withoutBase ? undefined : app.base, context);
    });
  };
}

/**
 * Compiled communications of all apps of a process. Ready to run, one takes some 15 kB and is made again in a tenth of a
 * millisecond: of a thousand apps those stay ready that run. [choice]
 */
const COMPILED = new RecentlyUsed<Promise<readonly CompiledRequest[]>>(2000);

function nameFunctions(options: EngineOptions): NamedFunctions {
  const { app, trustFunctions, sharedFunctions } = options;
  // Who shares them closes them.
  if (sharedFunctions !== undefined) return { ...openWhenNamed(app, sharedFunctions), close: () => {} };
  const { functionTimeoutMs: timeMs } = resolveLimits(options.limits);
  return openWhenNamed(app, async () => {
    const { loadCustomFunctions } = await import('./custom-functions.js');
    return loadCustomFunctions(app, compileEnvironment(options), {
      trusted: trustFunctions === true,
      timeMs,
    });
  });
}
