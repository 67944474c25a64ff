import { type Environment, toEnvironment } from '../language/environment.js';
import { type GetOrCreate, RecentlyUsed } from '../shared/bounded-cache.js';
import { type Clock, SYSTEM_CLOCK } from '../shared/clock.js';
import {
  ANY_FUNCTION,
  ANY_TEXT,
  checkMembers,
  checkOptions,
  checkValue,
  type OptionShape,
} from '../shared/errors/check-options.js';
import { EngineError } from '../shared/errors/engine-error.js';
import { isPlainObject } from '../shared/plain-object.js';
import type { AnyApp, NameIn } from './app-types.js';
import { checkChecking } from './component/input-shapes.js';
import { assertOk } from './component/report.js';
import type { Runtime } from './component/runtime.js';
import { type Connection, createConnection } from './connection/connection.js';
import { createStoredConnections, type StoredConnections } from './connection/stored-connections.js';
import { type CustomFunctions, loadCustomFunctions } from './custom-functions.js';
import type { App, ModuleType } from './document/app.js';
import { compileCommunication } from './document/compile-request.js';
import type { CompiledRequest } from './document/compiled-request.js';
import { createDocument, type Document } from './document/document.js';
import {
  callNamedRpc,
  createEngineEndpoint,
  createEngineModule,
  createEngineRpc,
  type Endpoint,
  type FindModule,
  type Rpc,
} from './engine-components.js';
import { ENGINE_SHAPES, type EngineOptions, HTTP_SHAPES } from './engine-options.js';
import { createEngineTransport } from './engine-transport.js';
import { findConnection, findModule, findWebhook } from './find-component.js';
import { type NamedFunctions, openWhenNamed } from './open-functions.js';
import { CallBudget, PROCESS_ACCOUNTS } from './run/call-budget.js';
import type { EngineSettings } from './run/engine-settings.js';
import { resolveLimits } from './run/limits.js';
import { DEFAULT_ON_PAGE_LOOP } from './run/run-communication.js';
import { createWebhook, type Webhook } from './webhook/create-webhook.js';
import { resolveWebhookLimits } from './webhook/incoming-call.js';

/**
 * Runs the components of one app. Keeps HTTP connections open until it is closed.
 *
 * @typeParam Types the `AppTypes` that `iml types` writes. Default: any names, parameters and bundles.
 */
export interface Engine<Types extends AnyApp = AnyApp> {
  readonly app: App;
  /** Finds a module: `module('listContacts')`, `module('watchContacts', 'trigger')`. */
  readonly module: FindModule<Types['modules']>;
  /**
   * Accepts a name, or an address as in forms: `rpc://listFields?table={{parameters.table}}`.
   *
   * @throws SpecError (SPEC_MISSING) for an unknown name
   */
  rpc<Name extends NameIn<Types['rpcs']>>(name: Name): Rpc<Types['rpcs'][Name]>;
  rpc(address: `rpc://${string}`): Rpc;
  /** @throws SpecError (SPEC_MISSING) for a name the app does not have */
  endpoint<Name extends NameIn<Types['endpoints']>>(name: Name): Endpoint<Types['endpoints'][Name]>;
  /** @throws SpecError (SPEC_MISSING) for a name the app does not have */
  webhook(name: NameIn<Types['webhooks']>): Webhook;
  /** @throws SpecError (SPEC_MISSING) for a name the app does not have */
  connection(name: NameIn<Types['connections']>): Connection;
  /**
   * Finds a connection by its name in `connections`, refreshes it if due, and saves it. Passes on rejections of the
   * store.
   */
  readonly openConnection: StoredConnections['report'];
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Makes an app ready to run. Nothing is sent or loaded before the first run.
 *
 * @throws EngineError (USAGE) for an unknown option or one of a wrong type, and for an invalid limit, budget, base URL or
 *   host
 * @example
 * const engine = createEngine({ app: await loadApp('./my-app') });
 * for await (const bundle of engine.module('listContacts').run({ connection: { apiKey } })) console.log(bundle);
 * await engine.close();
 */
export function createEngine<Types extends AnyApp = AnyApp>(options: EngineOptions): Engine<Types> {
  // Types are those that the caller states.
  return createEngineWith(options, {}) as Engine as Engine<Types>;
}

/** What the package itself adds to the options of an engine. */
export interface EngineInternals {
  /** Opens custom functions that engines of the app share, on first use of one; the caller closes them. */
  readonly sharedFunctions?: (() => Promise<CustomFunctions>) | undefined;
  /** Called when a response is decoded, before it is evaluated: separates the two in measurements. */
  readonly onDecoded?: (() => void) | undefined;
}

/** `createEngine` for the package itself. */
export function createEngineWith(options: EngineOptions, internals: EngineInternals): Engine {
  checkEngineOptions(options);
  return openEngine(withCheckedPorts(options), internals);
}

function openEngine(options: EngineOptions, internals: EngineInternals): Engine {
  const { http = {} } = options;
  const app = http.baseUrl === undefined ? options.app : withBaseUrl(options.app, http.baseUrl);
  const webhookLimits = resolveWebhookLimits(options.webhookLimits);
  const { transport, policy, close: closeTransport } = createEngineTransport(app, http);
  const settings: EngineSettings = Object.freeze({
    transport,
    hosts: policy,
    limits: resolveLimits(options.limits),
    budget: createBudget(options),
    clock: options.clock ?? SYSTEM_CLOCK,
    random: options.random ?? Math.random,
    semantics: options.semantics ?? app.semantics,
    onPageLoop: options.onPageLoop ?? DEFAULT_ON_PAGE_LOOP,
    trace: options.trace ?? 'summary',
    onTrace: options.onTrace,
    tracing: options.tracing,
    observer: options.observer,
    onDecoded: internals.onDecoded,
  });
  const functions = nameFunctions(options, internals);
  const directives: Runtime['directives'] = async (...values) => ({
    environment: compileEnvironment(options),
    functions: await functions.tableFor(values),
  });
  const runtime: Runtime = {
    app,
    settings,
    checkParameters: options.checkParameters,
    callRpc: async (reference, input) => assertOk(await callNamedRpc(reference, input, runtime)).result,
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
    module: (name: string, type?: ModuleType) => createEngineModule(findModule(app, name), runtime, type),
    rpc: (address: string) => createEngineRpc(address, runtime),
    endpoint: (name) => createEngineEndpoint(name, runtime),
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

/** Untyped callers can pass anything, and a misspelled name would have no effect. */
function checkEngineOptions(options: EngineOptions): void {
  const what = 'The options of createEngine';
  checkOptions(options, ENGINE_SHAPES, what, ['app']);
  if (options.http !== undefined) checkMembers(options.http, HTTP_SHAPES, 'The option "http"');
  checkChecking(options.checkParameters);
}

/** Rate limits of a custom clock or transport do not apply to other engines. */
function createBudget({ budget, http, clock }: EngineOptions): CallBudget {
  const isOfProcess = http?.transport === undefined && clock === undefined;
  return new CallBudget(budget, isOfProcess ? PROCESS_ACCOUNTS : new Map());
}

/** One object per connection, so that concurrent refreshes are shared. */
function createConnections(app: App, runtime: Runtime): (name: string) => Connection {
  const made = new Map<string, Connection>();
  return (name) => {
    const connection = made.get(name) ?? createConnection(findConnection(app, name), runtime);
    made.set(name, connection);
    return connection;
  };
}

function compileEnvironment(options: EngineOptions): Environment {
  const { app, random, uuid, timezone, platformVersion, digest, clock } = options;
  const environment = toEnvironment({
    now: clock?.now,
    random,
    uuid,
    timezone,
    semantics: options.semantics ?? app.semantics,
    platformVersion,
    digest,
  });
  return {
    ...environment,
    ...(options.observer !== undefined && { reportsBranches: true }),
  };
}

/** Compiles a communication on first use and keeps it while it is used. A failure is not cached. */
function compileOnce(app: App, directives: Runtime['directives']): Runtime['compile'] {
  const places = new WeakMap<Document, GetOrCreate<Promise<readonly CompiledRequest[]>>>();
  return (communication, withoutBase = false) => {
    const compiled = places.get(communication) ?? COMPILED.own();
    places.set(communication, compiled);
    return compiled(async () => {
      try {
        const context = await directives(communication.value);
        const base = withoutBase ? undefined : app.base;
        return compileCommunication(communication, base, context);
      } catch (error) {
        places.delete(communication);
        throw error;
      }
    });
  };
}

/**
 * Compiled communications of all apps of a process. Ready to run, one takes some 15 kB and is made again in a tenth of a
 * millisecond: of a thousand apps those stay ready that run. [choice]
 */
const COMPILED = new RecentlyUsed<Promise<readonly CompiledRequest[]>>(2000);

function nameFunctions(options: EngineOptions, { sharedFunctions }: EngineInternals): NamedFunctions {
  const { app, trustFunctions, quickJsWasm: wasm } = options;
  // The owner of shared functions closes them.
  if (sharedFunctions !== undefined) return { ...openWhenNamed(app, sharedFunctions), close: () => {} };
  const { functionTimeoutMs: timeMs } = resolveLimits(options.limits);
  const rules = { trusted: trustFunctions === true, timeMs, wasm };
  return openWhenNamed(app, () => loadCustomFunctions(app, compileEnvironment(options), rules));
}

const INSTANT: OptionShape = { expected: 'milliseconds since the epoch', fits: Number.isFinite };
const SHARE: OptionShape = {
  expected: 'a number from 0 to below 1',
  fits: (value) => typeof value === 'number' && value >= 0 && value < 1,
};

/**
 * Wraps the clock, random numbers and UUIDs of an embedder: invalid results throw EngineError (USAGE). With an
 * invalid time a run would never end.
 */
function withCheckedPorts(options: EngineOptions): EngineOptions {
  const { clock, random, uuid } = options;
  return {
    ...options,
    clock: clock && checkedClock(clock),
    random: random && checkedDraw(random, SHARE, 'What random() gives'),
    uuid: uuid && checkedDraw(uuid, ANY_TEXT, 'What uuid() gives'),
  };
}

function checkedClock(clock: Clock): Clock {
  return {
    now: () => {
      const now = clock.now();
      if (!Number.isFinite(now)) checkValue(now, INSTANT, 'The result of now() of the clock');
      return now;
    },
    sleep: async (delayMs, signal) => clock.sleep(delayMs, signal),
    after: (delayMs, callback) => {
      const cancel = clock.after(delayMs, callback);
      checkValue(cancel, ANY_FUNCTION, 'The result of after() of the clock');
      return cancel;
    },
  };
}

function checkedDraw<T>(draw: () => T, shape: OptionShape, what: string): () => T {
  return () => {
    const value = draw();
    checkValue(value, shape, what);
    return value;
  };
}

/**
 * Returns the app with another `baseUrl`. Absolute URLs stay; the transport refuses them.
 *
 * @throws EngineError (USAGE) for an invalid http address
 */
function withBaseUrl(app: App, baseUrl: string): App {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new EngineError(
      'USAGE',
      `baseUrl: ${JSON.stringify(baseUrl.slice(0, 80))} is not an address that starts with http:// or https://.`,
    );
  }
  const { base } = app;
  if (base === undefined) return { ...app, base: createDocument({ baseUrl }) };
  // An invalid base stays, so that its own error is reported.
  return isPlainObject(base.value) ? { ...app, base: { ...base, value: { ...base.value, baseUrl } } } : app;
}
