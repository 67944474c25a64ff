import path from 'node:path';
import { MAX_FILE_BYTES, problemOfPath } from '../../engine/loading/app-folder.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import {
  createFolderWriter,
  findLink,
  readErrno,
  readRegularFile,
  relativePath,
} from '../../shared/files.js';

/**
 * Reads and writes the files that a manifest names. A manifest may be the work of another author, so only regular files
 * inside the app are files of it: see `problemOfPath`. Links are not followed, also within the app.
 */
export interface AppFiles {
  /** Why the path names no file of the app, as the end of a sentence about the file; undefined if it names one. */
  readonly problemOf: (file: string) => Promise<string | undefined>;
  /**
   * The text of a file; undefined if it does not exist.
   *
   * @throws EngineError (USAGE) for a path that `problemOf` refuses, and for a file that cannot be read
   */
  readonly read: (file: string) => Promise<string | undefined>;
  /** Creates or replaces a file. @throws EngineError (USAGE) for a path that `problemOf` refuses */
  readonly write: (file: string, content: string) => Promise<void>;
}

/** @param root absolute folder of the manifest */
export function openAppFiles(root: string): AppFiles {
  const writer = createFolderWriter(root);
  const problemOf = async (file: string): Promise<string | undefined> =>
    problemOfPath(file) ?? (await problemOfLinks(root, file));
  const locate = async (file: string): Promise<string> => {
    const problem = await problemOf(file);
    if (problem !== undefined) throw new EngineError('USAGE', `The file "${file}" ${problem}.`);
    return path.join(root, file.replaceAll('\\', '/'));
  };
  return {
    problemOf,
    read: async (file) => readText(await locate(file), file),
    write: async (file, content) => writer.replace(await locate(file), content),
  };
}

/** Why a path below a folder leads through a link; undefined if it does not. */
export async function problemOfLinks(root: string, file: string): Promise<string | undefined> {
  const link = await findLink(root, path.join(root, file.replaceAll('\\', '/')));
  return link && `leads through a link (${relativePath(root, link)})`;
}

function readText(target: string, file: string): string | undefined {
  try {
    const read = readRegularFile(target, MAX_FILE_BYTES);
    if (read.ok) return read.bytes.toString('utf8');
    throw new EngineError('USAGE', `The file "${file}" ${read.problem}.`);
  } catch (error) {
    if (error instanceof EngineError) throw error;
    const code = readErrno(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new EngineError('USAGE', `The file "${file}" cannot be read (${code}).`);
  }
}
