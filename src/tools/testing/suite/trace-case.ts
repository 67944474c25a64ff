import { readTimeout } from '../../../engine/component/start-run.js';
import type { App } from '../../../engine/document/app.js';
import { frameLine, specFrame } from '../../../engine/loading/spec-frame.js';
import { createRedactor, type Redactor } from '../../../engine/redaction/redact.js';
import { collectSecrets } from '../../../engine/redaction/secrets.js';
import { resolveLimits } from '../../../engine/run/limits.js';
import type { RunWarning, TraceEvent } from '../../../engine/run/trace.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { relativePath } from '../../../shared/files.js';
import type { ReadCase } from '../cases/read-case.js';
import type { Fixture, FixtureKind } from '../fixtures/fixture.js';
import { COMPONENT, fixtureApp } from '../fixtures/kind-runners.js';
import type { FixtureReport } from '../fixtures/play-fixture.js';
import { readTagged, showValue } from '../matching/tagged-values.js';
import { type RunTrace, type TracedEnd, type TracedKind, traceDocuments, traceParts } from './run-trace.js';
import type { TestFailure } from './test-result.js';
import type { TracedTest, TracedTestFailure } from './traced-test.js';

/** A case that ran with a `deep` trace. */
export interface TracedCase {
  readonly read: ReadCase;
  readonly fixture: Fixture;
  readonly report: FixtureReport;
  readonly failures: readonly TestFailure[];
}

/** Maximum number of stored differences. */
const MAX_FAILURES = 100;

/**
 * The redacted run of a case with its differences and the text of app and case.
 *
 * @param root absolute folder of the app
 */
export async function traceCase(
  { read, fixture, report, failures }: TracedCase,
  { app: loaded, root }: { readonly app: App; readonly root: string },
): Promise<RunTrace> {
  const app = fixture.app === undefined ? loaded : fixtureApp(fixture);
  const kind = KINDS[fixture.kind] ?? 'module';
  const name = fixture.component?.name ?? COMPONENT;
  const common = readTagged(fixture.common) ?? app.common?.value;
  const secrets = [fixture.input.connection, common];
  const redactor = createRedactor({ secrets: collectSecrets(...secrets) });
  const limits = resolveLimits(undefined);
  const file = relativePath(root, read.file);
  return {
    app: loaded.name,
    kind,
    name,
    events: report.events,
    startedAt: findStart(report.events, fixture),
    limits: { ...limits, timeoutMs: readTimeout(app, limits, common) },
    documents: [
      ...traceDocuments(app, kind, name, secrets),
      ...traceParts(app, kind, name, secrets),
      { role: 'case', file, text: redactor.text(read.document.text ?? '') },
    ],
    end: describeEnd(report, redactor),
    test: await describeTest({ read, failures, file }, root, redactor),
  };
}

const KINDS: Partial<Record<FixtureKind, TracedKind>> = {
  rpc: 'rpc',
  endpoint: 'endpoint',
  epoch: 'epoch',
  connection: 'connection',
  oauth1: 'connection',
  oauth2: 'connection',
  'oauth2-refresh': 'connection',
  'oauth2-invalidate': 'connection',
  webhook: 'webhook',
  attach: 'webhook',
  detach: 'webhook',
  update: 'webhook',
};

function findStart([first]: readonly TraceEvent[], { input }: Fixture): number {
  return first?.at ?? (input.now === undefined ? 0 : Date.parse(input.now));
}

/** Requests of pages after the first, without repeats of the same page. */
function countFollowUpPages(events: FixtureReport['events']): number {
  const later = events.filter(({ page }) => page > 1);
  const repeats = later.filter((event) => event.kind === 'wait' && event.reason === 'repeat');
  return later.filter(({ kind }) => kind === 'request').length - repeats.length;
}

function describeEnd({ outcome, events }: FixtureReport, redactor: Redactor): TracedEnd {
  const { error, bundles, result } = outcome;
  const pages = events.filter((event) => event.kind === 'page');
  const [first, last] = [events[0], events.at(-1)];
  const given = bundles ?? (Array.isArray(result) ? result : result === undefined ? [] : [result]);
  return {
    state: error === undefined ? 'ok' : 'failed',
    bundles: given.length,
    stats: {
      requests: events.filter(({ kind }) => kind === 'request').length,
      followUpPages: countFollowUpPages(events),
      records: pages.reduce((sum, { outputs }) => sum + outputs.length, 0),
      durationMs: first === undefined || last === undefined ? 0 : last.at - first.at,
      stopReason: outcome.stop,
    },
    warnings: listWarnings(events),
    error: error && { type: error.type, message: redactor.text(error.message), place: error.place },
  };
}

function listWarnings(events: readonly TraceEvent[]): readonly RunWarning[] {
  return events.flatMap((event) => (event.kind === 'warning' ? [event.warning] : []));
}

async function describeTest(
  { read, failures, file }: Pick<TracedCase, 'read' | 'failures'> & { readonly file: string },
  root: string,
  redactor: Redactor,
): Promise<TracedTest> {
  const shown: TracedTestFailure[] = [];
  for (const failure of failures.slice(0, MAX_FAILURES)) {
    shown.push(
      await describeTestFailure(failure, { text: read.document.text, file: read.file }, root, redactor),
    );
  }
  const status = failures.length === 0 ? 'passed' : 'failed';
  return { name: read.name, file, status, failures: shown, failureCount: failures.length };
}

/**
 * A failure with the lines it refers to.
 *
 * @param test file of the test; its text is undefined if it cannot be read
 * @param root absolute folder of the app
 */
export async function describeTestFailure(
  { message, isDifference, expected, got, reason, place, origin }: TestFailure,
  test: { readonly text: string | undefined; readonly file: string },
  root: string,
  redactor: Redactor,
): Promise<TracedTestFailure> {
  const clean = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : redactor.text(text);
  const named = (at: SourceLocation | undefined): SourceLocation | undefined =>
    at && { ...at, ...(at.file !== undefined && { file: relativePath(root, at.file) }) };
  const made = named(origin);
  const isInTest = place.file === test.file && test.text !== undefined;
  return {
    message: redactor.text(message),
    ...(isDifference && { expected: clean(showValue(expected)), got: clean(showValue(got)) }),
    reason: clean(reason),
    place: named(place) ?? {},
    frame: clean(isInTest ? frameLine(test.text ?? '', place) : undefined),
    origin: made,
    originFrame: clean(await specFrame(root, made)),
  };
}
