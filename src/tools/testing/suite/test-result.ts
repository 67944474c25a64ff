import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { showValue } from '../matching/tagged-values.js';

/** One failure of a test. */
export interface TestFailure {
  /** A sentence, or `bundles[0].id` together with `expected` and `got`. */
  readonly message: string;
  /** Whether `expected` and `got` are set. */
  readonly isDifference: boolean;
  readonly expected?: unknown;
  readonly got?: unknown;
  /** The error that ended the run, if known. */
  readonly reason?: string | undefined;
  /** Location in the test; `file` is absolute. */
  readonly place: SourceLocation;
  /** Location in the app that created the value; `file` is absolute. Undefined if unknown. */
  readonly origin: SourceLocation | undefined;
}

/** The result of one test. */
export interface TestResult {
  /** `case`: a `*.test.json` file. `function`: a test of a custom function. `app`: an app that does not load. */
  readonly kind: 'case' | 'function' | 'app';
  /** `listOrders/paging`, `removeEmpty > keeps zero`. */
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  /** `skipped` and `todo` (see `TestCase`): not run; a note has the reason. */
  readonly status: 'passed' | 'failed' | 'skipped' | 'todo';
  /** Empty for a passed test. */
  readonly failures: readonly TestFailure[];
  /** Notes that are not failures, one sentence each. Default: none. */
  readonly notes?: readonly string[] | undefined;
  /** Milliseconds. */
  readonly durationMs: number;
  /** Absolute path of the trace, if stored. */
  readonly trace?: string | undefined;
}

/** Numbers of results. */
export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
  /** Tests that did not run: skipped, after the first failure with `bail`, or of an app that does not load. */
  readonly skipped: number;
  /** Unfinished cases: see `TestCase`. */
  readonly todo: number;
  readonly durationMs: number;
}

/** The failures of a test as text, with their locations. Empty for a passed test. */
export function printTestFailures({ failures }: TestResult): string {
  return failures
    .map(({ message, isDifference, expected, got, reason, place, origin }) => {
      const values = isDifference ? `\n  expected ${showValue(expected)}\n  got      ${showValue(got)}` : '';
      const why = reason === undefined ? '' : `\n  ${reason}`;
      const made = origin === undefined ? '' : `\n  made in  ${printPosition(origin)}`;
      return `${printPosition(place)}: ${message}${values}${why}${made}`;
    })
    .join('\n');
}

function printPosition({ file = '', line, column }: SourceLocation): string {
  return line === undefined ? file : `${file}:${line}:${column ?? 1}`;
}
