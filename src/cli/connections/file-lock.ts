import { readFile, rm, stat } from 'node:fs/promises';
import { StoreError } from '../../errors/store-error.js';
import { SYSTEM_CLOCK } from '../../util/clock.js';
import { readErrno } from '../../util/files/read-errno.js';
import { createPrivateFile } from './private-file.js';

const POLL_MS = 50;
/** A refresh may take as long as a module. */
const MAX_WAIT_MS = 310_000;
const STALE_MS = 330_000;

/**
 * Does work while no other process of this machine does work under the same lock file.
 * A lock whose process is gone, or that is older than any work can be, does not count.
 *
 * @throws StoreError (STORE_BUSY) where the lock does not get free
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const startedAt = Date.now();
  while (!(await takeLock(file))) {
    if (await isStale(file)) await rm(file, { force: true });
    else if (Date.now() - startedAt > MAX_WAIT_MS) {
      throw new StoreError('STORE_BUSY', `Another process holds ${file}.`);
    } else await SYSTEM_CLOCK.sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

/** Where nothing can be written (a folder that is mounted so), there is nothing to guard either. */
async function takeLock(file: string): Promise<boolean> {
  try {
    return await createPrivateFile(file, String(process.pid));
  } catch (error) {
    if (['ENOENT', 'EROFS', 'EACCES', 'EPERM'].includes(readErrno(error))) return true;
    throw new StoreError('STORE_FAILED', `The file ${file} cannot be made (${readErrno(error)}).`);
  }
}

async function isStale(file: string): Promise<boolean> {
  try {
    const [owner, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
    return Date.now() - mtimeMs > STALE_MS || !isAlive(Number(owner));
  } catch {
    // Given free meanwhile: the next attempt shows.
    return false;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: there is such a process, of somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
