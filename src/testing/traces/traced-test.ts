import type { SourceLocation } from '../../errors/source-location.js';

/** A part of the app as it was when it ran. */
export interface TracedDocument {
  /** `case`: the file of the test. `part`: what else the run was made of: forms, custom functions. */
  readonly role: 'base' | 'communication' | 'case' | 'part';
  /** Path in the app's folder; undefined for an app given as an object. */
  readonly file: string | undefined;
  readonly text: string;
}

/** A case, and what of its run is not as written. */
export interface TracedTest {
  /** `listOrders/paging`. */
  readonly name: string;
  /** Path from the app's folder. */
  readonly file: string;
  readonly status: 'passed' | 'failed';
  /** The first hundred. */
  readonly failures: readonly TracedTestFailure[];
  readonly failureCount: number;
}

/** One thing that is not as written, as `iml test` prints it. Files are named from the app's folder. */
export interface TracedTestFailure {
  /** A sentence, or `bundles[0].id` where `expected` and `got` say the rest. */
  readonly message: string;
  /** As JSON, cut; `nothing` where nothing is. Both or neither. */
  readonly expected?: string | undefined;
  readonly got?: string | undefined;
  readonly reason: string | undefined;
  /** In the test, with its line. */
  readonly place: SourceLocation;
  readonly frame: string | undefined;
  /** Where in the app the value was made, with its line. */
  readonly origin: SourceLocation | undefined;
  readonly originFrame: string | undefined;
}
