import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { isBelow, staysBelow } from './file-name.js';
import { readErrno } from './read-regular-file.js';

/** A file to write. */
export interface NewFile {
  /** Absolute path below the writer's root. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

/**
 * Writes files below one folder. Never follows symbolic links out of that folder, as an app from others may contain
 * links. The root itself may be a link, as the user chose it.
 *
 * All methods reject with OutsideFolderError for a path outside of the root, or with the file system's error.
 */
export interface FolderWriter {
  /** Absolute path. */
  readonly root: string;
  /**
   * Creates or replaces a file atomically: readers see the old or the new content, also after a crash. An existing
   * file keeps its mode; a link is replaced, not followed.
   */
  readonly replace: (file: string, content: string | Uint8Array, options?: ReplaceOptions) => Promise<void>;
  /**
   * Creates a file and its parent folders.
   *
   * @returns false if the name exists already, even as a dangling link
   */
  readonly create: (file: string, content: string | Uint8Array, modes?: NewModes) => Promise<boolean>;
  /**
   * Creates or replaces several files in order, all or none. List a file that refers to the others last. New files and
   * folders are readable by their owner only, as they contain responses. [choice]
   */
  readonly writeAll: (files: readonly NewFile[]) => Promise<void>;
  /** Creates a folder, readable by its owner only, if it does not exist. */
  readonly createFolder: (folder: string) => Promise<void>;
  /** Removes a file if it exists. */
  readonly remove: (file: string) => Promise<void>;
}

export interface ReplaceOptions {
  /** Mode of a new file. Default: 0o666 without the umask. */
  readonly newMode?: number | undefined;
  /** Whether to create missing folders. Default: true. */
  readonly createFolders?: boolean | undefined;
}

/** Modes of new files and folders, without the umask. */
interface NewModes {
  readonly file: number;
  readonly folder: number;
}

/** A path outside of the root. */
class OutsideFolderError extends Error {
  override readonly name = 'OutsideFolderError';
}

/** @param root absolute path */
export function createFolderWriter(root: string): FolderWriter {
  const assertInside = async (file: string): Promise<void> => {
    if (!isBelow(root, file) || !(await staysBelow(root, path.dirname(file)))) {
      throw new OutsideFolderError(`the path leads out of ${root} through a symbolic link`);
    }
  };
  return {
    root,
    replace: async (file, content, { newMode, createFolders = true } = {}) => {
      await assertInside(file);
      if (createFolders) await mkdir(path.dirname(file), { recursive: true });
      await replaceFile(file, content, newMode);
    },
    create: async (file, content, modes) => {
      await assertInside(file);
      await mkdir(path.dirname(file), { recursive: true, ...(modes && { mode: modes.folder }) });
      try {
        await writeFileWith(file, content, modes?.file);
        return true;
      } catch (error) {
        if (readErrno(error) === 'EEXIST') return false;
        throw error;
      }
    },
    writeAll: async (files) => {
      for (const file of files) await assertInside(file.path);
      await writeTogether(files);
    },
    createFolder: async (folder) => {
      await assertInside(path.join(folder, 'any'));
      await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    },
    remove: async (file) => {
      await assertInside(file);
      await rm(file, { force: true });
    },
  };
}

/** Returns the reason of a failed write for a message: an error name such as `EACCES`, or the path with the link. */
export function describeWriteFailure(error: unknown): string {
  return error instanceof OutsideFolderError ? error.message : readErrno(error);
}

async function replaceFile(file: string, content: NewFile['content'], newMode?: number): Promise<void> {
  const known = await lstat(file).catch(() => undefined);
  const mode = known?.isFile() ? known.mode & 0o777 : newMode;
  const draft = draftBeside(file);
  try {
    await writeFileWith(draft, content, mode);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function draftBeside(file: string): string {
  return path.join(path.dirname(file), `.${randomBytes(9).toString('hex')}.tmp`);
}

/** Fails with EEXIST if the file exists. */
async function writeFileWith(file: string, content: NewFile['content'], mode = 0o666): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeTogether(files: readonly NewFile[]): Promise<void> {
  const drafts: { readonly draft: string; readonly target: string }[] = [];
  const folders: string[] = [];
  try {
    for (const { path: target, content } of files) {
      folders.unshift(...(await createFolder(path.dirname(target))));
      const draft = draftBeside(target);
      drafts.push({ draft, target });
      await writeFileWith(draft, content, OWNER_ONLY_FILE);
    }
    for (const { draft, target } of drafts) await rename(draft, target);
  } catch (error) {
    for (const { draft } of drafts) await rm(draft, { force: true });
    // Fails, as intended, if another process uses the folder.
    for (const folder of folders) await rmdir(folder).catch(() => {});
    throw error;
  }
}

/** Creates a folder and its parents. Returns the created ones, deepest first. */
async function createFolder(folder: string): Promise<readonly string[]> {
  const first = await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  if (first === undefined) return [];
  const created = [folder];
  for (let at = folder; at !== first && at !== path.dirname(at); ) {
    at = path.dirname(at);
    created.push(at);
  }
  return created;
}

/** Modes that only the owner can read. */
export const OWNER_ONLY_FILE = 0o600;
export const OWNER_ONLY_FOLDER = 0o700;
