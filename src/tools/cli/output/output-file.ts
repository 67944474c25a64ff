import path from 'node:path';
import { isBelow } from '../../../shared/file-name.js';
import {
  createFolderWriter,
  describeWriteFailure,
  type ReplaceOptions,
} from '../../../shared/folder-writer.js';
import { usageError } from '../usage-error.js';

/**
 * The folder that links must not lead out of: the working folder, which may be a foreign app, or `folder` itself if
 * it is elsewhere.
 *
 * @param folder absolute
 */
export function findOutputRoot(cwd: string, folder: string): string {
  return isBelow(cwd, folder) ? cwd : folder;
}

/** Writes the file of an option. @throws EngineError (USAGE) if it cannot be written */
export async function writeOutputFile(
  option: string,
  { cwd, file, content, ...options }: OutputFile,
): Promise<void> {
  const target = path.resolve(cwd, file);
  await createFolderWriter(findOutputRoot(cwd, path.dirname(target)))
    .replace(target, content, options)
    .catch((error: unknown) => {
      throw cannotWrite(option, path.relative(cwd, target) || target, error);
    });
}

interface OutputFile extends ReplaceOptions {
  readonly cwd: string;
  readonly file: string;
  readonly content: string;
}

/** The error for an option whose file cannot be written. */
export function cannotWrite(option: string, shown: string, error: unknown): Error {
  return usageError(`${option}: cannot write "${shown}": ${describeWriteFailure(error)}.`, error);
}
