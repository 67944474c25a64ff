/** Built-in functions that custom functions reach without `iml.` in front, as on Make. [rt] */
export const GLOBAL_FUNCTIONS: readonly string[] = [
  'cryptoSign',
  'dateDiff',
  'errorFactory',
  'generateJwtWithKeyId',
  'pop',
  'shift',
];
