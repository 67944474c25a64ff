import { printable } from '../output/terminal-text.js';
import { printFailureLine } from './failure-text.js';
import { type MakeReporter, printFilePlace } from './test-reporter.js';

function printLine(text: string): string {
  return printable(text.replace(/[\r\n]+/g, ' '));
}

/**
 * Test Anything Protocol 14, with the plan at the end.
 *
 * @see https://testanything.org/tap-version-14-specification.html
 */
export const createTapReport: MakeReporter = (context) => {
  let count = 0;
  const head = (): string => (count === 0 ? 'TAP version 14\n' : '');
  return {
    report: ({ name, status, failures, notes = [] }) => {
      const start = head();
      count++;
      // `#` starts a directive, `\` an escape.
      const title = printLine(name.replace(/[\\#]/g, '\\$&'));
      const remarks = notes.map((note) => `# ${printLine(note)}\n`).join('');
      if (status === 'skipped')
        return `${start}ok ${count} - ${title} # SKIP ${printLine(notes.join(' '))}\n`;
      if (status === 'todo')
        return `${start}not ok ${count} - ${title} # TODO ${printLine(notes.join(' '))}\n`;
      if (status === 'passed') return `${start}ok ${count} - ${title}\n${remarks}`;
      const lines = failures.map(
        (failure) =>
          `    - at: ${JSON.stringify(printFilePlace(failure.place, context))}\n` +
          `      message: ${JSON.stringify(printFailureLine(failure, context))}\n`,
      );
      return `${start}not ok ${count} - ${title}\n  ---\n  failures:\n${lines.join('')}  ...\n${remarks}`;
    },
    finish: () => `${head()}1..${count}\n`,
  };
};
