import type { RunInput } from '../../../engine/component/check-and-connect.js';
import type { App } from '../../../engine/document/app.js';
import type { Transport } from '../../../engine/http/transport.js';
import { loadApp } from '../../../engine/loading/load-app.js';
import type { WorkerContext } from '../../../engine/pool/messages.js';
import type { PoolEngineOptions, PoolSetupContext } from '../../../engine/pool/worker-engines.js';
import type { TraceEvent } from '../../../engine/run/trace.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { readCommon, toFixtureInput } from '../../testing/recording/recorded-input.js';
import type { RunToRecord } from '../../testing/recording/rehearse-run.js';
import { createRunRecorder, type RunRecorder } from '../../testing/recording/run-recorder.js';
import type { RunEnd } from '../history/record-run.js';
import type { RunRequest } from '../protocol.js';
import { createAnswerRecorder, createPlayer, type KeptAnswers } from './kept-answers.js';
import { type RunHooks, type RunSetting, runComponent } from './run-component.js';
import { usage } from './runner-parts.js';

/**
 * Code of the worker thread of `iml dev`, so that a run can always be stopped. See `runner.ts` for the main thread.
 */

/** Setup module of the pool: `setupData` are the options of the engines. */
export default function setUp({ data }: PoolSetupContext): PoolEngineOptions {
  return { ...Object(data), trace: 'deep' };
}

/** Input of `runInWorker`. */
export interface ComponentTask {
  readonly asked: RunRequest;
  readonly root: string;
  /** Number of times the folder was read: the worker reloads the app if it changes. */
  readonly revision: number;
  readonly engine: RunSetting['engine'];
  /** Responses of an earlier run. */
  readonly earlier: KeptAnswers | undefined;
}

/** Output of `runInWorker`. */
export interface ComponentOutcome {
  readonly end: RunEnd;
  readonly recording: KeptAnswers;
  /** Total size of the stored bodies. */
  readonly bytes: number;
  /** Whether a request had no response in `earlier`. */
  readonly hasMissed: boolean;
  /** New state of a polling trigger. */
  readonly state: unknown;
  /** Data for a case, or the reason for its absence. */
  readonly recorded: RecordedRun;
}

export type RecordedRun =
  | { readonly ok: true; readonly run: Omit<RunToRecord, 'app'> }
  | { readonly ok: false; readonly message: string };

/** Maximum number of events per message. */
const MAX_EVENTS = 100;

let loaded: { readonly key: string; readonly app: Promise<App> } | undefined;

function loadRevision(root: string, revision: number): Promise<App> {
  const key = `${revision} ${root}`;
  if (loaded?.key !== key) loaded = { key, app: loadApp(root) };
  return loaded.app;
}

/** Runs a module or RPC to its end. Calls `trace` with the events as they happen. */
export async function runInWorker(
  { asked, root, revision, engine, earlier }: ComponentTask,
  context: WorkerContext,
): Promise<ComponentOutcome> {
  const app = await loadRevision(root, revision);
  const setting = { app, root, engine, connections: context.connections(root) };
  const recorder = createAnswerRecorder();
  const keeper = keepRun(asked, setting);
  const player = earlier && createPlayer(earlier, asked.fromPage);
  const trace = createTraceSender(context);
  let state: unknown;
  const end = await runComponent(asked, setting, {
    ...keeper.hooks,
    wrap: (transport) =>
      recorder.wrap(keeper.wrap(player === undefined ? transport : player.wrap(transport))),
    onTrace: (event) => {
      if (event.kind === 'request') recorder.beginPage(event.page);
      trace.add(event);
    },
    signal: context.signal,
    onState: (next) => {
      state = next;
    },
  });
  await trace.flush();
  return {
    end,
    recording: recorder.recording(),
    bytes: keeper.bytes(),
    hasMissed: player?.hasMissed() ?? false,
    state,
    recorded: describe(() => keeper.describe(end)),
  };
}

function describe(make: () => RunToRecord): RecordedRun {
  try {
    const { app: _, ...run } = make();
    return { ok: true, run };
  } catch (error) {
    if (error instanceof EngineError) return { ok: false, message: error.message };
    throw error;
  }
}

interface TraceSender {
  readonly add: (event: TraceEvent) => void;
  readonly flush: () => Promise<void>;
}

/** Sends events in batches, because a message between threads costs as much as an event. */
function createTraceSender({ call }: WorkerContext): TraceSender {
  let waiting: TraceEvent[] = [];
  let sent: Promise<unknown> = Promise.resolve();
  const flush = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) sent = Promise.all([sent, call('trace', batch)]);
    await sent;
  };
  return {
    add: (event) => {
      if (waiting.push(event) === 1) setImmediate(() => void flush());
      else if (waiting.length >= MAX_EVENTS) void flush();
    },
    flush,
  };
}

/** A run that can become a case or a HAR file after its end. */
export interface RunKeeper {
  readonly wrap: (transport: Transport) => Transport;
  readonly hooks: Required<Pick<RunHooks, 'digest' | 'onReady'>>;
  /** Total size of the stored bodies. */
  readonly bytes: () => number;
  /**
   * The run with its secrets, for an export.
   *
   * @throws EngineError (USAGE) for a stopped run, and above the size limit
   */
  readonly describe: (end: RunEnd) => RunToRecord;
}

/** Records input, requests and responses of a run in memory. */
function keepRun(asked: RunRequest, { app, engine }: Pick<RunSetting, 'app' | 'engine'>): RunKeeper {
  const recorder = createRunRecorder(engine);
  let given: RunInput = {};
  const { digest } = recorder.engine;
  return {
    wrap: recorder.wrap,
    hooks: {
      digest,
      onReady: (input) => {
        given = input;
        recorder.begin();
      },
    },
    bytes: () =>
      recorder
        .heard()
        .calls.reduce(
          (sum, { request, response }) =>
            sum + (request.body?.byteLength ?? 0) + (response?.body.byteLength ?? 0),
          0,
        ),
    describe: (end) => {
      assertWhole(asked, end, recorder);
      const { signal: _, ...input } = given;
      const now = new Date(recorder.startedAtMs).toISOString();
      return {
        app,
        kind: findRunKind(asked, app),
        component: { type: asked.kind, name: asked.name },
        ...readCommon(app, undefined),
        ...recorder.heard(),
        input: toFixtureInput(input, engine, now),
        ended: {
          error: end.error,
          ...(end.error === undefined &&
            asked.kind === 'module' && { bundleCount: countBundles(asked, end, app) }),
        },
      };
    },
  };
}

function assertWhole(asked: RunRequest, { state, bundles }: RunEnd, recorder: RunRecorder): void {
  if (state === 'stopped') throw usage('This run was stopped: a case runs a component to its end.');
  const isLeft = asked.kind === 'module' && asked.limit !== undefined && bundles.length >= asked.limit;
  if (isLeft) {
    throw usage(
      `This run stopped after ${bundles.length} bundles, but a case needs a complete run. Run it again without "at most", and with parameters that return fewer bundles.`,
    );
  }
  if (recorder.isIncomplete()) throw usage('The bodies of this run exceed the size limit of a case.');
}

function findRunKind({ kind, name }: RunRequest, app: App): RunToRecord['kind'] {
  if (kind !== 'module') return kind;
  const type = app.modules.get(name)?.type ?? 'action';
  return type === 'universal' ? 'action' : type;
}

/** A responder has no bundles. */
function countBundles({ name }: RunRequest, { bundles, bundleCount }: RunEnd, app: App): number | undefined {
  return app.modules.get(name)?.type === 'responder' ? undefined : (bundleCount ?? bundles.length);
}
