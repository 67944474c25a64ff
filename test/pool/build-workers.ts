import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Modules that worker threads start with or import, by their names in `dist/node`. */
export const WORKER_MODULES: Readonly<Record<string, string>> = {
  'pool-worker': 'src/engine/pool/pool-worker.ts',
};

/** URLs of built modules by name, and a function that deletes the files. */
export interface BuiltWorkers {
  readonly urlOf: (name: string) => URL;
  readonly remove: () => void;
}

/** Same as `bundleWorkers`; deletes the files after the tests of the calling file. */
export async function buildWorkers(
  modules?: Readonly<Record<string, string>>,
): Promise<(name: string) => URL> {
  const { urlOf, remove } = await bundleWorkers(modules);
  afterAll(remove);
  return urlOf;
}

/**
 * Bundles the modules of worker threads from the sources into one build, so that they share their classes. Node runs
 * no TypeScript. Pass the URLs as the option `worker` of a pool, or as the `module` of a task.
 */
export async function bundleWorkers(
  modules: Readonly<Record<string, string>> = WORKER_MODULES,
): Promise<BuiltWorkers> {
  // Inside the package, as the modules use its `imports`.
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
    alias: { '#moment': './src/language/date/moment-at-first-use.ts' },
    logLevel: 'warning',
  });
  return {
    urlOf: (name) => pathToFileURL(path.join(folder, `${name}.mjs`)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
