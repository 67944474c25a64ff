import path from 'node:path';
import type { CustomFunctions } from '../../../engine/custom-functions.js';
import type { App } from '../../../engine/document/app.js';
import type { RunObserver } from '../../../engine/run/engine-settings.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { childPointer, type SourceLocation } from '../../../shared/errors/source-location.js';
import { fixtureOfCase } from '../cases/case-fixture.js';
import type { ReadCase } from '../cases/read-case.js';
import type { ExchangeProblem } from '../exchanges/play-exchanges.js';
import type { OutcomeDifference } from '../fixtures/check-outcome.js';
import type { Fixture } from '../fixtures/fixture.js';
import { type FixtureReport, type PlayFixtureOptions, playFixture } from '../fixtures/play-fixture.js';
import type { ValuePath } from '../matching/compare-values.js';
import type { TestFailure } from './test-result.js';

/** What cases of one app share. */
export interface CaseStage {
  readonly app: App;
  /** The folder of the app, absolute. */
  readonly root: string;
  /** Custom functions by timezone, loaded on first use. */
  readonly functionsFor: (timezone: string) => Promise<CustomFunctions>;
  /** Observer for coverage. */
  readonly observer?: RunObserver | undefined;
  /** Depth of traces. Default: `full`. */
  readonly trace?: PlayFixtureOptions['trace'];
}

/** Failures of a case, and its report if it ran. */
export interface CaseRun {
  readonly failures: readonly TestFailure[];
  readonly report: FixtureReport | undefined;
  /** The fixture that ran. */
  readonly fixture?: Fixture | undefined;
  /** See `TestResult`. */
  readonly notes?: readonly string[] | undefined;
  /** Whether it was skipped; a note has the reason. Default: false. */
  readonly isSkipped?: boolean;
}

/** Runs a case of an app. */
export type RunCase = (read: ReadCase, stage: CaseStage) => Promise<CaseRun>;

/** Runs a case against its exchanges. Rejects only for internal errors. */
export async function runCase(read: ReadCase, stage: CaseStage): Promise<CaseRun> {
  if (read.written.record === true) return { failures: [notRecorded(read)], report: undefined };
  try {
    const fixture = fixtureOfCase(read, stage.app);
    const report = await playFixture(fixture, {
      app: fixture.app === undefined ? stage.app : undefined,
      isStrict: true,
      functions: () => stage.functionsFor(fixture.input.timezone ?? 'UTC'),
      observer: stage.observer,
      trace: stage.trace,
    });
    return { failures: listFailures(read, report, stage.root), report, fixture };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { failures: [explainRefusal(error, read, stage.root)], report: undefined };
  }
}

/** The failure of a case that could not run. */
export function explainRefusal(error: EngineError, read: ReadCase, root: string): TestFailure {
  const place = error.place ?? { file: read.file, line: 1, column: 1 };
  const isInCase = place.file === read.file;
  return {
    message: error.message,
    isDifference: false,
    place: isInCase ? place : read.document.locationOf(''),
    origin: isInCase ? undefined : absolute(place, root),
  };
}

/** An unrecorded case must not pass. */
function notRecorded({ document }: ReadCase): TestFailure {
  const message = 'The case has no recording yet. Run iml test --record-cases.';
  return { message, isDifference: false, place: document.locationOf('/record'), origin: undefined };
}

/** Exchanges first: a wrong request explains the results. */
function listFailures(read: ReadCase, report: FixtureReport, root: string): readonly TestFailure[] {
  return [
    ...report.exchanges.flatMap((problem) => exchangeFailures(problem, read, report, root)),
    ...report.differences.map((difference) => outcomeFailure(difference, read, root)),
  ];
}

function outcomeFailure(difference: OutcomeDifference, { document }: ReadCase, root: string): TestFailure {
  const { what, expected, got, reason, pointer, place } = difference;
  return {
    message: what,
    isDifference: true,
    expected,
    got,
    reason,
    place: document.locationOf(pointer),
    origin: place && absolute(place, root),
  };
}

function exchangeFailures(
  problem: ExchangeProblem,
  { document, written: { exchanges = [] } }: ReadCase,
  { placeInRequest }: FixtureReport,
  root: string,
): readonly TestFailure[] {
  const { call, exchange, message, differences } = problem;
  const at = exchange === undefined ? '/exchanges' : `/exchanges/${exchange}`;
  const originOf = (difference: { readonly path: ValuePath }): SourceLocation | undefined => {
    const place = call === undefined ? undefined : placeInRequest(call, difference);
    return place && absolute(place, root);
  };
  const whole: TestFailure = {
    message,
    isDifference: false,
    place: document.locationOf(at),
    origin: differences.length > 0 ? undefined : originOf({ path: ['url'] }),
  };
  return [
    whole,
    ...differences.map((difference): TestFailure => {
      const path = asWritten(difference.path, exchanges[exchange ?? 0]?.request?.headers);
      const pointer = path.reduce<string>(childPointer, `${at}/request`);
      return {
        message: `request.${difference.path.join('.')}`,
        isDifference: true,
        expected: difference.expected,
        got: difference.got,
        place: document.locationOf(pointer),
        origin: originOf(difference),
      };
    }),
  ];
}

/** Header names ignore case; the file has one spelling. */
function asWritten(path: ValuePath, headers: object = {}): ValuePath {
  const [member, name] = path;
  if (member !== 'headers') return path;
  return ['headers', Object.keys(headers).find((key) => key.toLowerCase() === name) ?? name ?? ''];
}

/** Resolves a location relative to the app. */
export function absolute(place: SourceLocation, root: string): SourceLocation | undefined {
  return place.file === undefined ? undefined : { ...place, file: path.resolve(root, place.file) };
}
