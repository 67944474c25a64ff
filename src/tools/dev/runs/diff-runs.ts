import { diffLines } from '../../../shared/line-diff.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import type { TracedDocument } from '../../testing/suite/traced-test.js';
import { readBody } from '../expressions/scope-at.js';
import type { History } from '../history/history.js';
import type { DiffStep, PackedEvent, RunDetail, RunDiff, ValueDiff } from '../protocol.js';

/** Maximum number of differences per value. */
const MAX_CHANGES = 200;

/** Maximum number of compared steps. */
const MAX_STEPS = 400;

type RequestEvent = Extract<PackedEvent, { readonly kind: 'request' }>;
type ResponseEvent = Extract<PackedEvent, { readonly kind: 'response' }>;

interface Step {
  readonly key: string;
  readonly title: string;
  readonly request: RequestEvent;
  readonly response: ResponseEvent | undefined;
}

/** A run with its events. */
export interface ComparedRun {
  readonly run: RunDetail;
  readonly events: readonly PackedEvent[];
  /** The documents of the run. */
  readonly documents: readonly TracedDocument[];
}

/** Compares two runs request by request, by endpoint, position in the chain, page and repeat. */
export async function diffRuns(
  a: ComparedRun,
  b: ComparedRun,
  history: Pick<History, 'body'>,
): Promise<RunDiff> {
  const [stepsA, stepsB] = [collectExchanges(a.events), collectExchanges(b.events)];
  const keys = [...new Set([...stepsA.keys(), ...stepsB.keys()])].slice(0, MAX_STEPS);
  const steps: DiffStep[] = [];
  for (const key of keys) steps.push(await diffStep(stepsA.get(key), stepsB.get(key), history));
  const bundles = await Promise.all(
    [a, b].map(({ run }) =>
      run.bundleList === undefined ? undefined : readBody(run.bundleList.ref, history),
    ),
  );
  return {
    a: a.run,
    b: b.run,
    input: diffValues(a.run.input, b.run.input),
    steps,
    bundles: diffValues(bundles[0], bundles[1]),
    documents: diffDocuments(a.documents, b.documents),
  };
}

/** Maximum number of lines per document. */
const MAX_LINES = 400;

/** A document that only one run has is not a difference: older traces contain fewer. */
function diffDocuments(a: ComparedRun['documents'], b: ComparedRun['documents']): RunDiff['documents'] {
  const before = new Map(a.map((document) => [writeDocumentKey(document), document.text]));
  return b.flatMap((document) => {
    const old = before.get(writeDocumentKey(document));
    if (old === undefined || old === document.text) return [];
    const lines = diffLines(old, document.text).slice(0, MAX_LINES);
    return [{ file: document.file ?? document.role, lines }];
  });
}

function writeDocumentKey({ role, file }: TracedDocument): string {
  return `${role} ${file ?? ''}`;
}

function collectExchanges(events: readonly PackedEvent[]): ReadonlyMap<string, Step> {
  const steps = new Map<string, Step>();
  for (const [index, event] of events.entries()) {
    if (event.kind !== 'request') continue;
    const { endpoint, requestIndex, page, seq } = event;
    const place = `${endpoint ?? ''} ${requestIndex} ${page}`;
    let repeat = 0;
    while (steps.has(`${place} ${repeat}`)) repeat++;
    const answer = events
      .slice(index + 1)
      .find((other): other is ResponseEvent => other.kind === 'response' && other.seq > seq);
    const titles = [
      `request ${requestIndex + 1}`,
      page > 1 ? `page ${page}` : '',
      repeat > 0 ? `repeat ${repeat}` : '',
    ];
    const title = [endpoint, ...titles].filter(Boolean).join(', ');
    steps.set(`${place} ${repeat}`, { key: place, title, request: event, response: answer });
  }
  return steps;
}

const SAME: ValueDiff = { changes: [], isCut: false };

async function diffStep(
  a: Step | undefined,
  b: Step | undefined,
  history: Pick<History, 'body'>,
): Promise<DiffStep> {
  const title = (b ?? a)?.title ?? '';
  const sides = { title, a: describeSide(a), b: describeSide(b) };
  if (a === undefined || b === undefined) {
    return { ...sides, change: a === undefined ? 'added' : 'removed', request: SAME, response: SAME };
  }
  const request = diffValues(await requestValue(a, history), await requestValue(b, history));
  const response = diffValues(await responseValue(a, history), await responseValue(b, history));
  const change = request.changes.length + response.changes.length === 0 ? 'same' : 'changed';
  return { ...sides, change, request, response };
}

function describeSide(step: Step | undefined): DiffStep['a'] {
  if (step === undefined) return undefined;
  const { request, response } = step;
  return { seq: request.seq, status: response?.status, durationMs: response?.durationMs };
}

async function requestValue({ request }: Step, history: Pick<History, 'body'>): Promise<unknown> {
  const { method, url, headers, body } = request;
  return {
    method,
    url,
    headers: Object.fromEntries(headers),
    body: body && parsed(await readBody(body.ref, history)),
  };
}

/** Headers such as `date` differ in every response. */
async function responseValue({ response }: Step, history: Pick<History, 'body'>): Promise<unknown> {
  if (response === undefined) return undefined;
  return {
    status: response.status,
    body: response.body && parsed(await readBody(response.body.ref, history)),
  };
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Differing leaves of two values, by path. */
function diffValues(a: unknown, b: unknown): ValueDiff {
  const changes: ValueDiff['changes'][number][] = [];
  const visit = (left: unknown, right: unknown, path: string, depth: number): void => {
    if (changes.length > MAX_CHANGES || depth > 60) return;
    if (Array.isArray(left) && Array.isArray(right)) {
      const length = Math.max(left.length, right.length);
      for (let index = 0; index < length; index++)
        visit(left[index], right[index], `${path}[${index + 1}]`, depth + 1);
    } else if (isPlainObject(left) && isPlainObject(right)) {
      for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
        visit(left[name], right[name], path === '' ? name : `${path}.${name}`, depth + 1);
      }
    } else {
      const [shownLeft, shownRight] = [leaf(left), leaf(right)];
      if (shownLeft !== shownRight) changes.push({ path, a: shownLeft, b: shownRight });
    }
  };
  visit(a, b, '', 0);
  return { changes: changes.slice(0, MAX_CHANGES), isCut: changes.length > MAX_CHANGES };
}

function leaf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = value instanceof Date ? value.toISOString() : (JSON.stringify(value) ?? String(value));
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
