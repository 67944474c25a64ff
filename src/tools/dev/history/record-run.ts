import { randomBytes } from 'node:crypto';
import type { TraceEvent } from '../../../engine/run/trace.js';
import type { TracedDocument } from '../../testing/suite/traced-test.js';
import type { EventHub } from '../event-hub.js';
import type { RunKind, RunOrigin, RunState, RunSummary } from '../protocol.js';
import { type History, packBody, packEvents, type RunRest } from './history.js';

/** A run at its start. */
export interface RunStart extends Pick<RunRest, 'limits' | 'input' | 'replayOf'> {
  /** The test, if any. */
  readonly test?: RunRest['testRun'];
  readonly app: string;
  readonly kind: RunKind;
  readonly name: string;
  readonly source: RunOrigin;
  readonly step?: RunSummary['step'];
  /** Default: now. */
  readonly startedAt?: number | undefined;
}

/** A run at its end. */
export interface RunEnd
  extends Pick<RunSummary, 'requests' | 'followUpPages' | 'records' | 'stopReason' | 'durationMs' | 'error'>,
    Pick<RunRest, 'failure' | 'allWarnings' | 'canReplay' | 'hook'> {
  readonly state: Exclude<RunState, 'running'>;
  /** Redacted. */
  readonly bundles: readonly unknown[];
  /** Default: the number of `bundles`. */
  readonly bundleCount?: number | undefined;
  /** The input as expressions see it. Default: unchanged. */
  readonly input?: RunRest['input'] | undefined;
  /** The documents of the run. */
  readonly documents: readonly TracedDocument[];
}

/** Stores a run while it happens, and notifies listeners. */
export interface RunRecord {
  readonly id: string;
  readonly add: (event: TraceEvent) => void;
  /** Resolves when everything is written. */
  readonly finish: (end: RunEnd) => Promise<RunSummary>;
}

/** Interval of writing events in batches. */
const WRITE_EVERY_MS = 150;

/** Maximum number of stored events per run: the first ones and the end. */
const MAX_EVENTS = 20_000;

/** @param onProblem called if the history cannot be written; the run continues */
export async function startRecord(
  start: RunStart,
  {
    history,
    hub,
    onProblem,
  }: { readonly history: History; readonly hub: EventHub; readonly onProblem: (error: unknown) => void },
): Promise<RunRecord> {
  const { limits, input, replayOf, startedAt = Date.now(), test, ...known } = start;
  const id = `${startedAt.toString(36)}-${randomBytes(5).toString('hex')}`;
  let summary: RunSummary = {
    id,
    ...known,
    state: 'running',
    startedAt,
    durationMs: 0,
    requests: 0,
    followUpPages: 0,
    records: 0,
    bundles: 0,
    warnings: 0,
    stopReason: undefined,
    error: undefined,
    events: 0,
    ...(test !== undefined && { test: { name: test.name, file: test.file, status: test.status } }),
  };
  let rest: RunRest = {
    limits,
    input,
    replayOf,
    documents: [],
    failure: undefined,
    allWarnings: [],
    bundleList: undefined,
    canReplay: false,
    testRun: test,
  };
  let waiting: TraceEvent[] = [];
  let writing: Promise<void> = history.saveRun(summary, rest);
  let timer: NodeJS.Timeout | undefined;
  await writing;
  hub.publish({ type: 'run', run: summary });

  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    const state = summary;
    waiting = [];
    writing = writing
      .then(() => history.addEvents(id, packEvents(batch, state.events - batch.length)))
      .then(() => history.saveRun(state, rest))
      .then(() => hub.publish({ type: 'run', run: state }))
      .catch(onProblem);
  };

  return {
    id,
    add: (event) => {
      if (summary.events >= MAX_EVENTS) return;
      waiting.push(event);
      summary = { ...summary, events: summary.events + 1, ...readProgress(event, summary, startedAt) };
      timer ??= setTimeout(write, WRITE_EVERY_MS);
    },
    finish: async ({
      bundles,
      bundleCount,
      documents,
      failure,
      allWarnings,
      canReplay,
      input: seen,
      hook,
      ...numbers
    }) => {
      const list = packBody(bundles, 'bundles');
      const texts = await Promise.all(
        documents.map(async ({ role, file, text }) => ({
          role,
          file,
          body: packBody(text, `document ${role}`),
        })),
      );
      summary = {
        ...summary,
        ...numbers,
        bundles: bundleCount ?? bundles.length,
        warnings: allWarnings.length,
      };
      rest = {
        ...rest,
        failure,
        allWarnings,
        canReplay,
        hook,
        input: seen ?? rest.input,
        bundleList: { ref: list.ref, size: list.text.length },
        documents: texts.map(({ role, file, body }) => ({ role, file, ref: body.ref })),
      };
      // Written before the end of the run is published.
      writing = writing.then(() => history.addBody(id, list)).catch(onProblem);
      for (const { body } of texts) writing = writing.then(() => history.addBody(id, body)).catch(onProblem);
      write();
      await writing;
      return summary;
    },
  };
}

function readProgress(event: TraceEvent, run: RunSummary, startedAt: number): Partial<RunSummary> {
  const durationMs = Math.max(0, event.at - startedAt);
  if (event.kind === 'request') {
    return {
      durationMs,
      requests: run.requests + 1,
      followUpPages: run.followUpPages + (event.page > 1 ? 1 : 0),
    };
  }
  if (event.kind === 'page') return { durationMs, records: run.records + event.outputs.length };
  if (event.kind === 'warning') return { durationMs, warnings: run.warnings + 1 };
  return { durationMs };
}
