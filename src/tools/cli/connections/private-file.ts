import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, link, mkdir, open, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { StoreError } from '../../../shared/errors/engine-error.js';
import { OWNER_ONLY_FILE, OWNER_ONLY_FOLDER } from '../../../shared/folder-writer.js';
import { readErrno } from '../../../shared/read-regular-file.js';
import type { Io } from '../io.js';

/** Creates a folder with mode 0700, or sets the mode of an existing one. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  await chmod(folder, OWNER_ONLY_FOLDER);
}

/** Writes a file with mode 0600. Concurrent readers see the old or the new content. */
export async function writePrivateFile(file: string, content: string): Promise<void> {
  const draft = await writeDraft(file, content);
  try {
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Like `writePrivateFile` for a new file. Resolves to false if it exists. */
export async function createPrivateFile(file: string, content: string): Promise<boolean> {
  const draft = await writeDraft(file, content);
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (readErrno(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeDraft(file: string, content: string): Promise<string> {
  const draft = path.join(path.dirname(file), `.${randomBytes(9).toString('hex')}.tmp`);
  const handle = await open(draft, 'wx', OWNER_ONLY_FILE);
  try {
    await handle.writeFile(content, 'utf8');
    await handle.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return draft;
}

/**
 * Reads a file that only its owner can read; undefined if it does not exist.
 *
 * @throws StoreError (STORE_FAILED) for a link, a file of another owner, or one that others can read
 */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(
    (error: unknown) => {
      if (readErrno(error) === 'ENOENT') return undefined;
      throw new StoreError('STORE_FAILED', `The file ${file} cannot be read (${readErrno(error)}).`);
    },
  );
  if (handle === undefined) return undefined;
  try {
    const { mode, uid } = await handle.stat();
    // Windows has no such modes; the user's folder protects the file.
    const isPosix = process.getuid !== undefined;
    if (isPosix && (mode & 0o077) !== 0) {
      throw new StoreError(
        'STORE_FAILED',
        `The file ${file} can be read by others: make it yours alone with chmod 600.`,
      );
    }
    if (isPosix && uid !== process.getuid?.()) {
      throw new StoreError('STORE_FAILED', `The file ${file} belongs to another user.`);
    }
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * Folder of the user's configuration: `iml-runtime` in `XDG_CONFIG_HOME` or `~/.config`, on Windows in `APPDATA`. A
 * relative XDG_CONFIG_HOME is ignored. Source: XDG Base Directory Specification.
 */
export function configFolder(env: Io['env'], platform: string = process.platform): string {
  const home = env['HOME'] || homedir();
  const given = platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME'];
  const standard = platform === 'win32' ? ['AppData', 'Roaming'] : ['.config'];
  const base = given !== undefined && path.isAbsolute(given) ? given : path.join(home, ...standard);
  return path.join(base, 'iml-runtime');
}
