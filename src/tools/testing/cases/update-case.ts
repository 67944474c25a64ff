import { editJson, type JsonEdit } from '../../../engine/document/edit-json.js';
import { parseForm } from '../../../engine/http/body/decode-body.js';
import type { PlainObject } from '../../../shared/plain-object.js';
import { escapeUnsafe } from '../../../shared/text.js';
import { splitAddress } from '../exchanges/canonical-request.js';
import type { ExpectedRequest } from '../exchanges/exchange.js';
import { BODY_MEMBERS, type RequestDifference } from '../exchanges/match-request.js';
import type { FixtureReport } from '../fixtures/play-fixture.js';
import type { ValuePath } from '../matching/compare-values.js';
import { writeTagged } from '../matching/tagged-values.js';
import { listPlaceholders, restorePlaceholders } from './placeholders.js';
import type { ReadCase } from './read-case.js';

/** Parts of a case that an update changes. */
export type UpdateScope = 'expect' | 'exchanges' | 'all';

/** A case as it should be written for its run to pass. */
export interface UpdatedCase {
  readonly before: string;
  readonly after: string;
  /** Body files beside it that become others. */
  readonly files: readonly UpdatedBody[];
  /** What cannot be mended by writing, a sentence each. */
  readonly left: readonly string[];
}

/**
 * Rewrites a case so that it says what its run has shown, and leaves alone what fits: matchers, comments, order. Nothing is
 * written to disk. A call without an exchange has no known response: it is in `left`.
 */
export function updateCase(read: ReadCase, report: FixtureReport, scope: UpdateScope): UpdatedCase {
  const before = read.document.text ?? '';
  const left: string[] = [];
  const edits = [
    ...(scope === 'exchanges' ? [] : expectEdits(report, left)),
    ...(scope === 'expect' ? [] : exchangeEdits(read, report, left)),
  ];
  const names = listPlaceholders(before + [...read.bodyFiles.values()].map(toText).join(''));
  const restore = (value: unknown): unknown =>
    value === undefined ? undefined : restorePlaceholders(writeTagged(value), names, read.written.secrets);
  const shown = edits.map(({ path, value }) => ({ path, value: restore(value) }));
  const files = scope === 'expect' ? [] : updateBodies(read, report, restore, left);
  return { before, after: editJson(before, inOrderOfEditing(shown), [], escapeUnsafe), files, left };
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Items are taken away last to first, after all else: indices stay right until they are used. */
function inOrderOfEditing(edits: readonly JsonEdit[]): readonly JsonEdit[] {
  const set = edits.filter(({ value }) => value !== undefined);
  const removed = edits.filter(({ value }) => value === undefined);
  return [...set, ...removed.toReversed()];
}

/** Whether a run failed where its case expects results or another type of error. */
function isNewFailure({ differences, outcome }: FixtureReport): boolean {
  return (
    outcome.error !== undefined &&
    differences.some(({ path: [member, inner] }) => member === 'error' && inner !== 'message')
  );
}

function expectEdits(report: FixtureReport, left: string[]): readonly JsonEdit[] {
  const { differences, outcome } = report;
  const { error } = outcome;
  if (isNewFailure(report) && error !== undefined) {
    left.push(
      `The run failed, so "expect" stays. If the error is right, write "expect": {"error": {"type": "${error.type}"}}. It was: ${error.message}`,
    );
    return [];
  }
  if (error === undefined && differences.some(({ path }) => path.length === 1 && path[0] === 'error')) {
    return [{ path: ['expect'], value: expectSuccess(outcome) }];
  }
  const states = differences.some(({ path }) => path[0] === 'states');
  return [
    ...(states ? [{ path: ['expect', 'states'], value: outcome.states }] : []),
    ...differences.flatMap(({ path, what, got }): JsonEdit[] => {
      if (['query', 'logExcludes', 'ignore'].includes(String(path[0]))) {
        left.push(`${what} needs a manual review.`);
        return [];
      }
      if (path[0] === 'states') return [];
      return [{ path: ['expect', ...path], value: got }];
    }),
  ];
}

/** Expectations of a successful run for a case that expected an error. */
function expectSuccess(outcome: FixtureReport['outcome']): PlainObject {
  const expected: PlainObject = {};
  for (const name of ['bundles', 'result', 'connection', 'metadata', 'uid', 'webhookData'] as const) {
    if (outcome[name] !== undefined) expected[name] = outcome[name];
  }
  return expected;
}

function exchangeEdits(read: ReadCase, report: FixtureReport, left: string[]): readonly JsonEdit[] {
  const edits: JsonEdit[] = [];
  for (const problem of report.exchanges) {
    const { kind, exchange, differences, message } = problem;
    const written = exchange === undefined ? undefined : (read.written.exchanges ?? [])[exchange];
    const at: ValuePath = ['exchanges', exchange ?? 0];
    // A run that failed early used none of the exchanges behind.
    if (kind === 'unused' && isNewFailure(report)) continue;
    if (kind === 'unused' && exchange !== undefined) edits.push({ path: at, value: undefined });
    else if (kind === 'unmatched' && written !== undefined && differences.length > 0) {
      edits.push(...editRequest(written.request ?? {}, differences, [...at, 'request']));
    } else left.push(`${message} Record the case again.`);
  }
  return edits;
}

/** A file of `<case>.bodies/`. */
export interface UpdatedBody {
  readonly name: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/**
 * The body files of requests as they have to be for the requests that were sent: JSON is changed where it differs, text and
 * bytes as a whole.
 *
 * @param restore puts placeholders where a value has what stands for secrets
 * @param left gets what cannot be changed
 */
function updateBodies(
  read: ReadCase,
  { exchanges }: FixtureReport,
  restore: (value: unknown) => unknown,
  left: string[],
): readonly UpdatedBody[] {
  const files = new Map<string, UpdatedBody>();
  const written = read.written.exchanges ?? [];
  for (const { kind, exchange, differences } of exchanges) {
    const request = exchange === undefined ? undefined : written[exchange]?.request;
    const name = request?.bodyFile;
    if (kind !== 'unmatched' || name === undefined) continue;
    const inFile = differences.filter(({ path }) => isInBodyFile(request ?? {}, path));
    const before = read.bodyFiles.get(name);
    if (inFile.length === 0 || before === undefined) continue;
    const users = written.filter((other) =>
      [other.request?.bodyFile, other.response?.bodyFile].includes(name),
    );
    if (users.length > 1) {
      left.push(`The body in ${name} changed, but ${users.length} exchanges share the file.`);
      continue;
    }
    const after = inFile.reduce((content, { path: [member, ...path], got }) => {
      const value = restore(got);
      if (member === 'bodyBase64') return Buffer.from(String(value ?? ''), 'base64');
      const text =
        member === 'body' && path.length > 0
          ? editJson(Buffer.from(content).toString('utf8'), [{ path, value }])
          : member === 'body'
            ? `${JSON.stringify(value ?? null, undefined, 2)}\n`
            : String(value ?? '');
      return Buffer.from(text, 'utf8');
    }, before);
    files.set(name, { name, before, after });
  }
  return [...files.values()];
}

/**
 * The changes that make an expected request one that was sent; of a body in a file there are none.
 *
 * @param at path of the request in the case
 */
function editRequest(
  written: ExpectedRequest & { readonly bodyFile?: string },
  differences: readonly RequestDifference[],
  at: ValuePath,
): readonly JsonEdit[] {
  const edits: JsonEdit[] = [];
  const query = { ...queryInUrl(written) };
  let address = typeof written.url === 'string' ? splitAddress(written.url)[0] : undefined;
  let isUrlChanged = false;
  for (const { path, got } of differences) {
    const [member, name] = path;
    if (member === 'url' && typeof got === 'string') {
      address = splitAddress(got)[0];
      isUrlChanged = true;
    } else if (member === 'query' && isInUrl(written, name)) {
      if (got === undefined) delete query[String(name)];
      else query[String(name)] = got;
      isUrlChanged = true;
    } else if (!isInBodyFile(written, path))
      edits.push({ path: [...at, ...spelled(path, written)], value: got });
  }
  if (isUrlChanged) edits.push({ path: [...at, 'url'], value: (address ?? '') + printQuery(query) });
  return edits;
}

/** Whether a difference is in a body file. */
function isInBodyFile({ bodyFile }: { readonly bodyFile?: string }, [member]: ValuePath): boolean {
  return bodyFile !== undefined && BODY_MEMBERS.some((name) => name === member);
}

function queryInUrl({ url }: ExpectedRequest): Record<string, unknown> {
  const query = typeof url === 'string' ? splitAddress(url)[1] : undefined;
  return query === undefined ? {} : parseForm(query);
}

/** Whether a parameter is, or must be, part of the address: if no `query` contains it. */
function isInUrl(written: ExpectedRequest, name: string | number | undefined): boolean {
  if (typeof written.url !== 'string') return false;
  const hasOwn = typeof written.query === 'object' && written.query !== null;
  return Object.hasOwn(queryInUrl(written), String(name)) || !hasOwn;
}

function printQuery(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((item) => `${encodeURIComponent(name)}=${encodeURIComponent(String(item))}`),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Headers keep the spelling of the file. */
function spelled(path: ValuePath, { headers = {} }: ExpectedRequest): ValuePath {
  const [member, name] = path;
  if (member !== 'headers' || name === undefined) return path;
  return ['headers', Object.keys(headers).find((key) => key.toLowerCase() === name) ?? name];
}
