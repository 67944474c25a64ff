import type { Expectation, Outcome } from './fixture.js';
import { isSameValue } from './same-value.js';
import { readExpected, writeTagged } from './tagged-values.js';

/** What of an outcome is not as expected, a line each. Keys that are absent from the expectation are not checked. */
export function describeDifferences(expected: Expectation, outcome: Outcome): readonly string[] {
  const { bundles } = outcome;
  const checks: [what: string, expected: unknown, got: unknown][] = [
    ['error', expected.error && 'an error', outcome.error && 'an error'],
    ['error type', expected.error?.type, outcome.error?.type],
    ['error message', expected.error?.message, outcome.error?.message],
    ['bundles', expected.bundles, bundles],
    ['bundle count', expected.bundleCount, bundles?.length],
    ['first bundle', expected.firstBundle, bundles?.[0]],
    ['last bundle', expected.lastBundle, bundles?.at(-1)],
    ['bundles after an error', expected.error && [], bundles],
    ['result', expected.result, outcome.result],
    ['request count', expected.requestCount, outcome.requestCount],
    ['waits', expected.waits, outcome.waits],
    ['state', expected.state, outcome.state],
    ['starts', expected.starts, outcome.starts],
    ['connection', expected.connection, outcome.connection],
    ['metadata', expected.metadata, outcome.metadata],
    ['uid', expected.uid, outcome.uid],
    ['expires', expected.expires, outcome.expires],
    ['webhook data', expected.webhookData, outcome.webhookData],
    ['verification', expected.verification, outcome.verification],
    ['recipients', expected.recipients, outcome.recipients],
    ...authorizeChecks(expected, outcome),
    ...respondChecks(expected, outcome),
    ...stateChecks(expected, outcome),
  ];
  const differences = checks
    .filter(([what, wanted, got]) => isChecked(what, wanted, got))
    .filter(([, wanted, got]) => !isSameValue(readExpected(wanted), got, { datesAsText: true }))
    .map(
      ([what, wanted, got]) => `${what}: expected ${show(wanted)}, got ${show(got)}${because(what, outcome)}`,
    );
  const leaks = (expected.logExcludes ?? []).filter((text) => outcome.log.includes(text));
  return [...differences, ...leaks.map((text) => `the log shows ${JSON.stringify(text)}`)];
}

/** An error that nobody expects is a difference, too. */
function isChecked(what: string, wanted: unknown, got: unknown): boolean {
  if (what === 'error') return wanted !== undefined || got !== undefined;
  if (what === 'bundles after an error') return wanted !== undefined && got !== undefined;
  return wanted !== undefined;
}

function because(what: string, outcome: Outcome): string {
  return what === 'error' && outcome.error ? ` (${outcome.error.type}: ${outcome.error.message})` : '';
}

function authorizeChecks(expected: Expectation, outcome: Outcome): [string, unknown, unknown][] {
  if (expected.authorizeUrl === undefined) return [];
  const got = outcome.authorizeUrl === undefined ? undefined : new URL(outcome.authorizeUrl);
  got?.searchParams.delete('state');
  return [
    ['authorize url', expected.authorizeUrl.url, got && got.origin + got.pathname],
    ['authorize query', expected.authorizeUrl.query, got && Object.fromEntries(got.searchParams)],
  ];
}

function respondChecks(expected: Expectation, outcome: Outcome): [string, unknown, unknown][] {
  const { respond } = expected;
  if (respond === undefined) return [];
  const got = outcome.respond;
  return [
    ['respond', 'an answer', got && 'an answer'],
    ['respond status', respond.status, got?.status],
    ['respond text', respond.text, got?.body],
    [
      'respond json',
      respond.json,
      got === undefined || respond.json === undefined ? undefined : parse(got.body),
    ],
    ...Object.entries(respond.headers ?? {}).map(([name, value]): [string, unknown, unknown] => [
      `respond header ${name}`,
      value,
      got?.headers.get(name),
    ]),
  ];
}

/** Of each scenario state only the keys that are listed. */
function stateChecks(expected: Expectation, outcome: Outcome): [string, unknown, unknown][] {
  const { states } = expected;
  if (states === undefined) return [];
  const counts: [string, unknown, unknown] = ['state count', states.length, outcome.states?.length];
  const each = states.flatMap((state, index) =>
    Object.entries(state).map(([key, value]): [string, unknown, unknown] => [
      `state ${index + 1}, ${key}`,
      value,
      outcome.states?.[index]?.[key],
    ]),
  );
  return [counts, ...each];
}

/** Undefined for what is no JSON: no expectation is. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MAX_SHOWN = 1500;

function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(writeTagged(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
