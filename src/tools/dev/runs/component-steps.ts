import type { RunStats } from '../../../engine/component/report.js';
import type { CallbackQuery } from '../../../engine/connection/authorize-connection.js';
import {
  type ConnectionReport,
  listScopeUses,
  type PendingAuthorization,
} from '../../../engine/connection/connection-input.js';
import type { StoredConnection } from '../../../engine/connection/connection-store.js';
import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { readHostMap } from '../../../engine/http/host-policy.js';
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
import { createAuthorizations, type WaitingAuthorization } from './authorizations.js';
import { describeLimits, showWarnings } from './run-component.js';
import type { RunnerParts } from './runner-parts.js';
import { usage } from './runner-parts.js';
import { endFailed, showFailure } from './show-failure.js';

/** Steps of components other than runs. Each is a run of the history. */
export interface ComponentSteps {
  /** @throws EngineError for a step that cannot be carried out; it leaves no run */
  readonly run: (request: StepRequest) => Promise<StepOutcome>;
  /** Completes the authorization of a callback. @returns the ID of its run; undefined if none waits for it */
  readonly receiveCallback: (query: CallbackQuery) => Promise<string | undefined>;
  /** Stops waiting for a callback. @returns whether the run was waiting */
  readonly stop: (run: string) => boolean;
  /** `id`, `url` and the result of attach; undefined if not attached. */
  readonly hook: (webhook: string) => PlainObject | undefined;
  /** The same, redacted. */
  readonly shownHook: (webhook: string) => ShownHook | undefined;
  readonly close: () => Promise<void>;
}

/** Stores connections under names, as `iml connect` does. */
export interface ConnectionWriter {
  /** @throws EngineError (USAGE) for an invalid name, and for the name of another connection */
  readonly check: (name: string, component: string) => Promise<void>;
  readonly save: (name: string, stored: StoredConnection) => Promise<void>;
}

export interface StepParts extends RunnerParts {
  readonly writeHookAddress: (webhook: string) => string;
  /** Redirect URI of authorizations: a path of this server. */
  readonly redirectUri: () => string;
  /** Omitted if connections cannot be stored. */
  readonly connectionWriter: ConnectionWriter | undefined;
}

interface AttachedHook {
  readonly webhook: PlainObject;
  readonly parameters: PlainObject;
}

/** Creates the steps of one server. Results of attach are kept in memory. */
export function createComponentSteps(parts: StepParts): ComponentSteps {
  const hooks = new Map<string, AttachedHook>();
  const authorizations = createAuthorizations(parts.onProblem);
  return {
    receiveCallback: authorizations.receive,
    stop: authorizations.stop,
    close: authorizations.close,
    hook: (name) => hooks.get(name)?.webhook,
    shownHook: (name) => {
      const hook = hooks.get(name);
      if (hook === undefined) return undefined;
      const redactor = createRedactor({ secrets: collectSecrets(parts.setting().app.common?.value) });
      return { webhook: redactor.value(hook.webhook) };
    },
    run: async (request) => {
      const setting = parts.setting();
      const { form, kind } = findForm(request, setting.app);
      await assertPossible(request, parts);
      const step = await recordStep(request, { form, kind, parts });
      try {
        const outcome = await carryOut(request, parts.pool.app(setting.root), { ...parts, hooks });
        const { entries, authorization } = outcome;
        if (authorization === undefined) await step.finish(outcome);
        else {
          step.add(outcome);
          authorizations.add(waitForCallback(authorization, { step, request, parts }));
        }
        return {
          id: step.id,
          ...(entries !== undefined && { entries }),
          ...(authorization !== undefined && { open: authorization.page }),
        };
      } catch (error) {
        await step.fail(error);
        return { id: step.id };
      }
    },
  };
}

/** Refuses a step before it becomes a run. */
async function assertPossible(request: StepRequest, parts: StepParts): Promise<void> {
  const { step, name, connection, as } = request;
  if (step === 'test') await findStored(connection, parts);
  if (step !== 'connect') return;
  if (parts.connectionWriter === undefined) throw usage('Connections cannot be stored.');
  if (as === undefined) throw usage('Missing name: the name of the stored connection.');
  await parts.connectionWriter.check(as, name);
}

/** The run of a step. */
interface StepRecord {
  readonly id: string;
  /** Adds the events of a part of the step. */
  readonly add: (outcome: CarriedOut) => void;
  /** Adds the events of the last part and ends the run. */
  readonly finish: (outcome: CarriedOut) => Promise<void>;
  /** Ends the run: stopped without an error. */
  readonly fail: (error: unknown) => Promise<void>;
}

interface RecordOptions {
  readonly form: Document | undefined;
  readonly kind: RunKind;
  readonly parts: StepParts;
}

async function recordStep(request: StepRequest, { form, kind, parts }: RecordOptions): Promise<StepRecord> {
  const setting = parts.setting();
  const { app, root } = setting;
  const { name, step } = request;
  const secrets = [
    ...collectSecrets(app.common?.value),
    ...secretValues(readForm(form).elements, request.parameters),
  ];
  const redactor = createRedactor({ secrets });
  const startedAt = performance.now();
  const sum = { requests: 0, followUpPages: 0, records: 0 };
  const input = showInput(request, redactor);
  const limits = describeLimits(setting);
  const record = await startRecord(
    { app: app.name, kind, name, step, source: 'run', replayOf: undefined, limits, input },
    parts,
  );
  const add = ({ trace, stats }: CarriedOut): void => {
    for (const event of trace) record.add(event);
    sum.requests += stats.requests;
    sum.followUpPages += stats.followUpPages;
    sum.records += stats.records;
  };
  return {
    id: record.id,
    add,
    fail: async (error) => {
      await record.finish(await endFailed(error, setting));
    },
    finish: async (outcome) => {
      add(outcome);
      const { error, bundles, warnings } = outcome;
      const failure = error === undefined ? undefined : await showFailure(error, root, redactor);
      const shown = redactor.value(bundles);
      await record.finish({
        ...sum,
        stopReason: undefined,
        durationMs: Math.round(performance.now() - startedAt),
        state: error === undefined ? 'ok' : 'failed',
        failure,
        error: failure && { type: failure.type, message: failure.message },
        canReplay: false,
        bundles: Array.isArray(shown) ? shown : [],
        allWarnings: showWarnings(warnings),
        documents: traceDocuments(app, kind, name, secrets),
      });
    },
  };
}

interface CallbackOptions {
  readonly step: StepRecord;
  readonly request: StepRequest;
  readonly parts: StepParts;
}

function waitForCallback(
  { pending }: Authorization,
  { step, request, parts }: CallbackOptions,
): WaitingAuthorization {
  return {
    run: step.id,
    pending,
    abandon: step.fail,
    complete: async (query) => {
      const connection = parts.pool.app(parts.setting().root).connection(request.name);
      try {
        await step.finish(await storeCreated(await connection.complete(pending, query), request, parts));
      } catch (error) {
        await step.fail(error);
      }
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

function showInput(request: StepRequest, redactor: Redactor): RunValues {
  const shown = redactor.value(request.parameters);
  return { parameters: isPlainObject(shown) ? shown : {}, connection: request.connection };
}

interface CarriedOut {
  readonly bundles: readonly unknown[];
  readonly error: EngineError | undefined;
  readonly stats: RunStats;
  readonly warnings: readonly RunWarning[];
  readonly trace: readonly TraceEvent[];
  readonly entries?: StepOutcome['entries'];
  /** The page to open before the step can be completed. */
  readonly authorization?: Authorization | undefined;
}

interface Authorization {
  readonly page: string;
  readonly pending: PendingAuthorization;
}

interface CarryParts extends StepParts {
  readonly hooks: Map<string, AttachedHook>;
}

async function carryOut(request: StepRequest, engine: PoolApp, parts: CarryParts): Promise<CarriedOut> {
  switch (request.step) {
    case 'epoch':
      return listEpoch(request, engine);
    case 'attach':
    case 'detach':
      return runHookStep(request, engine, parts);
    case 'connect':
      return connect(request, engine, parts);
    default:
      return testConnection(request, engine, parts);
  }
}

async function listEpoch(request: StepRequest, engine: PoolApp): Promise<CarriedOut> {
  const { parameters } = request;
  const report = await engine
    .module(request.name, 'trigger')
    .epoch({ parameters, connection: request.connection });
  if (!report.ok) return { ...report, bundles: [] };
  const entries = report.entries.map(({ label, date, state }) => ({
    label: String(label ?? ''),
    date: date instanceof Date ? date.toISOString() : date === undefined ? undefined : String(date),
    state,
  }));
  return { ...report, bundles: report.result, entries };
}

async function runHookStep(
  request: StepRequest,
  engine: PoolApp,
  { hooks, writeHookAddress }: CarryParts,
): Promise<CarriedOut> {
  const { name, parameters } = request;
  const known = hooks.get(name);
  const webhook = { id: 1, url: writeHookAddress(name), ...known?.webhook };
  const input = { parameters: known?.parameters ?? parameters, webhook, connection: request.connection };
  const handle = engine.webhook(name);
  if (request.step === 'detach') {
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
  request: StepRequest,
  engine: PoolApp,
  { setting, redirectUri, connectionWriter }: CarryParts,
): Promise<CarriedOut> {
  const { name, parameters } = request;
  const connection = engine.connection(name);
  const { app, engine: options } = setting();
  const input = { parameters, ...listScopeUses(app, name) };
  if (!(await connection.needsPage()))
    return storeCreated(await connection.create(input), request, { connectionWriter });
  const report = await connection.authorize({ ...input, redirectUri: redirectUri() });
  if (!report.ok) return { ...report, bundles: [] };
  const { url, pending } = report;
  const page = readHostMap(options.http?.rewrite ?? {}).resolve(url) ?? url;
  // The browser opens it: a URL such as "javascript:" would run in the page.
  if (!/^https?:/i.test(page)) throw usage('The authorization page is not an http or https URL.');
  return { ...report, bundles: [], authorization: { page, pending } };
}

async function storeCreated(
  report: ConnectionReport,
  { as = '' }: StepRequest,
  { connectionWriter }: Pick<StepParts, 'connectionWriter'>,
): Promise<CarriedOut> {
  if (!report.ok) return { ...report, bundles: [] };
  await connectionWriter?.save(as, report.stored);
  const { metadata, uid } = report.stored;
  return { ...report, bundles: [{ name: as, metadata, uid }] };
}

async function testConnection(
  { connection }: StepRequest,
  engine: PoolApp,
  parts: CarryParts,
): Promise<CarriedOut> {
  const stored = await findStored(connection, parts);
  const report = await engine.connection(stored.component).test(stored);
  if (!report.ok) return { ...report, bundles: [] };
  const { metadata, uid } = report.stored;
  return { ...report, bundles: [{ name: connection, metadata, uid }] };
}

/** @throws EngineError (USAGE) without a name, (CONNECTION_MISSING) for an unknown one */
async function findStored(
  name: string | undefined,
  { setting }: Pick<StepParts, 'setting'>,
): Promise<StoredConnection> {
  if (name === undefined) throw usage('"connection": expected the name of a stored connection.');
  const stored = await setting().connections.get(name);
  if (stored === undefined) throw new EngineError('CONNECTION_MISSING', `There is no connection "${name}".`);
  return stored;
}
