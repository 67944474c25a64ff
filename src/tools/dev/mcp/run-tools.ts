import { EngineError } from '../../../shared/errors/engine-error.js';
import { flag, freeForm, integer, object, oneOf, type Static, text } from '../../../shared/schema/build.js';
import { defineTool, type Tool } from '../../mcp/tool.js';
import type { Backend } from '../backend.js';
import { MOMENTS } from '../expressions/moments.js';
import { type History, MAX_BODY_SHOWN } from '../history/history.js';
import type { BodyRef, PackedEvent, RunDetail, RunSummary, SearchHit } from '../protocol.js';

/** One line per run. */
function describeSummary(run: RunSummary): unknown {
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
async function describeRun(
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

const WAIT_MS = 60_000;
const LISTED = 20;
const MAX_EVENTS = 20_000;

/** No unknown members. */
const CLOSED = { additionalProperties: false };

const ID = text({ description: 'The ID of a run.', minLength: 1, maxLength: 200 });
const COUNT = { minimum: 1, maximum: 1_000_000 };

const INPUTS = {
  run: object(
    { name: text({ description: 'Name of the module, RPC or endpoint.', minLength: 1, maxLength: 200 }) },
    {
      kind: oneOf(['module', 'rpc', 'endpoint'], { description: 'Default: module.' }),
      parameters: freeForm({ description: 'Parameter values by name.' }),
      connection: text({
        description:
          'Name of a connection stored on this machine (see list_components). Credentials are never passed.',
        maxLength: 200,
      }),
      limit: integer({ description: 'Maximum number of bundles. Default: all.', ...COUNT }),
      defaults: flag({ description: 'Whether defaults fill absent fields. Default: false.' }),
      start: oneOf(['all'], {
        description: 'Polling trigger: returns all items, not only new ones.',
      }),
      payload: { description: 'Instant trigger: the webhook bundle to process.' },
      replayOf: text({
        description: 'ID of a run whose recorded responses replace requests. Nothing is sent.',
        maxLength: 200,
      }),
      fromPage: integer({
        description: 'With replayOf: first page whose request is sent to the API.',
        ...COUNT,
      }),
      waitMs: integer({
        description: 'Maximum time to wait for the end of the run. Default: 60000.',
        minimum: 0,
        maximum: 300_000,
      }),
    },
    CLOSED,
  ),
  stop_run: object({ id: ID }, {}, CLOSED),
  read_run: object(
    { id: ID },
    {
      seq: integer({
        description:
          'The seq of a request: returns only this request, with its bodies. Default: the whole run.',
        minimum: 0,
      }),
    },
    CLOSED,
  ),
  list_runs: object(
    {},
    {
      state: oneOf(['running', 'ok', 'failed', 'stopped']),
      name: text({ description: 'Name of a component.', maxLength: 200 }),
      before: text({ description: 'Only runs that started before the run of this id.', maxLength: 200 }),
      limit: integer({ description: 'Default: 20.', minimum: 1, maximum: 200 }),
    },
    CLOSED,
  ),
  search_runs: object(
    {
      text: text({
        description:
          'Text to find in addresses, headers, bodies, bundles and errors of all runs. Ignores case.',
        minLength: 2,
        maxLength: 200,
      }),
    },
    {},
    CLOSED,
  ),
  evaluate: object(
    { id: ID },
    {
      expression: text({
        description:
          'IML: `body.data[1].id`, or a template with {{ }}. Default: none; then the result lists the moments of the step with their variables.',
        minLength: 1,
        maxLength: 10_000,
      }),
      seq: integer({
        description: 'The step: seq of one of read_run. Default: the end of the run.',
        minimum: 0,
      }),
      moment: oneOf(MOMENTS, {
        description:
          'request: before it is sent (parameters, connection, temp, common, pagination). answer: after the response, with body, headers, statusCode. item: within an item of iterate. next: before the next page. Default: the moment with the most variables: item, else answer, else request.',
      }),
      item: integer({ description: 'Which item of iterate `item` is. Default: 1, the first.', ...COUNT }),
    },
    CLOSED,
  ),
};

/** Tools for runs, with the same backend and checks as the page. */
export function createRunTools(backend: Backend): readonly Tool[] {
  const { history } = backend;
  const readEvents = (id: string): Promise<readonly PackedEvent[]> => history.events(id, -1, MAX_EVENTS);
  return [
    defineTool('run', {
      description:
        'Runs a module, RPC or endpoint against its API, or with replayOf against recorded responses. Returns requests with responses, the stop reason of pagination, used limits, bundles, and errors with their source locations.',
      input: INPUTS.run,
      isReadOnly: false,
      work: (input, signal) => runAndWait(input, backend, signal),
    }),
    defineTool('stop_run', {
      description: 'Stops an active run by its ID.',
      input: INPUTS.stop_run,
      isReadOnly: false,
      work: async ({ id }) => {
        await backend.run(id);
        return { stopped: backend.runner.stop(id) };
      },
    }),
    defineTool('read_run', {
      description:
        'Returns a run of the history: each request with its response (bodies truncated at 64 kB each, 256 kB in total) and its results, waits, warnings, stop reason, limits, bundles. Truncated values show their size. Pass the seq of a request to see more of it.',
      input: INPUTS.read_run,
      isReadOnly: true,
      work: async ({ id, seq }) => {
        const [run, events] = [await backend.run(id), await readEvents(id)];
        if (seq !== undefined && !events.some((event) => event.seq === seq)) {
          throw new EngineError('HOST_MISSING', `This run has no step with the seq ${seq}.`);
        }
        return describeRun(run, events, history, seq);
      },
    }),
    defineTool('list_runs', {
      description: 'Lists the runs of the history, newest first, without bodies.',
      input: INPUTS.list_runs,
      isReadOnly: true,
      work: async (filter) => {
        const runs = await history.list({ limit: LISTED, ...filter });
        return { runs: runs.map(describeSummary) };
      },
    }),
    defineTool('search_runs', {
      description:
        'Finds a text in all runs: addresses, headers, bodies, bundles, errors. Returns at most 50 matches, newest first.',
      input: INPUTS.search_runs,
      isReadOnly: true,
      work: async ({ text }) => ({ hits: (await history.search(text)).map(describeHit) }),
    }),
    defineTool('evaluate', {
      description:
        'Evaluates an IML expression with the variables of a moment of a run (parameters, connection with redacted secrets, temp, body, headers, item, pagination). Without an expression: lists the moments of a step with their variables.',
      input: INPUTS.evaluate,
      isReadOnly: true,
      work: async ({ id, expression, seq, moment, item = 1 }) => {
        const last = seq ?? (await readEvents(id)).at(-1)?.seq ?? 0;
        if (expression === undefined) return backend.moments(id, last, item - 1);
        return backend.evaluate(id, { expression, seq: last, item: item - 1, moment });
      },
    }),
  ];
}

async function runAndWait(
  { waitMs = WAIT_MS, ...asked }: Static<typeof INPUTS.run>,
  backend: Backend,
  signal: AbortSignal,
): Promise<unknown> {
  await backend.look();
  const id = await backend.runner.start({ kind: 'module', parameters: {}, ...asked });
  await backend.runner.ended(id, AbortSignal.any([signal, AbortSignal.timeout(waitMs)]));
  return describeRun(
    await backend.run(id),
    await backend.history.events(id, -1, MAX_EVENTS),
    backend.history,
  );
}

function describeHit({ run, where, seq, excerpt }: SearchHit): unknown {
  return { run: describeSummary(run), where, seq, excerpt };
}
