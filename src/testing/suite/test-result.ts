import type { SourceLocation } from '../../errors/source-location.js';

/** One thing that is not as it should be. */
export interface TestFailure {
  /** A sentence, or `bundles[0].id` where `expected` and `got` say the rest. */
  readonly message: string;
  /** Whether two values differ; then both are given, undefined standing for nothing. */
  readonly isDifference: boolean;
  readonly expected?: unknown;
  readonly got?: unknown;
  /** Why, where more is known: the error that ended the run. */
  readonly reason?: string | undefined;
  /** In the file of the test; `file` is absolute. */
  readonly place: SourceLocation;
  /** Where in the app the value was made; `file` is absolute. Undefined where that is not known. */
  readonly origin: SourceLocation | undefined;
}

/** What came of one test. */
export interface TestResult {
  /** `case`: a `*.test.json`. `function`: a test of a custom function. `app`: an app that does not load. */
  readonly kind: 'case' | 'function' | 'app';
  /** `listOrders/paging`, `removeEmpty > keeps zero`. */
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  /** `skipped`, `todo` (see `TestCase`): it was not run, and a note says why. */
  readonly status: 'passed' | 'failed' | 'skipped' | 'todo';
  /** None for a test that passed. */
  readonly failures: readonly TestFailure[];
  /** What is worth knowing and no failure, a sentence each. Default: nothing. */
  readonly notes?: readonly string[] | undefined;
  /** Milliseconds. */
  readonly durationMs: number;
  /** Where the trace of its run lies, absolute; of a case whose trace is kept. */
  readonly trace?: string | undefined;
}

/** Counts over results. */
export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
  /** Tests that did not run: skipped, after the first failure with `bail`, or of an app that does not load. */
  readonly skipped: number;
  /** Cases that are not finished: see `TestCase`. */
  readonly todo: number;
  readonly durationMs: number;
}
