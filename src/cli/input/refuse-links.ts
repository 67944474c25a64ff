import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { usageError } from '../usage-error.js';

/**
 * Refuses links in the place of a folder that a command keeps its data in where nobody names one, and among its files:
 * whoever wrote the app may have put them there, and what they lead to would be made private and written into.
 *
 * @param home absolute; where this leads itself is the matter of whoever named it
 * @param folder absolute, below it
 * @param instead how another place is named, as a sentence
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
