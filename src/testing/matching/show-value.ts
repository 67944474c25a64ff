import { writeTagged } from './tagged-values.js';

const MAX_SHOWN = 1500;

/** A value on one line, shortened; `nothing` for undefined. */
export function showValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(writeTagged(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
