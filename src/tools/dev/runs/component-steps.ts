import type { RunStats } from '../../../engine/component/report.js';
import type { StoredConnection } from '../../../engine/connection/connection-store.js';
import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { readForm } from '../../../engine/parameters/form.js';
import { secretValues } from '../../../engine/parameters/secret-values.js';
import type { PoolApp } from '../../../engine/pool/pool-app.js';
import { createRedactor, type Redactor } from '../../../engine/redaction/redact.js';
import { collectSecrets } from '../../../engine/redaction/secrets.js';
import type { RunWarning, TraceEvent } from '../../../engine/run/trace.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { isPlainObject, type PlainObject } from '../../../shared/plain-object.js';
import { traceDocuments } from '../../testing/suite/run-trace.js';
import { startRecord } from '../history/record-run.js';
import type { RunKind, RunValues, ShownHook, StepOutcome, StepRequest } from '../protocol.js';
import { describeLimits, showWarnings } from './run-component.js';
import type { RunnerParts } from './runner-parts.js';
import { showFailure } from './show-failure.js';

/** Steps of components other than runs. Each is a run of the history. */
export interface ComponentSteps {
  /** @throws EngineError (USAGE) for an invalid step */
  readonly run: (asked: StepRequest) => Promise<StepOutcome>;
  /** `id`, `url` and the result of attach; undefined if not attached. */
  readonly hook: (webhook: string) => PlainObject | undefined;
  /** The same, redacted. */
  readonly shownHook: (webhook: string) => ShownHook | undefined;
}

export interface StepParts extends RunnerParts {
  readonly writeHookAddress: (webhook: string) => string;
  /** Stores a connection under a name, as `iml connect` does. Omitted if connections cannot be stored. */
  readonly saveConnection: ((name: string, stored: StoredConnection) => Promise<void>) | undefined;
}

interface AttachedHook {
  readonly webhook: PlainObject;
  readonly parameters: PlainObject;
}

/** Creates the steps of one server. Results of attach are kept in memory. */
export function createComponentSteps(parts: StepParts): ComponentSteps {
  const hooks = new Map<string, AttachedHook>();
  return {
    hook: (name) => hooks.get(name)?.webhook,
    shownHook: (name) => {
      const hook = hooks.get(name);
      if (hook === undefined) return undefined;
      const redactor = createRedactor({ secrets: collectSecrets(parts.setting().app.common?.value) });
      return { webhook: redactor.value(hook.webhook) };
    },
    run: async (asked) => {
      const { app, root } = parts.setting();
      const { form, kind } = findForm(asked, app);
      const given = secretValues(readForm(form).elements, asked.parameters);
      const secrets = [...collectSecrets(app.common?.value), ...given];
      const redactor = createRedactor({ secrets });
      const startedAt = performance.now();
      const record = await startRecord(
        {
          app: app.name,
          kind,
          name: asked.name,
          source: 'run',
          replayOf: undefined,
          limits: describeLimits(parts.setting()),
          input: showInput(asked, redactor),
        },
        parts,
      );
      const outcome = await carryOut(asked, parts.pool.app(root), { ...parts, hooks }).catch(failStep);
      for (const event of outcome.trace) record.add(event);
      const failure =
        outcome.error === undefined ? undefined : await showFailure(outcome.error, root, redactor);
      const bundles = redactor.value(outcome.bundles);
      await record.finish({
        requests: outcome.stats.requests,
        followUpPages: outcome.stats.followUpPages,
        records: outcome.stats.records,
        stopReason: undefined,
        durationMs: Math.round(performance.now() - startedAt),
        state: outcome.error === undefined ? 'ok' : 'failed',
        failure,
        error: failure && { type: failure.type, message: failure.message },
        canReplay: false,
        bundles: Array.isArray(bundles) ? bundles : [],
        allWarnings: showWarnings(outcome.warnings),
        documents: traceDocuments(app, kind, asked.name, secrets),
      });
      return { id: record.id, ...(outcome.entries !== undefined && { entries: outcome.entries }) };
    },
  };
}

function findForm(
  { step, name }: StepRequest,
  app: App,
): { readonly form: Document | undefined; readonly kind: RunKind } {
  if (step === 'epoch') {
    const module = app.modules.get(name);
    if (module === undefined) throw usage(`The app has no module "${name}".`);
    // An epoch reads static parameters.
    return { form: module.staticParams, kind: 'epoch' };
  }
  if (step === 'attach' || step === 'detach') {
    const webhook = app.webhooks.get(name);
    if (webhook === undefined) throw usage(`The app has no webhook "${name}".`);
    return { form: webhook.params, kind: 'webhook' };
  }
  const connection = app.connections.get(name);
  if (connection === undefined) throw usage(`The app has no connection "${name}".`);
  return { form: connection.params, kind: 'connection' };
}

function showInput(asked: StepRequest, redactor: Redactor): RunValues {
  const shown = redactor.value(asked.parameters);
  return { parameters: isPlainObject(shown) ? shown : {}, connection: asked.connection };
}

interface CarriedOut {
  readonly bundles: readonly unknown[];
  readonly error: EngineError | undefined;
  readonly stats: RunStats;
  readonly warnings: readonly RunWarning[];
  readonly trace: readonly TraceEvent[];
  readonly entries?: StepOutcome['entries'];
}

/** A terminated worker is a failure of the step; other errors are misuse. */
function failStep(error: unknown): CarriedOut {
  if (!(error instanceof EngineError) || error.code !== 'WORKER_TERMINATED') throw error;
  const stats = { requests: 0, followUpPages: 0, records: 0, durationMs: 0, stopReason: undefined };
  return { bundles: [], error, stats, warnings: [], trace: [] };
}

interface CarryParts extends StepParts {
  readonly hooks: Map<string, AttachedHook>;
}

async function carryOut(asked: StepRequest, engine: PoolApp, parts: CarryParts): Promise<CarriedOut> {
  switch (asked.step) {
    case 'epoch':
      return listEpoch(asked, engine);
    case 'attach':
    case 'detach':
      return runHookStep(asked, engine, parts);
    case 'connect':
      return connect(asked, engine, parts);
    default:
      return testConnection(asked, engine, parts);
  }
}

async function listEpoch(asked: StepRequest, engine: PoolApp): Promise<CarriedOut> {
  const { parameters } = asked;
  const report = await engine
    .module(asked.name, 'trigger')
    .epoch({ parameters, connection: asked.connection });
  if (!report.ok) return { ...report, bundles: [] };
  const entries = report.entries.map(({ label, date, state }) => ({
    label: String(label ?? ''),
    date: date instanceof Date ? date.toISOString() : date === undefined ? undefined : String(date),
    state,
  }));
  return { ...report, bundles: report.result, entries };
}

async function runHookStep(
  asked: StepRequest,
  engine: PoolApp,
  { hooks, writeHookAddress }: CarryParts,
): Promise<CarriedOut> {
  const { name, parameters } = asked;
  const known = hooks.get(name);
  const webhook = { id: 1, url: writeHookAddress(name), ...known?.webhook };
  const input = { parameters: known?.parameters ?? parameters, webhook, connection: asked.connection };
  const handle = engine.webhook(name);
  if (asked.step === 'detach') {
    const report = await handle.detach(input);
    if (report.ok) hooks.delete(name);
    return { ...report, bundles: report.ok ? [report.result] : [] };
  }
  const report = await handle.attach(input);
  if (!report.ok) return { ...report, bundles: [] };
  hooks.set(name, { webhook: { ...webhook, ...report.result }, parameters });
  return { ...report, bundles: [report.result] };
}

async function connect(
  asked: StepRequest,
  engine: PoolApp,
  { saveConnection }: CarryParts,
): Promise<CarriedOut> {
  const { as } = asked;
  if (saveConnection === undefined || as === undefined)
    throw usage('Missing name: the name of the stored connection.');
  const connection = engine.connection(asked.name);
  if (await connection.needsPage()) {
    throw usage(
      `This connection opens a page of the API: run "iml connect" with the app and "${asked.name}".`,
    );
  }
  const report = await connection.create({ parameters: asked.parameters });
  if (!report.ok) return { ...report, bundles: [] };
  await saveConnection(as, report.stored);
  const { metadata, uid } = report.stored;
  return { ...report, bundles: [{ name: as, metadata, uid }] };
}

async function testConnection(
  asked: StepRequest,
  engine: PoolApp,
  { setting }: CarryParts,
): Promise<CarriedOut> {
  const { connection: name } = asked;
  if (name === undefined) throw usage('"connection": expected the name of a stored connection.');
  const stored = await setting().connections.get(name);
  if (stored === undefined) throw new EngineError('CONNECTION_MISSING', `There is no connection "${name}".`);
  const report = await engine.connection(stored.component).test(stored);
  if (!report.ok) return { ...report, bundles: [] };
  const { metadata, uid } = report.stored;
  return { ...report, bundles: [{ name, metadata, uid }] };
}

function usage(message: string): EngineError {
  return new EngineError('USAGE', message);
}
