import type { SourceLocation } from '../../../shared/errors/source-location.js';

/** A part of the app as it was during the run. */
export interface TracedDocument {
  /** `case`: the file of the test. `part`: forms and custom functions. */
  readonly role: 'base' | 'communication' | 'case' | 'part';
  /** Path relative to the app; undefined for an app from an object. */
  readonly file: string | undefined;
  readonly text: string;
}

/** A case and its differences. */
export interface TracedTest {
  /** `listOrders/paging`. */
  readonly name: string;
  /** Path relative to the app. */
  readonly file: string;
  readonly status: 'passed' | 'failed';
  /** The first 100. */
  readonly failures: readonly TracedTestFailure[];
  readonly failureCount: number;
}

/** A difference as `iml test` prints it. Files are relative to the app. */
export interface TracedTestFailure {
  /** A sentence, or `bundles[0].id` together with `expected` and `got`. */
  readonly message: string;
  /** JSON, shortened; `nothing` for an absent value. Both or neither. */
  readonly expected?: string | undefined;
  readonly got?: string | undefined;
  readonly reason: string | undefined;
  /** Location in the test, with its line. */
  readonly place: SourceLocation;
  readonly frame: string | undefined;
  /** Location in the app that created the value, with its line. */
  readonly origin: SourceLocation | undefined;
  readonly originFrame: string | undefined;
}
