import type { App } from '../../../engine/document/app.js';
import { SANITIZED } from '../../../engine/redaction/redact-text.js';
import type { TraceEvent } from '../../../engine/run/trace.js';
import type { IncomingCall } from '../../../engine/webhook/incoming-call.js';
import type { WebhookReport } from '../../../engine/webhook/webhook-report.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import { DEV_WORKER } from '../../../shared/worker-urls.js';
import type { RunToRecord } from '../../testing/recording/rehearse-run.js';
import { startRecord } from '../history/record-run.js';
import type { CallRequest, RunRequest } from '../protocol.js';
import type { ComponentOutcome, ComponentTask, RecordedRun } from './dev-worker.js';
import type { KeptAnswers } from './kept-answers.js';
import { describeLimits, shownInput } from './run-component.js';
import type { RunnerParts } from './runner-parts.js';
import { usage } from './runner-parts.js';
import { endFailed } from './show-failure.js';
import { createWebhookCalls, writeCall } from './webhook-calls.js';

/** Runs components and remembers their input in memory. */
export interface Runner {
  /** ID of the last module run with stored responses. */
  readonly last: () => string | undefined;
  /** State of a polling trigger after its last run; undefined before the first one. */
  readonly triggerState: (module: string) => unknown;
  /** Starts a run. @returns its ID @throws EngineError (USAGE) for an invalid request */
  readonly start: (asked: RunRequest) => Promise<string>;
  /** Stops a run. @returns whether it was running */
  readonly stop: (id: string) => boolean;
  /** Processes a webhook call. */
  readonly receive: (webhook: string, call: IncomingCall) => Promise<WebhookReport>;
  /** Processes an earlier call again. @throws EngineError (USAGE) if it is no longer in memory */
  readonly receiveAgain: (id: string) => Promise<string>;
  /**
   * Processes a call of the user. `address` is that of the webhook.
   *
   * @throws EngineError (USAGE) for an unknown webhook, and for redacted values that are no longer in memory
   */
  readonly send: (asked: CallRequest, address: string) => Promise<string>;
  /** Whether the exchanges or the call of a run are still in memory. */
  readonly isAtHand: (id: string) => boolean;
  /**
   * The exchanges of a run with secrets, for an export.
   *
   * @throws EngineError (USAGE) for a run that is not in memory or was stopped
   */
  readonly recorded: (id: string) => Promise<RunToRecord>;
  /**
   * Repeats the last module run on its responses with the current app. Undefined without one; `run` is undefined if
   * the app would send other requests.
   */
  readonly refresh: () => Promise<{ readonly of: string; readonly run: string | undefined } | undefined>;
  /** Stops runs and waits for them. */
  readonly close: () => Promise<void>;
}

interface Remembered {
  readonly asked: RunRequest;
  readonly recording: KeptAnswers;
  /** Total size of the bodies. */
  readonly bytes: number;
  readonly recorded: RecordedRun;
}

/** Maximum number of runs with stored responses, and their maximum total size. */
const MAX_REMEMBERED = 30;
const MAX_REMEMBERED_BYTES = 128 * 1024 * 1024;

/** Maximum number of concurrent runs. */
const MAX_RUNNING = 10;

/** Creates a runner. `onLast` is called when the last run changes. */
export function createRunner(
  parts: RunnerParts & {
    readonly onLast: () => void;
    /** `id`, `url` and the result of attach; undefined for a webhook that is not attached. */
    readonly findHook: (webhook: string) => PlainObject | undefined;
  },
): Runner {
  const remembered = new Map<string, Remembered>();
  const calls = createWebhookCalls(parts);
  const running = new Map<string, { readonly abort: AbortController; readonly done: Promise<unknown> }>();
  const triggerStates = new Map<string, unknown>();
  let last: string | undefined;

  const start: Runner['start'] = async (given) => {
    const setting = parts.setting();
    if (running.size >= MAX_RUNNING) throw usage(`${MAX_RUNNING} runs are active. Stop one first.`);
    assertComponent(given, setting.app);
    const earlier = given.replayOf === undefined ? undefined : remembered.get(given.replayOf);
    if (given.replayOf !== undefined && earlier === undefined) {
      throw usage('The responses of this run are no longer available. Run it again first.');
    }
    const state = given.start === 'saved' ? triggerStates.get(given.name) : given.state;
    if (given.start === 'saved' && state === undefined)
      throw usage('This trigger has no saved state: run it first.');
    const asked = {
      ...given,
      state,
      parameters: restoreHidden(given, earlier?.asked ?? remembered.get(given.again ?? last ?? '')?.asked),
    };
    const record = await startRecord(
      {
        app: setting.app.name,
        kind: asked.kind,
        name: asked.name,
        source: earlier === undefined ? 'run' : 'replay',
        limits: describeLimits(setting),
        input: shownInput(asked, setting.app),
        replayOf: asked.replayOf,
      },
      parts,
    );
    const abort = new AbortController();
    const work = runInPool(parts, { asked, earlier: earlier?.recording }, record.add, abort.signal);
    const done = work
      .then(
        async ({ end, state: next, ...outcome }) => {
          remember(remembered, record.id, { asked, ...outcome });
          if (next !== undefined) triggerStates.set(asked.name, next);
          if (asked.kind === 'module') {
            last = record.id;
            parts.onLast();
          }
          await record.finish({ ...end, canReplay: outcome.recording.isWhole });
        },
        async (thrown: unknown) =>
          record.finish(await endFailed(abort.signal.aborted ? undefined : thrown, setting)),
      )
      .catch(parts.onProblem)
      .finally(() => running.delete(record.id));
    running.set(record.id, { abort, done });
    return record.id;
  };

  return {
    last: () => last,
    triggerState: (module) => triggerStates.get(module),
    start,
    stop: (id) => {
      const found = running.get(id);
      found?.abort.abort(new DOMException('The run was stopped.', 'AbortError'));
      return found !== undefined;
    },
    receive: calls.receive,
    receiveAgain: async (id) => {
      const found = calls.find(id);
      if (found === undefined)
        throw usage('This call is no longer available. Only its sender can send it again.');
      return (await calls.receive(found.webhook, found.call)).id;
    },
    send: async (asked, address) => {
      const { webhooks } = parts.setting().app;
      if (!webhooks.has(asked.webhook))
        throw usage(`There is no webhook "${asked.webhook}".${didYouMean(asked.webhook, webhooks.keys())}`);
      const earlier = asked.of === undefined ? undefined : calls.find(asked.of);
      return (await calls.receive(asked.webhook, writeCall(asked, address, earlier))).id;
    },
    isAtHand: (id) => remembered.has(id) || calls.find(id) !== undefined,
    recorded: async (id) => {
      const call = calls.find(id);
      if (call !== undefined) return calls.describe(call);
      const found = remembered.get(id);
      if (found === undefined)
        throw usage('The requests and responses of this run are no longer available. Run it again first.');
      return describeRecorded(found.recorded, parts.setting().app);
    },
    refresh: () => refresh(last, { parts, remembered }),
    close: async () => {
      for (const { abort } of running.values()) abort.abort(new DOMException('iml dev ends.', 'AbortError'));
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

/** Adds a run and drops the oldest ones above the limits. */
function remember(remembered: Map<string, Remembered>, id: string, entry: Remembered): void {
  remembered.set(id, entry);
  let bytes = 0;
  for (const [key, { bytes: own }] of [...remembered].reverse()) {
    bytes += own;
    if (bytes > MAX_REMEMBERED_BYTES && key !== id) remembered.delete(key);
  }
  for (const key of remembered.keys()) {
    if (remembered.size <= MAX_REMEMBERED) break;
    remembered.delete(key);
  }
}

interface RefreshParts {
  readonly parts: RunnerParts;
  readonly remembered: Map<string, Remembered>;
}

/** A run with other requests is not stored, because its error would be misleading. */
async function refresh(
  of: string | undefined,
  { parts, remembered }: RefreshParts,
): Promise<{ readonly of: string; readonly run: string | undefined } | undefined> {
  const found = of === undefined ? undefined : remembered.get(of);
  const setting = parts.setting();
  if (of === undefined || !found?.recording.isWhole || !setting.app.modules.has(found.asked.name))
    return undefined;
  const events: TraceEvent[] = [];
  const startedAt = Date.now();
  const asked = { ...found.asked, fromPage: undefined };
  const { end, hasMissed, recorded } = await runInPool(
    parts,
    { asked, earlier: found.recording },
    (event) => events.push(event),
    AbortSignal.timeout(MAX_REFRESH_MS),
  );
  if (hasMissed) return { of, run: undefined };
  const { kind, name } = found.asked;
  const record = await startRecord(
    {
      app: setting.app.name,
      kind,
      name,
      source: 'file',
      startedAt,
      replayOf: of,
      limits: describeLimits(setting),
      input: shownInput(found.asked, setting.app),
    },
    parts,
  );
  for (const event of events) record.add(event);
  await record.finish({ ...end, canReplay: true });
  // A replay shares the responses of its original.
  remembered.set(record.id, { ...found, recorded });
  return { of, run: record.id };
}

/** Runs a component in the worker thread. Rejects if the worker was terminated or the app does not load there. */
async function runInPool(
  { pool, setting, revision }: RunnerParts,
  task: Pick<ComponentTask, 'asked' | 'earlier'>,
  onTrace: (event: TraceEvent) => void,
  signal: AbortSignal,
): Promise<ComponentOutcome> {
  const { root, engine, app } = setting();
  const { timeMs = Number.POSITIVE_INFINITY } = describeLimits({ app, engine });
  const input: ComponentTask = { ...task, root, engine, revision: revision() };
  const outcome = await pool.run({
    module: DEV_WORKER,
    name: 'runInWorker',
    app: root,
    input,
    signal,
    timeoutMs: Math.min(timeMs + EXTRA_MS, MAX_TIMEOUT_MS),
    calls: {
      trace: (events: readonly TraceEvent[]) => {
        for (const event of events) onTrace(event);
      },
    },
  });
  return outcome as ComponentOutcome;
}

/** Grace period after the time limit of a run before its worker is terminated. */
const EXTRA_MS = 20_000;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** @throws EngineError (USAGE) for a stopped run, and above the size limit */
function describeRecorded(recorded: RecordedRun, app: App): RunToRecord {
  if (!recorded.ok) throw usage(recorded.message);
  return { ...recorded.run, app };
}

/** The replay waits only for computations and for `repeat`. */
const MAX_REFRESH_MS = 10_000;

function assertComponent({ kind, name }: RunRequest, app: App): void {
  const components = { module: app.modules, rpc: app.rpcs, endpoint: app.endpoints }[kind];
  if (components.has(name)) return;
  throw usage(`There is no ${kind} "${name}".${didYouMean(name, components.keys())}`);
}

/**
 * Restores values that were redacted for the page from the original run.
 *
 * @throws EngineError (USAGE) if that run is not in memory
 */
function restoreHidden(asked: RunRequest, earlier: RunRequest | undefined): RunRequest['parameters'] {
  const source = earlier?.name === asked.name ? earlier.parameters : undefined;
  const restored = restore(asked.parameters, source, '');
  return isPlainObject(restored) ? restored : {};
}

function restore(value: unknown, source: unknown, path: string): unknown {
  if (value === SANITIZED) {
    if (source !== undefined) return source;
    throw usage(`The value of "${path}" was redacted and is no longer available. Enter it again.`);
  }
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      restore(item, Array.isArray(source) ? source[index] : undefined, `${path}.${index}`),
    );
  }
  if (!isPlainObject(value)) return value;
  const from = isPlainObject(source) ? source : {};
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      restore(member, ownMember(from, name), path === '' ? name : `${path}.${name}`),
    ]),
  );
}
