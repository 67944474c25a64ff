import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { lstat, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import path, { type PlatformPath } from 'node:path';

/** A file to write. */
export interface NewFile {
  /** Absolute path below the writer's root. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

/**
 * Writes files below one folder. Never follows symbolic links below it, as an app from others may contain links, for
 * example to `.git`. The root itself may be a link, as the user chose it.
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

/** A path outside of the root, or through a link. */
class OutsideFolderError extends Error {
  override readonly name = 'OutsideFolderError';
}

/** @param root absolute path */
export function createFolderWriter(root: string): FolderWriter {
  const assertInside = async (file: string): Promise<void> => {
    if (!isBelow(root, file)) throw new OutsideFolderError(`the path leads out of ${root}`);
    const link = await findLink(root, path.dirname(file));
    if (link !== undefined) throw new OutsideFolderError(`the path leads through a symbolic link, ${link}`);
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

/** The bytes of a file, or the problem as the end of a sentence about the file. */
type RegularFile =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly problem: string };

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a regular file through one descriptor, so that the file cannot be exchanged between check and read. Pipes,
 * devices and files beyond `maxBytes` are refused without waiting.
 *
 * @param assertAllowed receives the resolved path of the opened file and throws if it may not be read
 * @throws errors of `assertAllowed` and of the system (`ENOENT`)
 */
export function readRegularFile(
  file: string,
  maxBytes: number,
  assertAllowed: (opened: string) => void = () => {},
): RegularFile {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    assertAllowed(findOpened(descriptor, file));
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { ok: false, problem: 'is not a regular file' };
    const bytes = stats.size > maxBytes ? undefined : readUpTo(descriptor, stats.size, maxBytes);
    return bytes === undefined
      ? { ok: false, problem: `has more than ${maxBytes} bytes` }
      : { ok: true, bytes };
  } finally {
    closeSync(descriptor);
  }
}

/** Linux exposes the path of a descriptor. Elsewhere the path is resolved again. */
function findOpened(descriptor: number, file: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return realpathSync.native(file);
  }
}

/** @returns undefined if the file grew beyond `maxBytes` */
function readUpTo(descriptor: number, size: number, maxBytes: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    // One extra byte detects the end of a file that did not grow.
    const chunk = Buffer.allocUnsafe(length === 0 ? size + 1 : CHUNK_BYTES);
    const read = readSync(descriptor, chunk);
    if (read === 0) return Buffer.concat(chunks, length);
    length += read;
    if (length > maxBytes) return undefined;
    chunks.push(chunk.subarray(0, read));
  }
}

/** Returns the error name of the system (`ENOENT`), or `unknown error`. */
export function readErrno(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** Path separators, characters that some systems reject in names, and terminal control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a name.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069<>:"|?*/\\]/g;

/** Lone surrogates. */
const LONE = /\p{Surrogate}/gu;

/** Reserved device names of Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** File systems allow 255 bytes; callers append suffixes. */
const MAX_BYTES = 200;

/**
 * Converts an untrusted string into a safe file name: never hidden, never a parent folder. Returns `_` if nothing
 * remains.
 */
export function toFileName(name: string): string {
  return cutBytes(toSafeName(name), MAX_BYTES) || '_';
}

/** Same as `toFileName` without a length limit. Returns empty text if nothing remains. */
export function toSafeName(name: string): string {
  const safe = name.replace(UNSAFE, '_').replace(LONE, '_');
  // Loops, as a pattern anchored at the end takes quadratic time on a long run of dots.
  let start = 0;
  let end = safe.length;
  while (start < end && isTrimmed(safe[start])) start++;
  while (end > start && isTrimmed(safe[end - 1])) end--;
  return safe.slice(start, end).replace(RESERVED, '_$&');
}

function isTrimmed(character: string | undefined): boolean {
  return character !== undefined && /[\s.]/.test(character);
}

/** Cuts text to a number of UTF-8 bytes, at a character boundary. */
export function cutBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let kept = '';
  for (const char of text) {
    bytes += Buffer.byteLength(char);
    if (bytes > maxBytes) break;
    kept += char;
  }
  return kept;
}

/**
 * The first symbolic link on the way from a folder to a path below it, the path included; undefined without one.
 *
 * @param target absolute path below `folder`
 */
export async function findLink(folder: string, target: string): Promise<string | undefined> {
  let at = folder;
  for (const step of path.relative(folder, target).split(path.sep)) {
    at = path.join(at, step);
    const stats = await lstat(at).catch(() => undefined);
    if (stats === undefined) return undefined;
    if (stats.isSymbolicLink()) return at;
  }
  return undefined;
}

/**
 * Whether one absolute path is below another by name alone. A folder counts as below itself.
 *
 * @param system default: the one of this process
 */
export function isBelow(folder: string, target: string, system: PlatformPath = path): boolean {
  const relative = system.relative(folder, target);
  return relative !== '..' && !relative.startsWith(`..${system.sep}`) && !system.isAbsolute(relative);
}

/**
 * The path of a file below a folder, with `/` on every system.
 *
 * @param system default: the one of this process
 */
export function relativePath(folder: string, file: string, system: PlatformPath = path): string {
  return system.relative(folder, file).split(system.sep).join('/');
}
