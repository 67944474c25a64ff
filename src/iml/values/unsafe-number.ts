/** Whether a value is a number that is no safe integer: JSON rounds integers above 2^53, so two ids can become one. */
export function isUnsafeNumber(value: unknown): value is number {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}
