import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vitest/config';

const ROOT: string = path.resolve(import.meta.dirname, '..');
const SOURCE: string = path.join(ROOT, 'src');
const BUILD: string = path.join(ROOT, 'dist');

/** The last file that a build writes. */
const LAST: string = path.join(BUILD, 'sandbox/quickjs.image');

/**
 * Redirects imports of `src` in tests to `dist` if the build is newer than all source files. Tests then run the shipped
 * code and need no transformation. Watch mode uses the source.
 */
export function builtEngine(): Plugin | undefined {
  if (!process.argv.includes('run') || !isFresh()) return undefined;
  return {
    name: 'built engine',
    enforce: 'pre',
    resolveId(id, importer) {
      if (importer === undefined || !id.startsWith('.') || isWithin(SOURCE, importer)) return undefined;
      const file = path.resolve(path.dirname(importer), id);
      if (!isWithin(SOURCE, file)) return undefined;
      const built = path.join(BUILD, path.relative(SOURCE, file));
      // The page exists in `dist` only as a bundle.
      return existsSync(built) ? built : undefined;
    },
  };
}

function isFresh(): boolean {
  const builtMs = timeOf(LAST);
  return (
    builtMs !== undefined &&
    readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).every(
      (file) => (timeOf(path.join(SOURCE, file)) ?? 0) < builtMs,
    )
  );
}

function timeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function isWithin(folder: string, file: string): boolean {
  return file.startsWith(folder + path.sep);
}
