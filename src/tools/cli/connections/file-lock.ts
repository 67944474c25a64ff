import { randomBytes } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { SYSTEM_CLOCK } from '../../../shared/clock.js';
import { StoreError } from '../../../shared/errors/engine-error.js';
import { readErrno } from '../../../shared/read-regular-file.js';
import { createPrivateFile } from './private-file.js';

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

/** The random digits of a lock. Locks of earlier versions have only the process ID. */
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
