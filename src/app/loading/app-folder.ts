import { existsSync, realpathSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Place, printPlace } from '../../errors/place.js';
import { SpecError } from '../../errors/spec-error.js';

/** Larger files are refused: the largest file of a real app has some 100 KB. [choice] */
export const MAX_FILE_BYTES: number = 8 * 1024 * 1024;

/** The folder an app is read from. */
export interface AppFolder {
  /** Absolute path without links. */
  readonly root: string;
  /**
   * The text of a file, or undefined if there is none.
   *
   * @param file Path relative to the folder, `/` or `\` between its steps.
   * @param placeOf Where the path is written; asked for only by an error.
   * @throws SpecError SPEC_READ for a path that leads out of the app, into `.secrets`, to a directory or device,
   * to a file that is too large, may not be read or is not UTF-8.
   */
  readonly read: (file: string, placeOf: () => Place) => Promise<string | undefined>;
}

/**
 * Opens the folder of an app. Its files may also lie in the folder above, where a manifest in `src/` keeps the readme;
 * nothing further up is read, and nothing above a repository's root.
 * Source: reference/app-layout.md (Layouts in the wild). [app]
 */
export function openAppFolder(folder: string): AppFolder {
  const root = realpathSync(folder);
  const boundary = existsSync(path.join(root, '.git')) ? root : path.dirname(root);
  return { root, read: (file, placeOf) => readInside(root, boundary, file, placeOf) };
}

type Refuse = (why: string, cause?: unknown) => SpecError;

async function readInside(
  root: string,
  boundary: string,
  file: string,
  placeOf: () => Place,
): Promise<string | undefined> {
  const refuse: Refuse = (why, cause) => {
    const place = placeOf();
    return new SpecError('SPEC_READ', `${printPlace(place)}: the file "${file}" ${why}.`, { place, cause });
  };
  const relative = file.replaceAll('\\', '/');
  if (relative.includes('\0') || path.posix.isAbsolute(relative) || /^[a-zA-Z]:/.test(relative)) {
    throw refuse('is no path relative to the app');
  }
  const target = path.resolve(root, relative);
  assertReadable(boundary, target, refuse);
  try {
    // A link may lead anywhere, so what it leads to is judged again.
    const real = await realpath(target);
    assertReadable(boundary, real, refuse);
    const stats = await stat(real);
    if (!stats.isFile()) throw refuse('is no regular file');
    if (stats.size > MAX_FILE_BYTES) throw refuse(`has more than ${MAX_FILE_BYTES} bytes`);
    return decode(await readFile(real), refuse);
  } catch (error) {
    if (error instanceof SpecError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw refuse(`cannot be read (${code ?? 'unknown error'})`, error);
  }
}

function assertReadable(boundary: string, absolute: string, refuse: Refuse): void {
  const inside = path.relative(boundary, absolute);
  if (inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside)) {
    throw refuse('leads out of the app');
  }
  // Source: reference/app-layout.md: `.secrets` holds API keys and is never read. [src]
  if (absolute.split(path.sep).some((step) => step.toLowerCase() === '.secrets')) {
    throw refuse('is in .secrets, which is never read');
  }
}

function decode(bytes: Uint8Array, refuse: Refuse): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw refuse('is not UTF-8 text', error);
  }
}
