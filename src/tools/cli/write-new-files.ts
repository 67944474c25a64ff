import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { MANIFEST } from '../../engine/loading/read-manifest.js';
import { createFolderWriter } from '../../shared/folder-writer.js';
import type { Manifest, NewAppFile } from '../life/new-files.js';
import type { Io } from './io.js';
import { cannotWrite, findOutputRoot } from './output/output-file.js';
import { printableLine } from './output/terminal-text.js';
import { usageError } from './usage-error.js';

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
  const show = (file: string): string => printableLine(path.relative(io.cwd, path.join(root, file)) || file);
  const missing: NewAppFile[] = [];
  for (const file of files) {
    const target = path.join(root, file.path);
    const existing = existsSync(target) ? await readFile(target, 'utf8').catch(() => undefined) : null;
    if (existing === null) missing.push(file);
    else if (existing !== file.content && file.path !== '.gitignore') {
      throw usageError(`${command}: "${show(file.path)}" exists already. Nothing was written.`);
    }
  }
  const writer = createFolderWriter(findOutputRoot(io.cwd, root));
  const refuse = (file: string) => (error: unknown) => {
    throw cannotWrite(command, show(file), error);
  };
  for (const { path: file, content } of missing) {
    await writer.create(path.join(root, file), content).catch(refuse(file));
    await io.stdout.write(`${show(file)}\n`);
  }
  await writer.replace(path.join(root, MANIFEST), manifest.text).catch(refuse(MANIFEST));
  await io.stdout.write(`${show(MANIFEST)}\n`);
}
