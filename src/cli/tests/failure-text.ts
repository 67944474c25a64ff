import { showValue } from '../../testing/matching/tagged-values.js';
import type { TestFailure } from '../../testing/suite/test-result.js';
import { printable } from '../output/terminal-text.js';
import { printFilePlace, type ReportContext } from './test-reporter.js';

/** One line: `bundles[0].id: expected 1, got 2 (made in list.iml.json:3:9)`. */
export function printFailureLine(failure: TestFailure, context: ReportContext): string {
  const { message, isDifference, expected, got, reason, origin } = failure;
  const values = isDifference ? `: expected ${showValue(expected)}, got ${showValue(got)}` : '';
  const why = reason === undefined ? '' : ` (${reason})`;
  const made = origin === undefined ? '' : ` (made in ${printFilePlace(origin, context)})`;
  return printable(`${message}${values}${why}${made}`);
}
