import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, link, lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { SYSTEM_CLOCK } from '../../../shared/clock.js';
import { StoreError } from '../../../shared/errors/engine-error.js';
import {
  createFolderWriter,
  OWNER_ONLY_FILE,
  OWNER_ONLY_FOLDER,
  readErrno,
  relativePath,
} from '../../../shared/files.js';
import { usageError } from '../command.js';
import type { Io } from '../io.js';

/** Creates a folder with mode 0700, or sets the mode of an existing one. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  await chmod(folder, OWNER_ONLY_FOLDER);
}

/** Files in `.iml` that hold responses, events or keys. The others, such as `remote/`, belong to the repository. */
const IGNORED = 'dev.db*\nhost.db*\nrest/\n';

/** Creates the folder `.iml` of a folder, with a `.gitignore` for its private files. An existing one stays. */
export async function makeStateFolder(root: string): Promise<void> {
  const folder = path.join(root, '.iml');
  await makePrivateFolder(folder);
  await createFolderWriter(root).create(path.join(folder, '.gitignore'), IGNORED);
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
        `The file ${file} can be read by others. Restrict its access with chmod 600.`,
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

const POLL_MS = 50;
/** Longer than the longest refresh. */
const MAX_WAIT_MS = 310_000;
const STALE_MS = 330_000;

/**
 * Runs `work` under a lock file, across processes of this machine. A lock is stale if its process has ended or if it
 * is older than the longest work.
 *
 * @throws StoreError (STORE_BUSY) if the lock stays taken
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const startedAt = Date.now();
  let release: Release | undefined;
  while (release === undefined) {
    release = await tryLock(file);
    if (release !== undefined) break;
    if (Date.now() - startedAt > MAX_WAIT_MS) {
      throw new StoreError('STORE_BUSY', `Another process holds ${file}.`);
    }
    if (!(await removeStale(file))) await SYSTEM_CLOCK.sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await release();
  }
}

type Release = () => Promise<void>;

/** Undefined if another process has the lock. The content is unique: process ID and random digits. */
async function tryLock(file: string): Promise<Release | undefined> {
  const content = `${process.pid} ${randomBytes(8).toString('hex')}`;
  try {
    if (!(await createPrivateFile(file, content))) return undefined;
  } catch (error) {
    // A folder that cannot be written needs no lock.
    if (['ENOENT', 'EROFS', 'EACCES', 'EPERM'].includes(readErrno(error))) return async () => {};
    throw new StoreError('STORE_FAILED', `Cannot create the file ${file} (${readErrno(error)}).`);
  }
  return async () => {
    if ((await readLock(file))?.content === content) await rm(file, { force: true });
  };
}

/**
 * Removes a stale lock while holding a second lock that is named after the stale content. Without it, a process that
 * saw the stale lock could remove the new lock of another process.
 *
 * @returns whether the stale lock is gone
 */
async function removeStale(file: string): Promise<boolean> {
  const known = await readLock(file);
  if (known === undefined || !known.isStale) return false;
  const guard = `${file}.${nameOf(known.content)}`;
  const release = await tryLock(guard);
  // The process that removes the lock may have ended too.
  if (release === undefined) return removeStale(guard);
  try {
    if ((await readLock(file))?.content === known.content) await rm(file, { force: true });
    return true;
  } finally {
    await release();
  }
}

/** The random digits of a lock. */
function nameOf(content: string): string {
  return /[0-9a-f]+$/.exec(content)?.[0].slice(0, 16) ?? 'unknown';
}

interface KnownLock {
  readonly content: string;
  readonly isStale: boolean;
}

/** Undefined without a lock. */
async function readLock(file: string): Promise<KnownLock | undefined> {
  try {
    const [content, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
    const isStale = Date.now() - mtimeMs > STALE_MS || !isAlive(Number.parseInt(content, 10));
    return { content, isStale };
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Refuses symbolic links as default data folder and among its files. The author of the app may have created them, and
 * the command would write through them.
 *
 * @param home absolute; may be a link itself, as the user named it
 * @param folder absolute, below `home`
 * @param instead sentence that names the option for another folder
 * @throws EngineError (USAGE)
 */
export async function refuseLinks(home: string, folder: string, instead: string): Promise<void> {
  const link = (await findLinkTo(home, folder)) ?? (await findLinkIn(folder));
  if (link === undefined) return;
  const shown = relativePath(home, link);
  throw usageError(`"${shown}" in ${home} is a link out of the folder. Nothing was written. ${instead}`);
}

async function findLinkTo(home: string, folder: string): Promise<string | undefined> {
  let at = home;
  for (const step of path.relative(home, folder).split(path.sep)) {
    at = path.join(at, step);
    if ((await lstat(at).catch(() => undefined))?.isSymbolicLink() === true) return at;
  }
  return undefined;
}

async function findLinkIn(folder: string): Promise<string | undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const link = entries.find((entry) => entry.isSymbolicLink());
  return link && path.join(folder, link.name);
}
