import { stat } from 'node:fs/promises';
import path from 'node:path';
import { openAppFolder } from '../../app/loading/app-folder.js';
import { type CheckConfig, CONFIG_FILE, readCheckConfig } from './read-config.js';

/** Texts that stand for files on disk, by absolute path: what an editor holds and has not saved. */
export type Overlay = ReadonlyMap<string, string>;

/** Settings with the folder they stand in, absolute: what they name lies in it or below. */
export interface FoundConfig extends CheckConfig {
  readonly folder: string;
}

/**
 * Finds the settings beside the manifest, else those of the nearest folder above up to the repository's root.
 *
 * @throws SpecError SPEC_JSON, SPEC_INVALID; SPEC_READ for a link out of the folder, for what is no file and for a file that is too large
 */
export async function findConfig(root: string, overlay?: Overlay): Promise<FoundConfig | undefined> {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const file = path.relative(root, path.join(folder, CONFIG_FILE)).split(path.sep).join('/');
    const text = await readBeside(folder, file, overlay);
    if (text !== undefined) return { ...readCheckConfig(text, file), folder };
    if (await isTop(folder)) return undefined;
  }
}

async function readBeside(
  folder: string,
  file: string,
  overlay: Overlay | undefined,
): Promise<string | undefined> {
  const outside = 'leads out of its folder by a link: expected the settings themselves';
  return openAppFolder(folder, { overlay, outside }).read(CONFIG_FILE, () => ({ file }));
}

async function isTop(folder: string): Promise<boolean> {
  const isRepository = await stat(path.join(folder, '.git', 'HEAD')).then(
    () => true,
    () => false,
  );
  return isRepository || path.dirname(folder) === folder;
}
