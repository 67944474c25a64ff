import type { App } from '../../document/app.js';
import { EngineError } from '../../errors/engine-error.js';
import { collectSecrets } from '../../redaction/collect-secrets.js';
import { createRedactor } from '../../redaction/redact.js';
import { SANITIZED } from '../../redaction/redact-value.js';
import type { TraceEvent } from '../../run/trace/trace.js';
import type { RunToRecord } from '../../testing/recording/rehearse-run.js';
import { isPlainObject, ownMember, type PlainObject } from '../../util/plain-object.js';
import { didYouMean } from '../../util/suggest.js';
import type { IncomingCall } from '../../webhook/incoming-call.js';
import type { WebhookReport } from '../../webhook/webhook-report.js';
import { DEV_WORKER } from '../dev-worker-url.js';
import { type RunEnd, startRecord } from '../history/record-run.js';
import type { CallRequest, RunRequest } from '../protocol.js';
import type { ComponentOutcome, ComponentTask, RecordedRun } from './dev-worker.js';
import type { KeptAnswers } from './kept-answers.js';
import { describeLimits, type RunSetting, shownInput } from './run-component.js';
import type { RunnerParts } from './runner-parts.js';
import { showFailure } from './show-failure.js';
import { createWebhookCalls, writeCall } from './webhook-calls.js';

/** Where components are run, and what was given to them is remembered while the command runs. */
export interface Runner {
  /** The id of the last run of a module whose answers are at hand. */
  readonly last: () => string | undefined;
  /** The state of a polling trigger after its last run; undefined before the first one. */
  readonly triggerState: (module: string) => unknown;
  /** Starts a run. @returns its id @throws EngineError (USAGE) for what cannot be carried out */
  readonly start: (asked: RunRequest) => Promise<string>;
  /** Whether there was a run under way. */
  readonly stop: (id: string) => boolean;
  /** Resolves when a run is over and in the history, at once where none is under way, and when the signal aborts. */
  readonly ended: (id: string, signal: AbortSignal) => Promise<void>;
  /** Processes a call of a webhook. */
  readonly receive: (webhook: string, call: IncomingCall) => Promise<WebhookReport>;
  /** Sends a call that was received before, once more. @throws EngineError (USAGE) for one that is not at hand */
  readonly receiveAgain: (id: string) => Promise<string>;
  /**
   * Sends a call that somebody wrote. `address` is that of the webhook.
   *
   * @throws EngineError (USAGE) for a webhook that is not there, and for what was hidden and is not at hand
   */
  readonly send: (asked: CallRequest, address: string) => Promise<string>;
  /** Whether what a run sent and received, or the call it was of, is still in memory. */
  readonly isAtHand: (id: string) => boolean;
  /**
   * All that a run sent and received, secrets included, as a case or an archive of it is made of.
   *
   * @throws EngineError (USAGE) for a run that is not at hand, or was left before its end
   */
  readonly recorded: (id: string) => Promise<RunToRecord>;
  /**
   * Runs the last run of a module again on its answers, with the app as it is now. Undefined where there is none; `run`
   * is undefined where it would ask for something else.
   */
  readonly refresh: () => Promise<{ readonly of: string; readonly run: string | undefined } | undefined>;
  /** Waits for what is under way, which is told to stop. */
  readonly close: () => Promise<void>;
}

interface Remembered {
  readonly asked: RunRequest;
  readonly recording: KeptAnswers;
  /** Of all bodies. */
  readonly bytes: number;
  readonly recorded: RecordedRun;
}

/** Answers of this many runs are kept, and of no more than so many bytes. */
const MAX_REMEMBERED = 30;
const MAX_REMEMBERED_BYTES = 128 * 1024 * 1024;

/** Runs at a time. */
const MAX_RUNNING = 10;

/** A runner without runs. `onLast` hears that there is another last run. */
export function createRunner(
  parts: RunnerParts & {
    readonly onLast: () => void;
    /** `id`, `url` and what attach returned; undefined for a webhook that is not attached. */
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
    if (running.size >= MAX_RUNNING) throw usage(`${MAX_RUNNING} runs are under way: stop one first.`);
    assertComponent(given, setting.app);
    const earlier = given.replayOf === undefined ? undefined : remembered.get(given.replayOf);
    if (given.replayOf !== undefined && earlier === undefined) {
      throw usage('The answers of this run are not at hand any more: run it again first.');
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
        async (thrown: unknown) => record.finish(await endTerminated(thrown, abort.signal, setting)),
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
      found?.abort.abort(new DOMException('Somebody stopped the run.', 'AbortError'));
      return found !== undefined;
    },
    ended: async (id, signal) => {
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([running.get(id)?.done, aborted]);
    },
    receive: calls.receive,
    receiveAgain: async (id) => {
      const found = calls.find(id);
      if (found === undefined)
        throw usage('This call is not at hand any more: only its sender can send it again.');
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
        throw usage('What this run sent and received is not at hand any more: run it again first.');
      return describeRecorded(found.recorded, parts.setting().app);
    },
    refresh: () => refresh(last, { parts, remembered }),
    close: async () => {
      for (const { abort } of running.values()) abort.abort(new DOMException('iml dev ends.', 'AbortError'));
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

/** Adds a run, and forgets the oldest ones of those that are too many or too large. */
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

/** Nothing is kept of a run that asks for something else: it would show an error that is none. */
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
  // Its own answers are those of the run it is of.
  remembered.set(record.id, { ...found, recorded });
  return { of, run: record.id };
}

/** Runs a component in the worker thread. Rejects if the worker was terminated, or the app does not load there. */
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

/** Time that a run has in its worker beyond its own limit, at which it ends by itself. */
const EXTRA_MS = 20_000;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The end of a run whose worker was terminated, or that could not start. */
async function endTerminated(
  thrown: unknown,
  signal: AbortSignal,
  { app, root }: RunSetting,
): Promise<RunEnd> {
  const error = thrown instanceof EngineError ? thrown : usage(`Internal error: ${String(thrown)}`);
  const redactor = createRedactor({ secrets: collectSecrets(app.common?.value) });
  const failure = signal.aborted ? undefined : await showFailure(error, root, redactor);
  return {
    requests: 0,
    pages: 0,
    records: 0,
    stopReason: undefined,
    durationMs: 0,
    state: signal.aborted ? 'stopped' : 'failed',
    failure,
    error: failure && { type: failure.type, message: failure.message },
    bundles: [],
    allWarnings: [],
    canReplay: false,
    documents: [],
  };
}

/** @throws EngineError (USAGE) for a run that was left before its end, or of which too much was kept */
function describeRecorded(recorded: RecordedRun, app: App): RunToRecord {
  if (!recorded.ok) throw usage(recorded.message);
  return { ...recorded.run, app };
}

/** Nothing is waited for but what the app itself computes, and what `repeat` waits. */
const MAX_REFRESH_MS = 10_000;

function assertComponent({ kind, name }: RunRequest, app: App): void {
  const components = kind === 'module' ? app.modules : app.rpcs;
  if (components.has(name)) return;
  throw usage(`There is no ${kind} "${name}".${didYouMean(name, components.keys())}`);
}

/**
 * Values that were hidden when the page got them come back as they were, from the run they were given to.
 *
 * @throws EngineError (USAGE) where that run is not at hand
 */
function restoreHidden(asked: RunRequest, earlier: RunRequest | undefined): RunRequest['parameters'] {
  const source = earlier?.name === asked.name ? earlier.parameters : undefined;
  const restored = restore(asked.parameters, source, '');
  return isPlainObject(restored) ? restored : {};
}

function restore(value: unknown, source: unknown, path: string): unknown {
  if (value === SANITIZED) {
    if (source !== undefined) return source;
    throw usage(`The value of "${path}" was hidden, and is not at hand any more: enter it again.`);
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

function usage(message: string): EngineError {
  return new EngineError('USAGE', message);
}
