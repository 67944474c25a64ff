import type { ErrorCode } from '../../../src/index.js';

/** One way to cause each error code: shown in `docs/errors.md` and checked by the test. */
export interface ErrorCase {
  readonly code: ErrorCode;
  /** The cause, as the page describes it. */
  readonly title: string;
  /** Causes the error and rejects with it. */
  readonly provoke: () => unknown;
  /** Printed location: `file:line:column`, or a JSON pointer. */
  readonly place?: string;
  /** The first cause: one of our codes, or the name or code of another error. */
  readonly cause?: string;
}
