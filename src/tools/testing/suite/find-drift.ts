import { readContentType, responseHeader } from '../../../engine/http/headers.js';
import type { ResponseHeaders } from '../../../engine/http/transport.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { splitAddress } from '../exchanges/canonical-request.js';
import type { Exchange } from '../exchanges/exchange.js';
import { matchRequest } from '../exchanges/match-request.js';
import { respond } from '../exchanges/play-exchanges.js';
import type { Expectation } from '../fixtures/fixture.js';
import { printPath } from '../matching/compare-values.js';
import type { RecordedCall, RecordedResponse } from '../recording/record-transport.js';
import { tryJson } from '../secrets/find-secrets.js';
import type { LiveRun } from './run-live.js';

/** Severity of an API change: `info` for additions, `warning` for removals, `error` for another type or a failure. */
type DriftSeverity = 'info' | 'warning' | 'error';

/** A difference between the API and a recorded case. Contains types and names, never values. */
interface Drift {
  readonly severity: DriftSeverity;
  /** The path in the case: `exchanges[0].response.body.items[].id`. */
  readonly path: string;
  /** The change, as the end of a sentence. */
  readonly message: string;
}

/** A drift with its location in the file of the case. */
interface PlacedDrift extends Drift {
  /** JSON pointer. */
  readonly pointer: string;
}

/** The shape of JSON values: their types and members. */
interface AnswerShape {
  /** Types of all values at this location. */
  readonly types: ReadonlySet<ShapeType>;
  /** For objects: shapes by name, and whether every object has the member. */
  readonly members: ReadonlyMap<string, { readonly form: AnswerShape; readonly isAlways: boolean }>;
  /**
   * For lists: the common shape of the items; undefined without items. Objects whose names are data count as lists.
   */
  readonly items: AnswerShape | undefined;
}

type ShapeType = 'text' | 'a number' | 'a boolean' | 'null' | 'an object' | 'a list';

/** Deeper values are treated as equal. */
const MAX_DEPTH = 60;

/** The common shape of values; undefined for an empty list. */
function describeShape(values: readonly unknown[], depth = 0): AnswerShape | undefined {
  if (values.length === 0) return undefined;
  const types = new Set(values.map(nameType));
  if (depth >= MAX_DEPTH) return { types, members: new Map(), items: undefined };
  const objects = values.filter(isPlainObject);
  const tables = objects.filter(isTable);
  const records = objects.filter((value) => !isTable(value));
  const items = [
    ...values.filter((value): value is unknown[] => Array.isArray(value)).flat(1),
    ...tables.flatMap((table) => Object.values(table)),
  ];
  return { types, members: describeMembers(records, depth), items: describeShape(items, depth + 1) };
}

function describeMembers(records: readonly object[], depth: number): AnswerShape['members'] {
  const found = new Map<string, unknown[]>();
  for (const record of records) {
    for (const [name, member] of Object.entries(record)) {
      const known = found.get(name);
      if (known === undefined) found.set(name, [member]);
      else known.push(member);
    }
  }
  const members = new Map<string, { readonly form: AnswerShape; readonly isAlways: boolean }>();
  for (const [name, values] of found) {
    const form = describeShape(values, depth + 1);
    if (form !== undefined) members.set(name, { form, isAlways: values.length === records.length });
  }
  return members;
}

/** A name that starts with a digit or is a UUID is data (an ID, a date), not a field name. */
const NAME_OF_DATA = /^(?:\d|[0-9a-f]{8}-[0-9a-f]{4}-)/i;

/** Whether the names of an object are data, which differ from time to time. */
function isTable(value: object): boolean {
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => NAME_OF_DATA.test(name));
}

function nameType(value: unknown): ShapeType {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    default:
      return 'an object';
  }
}

/**
 * Differences between two shapes: a new field is `info`, a missing one a `warning`, another type an `error`. Members
 * that were empty or optional can go without notice.
 *
 * @param root name of the value in messages
 */
function compareShapes(before: AnswerShape, after: AnswerShape, root: string): readonly Drift[] {
  const found: Drift[] = [];
  compareAt(before, after, root, found);
  return found;
}

function compareAt(before: AnswerShape, after: AnswerShape, path: string, found: Drift[]): void {
  const types = compareTypes(before.types, after.types, path);
  if (types !== undefined) found.push(types);
  if (before.items !== undefined && after.items !== undefined)
    compareAt(before.items, after.items, `${path}[]`, found);
  if (!before.types.has('an object') || !after.types.has('an object')) return;
  // An empty object promised nothing.
  for (const [name, { form, isAlways }] of before.members) {
    const now = after.members.get(name);
    const at = printPath(path, [name]);
    if (now !== undefined) compareAt(form, now.form, at, found);
    if (!isAlways || now?.isAlways === true) continue;
    found.push({
      severity: 'warning',
      path: at,
      message: now === undefined ? 'is no longer in the response' : 'is no longer in every response',
    });
  }
  for (const [name, { form }] of after.members) {
    if (before.members.has(name)) continue;
    found.push({ severity: 'info', path: printPath(path, [name]), message: `is new: ${list(form.types)}` });
  }
}

function compareTypes(
  before: ReadonlySet<ShapeType>,
  after: ReadonlySet<ShapeType>,
  path: string,
): Drift | undefined {
  const others = [...after].filter((type) => !before.has(type));
  if (others.length === 0) return undefined;
  const message = `was ${list(before)}, is ${list(after)}`;
  const wasEmpty = before.size === 1 && before.has('null');
  // A field that was null had no type. A field that may be null now counts as missing.
  if (wasEmpty) return { severity: 'info', path, message };
  const isOnlyNull = others.length === 1 && others[0] === 'null';
  return { severity: isOnlyNull ? 'warning' : 'error', path, message };
}

function list(types: ReadonlySet<ShapeType>): string {
  return [...types].sort().join(' or ');
}

/** Result of a live run. */
export interface LiveFindings {
  readonly drifts: readonly PlacedDrift[];
  /** Why the comparison stopped, as a sentence: the API was down, refused the credentials, or failed. */
  readonly blocked: string | undefined;
}

/** The recorded part of a case. */
interface RecordedCase {
  readonly exchanges: readonly Exchange[];
  readonly expect: Expectation | undefined;
  /** Lower-case names of the response headers that the app reads. */
  readonly headers: ReadonlySet<string>;
}

/**
 * Compares the responses of the API with the exchanges of a case by shape, not by value.
 *
 * @param mask redacts a response as a recording does
 */
export function findDrift(
  recorded: RecordedCase,
  { calls, outcome, refused }: LiveRun,
  mask: (value: unknown) => unknown,
): LiveFindings {
  const paired = pairCalls(recorded.exchanges, calls);
  const { groups, strangers } = paired;
  const blocked = refused ?? findBlock(paired, recorded.exchanges);
  const drifts = groups.flatMap((group) => compareGroup(group, recorded, mask));
  if (blocked !== undefined) return { drifts, blocked };
  const isExpected = (type: string): boolean => recorded.expect?.error?.type === type;
  return {
    blocked,
    drifts: [
      ...drifts,
      ...strangers.map(({ request }) => ({
        ...({ severity: 'warning', path: 'exchanges', pointer: '/exchanges' } as const),
        message: `has nothing like ${request.method} ${splitAddress(request.url)[0]}, which the run now sends`,
      })),
      ...groups
        .filter((group) => group.calls.length === 0)
        .map(({ exchanges: [first = 0] }) => ({
          ...({ severity: 'warning', path: `exchanges[${first}]`, pointer: `/exchanges/${first}` } as const),
          message: 'is no longer sent',
        })),
      ...compareEnd(recorded.expect, outcome.error, isExpected),
    ],
  };
}

/** Compares the end of the run: an unexpected error, or a missing one. */
function compareEnd(
  expect: Expectation | undefined,
  error: LiveRun['outcome']['error'],
  isExpected: (type: string) => boolean,
): readonly PlacedDrift[] {
  const at = { severity: 'error', path: 'expect', pointer: '/expect' } as const;
  if (error !== undefined && !isExpected(error.type)) {
    return [{ ...at, message: `has no ${error.type}, which the run now fails with` }];
  }
  if (error !== undefined || expect?.error === undefined) return [];
  return [{ ...at, message: 'expects an error, but the run now succeeds' }];
}

/** Temporary conditions of the API, which are not drift. */
function findBlock({ groups, strangers }: PairedCalls, exchanges: readonly Exchange[]): string | undefined {
  const all = [...groups, { exchanges: [], calls: strangers }];
  return all.map((group) => explainCalls(group, exchanges)).find((reason) => reason !== undefined);
}

function explainCalls(group: CallGroup, exchanges: readonly Exchange[]): string | undefined {
  const responses = group.exchanges.map((index) => exchanges[index]?.response ?? {});
  const isRecorded = (status: number): boolean =>
    responses.some((response) => (response.status ?? 200) === status);
  const failed = group.calls.find(({ error }) => error !== undefined);
  const hadFailed = responses.some(({ networkError }) => networkError !== undefined);
  if (failed?.error !== undefined && !hadFailed) return `The API cannot be reached: ${failed.error.message}`;
  for (const { request, response } of group.calls) {
    const status = response?.status ?? 0;
    const reason = explainBlock(status);
    if (reason !== undefined && !isRecorded(status))
      return `${reason}: ${status} to ${request.method} ${splitAddress(request.url)[0]}.`;
  }
  return undefined;
}

/** Undefined for a status that depends on the request. */
function explainBlock(status: number): string | undefined {
  return BLOCKING[status] ?? (status >= 500 ? 'The API failed' : undefined);
}

const BLOCKING: Readonly<Record<number, string>> = {
  401: 'The API refused the credentials',
  403: 'The API refused the credentials',
  429: 'The API requires a wait',
};

function compareGroup(
  group: CallGroup,
  { exchanges, headers: names }: RecordedCase,
  mask: (value: unknown) => unknown,
): readonly PlacedDrift[] {
  const [first = 0] = group.exchanges;
  const before = group.exchanges.flatMap((index) => readRecorded(exchanges[index]));
  const known = new Set(before.map(({ status }) => status));
  const now = group.calls
    .flatMap(({ response }) => (response === undefined ? [] : [readAnswer(response)]))
    .filter(({ status }) => known.has(status) || explainBlock(status) === undefined)
    .map((answer) => ({ ...answer, json: answer.json && { value: mask(answer.json.value) } }));
  if (before.length === 0 || now.length === 0) return [];
  const path = `exchanges[${first}].response`;
  const pointer = `/exchanges/${first}/response`;
  const drifts = [
    ...compareStatus(before, now, path),
    ...compareBodies(before, now, path),
    ...[...names]
      .filter((name) => before.every(({ headers }) => headers.has(name)))
      .filter((name) => now.some(({ headers }) => !headers.has(name)))
      .map((name) => ({
        ...({ severity: 'warning', path: `${path}.headers.${name}` } as const),
        message: 'is no longer in the response',
      })),
  ];
  return drifts.map((drift) => ({ ...drift, pointer }));
}

/** The compared parts of a response. */
interface Answer {
  readonly status: number;
  readonly mediaType: string;
  readonly headers: ReadonlySet<string>;
  /** Undefined for invalid JSON. */
  readonly json: { readonly value: unknown } | undefined;
}

function readRecorded({ response = {}, request = {} }: Exchange = {}): readonly Answer[] {
  if (response.networkError !== undefined) return [];
  const { encoding: _, ...plain } = response;
  const url = typeof request.url === 'string' ? request.url : '';
  return [readAnswer(respond(plain, { url }))];
}

function readAnswer({ status, headers, body }: RecordedResponse): Answer {
  const contentType = responseHeader(headers, 'content-type');
  return {
    status,
    mediaType: body.byteLength === 0 ? '' : readContentType(contentType).mediaType,
    headers: listNames(headers),
    json: tryJson(Buffer.from(body).toString('utf8')),
  };
}

function listNames(headers: ResponseHeaders): ReadonlySet<string> {
  return new Set(Object.keys(headers).map((name) => name.toLowerCase()));
}

type GroupDrift = Omit<PlacedDrift, 'pointer'>;

function compareStatus(
  before: readonly Answer[],
  now: readonly Answer[],
  path: string,
): readonly GroupDrift[] {
  const known = new Set(before.map(({ status }) => status));
  const others = [...new Set(now.map(({ status }) => status))].filter((status) => !known.has(status));
  const isKnownClass = (status: number): boolean =>
    [...known].some((other) => Math.floor(other / 100) === Math.floor(status / 100));
  return others.map((status) => ({
    severity: isKnownClass(status) ? 'warning' : 'error',
    path: `${path}.status`,
    message: `was ${[...known].join(' or ')}, is ${status}`,
  }));
}

/** Compares successful responses with successful ones and errors with errors. */
function compareBodies(
  before: readonly Answer[],
  now: readonly Answer[],
  path: string,
): readonly GroupDrift[] {
  return [true, false].flatMap((isGood): readonly GroupDrift[] => {
    const [was, is] = [before, now].map((answers) =>
      answers.filter(({ status }) => status < 400 === isGood),
    ) as [Answer[], Answer[]];
    if (was.length === 0 || is.length === 0) return [];
    const wasJson = was.every(({ json }) => json !== undefined);
    const isJson = is.every(({ json }) => json !== undefined);
    if (wasJson !== isJson) {
      const [text, other] = [nameForm(was), nameForm(is)];
      return [{ severity: 'error', path: `${path}.body`, message: `was ${text}, is ${other}` }];
    }
    const forms = [was, is].map((answers) =>
      describeShape(answers.flatMap(({ json }) => (json === undefined ? [] : [json.value]))),
    );
    const [form, other] = forms;
    if (form === undefined || other === undefined) return [];
    return compareShapes(form, other, `${path}.body`);
  });
}

function nameForm(answers: readonly Answer[]): string {
  if (answers.every(({ json }) => json !== undefined)) return 'JSON';
  const [type] = answers.filter(({ json }) => json === undefined).map(({ mediaType }) => mediaType);
  return type || 'nothing';
}

/** Exchanges of a case with the same target, such as the pages of a list, and the matching calls. */
interface CallGroup {
  /** Indexes in order. */
  readonly exchanges: readonly number[];
  readonly calls: readonly RecordedCall[];
}

/** Calls of a run, paired with exchanges. */
interface PairedCalls {
  /** One per target of the exchanges. */
  readonly groups: readonly CallGroup[];
  /** Calls without a matching exchange. */
  readonly strangers: readonly RecordedCall[];
}

/**
 * Pairs calls with exchanges of the same method and path; else of the same method, origin and number of path
 * segments, because IDs in paths differ.
 */
function pairCalls(exchanges: readonly Exchange[], calls: readonly RecordedCall[]): PairedCalls {
  const groups: { readonly exchanges: number[]; readonly calls: RecordedCall[] }[] = [];
  const byAddress = new Map<string, (typeof groups)[number]>();
  for (const [index, exchange] of exchanges.entries()) {
    const address = nameAddress(exchange) ?? `#${index}`;
    const group = byAddress.get(address) ?? { exchanges: [], calls: [] };
    if (!byAddress.has(address)) groups.push(group);
    byAddress.set(address, group);
    group.exchanges.push(index);
  }
  const strangers: RecordedCall[] = [];
  for (const call of calls) {
    const same = byAddress.get(`${call.request.method} ${splitAddress(call.request.url)[0]}`);
    const alike = groups.filter(({ exchanges: [first = 0] }) => isAlike(exchanges[first] ?? {}, call));
    const group = same ?? alike.find((candidate) => candidate.calls.length === 0) ?? alike[0];
    if (group === undefined) strangers.push(call);
    else group.calls.push(call);
  }
  return { groups, strangers };
}

/** Undefined for an exchange without a literal URL. */
function nameAddress({ request = {} }: Exchange): string | undefined {
  if (typeof request.url !== 'string') return undefined;
  return `${typeof request.method === 'string' ? request.method.toUpperCase() : 'GET'} ${splitAddress(request.url)[0]}`;
}

function isAlike({ request = {} }: Exchange, { request: sent }: RecordedCall): boolean {
  const { method, url } = request;
  if (typeof url !== 'string') {
    const asked = { ...(method !== undefined && { method }), ...(url !== undefined && { url }) };
    return matchRequest(asked, sent).length === 0;
  }
  if (method !== undefined && matchRequest({ method }, sent).length > 0) return false;
  const [written, called] = [splitAddress(url)[0].split('/'), splitAddress(sent.url)[0].split('/')];
  return written.length === called.length && written[2] === called[2];
}
