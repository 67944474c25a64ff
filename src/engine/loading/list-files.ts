import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';

/** Limits of a folder walk. [choice] */
const MAX_DEPTH = 8;
const MAX_ENTRIES = 20_000;

export interface FoundEntry {
  /** Relative to the start, with `/`. */
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * All files below a folder by name, without links, dot-folders and `node_modules`, within the limits.
 *
 * @param enter whether to enter a folder with these entries
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

/** An unreadable folder counts as empty; reading its files reports the error. */
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
