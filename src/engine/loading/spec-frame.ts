import { listLines, type SourceLocation, writeFrame } from '../../shared/errors/source-location.js';
import { openAppFolder } from './app-folder.js';

/**
 * The line at a location with a caret; undefined without a file or if it cannot be read.
 *
 * @param root folder of the app
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

/** Creates frames; reads and splits each file once. */
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

/** The frame of a text; undefined for a location without a line or beyond the end. */
export function frameLine(text: string, place: SourceLocation): string | undefined {
  return frameAmong(listLines(text), place);
}

function frameAmong(lines: readonly string[], { line, column = 1 }: SourceLocation): string | undefined {
  const source = line === undefined ? undefined : lines[line - 1];
  if (line === undefined || source === undefined) return undefined;
  return writeFrame(source, { line, column: Math.min(column, source.length + 1) });
}
