import { printFailureLine } from './failure-text.js';
import { type MakeReporter, printFilePlace } from './test-reporter.js';

/**
 * The Test Anything Protocol, version 14; the plan stands at the end.
 *
 * @see https://testanything.org/tap-version-14-specification.html
 */
export const createTapReport: MakeReporter = (context) => {
  let count = 0;
  const head = (): string => (count === 0 ? 'TAP version 14\n' : '');
  return {
    report: ({ name, status, failures }) => {
      const start = head();
      count++;
      // `#` would begin a directive, `\` an escape.
      const title = name.replace(/[\\#]/g, '\\$&').replace(/[\r\n]+/g, ' ');
      if (status === 'passed') return `${start}ok ${count} - ${title}\n`;
      const lines = failures.map(
        (failure) =>
          `    - at: ${JSON.stringify(printFilePlace(failure.place, context))}\n` +
          `      message: ${JSON.stringify(printFailureLine(failure, context))}\n`,
      );
      return `${start}not ok ${count} - ${title}\n  ---\n  failures:\n${lines.join('')}  ...\n`;
    },
    finish: () => `${head()}1..${count}\n`,
  };
};
