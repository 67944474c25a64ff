import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type CheckConfig, CONFIG_FILE, readCheckConfig } from './read-config.js';

/** The text of a file by its absolute path; undefined where there is none. */
export type TextOf = (file: string) => Promise<string | undefined>;

/** Files as they lie on disk. */
export function readSavedText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

/**
 * Finds the settings beside the manifest, else those of the nearest folder above up to the repository's root.
 *
 * @throws SpecError SPEC_JSON, SPEC_INVALID
 */
export async function findConfig(root: string, textOf: TextOf): Promise<CheckConfig | undefined> {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const file = path.join(folder, CONFIG_FILE);
    const text = await textOf(file);
    if (text !== undefined) {
      const config = readCheckConfig(text, path.relative(root, file) || CONFIG_FILE);
      return { ...config, scenarios: config.scenarios?.map((one) => path.resolve(folder, one)) };
    }
    const isTop = await readFile(path.join(folder, '.git', 'HEAD')).then(
      () => true,
      () => path.dirname(folder) === folder,
    );
    if (isTop) return undefined;
  }
}
