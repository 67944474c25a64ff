import { createEngine, type Engine } from '../app/create-engine.js';
import { defineApp } from '../app/define-app.js';
import type { TraceEvent } from '../run/trace.js';
import type { App, ModuleType } from '../spec/app.js';
import { describeDifferences } from './check-outcome.js';
import type { Fixture, FixtureKind, Outcome } from './fixture.js';
import {
  runEpochFixture,
  runModuleFixture,
  runResponderFixture,
  runRpcFixture,
} from './run-component-fixture.js';
import {
  runConnectionFixture,
  runInvalidateFixture,
  runOAuthFixture,
  runRefreshFixture,
} from './run-connection-fixture.js';
import { runScenarioFixture } from './run-scenario-fixture.js';
import { runHookFixture, runWebhookFixture } from './run-webhook-fixture.js';
import { createPageServer, createScriptedTransport } from './scripted-transport.js';
import { readTagged } from './tagged-values.js';
import { createVirtualClock, type VirtualClock } from './virtual-clock.js';

/** What a kind of run needs: the engine over the fixture's app, and the fixture with its tagged values read. */
export interface FixtureRun {
  readonly fixture: Fixture;
  readonly engine: Engine;
  readonly clock: VirtualClock;
  /** Name of the component under test. */
  readonly component: string;
}

type PartialOutcome = Omit<Outcome, 'log' | 'waits'>;
type KindRunner = (run: FixtureRun) => Promise<PartialOutcome>;

/**
 * Runs one fixture against a scripted service.
 *
 * @param app the app the fixture belongs to; undefined for a fixture that brings its own parts
 * @returns what differs from the expectation, a line each; none for a fixture that passes
 */
export async function runFixture(fixture: Fixture, app?: App): Promise<readonly string[]> {
  const runner = Object.hasOwn(RUNNERS, fixture.kind) ? RUNNERS[fixture.kind] : undefined;
  if (runner === undefined) return [`Runs of the kind "${fixture.kind}" are not known.`];
  const clock = createVirtualClock(
    fixture.input.now === undefined ? undefined : Date.parse(fixture.input.now),
  );
  const service =
    fixture.server === undefined
      ? createScriptedTransport(fixture.exchanges ?? [])
      : createPageServer(fixture.server, clock);
  const events: TraceEvent[] = [];
  const engine = createEngine({
    app: app ?? fixtureApp(fixture),
    transport: service.transport,
    clock,
    common: readTagged(fixture.common),
    // Fixtures give parameters exactly as expressions see them.
    checkParameters: false,
    trace: 'full',
    onTrace: (event) => events.push(event),
  });
  try {
    const given = { ...fixture, input: readTagged(fixture.input) as Fixture['input'] };
    const component = fixture.component?.name ?? COMPONENT;
    const outcome = await runner({ fixture: given, engine, clock, component });
    const log = JSON.stringify([events, outcome.error]);
    const requestCount = events.filter(({ kind }) => kind === 'request').length;
    return [
      ...describeDifferences(fixture.expect, { requestCount, ...outcome, waits: clock.waits, log }),
      ...service.problems(),
    ];
  } finally {
    await engine.close();
  }
}

/** Name of the component a fixture's own parts become. */
const COMPONENT = 'fixture';

function fixtureApp(fixture: Fixture): App {
  const { base, common, communication, epoch, endpoints } = fixture.app ?? {};
  if (CONNECTION_KINDS.has(fixture.kind)) return connectionApp(fixture);
  const parts = { name: fixture.name, base, common, ...(endpoints !== undefined && { endpoints }) };
  if (HOOK_KINDS.has(fixture.kind)) return hookApp(fixture, parts);
  if (fixture.kind === 'rpc') return defineApp({ ...parts, rpcs: { [COMPONENT]: { communication } } });
  const type = MODULE_TYPES[fixture.kind] ?? 'action';
  return defineApp({
    ...parts,
    modules: { [COMPONENT]: { type, communication, ...(epoch !== undefined && { epoch }) } },
  });
}

const MODULE_TYPES: Partial<Record<FixtureKind, ModuleType>> = {
  search: 'search',
  trigger: 'trigger',
  epoch: 'trigger',
  instant_trigger: 'instant_trigger',
  responder: 'responder',
};

const CONNECTION_KINDS: ReadonlySet<FixtureKind> = new Set([
  'connection',
  'oauth1',
  'oauth2',
  'oauth2-refresh',
  'oauth2-invalidate',
]);

const HOOK_KINDS: ReadonlySet<FixtureKind> = new Set(['webhook', 'attach', 'detach', 'update']);

function hookApp(
  { kind, app = {} }: Fixture,
  parts: { readonly name: string; readonly base: unknown; readonly common: unknown },
): App {
  const { communication, webhook } = app;
  return defineApp({
    ...parts,
    webhooks: { [COMPONENT]: kind === 'webhook' ? { ...webhook } : { [kind]: communication } },
  });
}

function connectionApp({ name, kind, app = {} }: Fixture): App {
  const { base, common, communication, params, defaultScope } = app;
  const type = kind === 'connection' ? 'basic' : 'oauth';
  return defineApp({
    ...{ name, base },
    connections: { [COMPONENT]: { type, communication, common, params, defaultScope } },
  });
}

function asKind(run: typeof runModuleFixture): KindRunner {
  return ({ engine, component, fixture }) => run(engine, component, fixture.input);
}

const RUNNERS: Partial<Record<FixtureKind, KindRunner>> = {
  action: asKind(runModuleFixture),
  search: asKind(runModuleFixture),
  trigger: asKind(runModuleFixture),
  instant_trigger: asKind(runModuleFixture),
  rpc: asKind(runRpcFixture),
  epoch: asKind(runEpochFixture),
  responder: asKind(runResponderFixture),
  webhook: ({ engine, component, fixture }) => runWebhookFixture(engine, component, fixture),
  attach: ({ engine, component, fixture }) => runHookFixture(engine, component, 'attach', fixture.input),
  detach: ({ engine, component, fixture }) => runHookFixture(engine, component, 'detach', fixture.input),
  update: ({ engine, component, fixture }) => runHookFixture(engine, component, 'update', fixture.input),
  scenario: async ({ fixture }) => runScenarioFixture(fixture.input),
  connection: ({ engine, component, fixture }) =>
    runConnectionFixture(engine.connection(component), fixture.input),
  oauth1: ({ engine, component, fixture }) => runOAuthFixture(engine.connection(component), fixture.input),
  oauth2: ({ engine, component, fixture }) => runOAuthFixture(engine.connection(component), fixture.input),
  'oauth2-refresh': ({ engine, component, fixture }) =>
    runRefreshFixture(engine.connection(component), fixture.input),
  'oauth2-invalidate': ({ engine, component, fixture }) =>
    runInvalidateFixture(engine.connection(component), fixture.input),
};
