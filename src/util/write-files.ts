import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { OWNER_ONLY_FILE, OWNER_ONLY_FOLDER } from './owner-only.js';

/** A file to be written whole. */
export interface NewFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/**
 * Writes files that belong together, folders they need included: all are written beside their places first and put there
 * in order once every one of them is on the disk. Where one cannot be written, none is, and nothing is left behind; so the
 * file that names the others comes last.
 * What is new can be read by its owner only: such files hold what services answered. [choice]
 *
 * Rejects with what the file system says.
 */
export async function writeFiles(files: readonly NewFile[]): Promise<void> {
  const drafts: Draft[] = [];
  const folders: string[] = [];
  try {
    for (const { path: target, content } of files) {
      const folder = path.dirname(target);
      folders.unshift(...(await makeFolder(folder)));
      const draft = path.join(folder, `.${randomBytes(9).toString('hex')}.tmp`);
      drafts.push({ draft, target });
      await writeDraft(draft, content);
    }
    for (const { draft, target } of drafts) await rename(draft, target);
  } catch (error) {
    for (const { draft } of drafts) await rm(draft, { force: true });
    // One that somebody has put something into meanwhile stays.
    for (const folder of folders) await rmdir(folder).catch(() => {});
    throw error;
  }
}

interface Draft {
  readonly draft: string;
  readonly target: string;
}

/** Makes a folder and those above it. Gives the ones that were not there, the deepest first. */
async function makeFolder(folder: string): Promise<readonly string[]> {
  const first = await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  if (first === undefined) return [];
  const made = [folder];
  for (let at = folder; at !== first && at !== path.dirname(at); ) {
    at = path.dirname(at);
    made.push(at);
  }
  return made;
}

async function writeDraft(draft: string, content: NewFile['content']): Promise<void> {
  const handle = await open(draft, 'wx', OWNER_ONLY_FILE);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
