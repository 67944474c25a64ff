import path from 'node:path';
import type { Warn } from '../document/document.js';
import { listFiles } from './list-files.js';
import { MANIFEST } from './read-manifest.js';
import { SPEC_FILE } from './spec-file.js';

const CODE_FILE = /\.(?:json|js)$/;

/**
 * Tells of files that look like parts of the app and that its manifest does not name (`undeclared-file`):
 * they are not deployed, and here they are not read. Those are spec files anywhere below the manifest,
 * and JSON or JavaScript in a folder that holds a named file. Folders of other apps are left out.
 */
export async function warnUndeclaredFiles(
  root: string,
  declared: ReadonlySet<string>,
  warn: Warn,
): Promise<void> {
  const named = new Set([...declared].map((file) => path.posix.normalize(file.replaceAll('\\', '/'))));
  const folders = new Set([...named].map((file) => path.posix.dirname(file)));
  folders.delete('.');
  const entries = listFiles(root, (names, folder) => folder === '' || !names.includes(MANIFEST));
  for (const entry of entries) {
    if (entry.isFolder || named.has(entry.path)) continue;
    const looksDeclared = CODE_FILE.test(entry.path) && folders.has(path.posix.dirname(entry.path));
    if (!looksDeclared && !SPEC_FILE.test(entry.path)) continue;
    warn('undeclared-file', `${MANIFEST} does not name this file, so it is not part of the app.`, () => ({
      file: entry.path,
    }));
  }
}
