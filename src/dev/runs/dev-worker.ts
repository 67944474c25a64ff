/**
 * Code of the worker thread of `iml dev`, so that a run can always be stopped. See `runner.ts` for the main thread.
 */

import { loadApp } from '../../app/loading/load-app.js';
import type { App } from '../../document/app.js';
import { EngineError } from '../../errors/engine-error.js';
import type { WorkerContext } from '../../pool/pool-task.js';
import type { PoolEngineOptions, PoolSetupContext } from '../../pool/worker-engines.js';
import type { TraceEvent } from '../../run/trace/trace.js';
import type { RunToRecord } from '../../testing/recording/rehearse-run.js';
import type { RunEnd } from '../history/record-run.js';
import type { RunRequest } from '../protocol.js';
import { createAnswerRecorder, createPlayer, type KeptAnswers } from './kept-answers.js';
import { keepRun } from './recordable-run.js';
import { type RunSetting, runComponent } from './run-component.js';

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
  /** Data for a case, or the reason why there is none. */
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
    wrapTransport: (transport) =>
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
