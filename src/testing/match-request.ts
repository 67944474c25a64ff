import { findHeader } from '../http/headers.js';
import { parseForm } from '../http/parse-form.js';
import type { TransportRequest } from '../http/transport.js';
import type { ExpectedRequest } from './fixture.js';
import { readMultipart } from './read-multipart.js';
import { isSameValue } from './same-value.js';
import { readTagged } from './tagged-values.js';

/** What of a request is not as expected, a line each. */
export function describeMismatches(expected: ExpectedRequest, request: TransportRequest): readonly string[] {
  const [address = '', query = ''] = splitOnce(request.url, '?');
  const checks: [what: string, expected: unknown, got: unknown][] = [];
  if (expected.method !== undefined) checks.push(['method', expected.method, request.method]);
  if (expected.url !== undefined) checks.push(['url', expected.url, address]);
  if (expected.query !== undefined) checks.push(['query', expected.query, parseForm(query) ?? {}]);
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    checks.push([`header ${name}`, value, findHeader(request.headers, name)]);
  }
  for (const name of expected.headersAbsent ?? []) {
    checks.push([`header ${name}`, undefined, findHeader(request.headers, name)]);
  }
  checks.push(...bodyChecks(expected, request));
  return [
    ...checks.filter(([, wanted, got]) => !isSameValue(wanted, got)).map(describeCheck),
    ...patternMismatches(expected, request),
  ];
}

function bodyChecks(expected: ExpectedRequest, request: TransportRequest): [string, unknown, unknown][] {
  const text = request.body === undefined ? undefined : Buffer.from(request.body).toString('utf8');
  const checks: [string, unknown, unknown][] = [];
  if (expected.bodyAbsent !== undefined)
    checks.push(['body is absent', expected.bodyAbsent, text === undefined]);
  if (expected.bodyText !== undefined) checks.push(['body', expected.bodyText, text]);
  if (expected.body !== undefined) checks.push(['body', readTagged(expected.body), parseJson(text)]);
  if (expected.form !== undefined) checks.push(['form', expected.form, parseForm(text ?? '') ?? {}]);
  if (expected.parts !== undefined)
    checks.push(['parts', expected.parts, readMultipart(request, expected.parts)]);
  return checks;
}

function patternMismatches(expected: ExpectedRequest, request: TransportRequest): string[] {
  return Object.entries(expected.headersMatch ?? {}).flatMap(([name, pattern]) => {
    const value = findHeader(request.headers, name);
    return value !== undefined && new RegExp(pattern).test(value)
      ? []
      : [`header ${name}: expected to match ${pattern}, got ${show(value)}`];
  });
}

function describeCheck([what, expected, got]: readonly [string, unknown, unknown]): string {
  return `${what}: expected ${show(expected)}, got ${show(got)}`;
}

/** Undefined for what is no JSON: no expectation is. */
function parseJson(text: string | undefined): unknown {
  try {
    return readTagged(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
