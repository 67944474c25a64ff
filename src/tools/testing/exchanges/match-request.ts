import { parseForm } from '../../../engine/http/body/decode-body.js';
import type { HeaderEntry } from '../../../engine/http/transport.js';
import { matchValues, printPath, type ValuePath } from '../matching/compare-values.js';
import { isMatcher } from '../matching/matchers.js';
import { readTagged, showValue } from '../matching/tagged-values.js';
import {
  canonicalRequest,
  parseJsonText,
  readMultipart,
  type SentRequest,
  splitAddress,
  withoutBoundary,
} from './canonical-request.js';
import type { ExpectedRequest } from './exchange.js';

/** A difference between a request and its expectation. */
export interface RequestDifference {
  /** Starts with a member of `ExpectedRequest`: `['query', 'page']`. */
  readonly path: ValuePath;
  /** As written; undefined without an expectation. */
  readonly expected: unknown;
  /** Undefined if absent. */
  readonly got: unknown;
}

/** Strictness of the comparison. */
export interface MatchOptions {
  /**
   * Whether the query of a URL and the body must be absent if the expectation does not describe them. Default: false.
   */
  readonly isStrict?: boolean;
  /** Paths in `request` to skip, such as `['query', 'nonce']`; `*` matches any step. */
  readonly ignored?: readonly ValuePath[];
  /** Called with each path in `ignored` that skips a value. */
  readonly onIgnored?: (pattern: ValuePath) => void;
}

interface Check {
  readonly at: ValuePath;
  readonly expected: unknown;
  readonly got: unknown;
}

/** Differences in the order of the parts of a request; empty for a match. */
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
  const { ignored, onIgnored } = options;
  return checks.flatMap(({ at, expected: wanted, got }) =>
    matchValues(wanted, got, { at, ignored, onIgnored }),
  );
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

/** The expected query; undefined if any is accepted. */
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

/** Joins repeated headers. Ignores the boundary of a content type unless the expectation contains one. */
function headerValue(headers: readonly HeaderEntry[], name: string, wanted: unknown): string | undefined {
  const lower = name.toLowerCase();
  const values = headers.filter((entry) => entry[0].toLowerCase() === lower).map(([, value]) => value);
  if (values.length === 0) return undefined;
  const text = values.join(', ');
  const isPlain = lower === 'content-type' && typeof wanted === 'string' && !/boundary=/i.test(wanted);
  return isPlain ? withoutBoundary(text) : text;
}

/** Text that is not JSON is wrapped, so that it equals no expectation. */
function readJson(text: string | undefined): unknown {
  const value = parseJsonText(text);
  return value === undefined && text !== undefined ? { notJson: text } : readTagged(value);
}

/** Members that describe a body; an expectation has at most one. */
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

/** In strict mode a body must be described. */
function undescribedBody(request: SentRequest): Check[] {
  const sent = canonicalRequest(request);
  const member = BODY_MEMBERS.find((name) => sent[name] !== undefined);
  return member === undefined ? [] : [{ at: [member], expected: undefined, got: sent[member] }];
}

/** `query.page: expected "2", got "1"`. */
export function printRequestDifference({ path, expected, got }: RequestDifference): string {
  return `${printPath('', path)}: expected ${showValue(expected)}, got ${showValue(got)}`;
}
