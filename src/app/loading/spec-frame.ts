import { listLines, type SourceLocation, writeFrame } from '../../errors/source-location.js';
import { openAppFolder } from './app-folder.js';

/**
 * The line of a file of the app at a place, with a caret; undefined if the place is not in a file, or the file cannot be read any more.
 *
 * @param root the folder the app was loaded from
 */
export async function specFrame(
  root: string,
  place: SourceLocation | undefined,
): Promise<string | undefined> {
  if (place?.file === undefined || place.line === undefined) return undefined;
  const text = await openAppFolder(root)
    .read(place.file, () => place)
    .catch(() => undefined);
  return text === undefined ? undefined : frameLine(text, place);
}

/** Frames of many places: each file is read, and taken apart into its lines, once. */
export function createFrameReader(
  root: string,
): (place: SourceLocation | undefined) => Promise<string | undefined> {
  const folder = openAppFolder(root);
  const files = new Map<string, Promise<readonly string[]>>();
  return async (place) => {
    if (place?.file === undefined || place.line === undefined) return undefined;
    const { file } = place;
    const reading =
      files.get(file) ??
      folder
        .read(file, () => place)
        .then(
          (text) => (text === undefined ? [] : listLines(text)),
          () => [],
        );
    files.set(file, reading);
    return frameAmong(await reading, place);
  };
}

/** The same for a text that was read before; undefined for a place without a line, or beyond the end. */
export function frameLine(text: string, place: SourceLocation): string | undefined {
  return frameAmong(listLines(text), place);
}

function frameAmong(lines: readonly string[], { line, column = 1 }: SourceLocation): string | undefined {
  const source = line === undefined ? undefined : lines[line - 1];
  if (line === undefined || source === undefined) return undefined;
  return writeFrame(source, { line, column: Math.min(column, source.length + 1) });
}
