import path from 'node:path';
import { MANIFEST } from '../../engine/loading/read-manifest.js';
import { createRedactor } from '../../engine/redaction/redact.js';
import { collectSecrets } from '../../engine/redaction/secrets.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { createFolderWriter, relativePath, toFileName } from '../../shared/files.js';
import { isPlainObject } from '../../shared/plain-object.js';
import { escapeUnsafe } from '../../shared/text.js';
import { inferPart } from '../life/infer/infer-part.js';
import { targetOfModule } from '../life/infer/infer-target.js';
import type { RecordedCall } from '../testing/recording/record-transport.js';
import type { RunToRecord } from '../testing/recording/rehearse-run.js';
import { type HarCreator, recordHar, writeHar } from '../testing/recording/write-har.js';
import { readTraceFile } from '../testing/suite/read-trace-file.js';
import { traceDocuments } from '../testing/suite/run-trace.js';
import { TRACE_FILE_SUFFIX, writeTraceFile } from '../testing/suite/trace-file.js';
import type { TracedDocument } from '../testing/suite/traced-test.js';
import type { AppReading, AppSession } from './app-session.js';
import type { EventHub } from './event-hub.js';
import { evaluateTyped, explainDocument, MAX_EXPLAIN_MS } from './expressions/explain-document.js';
import {
  chooseMoment,
  describeItems,
  type ExplainedText,
  openMoments,
  showMoments,
} from './expressions/moments.js';
import { type Languages, type Moment, momentAt } from './expressions/scope-at.js';
import type { History } from './history/history.js';
import { readRunBundles } from './history/run-values.js';
import type {
  AppState,
  BodyRef,
  CallRequest,
  CaseDraft,
  EvaluatedValue,
  ExplainedDocument,
  FormRequest,
  InferredInterface,
  MomentName,
  PackedEvent,
  RunDetail,
  RunDiff,
  ShownForm,
  ShownItems,
  ShownMoments,
} from './protocol.js';
import type { ComponentSteps } from './runs/component-steps.js';
import { diffRuns } from './runs/diff-runs.js';
import { createFormAnswers, drawForm } from './runs/draw-form.js';
import { collectTrace, keepTrace } from './runs/kept-trace.js';
import type { RunSetting } from './runs/run-component.js';
import type { Runner } from './runs/runner.js';
import { type CaseChoice, draftCase, type RunToSave, saveCase } from './runs/save-case.js';
import { showFailure, showPlace } from './runs/show-failure.js';
import type { TestRunner } from './runs/test-runner.js';

/** Everything that the page can request. */
export interface Backend {
  readonly history: History;
  readonly runner: Runner;
  readonly tests: TestRunner;
  readonly hub: EventHub;
  readonly state: () => Promise<AppState>;
  /** The app with its current files. */
  readonly look: () => Promise<AppReading>;
  readonly form: (asked: FormRequest) => Promise<ShownForm>;
  /** @throws EngineError (HOST_MISSING) for an unknown run, here and below */
  readonly run: (id: string) => Promise<RunDetail>;
  readonly explain: (
    id: string,
    seq: number,
    item: number,
  ) => Promise<ShownMoments & { readonly documents: readonly ExplainedDocument[] }>;
  /** The items of the response at a moment. */
  readonly items: (id: string, seq: number) => Promise<ShownItems>;
  /** @throws EngineError (USAGE) for a moment that the step does not have */
  readonly evaluate: (id: string, asked: EvaluateRequest) => Promise<EvaluatedValue>;
  readonly traceFile: (id: string) => Promise<{ readonly name: string; readonly text: string }>;
  /** Requests and responses of a run as HAR 1.2. */
  readonly harFile: (id: string) => Promise<{ readonly name: string; readonly text: string }>;
  /** @returns the ID of the run in the history @throws EngineError (TRACE_FILE) */
  readonly importTrace: (text: string) => Promise<string>;
  /** Lists an epoch, attaches or detaches a webhook, creates or tests a connection. @throws EngineError (USAGE) */
  readonly step: ComponentSteps['run'];
  /** Stops a run, or the wait for an authorization. @returns whether it was running */
  readonly stop: (id: string) => boolean;
  /** Completes an authorization. @returns the ID of its run; undefined if none waits for this callback */
  readonly receiveCallback: ComponentSteps['receiveCallback'];
  /** Calls a webhook of the app. @returns the id of the run @throws EngineError (USAGE) */
  readonly call: (asked: CallRequest) => Promise<string>;
  /**
   * The case that would be written for a run. @throws EngineError for an unknown run, and for one that cannot be a
   * case
   */
  readonly draftCase: (id: string) => Promise<CaseDraft>;
  /**
   * Writes the case and runs it. @returns the ID of the test @throws EngineError as above, and for an existing file
   */
  readonly saveCase: (id: string, choice: CaseChoice) => Promise<string>;
  /**
   * Adds the fields of the bundles of a run to the interface of its module.
   *
   * @throws EngineError (USAGE) for a run without bundles, and for one whose bundles are too large to be stored
   */
  readonly infer: (id: string) => Promise<InferredInterface>;
  readonly diff: (a: string, b: string) => Promise<RunDiff>;
  /** Removes one run or all from the history. */
  readonly clear: (id?: string) => Promise<void>;
}

/** An expression, and the moment of a run to evaluate it at. */
export interface EvaluateRequest {
  readonly expression: string;
  /** An event of the step. */
  readonly seq: number;
  /** Index of the item that `item` refers to. */
  readonly item: number;
  /** Default: the moment with the most variables. */
  readonly moment: MomentName | undefined;
}

/** A stored connection without its credentials. */
export interface KeptConnection {
  readonly name: string;
  readonly component: string;
  readonly label: string | undefined;
}

export interface BackendParts {
  readonly session: AppSession;
  readonly history: History;
  readonly hub: EventHub;
  readonly runner: Runner;
  readonly steps: ComponentSteps;
  readonly tests: TestRunner;
  readonly languages: Languages;
  readonly setting: () => RunSetting;
  readonly listConnections: () => Promise<readonly KeptConnection[]>;
  /** Redirect URI of authorizations. */
  readonly redirectUri: () => string;
  /** The address of a webhook. */
  readonly writeHookAddress: (webhook: string) => string;
  readonly version: string;
  /** Identifies this start of the server; not a secret. */
  readonly start: string;
  /** Result of the last run after files were saved. */
  readonly live: () => AppState['live'];
  readonly onProblem: (error: unknown) => void;
}

/** Maximum number of events that are read at once. */
const MAX_EVENTS = 20_000;

/** Connects the parts. */
export function createBackend(parts: BackendParts): Backend {
  const { history, runner, tests, hub, session, setting } = parts;

  const answers = createFormAnswers();
  const find = async (id: string): Promise<RunDetail> => {
    const run = await history.find(id);
    if (run === undefined) throw new EngineError('HOST_MISSING', 'This run is not in the history.');
    return { ...run, canReplay: run.canReplay && runner.isAtHand(id) };
  };
  const readEvents = (id: string): Promise<readonly PackedEvent[]> => history.events(id, -1, MAX_EVENTS);
  const readDocuments = (run: RunDetail): Promise<readonly TracedDocument[]> => fromStored(run, history);
  /** The documents with the expressions of a run. */
  const readTexts = async (run: RunDetail): Promise<readonly ExplainedText[]> =>
    (await readDocuments(run)).flatMap(({ role, ...text }) =>
      role === 'base' || role === 'communication' ? [{ role, ...text }] : [],
    );
  const openMoment = async (id: string, seq: number) => {
    const run = await find(id);
    const [moment, texts, language] = await Promise.all([
      findMoment(run, seq, history),
      readTexts(run),
      parts.languages.of(session.current().app),
    ]);
    return { run, moment, texts, language };
  };

  return {
    history,
    runner,
    tests,
    hub,
    state: () => describeApp(session.current(), parts),
    look: session.look,
    form: async (asked) => {
      const { app, revision } = session.current();
      const language = await parts.languages.of(app);
      const form = await drawForm(asked, setting(), { language, answers, revision });
      const state = asked.kind === 'module' ? runner.triggerState(asked.name) : undefined;
      return state === undefined ? form : { ...form, savedState: JSON.stringify(state) };
    },
    run: find,
    explain: async (id, seq, item) => {
      const { run, moment, texts, language } = await openMoment(id, seq);
      const step = openMoments(moment, { texts, language, item });
      const { requestIndex } = moment;
      const deadlineMs = performance.now() + MAX_EXPLAIN_MS;
      return {
        ...showMoments(step),
        documents: texts.map((text) => ({
          ...explainDocument(text, { moments: step.moments, requestIndex, language, deadlineMs }),
          findings: listFindings(text, run, session.current()),
        })),
      };
    },
    items: async (id, seq) => {
      const { moment, texts, language } = await openMoment(id, seq);
      return describeItems(texts, moment, language);
    },
    evaluate: async (id, { expression, seq, item, moment: wanted }) => {
      const { moment, texts, language } = await openMoment(id, seq);
      const { name, names } = chooseMoment(openMoments(moment, { texts, language, item }), wanted);
      const template = expression.includes('{{') ? expression : `{{${expression}}}`;
      return { ...evaluateTyped(template, names, language), moment: name };
    },
    traceFile: async (id) => {
      const run = await find(id);
      const trace = await collectTrace(run, await readEvents(id), await readDocuments(run), history);
      return { name: `${toFileName(run.name)}${TRACE_FILE_SUFFIX}`, text: writeTraceFile(trace) };
    },
    harFile: async (id) => {
      const { name } = await find(id);
      const creator = { name: 'iml-runtime', version: parts.version };
      const recorded = (): ReturnType<Runner['recorded']> => runner.recorded(id);
      const text = await writeRunHar({ events: await readEvents(id), history, recorded, creator });
      return { name: `${toFileName(name)}.har`, text };
    },
    importTrace: async (text) => keepTrace(readTraceFile(text), { source: 'file' }, parts),
    step: async (asked) => {
      const outcome = await parts.steps.run(asked);
      // Webhooks and stored connections are shown with the app.
      hub.publish({ type: 'app', revision: session.current().revision });
      return outcome;
    },
    stop: (id) => runner.stop(id) || parts.steps.stop(id),
    receiveCallback: async (query) => {
      const id = await parts.steps.receiveCallback(query);
      hub.publish({ type: 'app', revision: session.current().revision });
      return id;
    },
    call: (asked) => runner.send(asked, parts.writeHookAddress(asked.webhook)),
    ...createCaseWriter(parts, find),
    infer: async (id) => inferInterface(await find(id), parts),
    diff: async (a, b) => {
      const [left, right] = await Promise.all(
        [a, b].map(async (id) => {
          const run = await find(id);
          return { run, events: await readEvents(id), documents: await readDocuments(run) };
        }),
      );
      if (left === undefined || right === undefined)
        throw new EngineError('USAGE', 'Expected the ids of two runs.');
      return diffRuns(left, right, history);
    },
    clear: async (id) => {
      await history.remove(id);
      hub.publish({ type: 'removed' });
    },
  };
}

/** The stored documents of a run. */
async function fromStored({ documents }: RunDetail, history: History): Promise<readonly TracedDocument[]> {
  const texts = await Promise.all(
    documents.map(async ({ role, file, ref }) => ({ role, file, text: (await history.body(ref))?.text })),
  );
  return texts.flatMap(({ role, file, text }) => (text === undefined ? [] : [{ role, file, text }]));
}

function createCaseWriter(
  { runner, tests, session, version }: BackendParts,
  find: Backend['run'],
): Pick<Backend, 'draftCase' | 'saveCase'> {
  const findToSave = async (id: string): Promise<RunToSave> => {
    const { startedAt } = await find(id);
    return { recorded: await runner.recorded(id), startedAt, version, root: session.root };
  };
  return {
    draftCase: async (id) => draftCase(await findToSave(id)),
    saveCase: async (id, choice) => {
      const file = await saveCase(await findToSave(id), choice);
      await tests.touch([file]);
      return relativePath(session.root, file);
    },
  };
}

/** Bundles in the history are redacted. */
async function inferInterface(
  run: RunDetail,
  { history, session }: BackendParts,
): Promise<InferredInterface> {
  const { kind, name } = run;
  const module = kind === 'module' ? session.current().app.modules.get(name) : undefined;
  if (module === undefined) throw new EngineError('USAGE', 'Only modules of the app have an interface.');
  const values = await readRunBundles(run, history);
  const { file, text, added, isChanged, manifest } = await inferPart(session.root, {
    target: targetOfModule(module),
    part: 'interface',
    values,
  });
  const writer = createFolderWriter(session.root);
  if (isChanged) await writer.replace(path.join(session.root, file), text);
  if (manifest !== undefined) await writer.replace(path.join(session.root, MANIFEST), manifest.text);
  return { file, added };
}

async function findMoment({ id }: RunDetail, seq: number, history: History): Promise<Moment> {
  const moment = await momentAt(await history.events(id, -1, MAX_EVENTS), seq, history);
  if (moment !== undefined) return moment;
  throw new EngineError('HOST_MISSING', 'Nothing was evaluated in this run, so there are no values to show.');
}

/** Current diagnostics of a document that has not changed since the run. */
function listFindings(
  { role, file, text }: ExplainedText,
  { kind, name }: RunDetail,
  { app, findings }: AppReading,
): ExplainedDocument['findings'] {
  const isAsItRan = traceDocuments(app, kind, name, [app.common?.value]).some(
    (now) => now.role === role && now.file === file && now.text === text,
  );
  if (!isAsItRan || file === undefined) return [];
  const redactor = createRedactor({ secrets: collectSecrets(app.common?.value) });
  return findings
    .filter(({ place }) => place.file === file)
    .map(({ rule, level, message, place }) => ({
      rule,
      level,
      message: redactor.text(message),
      place: showPlace(place) ?? {},
    }));
}

async function describeApp(
  { app, revision, findings, problem }: AppReading,
  parts: BackendParts,
): Promise<AppState> {
  const { session, writeHookAddress, version, start } = parts;
  const redactor = createRedactor({ secrets: collectSecrets(app.common?.value) });
  return {
    name: app.name,
    folder: session.root,
    runtime: version,
    start,
    revision,
    live: parts.live(),
    problem: problem && (await showFailure(problem, session.root, redactor)),
    modules: [...app.modules.values()].map(({ name, label, type, description, connection, epoch }) => ({
      name,
      label,
      type,
      description,
      hasEpoch: epoch !== undefined,
      connection,
    })),
    rpcs: [...app.rpcs.values()].map(({ name, label }) => ({ name, label })),
    endpoints: [...app.endpoints.values()].map(({ name, label, description, connections }) => ({
      name,
      label,
      description,
      connections,
    })),
    connections: [...app.connections.values()].map(({ name, label, type, communication }) => ({
      name,
      label,
      type,
      opensPage:
        type !== 'basic' && isPlainObject(communication?.value) && 'authorize' in communication.value,
    })),
    redirectUri: parts.redirectUri(),
    webhooks: [...app.webhooks.values()].map(({ name, label, attach }) => ({
      name,
      label,
      address: writeHookAddress(name),
      canAttach: attach !== undefined,
      attached: parts.steps.shownHook(name),
    })),
    findings: findings.map(({ rule, level, message, place }) => ({
      rule,
      level,
      message: redactor.text(message),
      place: showPlace(place) ?? {},
    })),
    kept: await parts.listConnections(),
  };
}

interface RunHarOptions {
  readonly events: readonly PackedEvent[];
  readonly history: Pick<History, 'body'>;
  /** The exchanges of the run. @throws EngineError if they are not in memory */
  readonly recorded: () => Promise<RunToRecord>;
  readonly creator: HarCreator;
}

/**
 * The requests and responses of a run as redacted HAR 1.2: byte-exact while they are in memory, otherwise from the
 * history.
 */
export async function writeRunHar({ events, history, recorded, creator }: RunHarOptions): Promise<string> {
  try {
    return await recordHar(await recorded(), creator);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return escapeUnsafe(writeHar(await collectCalls(events, history), creator));
  }
}

async function collectCalls(
  events: readonly PackedEvent[],
  history: Pick<History, 'body'>,
): Promise<readonly RecordedCall[]> {
  const calls: RecordedCall[] = [];
  for (const [index, event] of events.entries()) {
    if (event.kind !== 'request') continue;
    const { method, url, headers, at: startedAtMs } = event;
    const rest = events.slice(index + 1);
    const next = rest.findIndex(({ kind }) => kind === 'request');
    const answer = rest.slice(0, next === -1 ? undefined : next).find(({ kind }) => kind === 'response');
    const request = { method, url, headers: [...headers], body: await readBytes(event.body, history) };
    const known = { startedAtMs, error: undefined };
    if (answer?.kind !== 'response') calls.push({ ...known, request, response: undefined, durationMs: 0 });
    else {
      const { status, headers: answered, durationMs } = answer;
      const body = (await readBytes(answer.body, history)) ?? new Uint8Array();
      calls.push({ ...known, request, response: { status, headers: answered, body }, durationMs });
    }
  }
  return calls;
}

async function readBytes(
  body: BodyRef | undefined,
  history: Pick<History, 'body'>,
): Promise<Uint8Array | undefined> {
  const kept = body && (await history.body(body.ref));
  return kept && Buffer.from(kept.text, 'utf8');
}
