import {
  AppError,
  type Bundle,
  type CallReport,
  type ConnectedInput,
  type Connection,
  type ConnectionReport,
  type ConnectionStore,
  createEngine,
  defineApp,
  type Engine,
  type EngineModule,
  type EpochReport,
  type HookReport,
  type loadApp,
  type ModuleParameters,
  type ModuleRun,
  type RunReport,
  type StoredConnection,
  type TriggerState,
  type WebhookResult,
} from '../../src/index.js';
import type { Expect, Same } from './expect-type.js';

const engine: Engine = createEngine({ app: defineApp({ name: 'a', modules: { m: { communication: {} } } }) });
const module: EngineModule = engine.module('m');
const run: ModuleRun = module.run({ parameters: { limit: 5 } });

export type Engines = [
  Expect<Same<ReturnType<typeof createEngine>, Engine>>,
  Expect<Same<ReturnType<Engine['module']>, EngineModule>>,
  Expect<Same<ReturnType<typeof loadApp>, Promise<Engine['app']>>>,
];

export type Runs = [
  Expect<Same<ReturnType<EngineModule['run']>, ModuleRun>>,
  Expect<Same<Awaited<ModuleRun>, RunReport>>,
  Expect<Same<RunReport['error'], AppError | undefined>>,
  Expect<Same<RunReport['bundles'], readonly Bundle[]>>,
  Expect<Same<Awaited<ReturnType<EngineModule['epoch']>>, EpochReport>>,
  Expect<Same<Awaited<ReturnType<EngineModule['parameters']>>, ModuleParameters>>,
  Expect<Same<Awaited<ReturnType<ReturnType<Engine['rpc']>['call']>>, CallReport>>,
];

export type Connections = [
  Expect<Same<ReturnType<Engine['connection']>, Connection>>,
  Expect<Same<ConnectionReport['stored'], StoredConnection>>,
  Expect<Same<ReturnType<ConnectionStore['get']>, Promise<StoredConnection | undefined>>>,
];

export type Webhooks = [
  Expect<Same<Awaited<ReturnType<ReturnType<Engine['webhook']>['attach']>>, HookReport>>,
  Expect<Same<Awaited<ReturnType<ReturnType<Engine['webhook']>['handle']>>, WebhookResult>>,
];

/** What calls look like; nothing of it runs. */
export async function calls(): Promise<void> {
  for await (const bundle of run) {
    const known: Expect<Same<typeof bundle, unknown>> = true;
    void known;
  }
  // The state of a trigger is plain data, and goes back in as it came out.
  const { state } = await module.run();
  const next: ConnectedInput = { data: state as TriggerState & Record<string, unknown> };
  await module.run({ ...next, connection: 'kept', checkParameters: { defaults: true, resolve: 'fields' } });
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
  (await run).bundles.push(1);
}

/** An error is told apart by its type, and knows all of them. */
export function errors(error: unknown): string | undefined {
  if (!(error instanceof AppError)) return undefined;
  // @ts-expect-error no type of error has this name
  if (error.type === 'SomeError') return undefined;
  const code: 'APP_ERROR' | typeof error.code = error.code;
  return error.type === 'RateLimitError' ? `${error.delay}` : code;
}
