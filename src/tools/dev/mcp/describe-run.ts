import type { History } from '../history/history.js';
import { MAX_BODY_SHOWN } from '../history/pack-events.js';
import type { BodyRef, PackedEvent, RunDetail, RunSummary } from '../protocol.js';

/** One line per run. */
export function describeSummary(run: RunSummary): unknown {
  const { id, kind, name, source, state, startedAt, durationMs, requests, bundles, warnings } = run;
  const { stopReason, error } = run;
  return {
    id,
    kind,
    name,
    source,
    state,
    startedAt: new Date(startedAt).toISOString(),
    durationMs,
    requests,
    bundles,
    warnings,
    stopReason,
    error,
  };
}

/**
 * A run with its requests, responses, stop reason, limits and bundles.
 *
 * @param seq a single request, which leaves more room for its bodies; undefined for all
 */
export async function describeRun(
  run: RunDetail,
  events: readonly PackedEvent[],
  history: Pick<History, 'body'>,
  seq?: number,
): Promise<unknown> {
  const bodies = createBodyReader(history);
  const { limits, input, replayOf, failure, allWarnings, requests, followUpPages, records, durationMs } = run;
  const summary = {
    ...(describeSummary(run) as object),
    warnings: allWarnings,
    replayOf,
    input,
    error: failure,
    limits: {
      requests: { used: requests, limit: limits.requests },
      followUpPages: { used: followUpPages, limit: limits.followUpPages },
      records: { used: records, limit: limits.records },
      timeMs: { used: durationMs, limit: limits.timeMs },
    },
  };
  if (seq !== undefined) return { ...summary, steps: await describeSteps(pickStep(events, seq), bodies) };
  // First, because most questions are about bundles.
  const bundleList = await bodies.read(run.bundleList);
  return { ...summary, bundleList, steps: await describeSteps(events, bodies) };
}

/** The events of one request. */
function pickStep(events: readonly PackedEvent[], seq: number): readonly PackedEvent[] {
  const start = events.findIndex((event) => event.seq === seq);
  const next = events.findIndex((event, index) => index > start && event.kind === 'request');
  return start === -1 ? [] : events.slice(start, next === -1 ? undefined : next);
}

type EventOf<Kind extends PackedEvent['kind']> = Extract<PackedEvent, { readonly kind: Kind }>;

/** One step per request with its response and outputs; other events between them. */
async function describeSteps(
  events: readonly PackedEvent[],
  bodies: BodyReader,
): Promise<readonly unknown[]> {
  const steps: Record<string, unknown>[] = [];
  for (const event of events) {
    if (event.kind === 'scope') continue;
    const open = steps.findLast(({ kind }) => kind === 'request');
    if (event.kind === 'response' && open !== undefined) {
      open['response'] = await describeResponse(event, bodies);
    } else if (event.kind === 'page' && open !== undefined && open['made'] === undefined) {
      open['made'] = await describePage(event, bodies);
    } else steps.push(await describeEvent(event, bodies));
  }
  return steps;
}

async function describeEvent(event: PackedEvent, bodies: BodyReader): Promise<Record<string, unknown>> {
  const { seq, kind, requestIndex, page, endpoint } = event;
  const where = { seq, kind, requestOfChain: requestIndex + 1, page, endpoint };
  switch (event.kind) {
    case 'request': {
      const { method, url, headers, place } = event;
      const given = {
        method,
        url,
        headers: Object.fromEntries(headers),
        body: await bodies.read(event.body),
      };
      return { ...where, ...given, place };
    }
    case 'response':
      return { ...where, ...(await describeResponse(event, bodies)) };
    case 'page':
      return { ...where, ...(await describePage(event, bodies)) };
    default: {
      const { at: _, requestIndex: __, ...rest } = event;
      return { ...where, ...rest };
    }
  }
}

async function describeResponse(
  { status, headers, durationMs, size, body }: EventOf<'response'>,
  bodies: BodyReader,
): Promise<object> {
  return { status, durationMs, size, headers, body: await bodies.read(body) };
}

async function describePage(
  { isIterated, looked, isCut, count, outputs }: EventOf<'page'>,
  bodies: BodyReader,
): Promise<object> {
  return { isIterated, itemsLookedAt: looked, isCut, outputs: count, values: await bodies.read(outputs) };
}

/** Maximum length of all values in one response. */
const MAX_ANSWER = 256 * 1024;

/** Reads long values for one response: each up to 64 kB, all together bounded. */
interface BodyReader {
  readonly read: (body: BodyRef | undefined) => Promise<unknown>;
}

/** Creates a reader. */
function createBodyReader(history: Pick<History, 'body'>): BodyReader {
  let left = MAX_ANSWER;
  return {
    read: async (body) => {
      if (body === undefined) return undefined;
      const room = Math.min(left, MAX_BODY_SHOWN);
      const kept = await history.body(body.ref);
      if (kept === undefined) return { isMissing: true, size: body.size };
      const { kind, text } = kept;
      left -= Math.min(room, text.length);
      if (text.length > room) return { isCut: true, size: text.length, text: text.slice(0, room) };
      return kind === 'json' ? JSON.parse(text) : parse(text);
    },
  };
}

/** Parsed JSON is easier to read than escaped text. */
function parse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
