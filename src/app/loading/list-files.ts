import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';

/** Ceilings of a walk through folders an app may lie in. [choice] */
const MAX_DEPTH = 8;
const MAX_ENTRIES = 20_000;

export interface FoundEntry {
  /** Relative to where the walk began, with `/`. */
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * Everything below a folder, in the order of names; links, dot-folders and `node_modules` are left out,
 * and so is what lies deeper or comes later than the ceilings allow.
 *
 * @param enter Whether to look into a folder, given what it holds.
 */
export function listFiles(
  folder: string,
  enter: (names: readonly string[], folder: string) => boolean = () => true,
): FoundEntry[] {
  const found: FoundEntry[] = [];
  const pending = [''];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const entries = readFolder(path.join(folder, next));
    const names = entries.map((entry) => entry.name);
    if (!enter(names, next)) continue;
    const folders: string[] = [];
    for (const entry of entries) {
      if (found.length >= MAX_ENTRIES) return found;
      const relative = next === '' ? entry.name : `${next}/${entry.name}`;
      found.push({ path: relative, isFolder: entry.isDirectory() });
      if (entry.isDirectory() && relative.split('/').length <= MAX_DEPTH) folders.push(relative);
    }
    pending.push(...folders.reverse());
  }
  return found;
}

/** A folder that cannot be read is empty: whoever needs a file of it will say so. */
function readFolder(folder: string): Dirent[] {
  return readEntries(folder)
    .filter((entry) => entry.isFile() || (entry.isDirectory() && !isSkipped(entry.name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isSkipped(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}
