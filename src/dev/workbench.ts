import { EngineError } from '../errors/engine-error.js';
import { collectSecrets } from '../redaction/collect-secrets.js';
import { createRedactor } from '../redaction/redact.js';
import { DEFAULT_LIMITS } from '../run/limits/limits.js';
import type { TraceEvent } from '../run/trace/trace.js';
import type { RunTrace } from '../testing/traces/run-trace.js';
import { readTraceFile, TRACE_FILE_SUFFIX, writeTraceFile } from '../testing/traces/trace-file.js';
import {
  type ExplainedText,
  evaluateAt,
  explainDocument,
  listItems,
} from './expressions/explain-document.js';
import type { Languages } from './expressions/language.js';
import { type Moment, momentAt, readBody } from './expressions/scope-at.js';
import type { History } from './history/history.js';
import { startRecord } from './history/record-run.js';
import type { AppReading, AppSession } from './live/app-session.js';
import type { EventHub } from './live/event-hub.js';
import type {
  AppState,
  ExplainedDocument,
  PackedEvent,
  RunDetail,
  RunDiff,
  RunWish,
  ShownForm,
  ShownValue,
} from './protocol.js';
import { diffRuns } from './runs/diff-runs.js';
import { drawForm } from './runs/draw-form.js';
import type { RunSetting } from './runs/run-component.js';
import { showFailure, showPlace } from './runs/show-failure.js';
import type { Workshop } from './runs/workshop.js';

/** All that the page and other clients can ask for. */
export interface Workbench {
  readonly history: History;
  readonly workshop: Workshop;
  readonly hub: EventHub;
  /** The folder of the app. */
  readonly root: string;
  readonly state: () => Promise<AppState>;
  /** The app as its files are at this moment. */
  readonly look: () => Promise<AppReading>;
  readonly form: (wish: RunWish) => Promise<ShownForm>;
  /** @throws EngineError (HOST_MISSING) for a run that is not kept, here and below */
  readonly run: (id: string) => Promise<RunDetail>;
  readonly explain: (
    id: string,
    seq: number,
    item: number,
  ) => Promise<{ readonly documents: readonly ExplainedDocument[]; readonly items: number }>;
  readonly evaluate: (
    id: string,
    at: { readonly expression: string; readonly seq: number; readonly item: number },
  ) => Promise<ShownValue>;
  readonly traceFile: (id: string) => Promise<{ readonly name: string; readonly text: string }>;
  /** @returns the id it has in the history @throws EngineError (TRACE_FILE) */
  readonly importTrace: (text: string) => Promise<string>;
  readonly diff: (a: string, b: string) => Promise<RunDiff>;
  /** Takes one run out of the history, or all. */
  readonly clear: (id?: string) => Promise<void>;
}

/** A connection that is kept, as may be shown. */
export interface KeptConnection {
  readonly name: string;
  readonly component: string;
  readonly label: string | undefined;
}

export interface WorkbenchParts {
  readonly session: AppSession;
  readonly history: History;
  readonly hub: EventHub;
  readonly workshop: Workshop;
  readonly languages: Languages;
  readonly setting: () => RunSetting;
  readonly listConnections: () => Promise<readonly KeptConnection[]>;
  /** Where calls of a webhook are received. */
  readonly writeHookAddress: (webhook: string) => string;
  readonly version: string;
  /** Tells this start from others; no secret, and made of none. */
  readonly start: string;
  /** What became of the last run when files were saved. */
  readonly live: () => AppState['live'];
  readonly onProblem: (error: unknown) => void;
}

/** Events of a run that are looked at in one piece. */
const MAX_EVENTS = 20_000;

/** Puts the parts together. */
export function createWorkbench(parts: WorkbenchParts): Workbench {
  const { history, workshop, hub, session, setting } = parts;

  const find = async (id: string): Promise<RunDetail> => {
    const run = await history.find(id);
    if (run === undefined) throw new EngineError('HOST_MISSING', 'This run is not in the history.');
    return run;
  };
  const readEvents = (id: string): Promise<readonly PackedEvent[]> => history.events(id, -1, MAX_EVENTS);
  const readTexts = async (run: RunDetail): Promise<readonly ExplainedText[]> => {
    const texts = await Promise.all(
      run.documents.map(async ({ role, file, ref }) => ({
        role,
        file,
        text: (await history.body(ref))?.text,
      })),
    );
    return texts.flatMap(({ role, file, text }) => (text === undefined ? [] : [{ role, file, text }]));
  };
  const findMoment = async (run: RunDetail, seq: number): Promise<Moment> => {
    const moment = await momentAt(await readEvents(run.id), seq, history);
    if (moment === undefined) {
      throw new EngineError(
        'HOST_MISSING',
        'Nothing was evaluated in this run, so there are no values to show.',
      );
    }
    return moment;
  };

  return {
    history,
    workshop,
    hub,
    root: session.root,
    state: () => describeApp(session.current(), parts),
    look: session.look,
    form: (wish) => drawForm(wish, setting()),
    run: find,
    explain: async (id, seq, item) => {
      const run = await find(id);
      const [moment, texts, language] = await Promise.all([
        findMoment(run, seq),
        readTexts(run),
        parts.languages.of(session.current().app),
      ]);
      const options = { moment, item, language, texts };
      return {
        documents: texts.map((text) => explainDocument(text, options)),
        items: listItems(texts, moment, language).length,
      };
    },
    evaluate: async (id, { expression, seq, item }) => {
      const run = await find(id);
      const [moment, texts, language] = await Promise.all([
        findMoment(run, seq),
        readTexts(run),
        parts.languages.of(session.current().app),
      ]);
      const items = listItems(texts, moment, language);
      const names = items.length === 0 ? moment.response : { ...moment.response, item: items[item] };
      const template = expression.includes('{{') ? expression : `{{${expression}}}`;
      return evaluateAt(template, names, language);
    },
    traceFile: async (id) => {
      const run = await find(id);
      const trace = await collectTrace(run, await readEvents(id), await readTexts(run), history);
      return { name: `${run.name.replace(/[^\w-]/g, '_')}${TRACE_FILE_SUFFIX}`, text: writeTraceFile(trace) };
    },
    importTrace: async (text) => importTrace(readTraceFile(text), parts),
    diff: async (a, b) => {
      const [left, right] = await Promise.all(
        [a, b].map(async (id) => ({ run: await find(id), events: await readEvents(id) })),
      );
      if (left === undefined || right === undefined) throw new EngineError('USAGE', 'Two runs are compared.');
      return diffRuns(left, right, history);
    },
    clear: async (id) => {
      await history.remove(id);
      hub.publish({ type: 'removed' });
    },
  };
}

async function describeApp(
  { app, revision, findings, problem }: AppReading,
  parts: WorkbenchParts,
): Promise<AppState> {
  const { session, writeHookAddress, version, start } = parts;
  const redactor = createRedactor({ secrets: collectSecrets(app.common?.value) });
  return {
    ...{ name: app.name, folder: session.root, runtime: version, start, revision, live: parts.live() },
    problem: problem && (await showFailure(problem, session.root, redactor)),
    modules: [...app.modules.values()].map(({ name, label, type, description, connection }) => ({
      ...{ name, label, type, description, connection },
    })),
    rpcs: [...app.rpcs.values()].map(({ name, label }) => ({ name, label })),
    connections: [...app.connections.values()].map(({ name, label, type }) => ({ name, label, type })),
    webhooks: [...app.webhooks.values()].map(({ name, label }) => ({
      name,
      label,
      address: writeHookAddress(name),
    })),
    findings: findings.map(({ rule, level, message, place }) => ({
      ...{ rule, level, message: redactor.text(message), place: showPlace(place) ?? {} },
    })),
    kept: await parts.listConnections(),
  };
}

/** A run of the history as a file: what was taken out of its events goes in again. */
async function collectTrace(
  run: RunDetail,
  packed: readonly PackedEvent[],
  documents: readonly ExplainedText[],
  history: History,
): Promise<RunTrace> {
  const events: TraceEvent[] = [];
  for (const event of packed) events.push(await unpack(event, history));
  const { requests, pages, records, timeMs } = run.limits;
  const none = Number.POSITIVE_INFINITY;
  return {
    ...{ app: run.app, kind: run.kind, name: run.name, startedAt: run.startedAt, documents, events },
    limits: {
      ...DEFAULT_LIMITS,
      ...{ maxRequests: requests ?? none, maxPages: pages ?? none, maxRecords: records ?? none },
      ...{ timeoutMs: timeMs ?? none, maxTimeoutMs: timeMs ?? none },
    },
    end: {
      state: run.state === 'running' ? 'stopped' : run.state,
      bundles: run.bundles,
      stats: {
        ...{ requests: run.requests, pages: run.pages, records: run.records },
        ...{ durationMs: run.durationMs, stopReason: run.stopReason },
      },
      // What is shown of a warning is all there is of it.
      warnings: run.allWarnings as RunTrace['end']['warnings'],
      error: run.failure && { ...run.failure },
    },
  };
}

async function unpack(event: PackedEvent, history: History): Promise<TraceEvent> {
  switch (event.kind) {
    case 'request':
    case 'response': {
      const { seq: _, body, ...rest } = event;
      return body === undefined ? rest : { ...rest, body: await readBody(body.ref, history) };
    }
    case 'scope': {
      const { seq: _, names, ...rest } = event;
      const values: Record<string, unknown> = {};
      for (const [name, { ref }] of Object.entries(names)) values[name] = await readBody(ref, history);
      return { ...rest, names: values };
    }
    case 'page': {
      const { seq: _, outputs, count: __, ...rest } = event;
      const list = await readBody(outputs.ref, history);
      return { ...rest, outputs: Array.isArray(list) ? list : [] };
    }
    default: {
      const { seq: _, ...rest } = event;
      return rest;
    }
  }
}

async function importTrace(trace: RunTrace, { history, hub, onProblem }: WorkbenchParts): Promise<string> {
  const { limits, end, events } = trace;
  const shown = (limit: number): number | undefined => (Number.isFinite(limit) ? limit : undefined);
  const first = events.find((event) => event.kind === 'scope');
  const parameters = first?.kind === 'scope' ? first.names['parameters'] : undefined;
  const record = await startRecord(
    {
      ...{ app: trace.app, kind: trace.kind, name: trace.name, source: 'file', replayOf: undefined },
      limits: {
        ...{ requests: shown(limits.maxRequests), pages: shown(limits.maxPages) },
        ...{ records: shown(limits.maxRecords), timeMs: shown(limits.timeoutMs) },
      },
      input: { parameters: typeof parameters === 'object' && parameters !== null ? { ...parameters } : {} },
    },
    { history, hub, onProblem },
  );
  for (const event of events) record.add(event);
  const bundles = events.flatMap((event) => (event.kind === 'page' ? event.outputs : []));
  const failure = end.error === undefined ? undefined : failureFrom(end.error);
  const { requests, pages, records, durationMs, stopReason } = end.stats;
  await record.finish({
    ...{ requests, pages, records, durationMs, stopReason, failure },
    error: failure && { type: failure.type, message: failure.message },
    ...{ state: end.state, bundles, bundleCount: end.bundles, documents: trace.documents, canReplay: false },
    allWarnings: end.warnings.map(({ code, message, place }) => ({ code, message, place: showPlace(place) })),
  });
  return record.id;
}

/** A file may come from anybody: only words and numbers are taken. */
function failureFrom(error: Readonly<Record<string, unknown>>): NonNullable<RunDetail['failure']> {
  const text = (name: string): string | undefined => {
    const value = error[name];
    return typeof value === 'string' ? value : undefined;
  };
  const count = (name: string): number | undefined => {
    const value = error[name];
    return typeof value === 'number' ? value : undefined;
  };
  const place = error['place'];
  const suberrors = error['suberrors'];
  return {
    type: text('type') ?? text('name') ?? 'Error',
    message: text('message') ?? '',
    code: text('code'),
    status: count('statusCode') ?? count('status'),
    requestIndex: count('requestIndex'),
    page: count('page'),
    place: typeof place === 'object' && place !== null ? showPlace(place) : undefined,
    suberrors: Array.isArray(suberrors) ? suberrors.filter((item) => typeof item === 'string') : [],
    hint: text('hint'),
    frame: text('frame'),
  };
}
