import { stat } from 'node:fs/promises';
import path from 'node:path';
import { openAppFolder } from '../../app/loading/app-folder.js';
import { type CheckConfig, CONFIG_FILE, readCheckConfig } from './read-config.js';

/** Contents of unsaved files by absolute path. */
export type Overlay = ReadonlyMap<string, string>;

/** Settings with their absolute folder; files they name must be in it. */
export interface FoundConfig extends CheckConfig {
  readonly folder: string;
}

/**
 * Finds `iml.config.json` beside the manifest, else in the nearest parent folder up to the root of the repository.
 *
 * @throws SpecError SPEC_JSON, SPEC_INVALID; SPEC_READ for a link out of the folder, for a path that is not a file,
 * and for a large file
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
