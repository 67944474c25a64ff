import { escapeUnsafe } from '../../../shared/text.js';

/** Foreign text, safe for a terminal: control characters are escaped (`\u001b`). Line breaks and tabs stay. */
export function printable(text: string): string {
  return escapeUnsafe(text);
}

/** `printable` in one line. */
export function printableLine(text: string): string {
  return printable(text.replaceAll('\n', '\\n').replaceAll('\t', '\\t'));
}

/** Workflow commands of CI logs: https://docs.github.com/actions/reference/workflow-commands-for-github-actions. */
const COMMAND = /^([^\S\n]*)(?=::|##\[)/gm;

/** Foreign lines, safe for a CI log: a bar precedes workflow commands. */
export function withoutCommands(text: string): string {
  return text.replace(COMMAND, '$1| ');
}

/** `1 call`, `2 calls`. */
export function countNouns(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Lines that are safe for a terminal, each with some spaces in front. */
export function indentLines(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => `${' '.repeat(width)}${printableLine(line)}`)
    .join('\n');
}
