/** Comment above a case with generated responses. */
export const MADE_UP_NOTE =
  '// The answers in here are made up. For real ones add "record": true and run: iml test --record --connection NAME';
