import { parseForm } from '../../http/body/decode-text.js';
import type { HeaderEntry } from '../../http/message/transport.js';
import { matchValues, type ValuePath } from '../matching/compare-values.js';
import { isMatcher } from '../matching/matchers.js';
import { readTagged } from '../matching/tagged-values.js';
import {
  canonicalRequest,
  parseJsonText,
  type SentRequest,
  splitAddress,
  withoutBoundary,
} from './canonical-request.js';
import type { ExpectedRequest } from './exchange.js';
import { readMultipart } from './read-multipart.js';

/** One place at which a request is not as expected. */
export interface RequestDifference {
  /** Starts with the member of `ExpectedRequest` it is about: `['query', 'page']`. */
  readonly path: ValuePath;
  /** As it is written; undefined where nothing is expected. */
  readonly expected: unknown;
  /** Undefined where there is nothing. */
  readonly got: unknown;
}

/** How strictly requests are compared. */
export interface MatchOptions {
  /**
   * Whether what is not described has to be absent: the query of an address written as text, and the body.
   * Default: false; then what is not described is not looked at.
   */
  readonly isStrict?: boolean;
  /** Paths below `request` that are not looked at, such as `['query', 'nonce']`; `*` for any step. */
  readonly ignored?: readonly ValuePath[];
}

interface Check {
  readonly at: ValuePath;
  readonly expected: unknown;
  readonly got: unknown;
}

/** Where a request is not as expected, in the order of its parts; none for one that is. */
export function matchRequest(
  expected: ExpectedRequest,
  request: SentRequest,
  options: MatchOptions = {},
): readonly RequestDifference[] {
  const checks = [
    ...addressChecks(expected, request, options.isStrict === true),
    ...headerChecks(expected, request),
    ...bodyChecks(expected, request, options.isStrict === true),
  ];
  return checks.flatMap(({ at, expected: wanted, got }) => {
    const ignored = ignoredBelow(at, options.ignored ?? []);
    return matchValues(wanted, got, { ignored }).map((difference) => ({
      ...difference,
      path: [...at, ...difference.path],
    }));
  });
}

/** What is left of the paths that lead to or below `at`. */
function ignoredBelow(at: ValuePath, ignored: readonly ValuePath[]): readonly ValuePath[] {
  const isStep = (pattern: ValuePath, index: number): boolean =>
    pattern[index] === '*' || String(pattern[index]) === String(at[index]);
  return ignored
    .filter((pattern) => pattern.length >= at.length && at.every((_, index) => isStep(pattern, index)))
    .map((pattern) => pattern.slice(at.length));
}

function addressChecks(expected: ExpectedRequest, request: SentRequest, isStrict: boolean): Check[] {
  const checks: Check[] = [];
  const [address, query] = splitAddress(request.url);
  if (expected.method !== undefined)
    checks.push({ at: ['method'], expected: expected.method, got: request.method });
  if (expected.url !== undefined && typeof expected.url !== 'string') {
    checks.push({ at: ['url'], expected: expected.url, got: request.url });
    if (expected.query !== undefined)
      checks.push({ at: ['query'], expected: expected.query, got: parseForm(query ?? '') });
    return checks;
  }
  const [wantedAddress, written] = expected.url === undefined ? [] : splitAddress(expected.url);
  if (wantedAddress !== undefined) checks.push({ at: ['url'], expected: wantedAddress, got: address });
  const wanted = wantedQuery(expected, written, isStrict);
  if (wanted !== undefined) checks.push({ at: ['query'], expected: wanted, got: parseForm(query ?? '') });
  return checks;
}

/** What the query has to be; undefined where anything will do. */
function wantedQuery(expected: ExpectedRequest, written: string | undefined, isStrict: boolean): unknown {
  const { query } = expected;
  if (isMatcher(query)) return query;
  if (written === undefined) return query ?? (isStrict && expected.url !== undefined ? {} : undefined);
  return { ...parseForm(written), ...(query as object | undefined) };
}

function headerChecks(expected: ExpectedRequest, { headers }: SentRequest): Check[] {
  const { headers: wanted = {}, headersAbsent = [], headersMatch = {} } = expected;
  const check = (name: string, value: unknown): Check => ({
    at: ['headers', name.toLowerCase()],
    expected: value,
    got: headerValue(headers, name, value),
  });
  return [
    ...Object.entries(wanted).map(([name, value]) => check(name, value)),
    ...headersAbsent.map((name) => check(name, undefined)),
    ...Object.entries(headersMatch).map(([name, pattern]) => check(name, { $regex: pattern })),
  ];
}

/** Repeated headers joined. The boundary of a content type counts only where it is written. */
function headerValue(headers: readonly HeaderEntry[], name: string, wanted: unknown): string | undefined {
  const lower = name.toLowerCase();
  const values = headers.filter((entry) => entry[0].toLowerCase() === lower).map(([, value]) => value);
  if (values.length === 0) return undefined;
  const text = values.join(', ');
  const isPlain = lower === 'content-type' && typeof wanted === 'string' && !/boundary=/i.test(wanted);
  return isPlain ? withoutBoundary(text) : text;
}

/** What is no JSON is told as the text it is, marked so that it equals no expectation. */
function readJson(text: string | undefined): unknown {
  const value = parseJsonText(text);
  return value === undefined && text !== undefined ? { notJson: text } : readTagged(value);
}

/** The members that describe a body; a request is described by one of them at most. */
export const BODY_MEMBERS = ['body', 'bodyText', 'bodyBase64', 'form', 'parts'] as const;

function bodyChecks(expected: ExpectedRequest, request: SentRequest, isStrict: boolean): Check[] {
  const bytes = request.body;
  const text = bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
  const checks: Check[] = [];
  const { body, bodyText, bodyBase64, form, parts, bodyAbsent } = expected;
  if (bodyAbsent !== undefined)
    checks.push({ at: ['bodyAbsent'], expected: bodyAbsent, got: text === undefined });
  if (bodyText !== undefined) checks.push({ at: ['bodyText'], expected: bodyText, got: text });
  if (body !== undefined) checks.push({ at: ['body'], expected: body, got: readJson(text) });
  if (form !== undefined) checks.push({ at: ['form'], expected: form, got: parseForm(text ?? '') });
  if (parts !== undefined)
    checks.push({ at: ['parts'], expected: parts, got: readMultipart(request, parts) ?? [] });
  if (bodyBase64 !== undefined) {
    const got = bytes === undefined ? undefined : Buffer.from(bytes).toString('base64');
    checks.push({ at: ['bodyBase64'], expected: bodyBase64, got });
  }
  return isStrict && checks.length === 0 ? undescribedBody(request) : checks;
}

/** A body that nobody described is one that nobody looked at. */
function undescribedBody(request: SentRequest): Check[] {
  const sent = canonicalRequest(request);
  const member = BODY_MEMBERS.find((name) => sent[name] !== undefined);
  return member === undefined ? [] : [{ at: [member], expected: undefined, got: sent[member] }];
}
