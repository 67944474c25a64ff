import path from 'node:path';
import type { CustomFunctions } from '../../app/engine/custom-functions.js';
import type { App } from '../../document/app.js';
import { EngineError } from '../../errors/engine-error.js';
import { childPointer, type SourceLocation } from '../../errors/source-location.js';
import type { RunObserver } from '../../run/scope/engine-settings.js';
import { fixtureOfCase } from '../cases/case-fixture.js';
import type { ReadCase } from '../cases/read-case.js';
import type { ExchangeProblem } from '../exchanges/play-exchanges.js';
import type { OutcomeDifference } from '../fixtures/check-outcome.js';
import type { Fixture } from '../fixtures/fixture.js';
import { type FixtureReport, type PlayFixtureOptions, playFixture } from '../fixtures/play-fixture.js';
import type { ValuePath } from '../matching/compare-values.js';
import type { TestFailure } from './test-result.js';

/** What runs of cases of one app share. */
export interface CaseStage {
  readonly app: App;
  /** The folder of the app, absolute. */
  readonly root: string;
  /** Custom functions of the app for a timezone, loaded once, when a case names one. */
  readonly functionsFor: (timezone: string) => Promise<CustomFunctions>;
  /** For coverage. */
  readonly observer?: RunObserver | undefined;
  /** How deep runs are looked at. Default: `full`. */
  readonly trace?: PlayFixtureOptions['trace'];
}

/** What a case showed: its failures, and the report where it ran at all. */
export interface CaseRun {
  readonly failures: readonly TestFailure[];
  readonly report: FixtureReport | undefined;
  /** What was run; with the report. */
  readonly fixture?: Fixture | undefined;
  /** See `TestResult`. */
  readonly notes?: readonly string[] | undefined;
  /** Whether it was left out, which a note explains. Default: false. */
  readonly isSkipped?: boolean;
}

/** How a case of an app is run. */
export type RunCase = (read: ReadCase, stage: CaseStage) => Promise<CaseRun>;

/** Runs a case against its exchanges. Rejects for a defect of ours alone. */
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

/** A case that could not be run at all. */
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

/** What nobody has seen yet is not to pass for seen. */
function notRecorded({ document }: ReadCase): TestFailure {
  const message = 'The case asks to be recorded, and has not been yet: iml test --record.';
  return { message, isDifference: false, place: document.locationOf('/record'), origin: undefined };
}

/** Exchanges first: a request that went wrong explains what came of it. */
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

/** Names of headers are compared without case; the file has them in one. */
function asWritten(path: ValuePath, headers: object = {}): ValuePath {
  const [member, name] = path;
  if (member !== 'headers') return path;
  return ['headers', Object.keys(headers).find((key) => key.toLowerCase() === name) ?? name ?? ''];
}

/** Files of an app are named from its folder. */
export function absolute(place: SourceLocation, root: string): SourceLocation | undefined {
  return place.file === undefined ? undefined : { ...place, file: path.resolve(root, place.file) };
}
