/** Stands over a case whose answers were made up, until they are recorded. */
export const MADE_UP_NOTE =
  '// The answers in here are made up. For real ones add "record": true and run: iml test --record --connection NAME';
