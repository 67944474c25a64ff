import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { MANIFEST } from '../../../engine/loading/read-manifest.js';
import {
  createFolderWriter,
  describeWriteFailure,
  isBelow,
  type ReplaceOptions,
  relativePath,
} from '../../../shared/files.js';
import type { Manifest, NewAppFile } from '../../life/new-files.js';
import { type Arguments, usageError } from '../command.js';
import type { Io } from '../io.js';
import { printableLine } from './terminal-text.js';

/**
 * The folder that links must not lead out of: the working folder, which may be a foreign app, or `folder` itself if
 * it is elsewhere.
 *
 * @param folder absolute
 */
export function findOutputRoot(cwd: string, folder: string): string {
  return isBelow(cwd, folder) ? cwd : folder;
}

/** Undefined if there is no file. */
export function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Writes the file of an option. @throws EngineError (USAGE) if it cannot be written */
export async function writeOutputFile(
  option: string,
  { cwd, file, content, ...options }: OutputFile,
): Promise<void> {
  const target = path.resolve(cwd, file);
  await createFolderWriter(findOutputRoot(cwd, path.dirname(target)))
    .replace(target, content, options)
    .catch(refuseWrite(option, relativePath(cwd, target) || target));
}

interface OutputFile extends ReplaceOptions {
  readonly cwd: string;
  readonly file: string;
  readonly content: string;
}

/** A handler for errors of writing a file. @param option or command, for the message */
export function refuseWrite(option: string, shown: string): (error: unknown) => never {
  return (error) => {
    throw usageError(`${option}: cannot write "${shown}": ${describeWriteFailure(error)}.`, error);
  };
}

/** Prints a text, or writes it to the file of `--output`. */
export async function printOrWrite(content: string, args: Arguments, io: Io): Promise<void> {
  const file = args.text('output');
  if (file === undefined) await io.stdout.write(content);
  else await writeOutputFile('--output', { cwd: io.cwd, file, content });
}

/** Files of an app, and the manifest that names them. */
export interface NewFiles {
  /** Absolute folder of the manifest. */
  readonly root: string;
  readonly files: readonly NewAppFile[];
  readonly manifest: Manifest;
  /** The command, for error messages. */
  readonly command: string;
}

/**
 * Writes new files of an app, then its manifest, and prints their paths. A file with the same content is left alone,
 * so that an interrupted command can be repeated.
 *
 * @throws EngineError (USAGE) if a file with other content exists, before anything is written, or if one cannot be
 * written
 */
export async function writeNewFiles({ root, files, manifest, command }: NewFiles, io: Io): Promise<void> {
  const show = (file: string): string => printableLine(relativePath(io.cwd, path.join(root, file)) || file);
  const missing: NewAppFile[] = [];
  for (const file of files) {
    const target = path.join(root, file.path);
    const existing = existsSync(target) ? await readFile(target, 'utf8').catch(() => undefined) : null;
    if (existing === null) missing.push(file);
    else if (existing !== file.content && file.path !== '.gitignore') {
      throw usageError(`${command}: "${show(file.path)}" already exists. Nothing was written.`);
    }
  }
  const writer = createFolderWriter(findOutputRoot(io.cwd, root));
  const refuse = (file: string): ((error: unknown) => never) => refuseWrite(command, show(file));
  for (const { path: file, content } of missing) {
    await writer.create(path.join(root, file), content).catch(refuse(file));
    await io.stdout.write(`${show(file)}\n`);
  }
  await writer.replace(path.join(root, MANIFEST), manifest.text).catch(refuse(MANIFEST));
  await io.stdout.write(`${show(MANIFEST)}\n`);
}
