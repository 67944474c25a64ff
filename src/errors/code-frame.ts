import { positionAt } from './position.js';

const MAX_WIDTH = 100;

/**
 * The line of `text` at `offset` with a caret under it, for a terminal:
 *
 *     1 | {{if(true, 1, 2}}
 *       |                ^
 */
export function codeFrame(text: string, offset: number): string {
  const { line, column } = positionAt(text, offset);
  const source = text.split(/\r\n|[\n\r]/)[line - 1] ?? '';
  const from = Math.max(0, Math.min(column - 1 - MAX_WIDTH / 2, source.length - MAX_WIDTH));
  const shown = source.slice(from, from + MAX_WIDTH).replaceAll('\t', ' ');
  const gutter = String(line);
  const caret = ' '.repeat(Math.max(0, column - 1 - from));
  return `${gutter} | ${shown}\n${' '.repeat(gutter.length)} | ${caret}^`;
}
