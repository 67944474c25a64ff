import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { usageError } from '../usage-error.js';

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
  const shown = path.relative(home, link);
  throw usageError(`"${shown}" in ${home} leads elsewhere by a link: nothing is written there. ${instead}`);
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
