import type { Finding, Level } from '../../check/finding.js';
import { printableLine } from './terminal-text.js';
import { placeText } from './warning-lines.js';

/**
 * Formats diagnostics: location, level, message, rule, and the line with a caret.
 *
 * @param readFrame the line of a diagnostic; undefined if there is none
 */
export async function printFindings(
  findings: readonly Finding[],
  showPath: (file: string) => string,
  readFrame: (finding: Finding) => Promise<string | undefined>,
): Promise<string> {
  let text = '';
  for (const finding of findings) {
    const { fix } = finding;
    text += findingLine(finding, showPath);
    const frame = await readFrame(finding);
    if (frame !== undefined) text += `${indent(frame)}\n`;
    if (fix !== undefined) text += `  --fix: ${printableLine(fix.title)}\n`;
  }
  return text;
}

/**
 * `modules/x.iml.json:3:5: error: There is no "itm" here. [unknown-name]`. Further lines of a message are prefixed
 * with a bar, because some log readers treat `::` at the start of a line as a command.
 */
export function findingLine(
  { rule, level, message, place }: Finding,
  showPath: (file: string) => string,
): string {
  const [first = '', ...more] = message.split('\n');
  const below = more.map((line) => `  | ${printableLine(line)}\n`).join('');
  return `${placeText(place, showPath)}: ${level}: ${printableLine(first)} [${rule}]\n${below}`;
}

function indent(frame: string): string {
  return frame
    .split('\n')
    .map((line) => `  ${printableLine(line)}`)
    .join('\n');
}

/** `2 errors, 1 warning`; `no findings`. */
export function countFindings(findings: readonly Finding[]): string {
  const count = (level: Level): number => findings.filter((finding) => finding.level === level).length;
  const parts = (['error', 'warning', 'info'] as const)
    .map((level) => [level, count(level)] as const)
    .filter(([, number]) => number > 0)
    .map(([level, number]) => `${number} ${level}${number === 1 || level === 'info' ? '' : 's'}`);
  return parts.join(', ') || 'no findings';
}
