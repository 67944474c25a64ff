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
  return text === undefined ? undefined : codeFrame(text, findOffset(text, place.line, place.column ?? 1));
}

/** The 0-based offset of a line and column, the reverse of `positionAt`. */
function findOffset(text: string, line: number, column: number): number {
  let lineStart = 0;
  let current = 1;
  for (const match of text.matchAll(/\r\n|[\n\r]/g)) {
    if (current === line) break;
    current++;
    lineStart = match.index + match[0].length;
  }
  return lineStart + column - 1;
}
