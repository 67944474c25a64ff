import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';

/**
 * Whether a path below a folder still lies below it when links are followed. What is not there yet leads nowhere else; a
 * link to nothing might.
 *
 * @param target absolute, below `folder`
 */
export async function staysBelow(folder: string, target: string): Promise<boolean> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined) return true;
  for (let at = target; at !== folder && at !== path.dirname(at); at = path.dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) return isBelow(root, real);
    if ((await lstat(at).catch(() => undefined)) !== undefined) return false;
  }
  return true;
}

/** By the names of two absolute paths alone; a folder is below itself. */
export function isBelow(folder: string, target: string): boolean {
  const relative = path.relative(folder, target);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
