import { printable } from '../output/terminal-text.js';
import { printFailureLine } from './failure-text.js';
import type { MakeReporter } from './test-reporter.js';

/**
 * GitHub workflow annotations, one per failure, at the line of the case.
 *
 * @see https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export const createGithubReport: MakeReporter = (context) => ({
  report: ({ name, failures, notes = [] }) =>
    [
      ...failures.map((failure) => {
        const { file, line, column } = failure.place;
        const properties = [
          ...(file === undefined ? [] : [`file=${escapeProperty(context.pathOf(file))}`]),
          ...(line === undefined ? [] : [`line=${line}`, `col=${column ?? 1}`]),
          `title=${escapeProperty(name)}`,
        ];
        return `::error ${properties.join(',')}::${escapeData(printFailureLine(failure, context))}\n`;
      }),
      ...notes.map((note) => `::notice title=${escapeProperty(name)}::${escapeData(note)}\n`),
    ].join(''),
  finish: ({ passed, failed }) => `::notice::${passed} tests passed, ${failed} failed\n`,
});

function escapeData(text: string): string {
  return printable(text).replaceAll('%', '%25').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
