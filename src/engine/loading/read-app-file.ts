import { isUtf8 } from 'node:buffer';
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { SpecError } from '../../shared/errors/engine-error.js';
import { formatLocation, type SourceLocation } from '../../shared/errors/source-location.js';
import { readRegularFile } from '../../shared/read-regular-file.js';

/** Maximum size of a file; real apps have up to 100 KB. [choice] */
export const MAX_FILE_BYTES: number = 1024 * 1024;

/** Allowed folders of an app. */
export interface OpenFolders {
  /** Absolute real paths, the app first. */
  readonly folders: readonly string[];
  /** Contents of unsaved files by absolute path. */
  readonly overlay: ReadonlyMap<string, string> | undefined;
  /** End of the error message for a file outside. */
  readonly outside: string;
  /** Real paths of folders, cached. */
  readonly realFolders: Map<string, string>;
}

type Refuse = (why: string, cause?: unknown) => SpecError;

/**
 * The text of a file in one of the folders, or undefined if it does not exist.
 *
 * @param file Path relative to the first folder, `/` or `\` between its steps.
 * @param locationOf Where the path is written; asked for only by an error.
 * @throws SpecError SPEC_READ for a path that leads out of the folders, to a hidden file, to a directory or device,
 * to a file that is too large, may not be read or is not UTF-8.
 */
export function readAppFile(
  open: OpenFolders,
  file: string,
  locationOf: () => SourceLocation,
): string | undefined {
  const { folders, overlay } = open;
  const refuse: Refuse = (why, cause) => {
    const place = locationOf();
    return new SpecError('SPEC_READ', `${formatLocation(place)}: the file "${file}" ${why}.`, {
      place,
      cause,
    });
  };
  const relative = file.replaceAll('\\', '/');
  if (relative.includes('\0') || path.posix.isAbsolute(relative) || /^[a-zA-Z]:/.test(relative)) {
    throw refuse('is no relative path');
  }
  const target = path.resolve(folders[0] ?? '', relative);
  const judge = (absolute: string): void => assertReadable(open, absolute, refuse);
  judge(target);
  const edited = overlay?.get(target);
  if (edited !== undefined) return edited;
  try {
    const { real, stats } = followLinks(open, target);
    // Checks the target of a link again.
    if (real !== target) judge(real);
    if (!stats.isFile()) throw refuse('is no regular file');
    // The file may have been replaced: checks the opened one.
    const read = readRegularFile(real, MAX_FILE_BYTES, judge);
    if (!read.ok) throw refuse(read.problem);
    return decode(read.bytes, refuse);
  } catch (error) {
    if (error instanceof SpecError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw refuse(`cannot be read (${code ?? 'unknown error'})`, error);
  }
}

/** Resolves each folder once. */
function followLinks(
  { realFolders }: OpenFolders,
  target: string,
): { readonly real: string; readonly stats: Stats } {
  const stats = lstatSync(target);
  if (stats.isSymbolicLink()) {
    const real = realpathSync.native(target);
    return { real, stats: statSync(real) };
  }
  const folder = path.dirname(target);
  const realFolder = realFolders.get(folder) ?? realpathSync.native(folder);
  realFolders.set(folder, realFolder);
  return { real: realFolder === folder ? target : path.join(realFolder, path.basename(target)), stats };
}

function assertReadable({ folders, outside }: OpenFolders, absolute: string, refuse: Refuse): void {
  const folder = folders.find((one) => isBelow(one, absolute));
  if (folder === undefined) throw refuse(outside);
  // Hidden files contain credentials: `.secrets/apikey` of the editor, `.env`, `.docker/config.json`.
  const hidden = absolute
    .slice(folder.length)
    .split(path.sep)
    .find((step) => step.startsWith('.'));
  if (hidden !== undefined) throw refuse(`is hidden (${hidden}), and hidden files are never read`);
}

/** For absolute, normalized paths. */
function isBelow(folder: string, absolute: string): boolean {
  return absolute === folder || absolute.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

function decode(bytes: Buffer, refuse: Refuse): string {
  if (!isUtf8(bytes)) throw refuse('is not UTF-8 text');
  return bytes.toString('utf8');
}
