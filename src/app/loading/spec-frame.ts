import { codeFrame } from '../../errors/code-frame.js';
import type { Place } from '../../errors/place.js';
import { openAppFolder } from './app-folder.js';

/**
 * The line of a file of the app at a place, with a caret; undefined if the place is not in a file, or the file cannot be read any more.
 *
 * @param root the folder the app was loaded from
 */
export async function specFrame(root: string, place: Place | undefined): Promise<string | undefined> {
  if (place?.file === undefined || place.line === undefined) return undefined;
  const text = await openAppFolder(root)
    .read(place.file, () => place)
    .catch(() => undefined);
  return text === undefined ? undefined : frameLine(text, place);
}

/** The same for a text that was read before; undefined for a place without a line, or beyond the end. */
export function frameLine(text: string, { line, column = 1 }: Place): string | undefined {
  const offset = line === undefined ? undefined : findOffset(text, line, column);
  return offset === undefined ? undefined : codeFrame(text, offset);
}

/** The 0-based offset of a line and column, the reverse of `positionAt`. */
function findOffset(text: string, line: number, column: number): number | undefined {
  let lineStart = 0;
  let current = 1;
  for (const match of text.matchAll(/\r\n|[\n\r]/g)) {
    if (current === line) break;
    current++;
    lineStart = match.index + match[0].length;
  }
  return current < line ? undefined : lineStart + column - 1;
}
