/** Built-in functions that custom functions can call without `iml.`, as in Make. [rt] */
export const GLOBAL_FUNCTIONS: readonly string[] = [
  'cryptoSign',
  'dateDiff',
  'errorFactory',
  'generateJwtWithKeyId',
  'pop',
  'shift',
];
