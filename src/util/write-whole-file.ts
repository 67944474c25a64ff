import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Replaces a file, or makes it. Whoever reads meanwhile, and whoever looks after a full disk or a kill, finds the old
 * content or the new, never a part. The mode of a file that is there stays.
 *
 * @param newMode of a file that is not there yet
 */
export async function writeWholeFile(
  file: string,
  content: string | Uint8Array,
  newMode = 0o666,
): Promise<void> {
  const mode = await stat(file).then(
    (found) => found.mode & 0o777,
    () => newMode,
  );
  const draft = path.join(path.dirname(file), `.${randomBytes(9).toString('hex')}.tmp`);
  try {
    const handle = await open(draft, 'wx', mode);
    try {
      await handle.writeFile(content);
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
