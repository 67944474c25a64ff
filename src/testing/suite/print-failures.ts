import type { SourceLocation } from '../../errors/source-location.js';
import { showValue } from '../matching/show-value.js';
import type { TestResult } from './test-result.js';

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
