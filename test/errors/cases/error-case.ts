import type { ErrorCode } from '../../../src/index.js';

/** One way to get an error of each code: what `docs/errors.md` shows of it, and the test expects. */
export interface ErrorCase {
  readonly code: ErrorCode;
  /** What was done, as the page says it. */
  readonly title: string;
  /** Does it, and ends with the error. */
  readonly provoke: () => unknown;
  /** Where it is, as it is printed: `file:line:column`, or a JSON pointer. */
  readonly place?: string;
  /** What came first: one of our codes, or the name or code of another error. */
  readonly cause?: string;
}
