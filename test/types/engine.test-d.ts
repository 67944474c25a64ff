import {
  AppError,
  type Bundle,
  type Connection,
  type ConnectionStore,
  createEngine,
  defineApp,
  type Engine,
  type EnginePool,
  type loadApp,
  type Module,
  type ModuleRun,
  type PollingTrigger,
  type Responder,
  type RunInput,
  type RunReport,
  type StoredConnection,
  type TriggerState,
  type WebhookReport,
} from '../../src/index.js';
import type { Expect, Same } from './expect-type.js';

const engine: Engine = createEngine({ app: defineApp({ name: 'a', modules: { m: { communication: {} } } }) });
const module: Module = engine.module('m');
const trigger: PollingTrigger = engine.module('m', 'trigger');
const responder: Responder = engine.module('m', 'responder');
const run: ModuleRun = module.run({ parameters: { limit: 5 } });

export type Engines = [
  Expect<Same<ReturnType<typeof createEngine>, Engine>>,
  Expect<Same<ReturnType<typeof loadApp>, Promise<Engine['app']>>>,
];

export type Runs = [
  Expect<Same<ReturnType<Module['run']>, ModuleRun>>,
  Expect<Same<Awaited<ModuleRun>, RunReport>>,
  Expect<Same<RunReport['error'], AppError | undefined>>,
  Expect<Same<RunReport['bundles'], readonly Bundle[] | undefined>>,
  Expect<Same<Extract<RunReport, { ok: true }>['bundles'], readonly Bundle[]>>,
  Expect<Same<Extract<RunReport, { error: AppError }>['ok'], false>>,
  Expect<Same<Awaited<ReturnType<Responder['respond']>>['ok'], boolean>>,
  Expect<
    Same<Awaited<ReturnType<ReturnType<Engine['endpoint']>['run']>>, RunReport<{ readonly result: unknown }>>
  >,
  Expect<
    Same<Awaited<ReturnType<ReturnType<Engine['rpc']>['call']>>, RunReport<{ readonly result: unknown }>>
  >,
];

/** A module of a pool has what a module of its type can do. Nothing of it runs. */
export async function poolCalls(pool: EnginePool): Promise<void> {
  const pooled = pool.app('./app');
  const { entries } = await pooled.module('m', 'trigger').epoch().orThrow();
  const { result } = await pooled.module('m', 'responder').respond().orThrow();
  const { bundles } = await pooled.module('m', 'search').run().orThrow();
  // @ts-expect-error: only polling triggers have an epoch.
  pooled.module('m').epoch;
  // @ts-expect-error: a responder is not run.
  pooled.module('m', 'responder').run;
  void [entries, result.status, bundles];
}

export type Connections = [
  Expect<Same<ReturnType<Engine['connection']>, Connection>>,
  Expect<Same<Awaited<ReturnType<Connection['create']>>['stored'], StoredConnection | undefined>>,
  Expect<Same<ReturnType<ConnectionStore['get']>, Promise<StoredConnection | undefined>>>,
];

export type Webhooks = [
  Expect<Same<Awaited<ReturnType<ReturnType<Engine['webhook']>['attach']>>['ok'], boolean>>,
  Expect<Same<Awaited<ReturnType<ReturnType<Engine['webhook']>['handle']>>, WebhookReport>>,
];

/** Examples of calls. They never run. */
export async function calls(): Promise<void> {
  for await (const bundle of run) {
    const known: Expect<Same<typeof bundle, unknown>> = true;
    void known;
  }
  // The state of a trigger is plain data and can be passed to the next run.
  const { bundles, state } = await module.run().orThrow();
  const kept: Expect<Same<typeof state, TriggerState | undefined>> = true;
  const all: Expect<Same<typeof bundles, readonly Bundle[]>> = true;
  void [kept, all];
  const next: RunInput = { state };
  await module.run({ ...next, connection: 'kept', checkParameters: { defaults: true, resolve: 'fields' } });
  await module.run({ state: (await trigger.epoch().orThrow()).entries[0]?.state });
  await module.run({ checkParameters: false, signal: AbortSignal.timeout(1) });
  await using scoped: Engine = engine;
  void scoped;
  // @ts-expect-error an engine needs an app
  createEngine({});
  // @ts-expect-error no such setting
  createEngine({ app: engine.app, retries: 3 });
  // @ts-expect-error the data of a connection is an object or a name
  await module.run({ connection: 5 });
  // @ts-expect-error resolve is one of three words
  await module.run({ checkParameters: { resolve: 'all' } });
  // @ts-expect-error a report does not change
  (await run.orThrow()).bundles.push(1);
}

/** A module has the members of its type. */
export async function types(): Promise<void> {
  await trigger.run({ start: { since: '2026-01-31' } });
  await trigger.run({ start: { id: 7 } });
  await responder.respond();
  // @ts-expect-error an epoch is for triggers
  await module.epoch();
  // @ts-expect-error a responder gives a response, no bundles
  await responder.run();
  // @ts-expect-error one of both
  await trigger.run({ start: { from: '2026-01-31' } });
}

/** Bundles are accessible only after a check of `ok`. */
export async function outcomes(): Promise<void> {
  const report = await module.run();
  // @ts-expect-error the run may have failed
  report.bundles.length;
  if (!report.ok) throw report.error;
  report.bundles.length;
  const { error, result } = await engine.rpc('r').call();
  if (error === undefined) void result;
  else error.type.length;
  const made = await engine.connection('c').create();
  // @ts-expect-error there may be none
  await engine.connection('c').refresh(made.stored);
  if (made.ok) await engine.connection('c').refresh(made.stored);
  const { stored } = await engine.connection('c').create().orThrow();
  const { url, pending } = await engine
    .connection('c')
    .authorize({ redirectUri: 'https://a.test/' })
    .orThrow();
  void [stored, url];
  await engine.connection('c').complete(pending, { code: '1' });
  const call = await engine.webhook('w').handle(new Request('https://a.test/'));
  call.response.status.toFixed();
  if (!call.ok) call.phase.length;
  else call.bundles.length;
  const { result: data } = await engine.webhook('w').attach().orThrow();
  await engine.webhook('w').detach({ webhook: data });
}

/** The type of an error discriminates a union of all types. */
export function errors(error: unknown): string | undefined {
  if (!(error instanceof AppError)) return undefined;
  // @ts-expect-error no type of error has this name
  if (error.type === 'SomeError') return undefined;
  const code: 'APP_ERROR' | typeof error.code = error.code;
  return error.type === 'RateLimitError' ? `${error.delay}` : code;
}
