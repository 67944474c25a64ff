import { DEFAULT_LIMITS } from '../../../engine/run/limits.js';
import type { TraceEvent } from '../../../engine/run/trace.js';
import type { RunTrace } from '../../testing/suite/run-trace.js';
import type { TracedDocument } from '../../testing/suite/traced-test.js';
import { readBody } from '../expressions/scope-at.js';
import type { History } from '../history/history.js';
import { startRecord } from '../history/record-run.js';
import type { PackedEvent, RunDetail } from '../protocol.js';
import type { RecordParts } from './runner-parts.js';
import { showPlace } from './show-failure.js';

/** Exports a run of the history as a trace with its long values. */
export async function collectTrace(
  run: RunDetail,
  packed: readonly PackedEvent[],
  documents: readonly TracedDocument[],
  history: History,
): Promise<RunTrace> {
  const events: TraceEvent[] = [];
  for (const event of packed) events.push(await unpack(event, history));
  const { requests, followUpPages, records, timeMs } = run.limits;
  const none = Number.POSITIVE_INFINITY;
  return {
    app: run.app,
    kind: run.kind,
    name: run.name,
    startedAt: run.startedAt,
    documents,
    events,
    ...(run.testRun !== undefined && { test: run.testRun }),
    limits: {
      ...DEFAULT_LIMITS,
      maxRequests: requests ?? none,
      maxPages: followUpPages ?? none,
      maxRecords: records ?? none,
      timeoutMs: timeMs ?? none,
      maxTimeoutMs: timeMs ?? none,
    },
    end: {
      state: run.state === 'running' ? 'stopped' : run.state,
      bundles: run.bundles,
      stats: {
        requests: run.requests,
        followUpPages: run.followUpPages,
        records: run.records,
        durationMs: run.durationMs,
        stopReason: run.stopReason,
      },
      // The shown warning is complete.
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

/**
 * Imports a trace of a file or a test into the history.
 *
 * @returns its ID in the history
 */
export async function keepTrace(
  trace: RunTrace,
  { source }: { readonly source: 'file' | 'test' },
  { history, hub, onProblem }: Omit<RecordParts, 'setting'>,
): Promise<string> {
  const { limits, end, events } = trace;
  const shown = (limit: number): number | undefined => (Number.isFinite(limit) ? limit : undefined);
  const first = events.find((event) => event.kind === 'scope');
  const parameters = first?.kind === 'scope' ? first.names['parameters'] : undefined;
  const record = await startRecord(
    {
      app: trace.app,
      kind: trace.kind,
      name: trace.name,
      source,
      replayOf: undefined,
      test: trace.test,
      limits: {
        requests: shown(limits.maxRequests),
        followUpPages: shown(limits.maxPages),
        records: shown(limits.maxRecords),
        timeMs: shown(limits.timeoutMs),
      },
      input: { parameters: typeof parameters === 'object' && parameters !== null ? { ...parameters } : {} },
    },
    { history, hub, onProblem },
  );
  for (const event of events) record.add(event);
  const bundles = events.flatMap((event) => (event.kind === 'page' ? event.outputs : []));
  const failure = end.error === undefined ? undefined : failureFrom(end.error);
  const { requests, followUpPages, records, durationMs, stopReason } = end.stats;
  await record.finish({
    requests,
    followUpPages,
    records,
    durationMs,
    stopReason,
    failure,
    error: failure && { type: failure.type, message: failure.message },
    state: end.state,
    bundles,
    bundleCount: end.bundles,
    documents: trace.documents,
    canReplay: false,
    allWarnings: end.warnings.map(({ code, message, place }) => ({ code, message, place: showPlace(place) })),
  });
  return record.id;
}

/** Only text and numbers are taken from foreign files. */
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
