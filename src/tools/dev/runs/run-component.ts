import type { RunInput } from '../../../engine/component/check-and-connect.js';
import type { RunStats } from '../../../engine/component/report.js';
import { listConnections } from '../../../engine/component/run-subject.js';
import { readTimeout } from '../../../engine/component/start-run.js';
import type { ConnectionStore } from '../../../engine/connection/connection-store.js';
import { createEngine, type Engine } from '../../../engine/create-engine.js';
import type { App } from '../../../engine/document/app.js';
import type { EngineOptions } from '../../../engine/engine-options.js';
import type { Transport } from '../../../engine/http/transport.js';
import { moduleForm, readForm } from '../../../engine/parameters/form.js';
import type { ParameterList } from '../../../engine/parameters/parameter-spec.js';
import { secretValues } from '../../../engine/parameters/secret-values.js';
import { createRedactor, type Redactor } from '../../../engine/redaction/redact.js';
import { collectSecrets } from '../../../engine/redaction/secrets.js';
import { resolveLimits } from '../../../engine/run/limits.js';
import type { RunWarning, TraceEvent } from '../../../engine/run/trace.js';
import { AppError } from '../../../shared/errors/app-error.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { traceDocuments, traceParts } from '../../testing/suite/run-trace.js';
import type { RunRest } from '../history/history.js';
import type { RunEnd } from '../history/record-run.js';
import type { RunRequest, RunValues } from '../protocol.js';
import { showFailure, showPlace } from './show-failure.js';

/** Settings of a run. */
export interface RunSetting {
  readonly app: App;
  /** Folder of the app. */
  readonly root: string;
  readonly engine: Omit<EngineOptions, 'app' | 'connections' | 'trace' | 'onTrace'>;
  readonly connections: ConnectionStore;
}

export interface RunHooks {
  readonly wrap: (transport: Transport) => Transport;
  readonly onTrace: (event: TraceEvent) => void;
  readonly signal: AbortSignal;
  /** Computes hashes. Default: Node's. */
  readonly digest?: EngineOptions['digest'];
  /** Called with the input, with credentials, before the first request. */
  readonly onReady?: (input: RunInput) => void;
  /** Called with the new state of a polling trigger. */
  readonly onState?: (state: unknown) => void;
}

/** Maximum length of stored bundles. */
const MAX_SHOWN = 8 * 1024 * 1024;

/** Maximum number of stored bundles, which is the limit of a run. */
const MAX_BUNDLES = 3200;

/** Runs a component. Never rejects because of the app. */
export async function runComponent(asked: RunRequest, setting: RunSetting, hooks: RunHooks): Promise<RunEnd> {
  const { app, root, connections } = setting;
  const startedAt = performance.now();
  let isConnecting = false;
  const engine = createEngine({
    ...setting.engine,
    app,
    connections,
    trace: 'deep',
    // A token refresh is not a request of the component.
    onTrace: (event) =>
      hooks.onTrace(isConnecting ? { ...event, endpoint: `connection ${asked.connection}` } : event),
    http: { ...setting.engine.http, wrap: hooks.wrap },
    ...(hooks.digest !== undefined && { digest: hooks.digest }),
  });
  let redactor = createRunRedactor(asked, app, undefined);
  let secrets: readonly unknown[] = [app.common?.value];
  try {
    isConnecting = true;
    const connection = await openConnection(asked, app, engine, hooks.signal);
    isConnecting = false;
    redactor = createRunRedactor(asked, app, connection);
    secrets = [...secrets, connection];
    const input = toRunInput(asked, connection, hooks.signal, readsMetadata(asked, app));
    hooks.onReady?.(input);
    const outcome = await carryOut(asked, engine, input);
    if (outcome.error === undefined && outcome.state !== undefined) hooks.onState?.(outcome.state);
    const isStopped = outcome.error === undefined ? false : hooks.signal.aborted;
    return {
      ...countNumbers(outcome.stats, startedAt),
      ...(await describeFailed(outcome.error, root, redactor)),
      state: isStopped ? 'stopped' : outcome.error === undefined ? 'ok' : 'failed',
      bundles: asList(redactor.value(outcome.bundles)),
      bundleCount: outcome.bundles.length,
      allWarnings: showWarnings(outcome.warnings),
      documents: listDocuments(asked, app, secrets),
      canReplay: true,
    };
  } catch (thrown) {
    const error = hooks.signal.aborted ? undefined : thrown;
    return {
      ...countNumbers(undefined, startedAt),
      ...(await describeFailed(error, root, redactor)),
      state: hooks.signal.aborted ? 'stopped' : 'failed',
      bundles: [],
      allWarnings: [],
      canReplay: false,
      documents: listDocuments(asked, app, secrets),
    };
  } finally {
    await engine.close();
  }
}

function listDocuments(
  { kind, name }: RunRequest,
  app: App,
  secrets: readonly unknown[],
): RunEnd['documents'] {
  return [...traceDocuments(app, kind, name, secrets), ...traceParts(app, kind, name, secrets)];
}

/** Limits of a run for the history; undefined for infinity. */
export function describeLimits({ app, engine }: Pick<RunSetting, 'app' | 'engine'>): RunRest['limits'] {
  const limits = resolveLimits(engine.limits);
  const shown = (limit: number): number | undefined => (Number.isFinite(limit) ? limit : undefined);
  return {
    requests: shown(limits.maxRequests),
    followUpPages: shown(limits.maxPages),
    records: shown(limits.maxRecords),
    timeMs: shown(readTimeout(app, limits, app.common?.value)),
  };
}

/** Redacted input of a run. */
export function shownInput(asked: RunRequest, app: App): RunValues {
  const { connection, limit, defaults, start, payload } = asked;
  const redactor = createRunRedactor(asked, app, undefined);
  const shown = redactor.value({ parameters: asked.parameters, payload }) as Pick<
    RunValues,
    'parameters' | 'payload'
  >;
  return { connection, limit, defaults, start, ...shown };
}

/** Creates the redactor of a run with its credentials and secrets. */
export function createRunRedactor(asked: RunRequest, app: App, connection: unknown): Redactor {
  const given = secretValues(readRunForm(asked, app).elements, asked.parameters);
  const secrets = [...collectSecrets(connection, app.common?.value), ...given];
  return createRedactor({ secrets, maxShown: MAX_SHOWN });
}

/** The form of a component; empty for an unknown one. */
export function readRunForm({ kind, name }: Pick<RunRequest, 'kind' | 'name'>, app: App): ParameterList {
  if (kind === 'endpoint') return readForm(app.endpoints.get(name)?.input);
  const module = kind === 'module' ? app.modules.get(name) : undefined;
  return module === undefined ? readForm(app.rpcs.get(name)?.params) : moduleForm(module);
}

async function openConnection(
  { connection, kind, name }: RunRequest,
  app: App,
  engine: Engine,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (connection === undefined || connection === '') return undefined;
  const component = { module: app.modules, rpc: app.rpcs, endpoint: app.endpoints }[kind].get(name);
  const allowed = component === undefined ? [] : listConnections(component);
  const { stored } = await engine.openConnection(connection, { allowed, signal }).orThrow();
  return stored.connection;
}

/** Whether an expression of the component or of the base can read `metadata`. */
function readsMetadata({ kind, name }: RunRequest, app: App): boolean {
  const component = kind === 'module' ? app.modules.get(name) : undefined;
  return JSON.stringify([component?.communication?.value, app.base?.value]).includes('metadata');
}

function toRunInput(
  asked: RunRequest,
  connection: RunInput['connection'],
  signal: AbortSignal,
  readsMetadata: boolean,
): RunInput {
  const { parameters, defaults, start, state, payload } = asked;
  return {
    parameters,
    connection,
    signal,
    payload,
    ...(start === 'all' && { start }),
    ...(state !== undefined && { state: state as RunInput['state'] }),
    // The form of the page has checked the values; only `metadata` needs the fields of RPCs.
    checkParameters: { defaults: defaults === true, resolve: readsMetadata ? 'fields' : 'none' },
  };
}

interface Outcome {
  readonly bundles: readonly unknown[];
  readonly error: EngineError | undefined;
  readonly stats: RunStats;
  readonly warnings: readonly RunWarning[];
  /** New state of a polling trigger. */
  readonly state?: unknown;
}

async function carryOut(asked: RunRequest, engine: Engine, input: RunInput): Promise<Outcome> {
  if (asked.kind === 'rpc') {
    const report = await engine.rpc(asked.name).call(input);
    return { ...report, bundles: report.ok ? toList(report.result) : [] };
  }
  if (asked.kind === 'endpoint') {
    const report = await engine.endpoint(asked.name).run(input);
    return { ...report, bundles: report.ok ? toList(report.result) : [] };
  }
  const type = engine.app.modules.get(asked.name)?.type;
  if (type === 'responder') {
    const report = await engine.module(asked.name, type).respond(input);
    return { ...report, bundles: report.ok ? [report.result] : [] };
  }
  const run = engine.module(asked.name).run(input);
  const bundles: unknown[] = [];
  const wanted = Math.min(asked.limit ?? MAX_BUNDLES, MAX_BUNDLES);
  try {
    for await (const bundle of run) {
      bundles.push(bundle);
      if (bundles.length >= wanted && type !== 'trigger') break;
    }
    return { ...run.report(), error: undefined, bundles: bundles.slice(0, wanted) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // An error on any page fails the whole module. [inf]
    return { ...run.report(), error, bundles: [] };
  }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

type Numbers = Pick<RunEnd, 'requests' | 'followUpPages' | 'records' | 'durationMs' | 'stopReason'>;

function countNumbers(stats: RunStats | undefined, startedAt: number): Numbers {
  const { requests = 0, followUpPages = 0, records = 0, stopReason } = stats ?? {};
  return {
    requests,
    followUpPages,
    records,
    stopReason,
    durationMs: Math.round(performance.now() - startedAt),
  };
}

async function describeFailed(
  thrown: unknown,
  root: string,
  redactor: Redactor,
): Promise<Pick<RunEnd, 'failure' | 'error'>> {
  if (thrown === undefined) return { failure: undefined, error: undefined };
  const error =
    thrown instanceof EngineError ? thrown : new EngineError('USAGE', `Internal error: ${String(thrown)}`);
  const failure = await showFailure(error, root, redactor);
  return { failure, error: { type: failure.type, message: failure.message } };
}

/** Warnings as plain data. */
export function showWarnings(warnings: readonly RunWarning[]): RunEnd['allWarnings'] {
  return warnings.map(({ code, message, place }) => ({ code, message, place: showPlace(place) }));
}
