import { type Position, positionAt } from './position.js';

const MAX_WIDTH = 100;

/**
 * The line of `text` at `offset` with a caret under it, for a terminal:
 *
 *     1 | {{if(true, 1, 2}}
 *       |                ^
 */
export function codeFrame(text: string, offset: number): string {
  const position = positionAt(text, offset);
  return writeFrame(listLines(text)[position.line - 1] ?? '', position);
}

export function listLines(text: string): string[] {
  return text.split(/\r\n|[\n\r]/);
}

/** The same of a line by itself. */
export function writeFrame(source: string, { line, column }: Position): string {
  const from = Math.max(0, Math.min(column - 1 - MAX_WIDTH / 2, source.length - MAX_WIDTH));
  const shown = source.slice(from, from + MAX_WIDTH).replaceAll('\t', ' ');
  const gutter = String(line);
  const caret = ' '.repeat(Math.max(0, column - 1 - from));
  return `${gutter} | ${shown}\n${' '.repeat(gutter.length)} | ${caret}^`;
}
