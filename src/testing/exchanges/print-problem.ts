import { printPath } from '../matching/compare-values.js';
import { showValue } from '../matching/show-value.js';
import type { RequestDifference } from './match-request.js';

/** `query.page: expected "2", got "1"`. */
export function printRequestDifference({ path, expected, got }: RequestDifference): string {
  return `${printPath('', path)}: expected ${showValue(expected)}, got ${showValue(got)}`;
}
