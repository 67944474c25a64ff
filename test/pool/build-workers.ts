import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Modules that worker threads start with or import, by their names in `dist/node`. */
export const WORKER_MODULES: Readonly<Record<string, string>> = {
  'pool-worker': 'src/pool/pool-worker.ts',
};

/** URLs of built modules by their names, and what removes their files. */
export interface BuiltWorkers {
  readonly urlOf: (name: string) => URL;
  readonly remove: () => void;
}

/** As `bundleWorkers`; the files are removed after the tests of the file that calls it. */
export async function buildWorkers(
  modules?: Readonly<Record<string, string>>,
): Promise<(name: string) => URL> {
  const { urlOf, remove } = await bundleWorkers(modules);
  afterAll(remove);
  return urlOf;
}

/**
 * Bundles the modules of worker threads from the sources, as Node runs no TypeScript: all in one, so that they share their
 * classes. Their URLs are given as the option `worker` of a pool, or as the `module` of a task.
 */
export async function bundleWorkers(
  modules: Readonly<Record<string, string>> = WORKER_MODULES,
): Promise<BuiltWorkers> {
  // Inside the package, whose `imports` the modules use.
  mkdirSync(path.join(ROOT, '.iml'), { recursive: true });
  const folder = mkdtempSync(path.join(ROOT, '.iml/workers-'));
  await build({
    absWorkingDir: ROOT,
    entryPoints: { ...modules },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    alias: { '#moment': './src/iml/date/moment-at-first-use.ts' },
    logLevel: 'warning',
  });
  return {
    urlOf: (name) => pathToFileURL(path.join(folder, `${name}.mjs`)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
