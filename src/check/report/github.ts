import type { Finding, Level } from '../finding.js';

const COMMANDS: Readonly<Record<Level, string>> = { error: 'error', warning: 'warning', info: 'notice' };

/**
 * Diagnostics as GitHub workflow commands.
 *
 * @param showPath path of a file relative to the repository
 * @see https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function createAnnotations(findings: readonly Finding[], showPath: (file: string) => string): string {
  return findings
    .map(({ rule, level, message, place }) => {
      const { file, line, column } = place;
      const properties = [
        ...(file === undefined ? [] : [`file=${escapeProperty(showPath(file))}`]),
        ...(line === undefined ? [] : [`line=${line}`, `col=${column ?? 1}`]),
        `title=${escapeProperty(rule)}`,
      ];
      return `::${COMMANDS[level]} ${properties.join(',')}::${escapeData(message)}\n`;
    })
    .join('');
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
