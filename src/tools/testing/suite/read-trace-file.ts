import type { TraceEvent } from '../../../engine/run/trace.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, type PlainObject } from '../../../shared/plain-object.js';
import { fromPortable } from '../../../shared/portable-value.js';
import {
  flag,
  freeForm,
  integer,
  list,
  number,
  object,
  oneOf,
  type Schema,
  type SchemaMap,
  text,
} from '../../../shared/schema/build.js';
import { compileSchema } from '../../../shared/schema/compile-schema.js';
import type { SchemaCheck } from '../../../shared/schema/schema-check.js';
import type { RunTrace, TracedEnd, TracedKind } from './run-trace.js';
import { type LIMIT_NAMES, TRACE_VERSION } from './trace-file.js';
import type { TracedDocument, TracedTest, TracedTestFailure } from './traced-test.js';

/** Limits of a trace file, which may come from others. [choice] */
const MAX_LENGTH = 200 * 1024 * 1024;
const MAX_EVENTS = 100_000;

/**
 * Reads a file of `writeTraceFile`. An incomplete file of a killed run is read as far as possible; its end is
 * `stopped`.
 *
 * @throws EngineError (TRACE_FILE) for text that is not a trace, or of a later version
 */
export function readTraceFile(text: string): RunTrace {
  if (text.length > MAX_LENGTH) throw traceError('The trace is larger than 200 MB.');
  const lines = text.split('\n');
  const head = readHead(parseLine(lines[0] ?? '', 1));
  const documents: TracedDocument[] = [];
  const events: TraceEvent[] = [];
  let end: TracedEnd | undefined;
  let test: TracedTest | undefined;
  for (const [index, written] of lines.entries()) {
    if (index === 0 || written.trim() === '') continue;
    const isLast = index === lines.length - 1;
    const line = isLast ? parseLoose(written) : parseLine(written, index + 1);
    if (line === undefined) break;
    if (line['line'] === 'document') documents.push(readDocument(line, index + 1));
    else if (line['line'] === 'event') {
      if (events.length === MAX_EVENTS) throw traceError(`The trace has more than ${MAX_EVENTS} events.`);
      events.push(readEvent(line, index + 1));
    } else if (line['line'] === 'test') test = readTest(line, index + 1);
    else if (line['line'] === 'end') end = readEnd(line, index + 1);
    else throw traceError(`Line ${index + 1} is not a line of a trace: ${describe(line['line'])}.`);
  }
  return { ...head, documents, events, end: end ?? brokenOff(events), ...(test !== undefined && { test }) };
}

type Head = Omit<RunTrace, 'documents' | 'events' | 'end' | 'test'>;

const KINDS: readonly TracedKind[] = ['module', 'rpc', 'endpoint', 'webhook', 'connection', 'epoch'];

function readHead(line: PlainObject): Head {
  if (line['line'] !== 'run' || typeof line['version'] !== 'number') {
    throw traceError('Not a trace: its first line has no run.');
  }
  if (line['version'] > TRACE_VERSION) {
    throw traceError(
      `This trace has version ${line['version']}; the latest supported version is ${TRACE_VERSION}.`,
    );
  }
  const { app, kind, name, startedAt } = line;
  const known = KINDS.find((other) => other === kind);
  if (typeof app !== 'string' || typeof name !== 'string' || typeof startedAt !== 'number' || !known) {
    throw traceError('Not a trace: its first line lacks the app, the component or the time.');
  }
  return { app, kind: known, name, startedAt, limits: readLimits(line['limits']) };
}

function readLimits(data: unknown): RunTrace['limits'] {
  const given = isPlainObject(data) ? data : {};
  const read = (name: (typeof LIMIT_NAMES)[number]): number =>
    typeof given[name] === 'number' ? given[name] : Number.POSITIVE_INFINITY;
  return {
    maxRequests: read('maxRequests'),
    maxPages: read('maxPages'),
    maxRecords: read('maxRecords'),
    timeoutMs: read('timeoutMs'),
    maxTimeoutMs: read('maxTimeoutMs'),
    functionTimeoutMs: read('functionTimeoutMs'),
  };
}

const ROLES: readonly TracedDocument['role'][] = ['base', 'communication', 'case', 'part'];

function readTest({ name, file, status, failures, failureCount }: PlainObject, number: number): TracedTest {
  if (typeof name !== 'string' || !Array.isArray(failures)) {
    throw traceError(`Line ${number}: a test without its name or its failures.`);
  }
  return {
    name,
    file: typeof file === 'string' ? file : '',
    status: status === 'passed' ? 'passed' : 'failed',
    failures: failures.filter(isPlainObject).map(readFailure),
    failureCount: typeof failureCount === 'number' ? failureCount : failures.length,
  };
}

/** Only text and locations are taken from foreign files. */
function readFailure(failure: PlainObject): TracedTestFailure {
  const text = (name: string): string | undefined => {
    const value = failure[name];
    return typeof value === 'string' ? value : undefined;
  };
  const place = (name: string): SourceLocation | undefined => {
    const value = failure[name];
    return isPlainObject(value) ? readPlace(value) : undefined;
  };
  return {
    message: text('message') ?? '',
    ...(text('expected') !== undefined && { expected: text('expected'), got: text('got') }),
    reason: text('reason'),
    place: place('place') ?? {},
    frame: text('frame'),
    origin: place('origin'),
    originFrame: text('originFrame'),
  };
}

function readPlace({ file, line, column, pointer }: PlainObject): SourceLocation {
  return {
    ...(typeof file === 'string' && { file }),
    ...(typeof line === 'number' && { line }),
    ...(typeof column === 'number' && { column }),
    ...(typeof pointer === 'string' && { pointer }),
  };
}

function readDocument({ role, file, text }: PlainObject, number: number): TracedDocument {
  if (typeof text !== 'string') throw traceError(`Line ${number}: a document without text.`);
  return {
    role: ROLES.find((known) => known === role) ?? 'communication',
    file: typeof file === 'string' ? file : undefined,
    text,
  };
}

function readEvent({ event }: PlainObject, number: number): TraceEvent {
  const value = fromPortable(event);
  const kind = isPlainObject(value) ? value['kind'] : undefined;
  if (typeof kind !== 'string' || !Object.hasOwn(EVENT_SHAPES, kind)) {
    throw traceError(`Line ${number}: unknown kind of event: ${describe(kind)}.`);
  }
  const read = { ...FIRST, ...(value as PlainObject) };
  assertShape(kind, EVENT_SHAPES[kind] ?? {}, read, number);
  return read as unknown as TraceEvent; // as its schema says
}

const FIRST = { requestIndex: 0, page: 1 };

function readEnd({ line: _, ...end }: PlainObject, number: number): TracedEnd {
  assertShape('end', END_SHAPE, end, number);
  const { state, bundles, stats, warnings, error } = end as unknown as TracedEnd; // as its schema says
  const { requests, followUpPages, records, durationMs, stopReason } = stats;
  return {
    state,
    bundles,
    stats: { requests, followUpPages, records, durationMs, stopReason },
    warnings: warnings.map(({ code, message, place }) => ({ code, message, place })),
    error,
  };
}

const checks = new Map<string, SchemaCheck>();

/** @throws EngineError (TRACE_FILE) with the first problem */
function assertShape(name: string, shape: PlainObject, value: PlainObject, number: number): void {
  const check = checks.get(name) ?? compileSchema(shape);
  checks.set(name, check);
  const [problem] = check(value);
  if (problem === undefined) return;
  const member = problem.path.length === 0 ? '' : ` "${problem.path.join('.')}"`;
  throw traceError(`Line ${number}: ${name}${member} ${problem.message}.`);
}

function brokenOff(events: readonly TraceEvent[]): TracedEnd {
  const [first, last] = [events[0], events.at(-1)];
  const stats = {
    requests: events.filter(({ kind }) => kind === 'request').length,
    followUpPages: 0,
    records: 0,
    durationMs: first === undefined || last === undefined ? 0 : last.at - first.at,
    stopReason: undefined,
  };
  return { state: 'stopped', bundles: 0, stats, warnings: [], error: undefined };
}

function parseLine(text: string, number: number): PlainObject {
  const line = parseLoose(text);
  if (line === undefined) throw traceError(`Not a trace: line ${number} is not a JSON object.`);
  return line;
}

function parseLoose(text: string): PlainObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function describe(value: unknown): string {
  return typeof value === 'string' ? `"${value.slice(0, 40)}"` : 'no kind';
}

function traceError(message: string): EngineError {
  return new EngineError('TRACE_FILE', message);
}

/** Maximum counts in foreign trace files. [choice] */
const COUNT: Schema<number> = integer({ minimum: 0, maximum: 1_000_000 });
const BYTES: Schema<number> = integer({ minimum: 0 });
const MILLISECONDS: Schema<number> = number({ minimum: 0 });
/** Milliseconds since the epoch within the range of `Date`. */
const INSTANT: Schema<number> = number({ minimum: 0, maximum: 8.64e15 });

const PLACE: Schema<unknown> = object({}, { file: text(), line: COUNT, column: COUNT, pointer: text() });
const WARNING: Schema<unknown> = object({ code: text(), message: text() }, { place: PLACE });
const VALUES: Schema<unknown> = list({});
const HEADER: Schema<unknown> = list(text(), { minItems: 2, maxItems: 2 });

function event(required: SchemaMap, optional: SchemaMap = {}): Schema<unknown> {
  const position = { at: INSTANT, requestIndex: COUNT, page: COUNT, kind: text() };
  return object({ ...position, ...required }, { endpoint: text(), ...optional });
}

/** JSON Schemas of trace events by kind: see `TraceEvent`. */
const EVENT_SHAPES: SchemaMap = {
  skipped: event({ place: PLACE }),
  request: event({
    method: text(),
    url: text(),
    headers: list(HEADER, { maxItems: 10_000 }),
    size: BYTES,
    place: PLACE,
  }),
  response: event({
    status: integer({ minimum: 0, maximum: 999 }),
    headers: freeForm({ additionalProperties: { type: ['string', 'array'], items: text() } }),
    size: BYTES,
    durationMs: MILLISECONDS,
  }),
  wait: event(
    { reason: oneOf(['repeat', 'budget']) },
    { delayMs: MILLISECONDS, repeats: COUNT, place: PLACE, because: text(), origin: text(), limit: number() },
  ),
  scope: event({
    phase: oneOf(['request', 'response']),
    scope: COUNT,
    names: freeForm(),
    unset: list(text()),
  }),
  page: event({ isIterated: flag(), looked: COUNT, isCut: flag(), outputs: VALUES }),
  missing: event({ expression: text(), reason: text(), place: PLACE }),
  stop: event({
    reason: text(),
    used: object({ requests: COUNT, followUpPages: COUNT, records: COUNT, elapsedMs: MILLISECONDS }),
  }),
  debug: event({ function: text(), values: VALUES, place: PLACE }),
  warning: event({ warning: WARNING }),
  failed: event({ phase: text(), message: text() }, { place: PLACE }),
};

/** JSON Schema of the last line: see `TracedEnd`. */
const END_SHAPE: Schema<unknown> = object(
  {
    state: oneOf(['ok', 'failed', 'stopped']),
    bundles: COUNT,
    stats: object(
      { requests: COUNT, followUpPages: COUNT, records: COUNT, durationMs: MILLISECONDS },
      { stopReason: text() },
    ),
    warnings: list(WARNING),
  },
  { error: object({}, { name: text(), type: text(), code: text(), message: text(), place: PLACE }) },
);
