import { EngineError } from '../../errors/engine-error.js';
import type { Place } from '../../errors/place.js';
import type { TraceEvent } from '../../run/trace/trace.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';
import { fromPortable, toPortable } from '../../util/portable-value.js';
import { escapeUnsafe } from '../../util/text/escape-unsafe.js';
import type { RunTrace, TracedEnd, TracedKind } from './run-trace.js';
import type { TracedDocument, TracedTest, TracedTestFailure } from './traced-test.js';

/** What a trace file ends in. */
export const TRACE_FILE_SUFFIX = '.jsonl';

const VERSION = 1;

/** A file somebody hands on is read whole; longer ones are no trace a person looks at. */
const MAX_LENGTH = 200 * 1024 * 1024;

/**
 * A run as one self-contained text, JSON lines: a head, the documents it ran, its events in order, how it ended. Dates
 * and bytes are written so that `readTraceFile` gives them back; characters that would steer a terminal, or that nobody sees, are
 * escaped.
 */
export function writeTraceFile({ documents, events, end, test, ...head }: RunTrace): string {
  const lines: string[] = [];
  const write = (line: PlainObject): void => {
    lines.push(`${escapeUnsafe(JSON.stringify(line))}\n`);
  };
  write({ line: 'run', version: VERSION, ...head, limits: limitsAsData(head.limits) });
  if (test !== undefined) write({ line: 'test', ...test });
  for (const document of documents) write({ line: 'document', ...document });
  for (const event of events) write({ line: 'event', event: toPortable(event) });
  write({ line: 'end', ...end });
  return lines.join('');
}

/**
 * Reads what `writeTraceFile` wrote. A file that breaks off, because the run was killed, is read as far as it goes; the
 * end of such a run is `stopped`.
 *
 * @throws EngineError (TRACE_FILE) for a text that is no trace, or one of a later version
 */
export function readTraceFile(text: string): RunTrace {
  if (text.length > MAX_LENGTH) throw traceError('A trace of more than 200 MB is not read.');
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
    else if (line['line'] === 'event') events.push(readEvent(line, index + 1));
    else if (line['line'] === 'test') test = readTest(line, index + 1);
    else if (line['line'] === 'end') end = readEnd(line, index + 1);
    else throw traceError(`Line ${index + 1} is none of a trace: ${describe(line['line'])}.`);
  }
  return { ...head, documents, events, end: end ?? brokenOff(events), ...(test !== undefined && { test }) };
}

type Head = Omit<RunTrace, 'documents' | 'events' | 'end' | 'test'>;

const KINDS: readonly TracedKind[] = ['module', 'rpc', 'webhook', 'connection', 'epoch'];

function readHead(line: PlainObject): Head {
  if (line['line'] !== 'run' || typeof line['version'] !== 'number') {
    throw traceError('This is no trace: its first line says nothing of a run.');
  }
  if (line['version'] > VERSION) {
    throw traceError(
      `This trace was written by a later version (${line['version']}); ${VERSION} is known here.`,
    );
  }
  const { app, kind, name, startedAt } = line;
  const known = KINDS.find((other) => other === kind);
  if (typeof app !== 'string' || typeof name !== 'string' || typeof startedAt !== 'number' || !known) {
    throw traceError('This is no trace: its first line lacks the app, the component or the time.');
  }
  return { app, kind: known, name, startedAt, limits: limitsFromData(line['limits']) };
}

/** JSON has no number for it. */
const WITHOUT_LIMIT = 'Infinity';

const LIMIT_NAMES = [
  'maxRequests',
  'maxPages',
  'maxRecords',
  'timeoutMs',
  'maxTimeoutMs',
  'functionTimeoutMs',
  'maxSteps',
] as const;

function limitsAsData(limits: RunTrace['limits']): PlainObject {
  return Object.fromEntries(
    LIMIT_NAMES.map((name) => [name, Number.isFinite(limits[name]) ? limits[name] : WITHOUT_LIMIT]),
  );
}

function limitsFromData(data: unknown): RunTrace['limits'] {
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
    maxSteps: read('maxSteps'),
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

/** A file may come from anybody: only words and places are taken. */
function readFailure(failure: PlainObject): TracedTestFailure {
  const text = (name: string): string | undefined => {
    const value = failure[name];
    return typeof value === 'string' ? value : undefined;
  };
  const place = (name: string): Place | undefined => {
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

function readPlace({ file, line, column, pointer }: PlainObject): Place {
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
  if (!isEvent(value)) {
    throw traceError(`Line ${number}: an event without its kind or its time.`);
  }
  return { ...FIRST, ...value };
}

const FIRST = { requestIndex: 0, page: 1 };

/** Whoever shows it has to do with what is there: a file may come from anybody. */
function isEvent(value: unknown): value is TraceEvent {
  return isPlainObject(value) && typeof value['kind'] === 'string' && typeof value['at'] === 'number';
}

function readEnd({ state, bundles, stats, warnings, error }: PlainObject, number: number): TracedEnd {
  if (!isPlainObject(stats)) throw traceError(`Line ${number}: an end without numbers.`);
  const count = (name: string): number => (typeof stats[name] === 'number' ? stats[name] : 0);
  return {
    state: state === 'ok' || state === 'failed' ? state : 'stopped',
    bundles: typeof bundles === 'number' ? bundles : 0,
    stats: {
      requests: count('requests'),
      pages: count('pages'),
      records: count('records'),
      durationMs: count('durationMs'),
      stopReason: stats['stopReason'] as TracedEnd['stats']['stopReason'], // a word to show
    },
    warnings: Array.isArray(warnings) ? warnings.filter(isWarning) : [],
    error: isPlainObject(error) ? error : undefined,
  };
}

/** Words to show, as above. */
function isWarning(warning: unknown): warning is TracedEnd['warnings'][number] {
  return isPlainObject(warning);
}

function brokenOff(events: readonly TraceEvent[]): TracedEnd {
  const [first, last] = [events[0], events.at(-1)];
  const stats = {
    requests: events.filter(({ kind }) => kind === 'request').length,
    pages: 0,
    records: 0,
    durationMs: first === undefined || last === undefined ? 0 : last.at - first.at,
    stopReason: undefined,
  };
  return { state: 'stopped', bundles: 0, stats, warnings: [], error: undefined };
}

function parseLine(text: string, number: number): PlainObject {
  const line = parseLoose(text);
  if (line === undefined) throw traceError(`This is no trace: line ${number} is no JSON object.`);
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
