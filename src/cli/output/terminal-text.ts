import { escapeUnsafe } from '../../util/escape-unsafe.js';

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

const NARROWLESS = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

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

/** Columns of text on a terminal: two for wide characters, zero for combining marks. */
export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += NARROWLESS.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}

/** Cuts text to a width; `…` marks a cut. */
export function fitText(text: string, width: number): string {
  if (text.length <= width && textWidth(text) <= width) return text;
  let fitted = '';
  let used = 0;
  for (const char of text) {
    const next = textWidth(char);
    if (used + next > width - 1) break;
    fitted += char;
    used += next;
  }
  return `${fitted}…`;
}

/** Pads text with spaces. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}
