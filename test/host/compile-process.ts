import { rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const ROOT: string = path.resolve(import.meta.dirname, '../..');
/** Inside node_modules, so that compiled code finds its packages and tools ignore it. */
const OUT: string = path.join(ROOT, 'node_modules/.cache/iml-host-processes', String(process.pid));

// One folder per test process: workers that start later must not load sources that have changed.
process.once('exit', () => rmSync(OUT, { recursive: true, force: true }));

/**
 * Bundles a TypeScript script and its imports into one file for plain Node, which starts faster than hundreds of
 * files. Strips types without checking them.
 *
 * @param script path without extension, relative to this folder or a sibling
 * @returns the path of the file
 */
export async function compileProcess(script: string): Promise<string> {
  const outfile = path.join(OUT, `${path.basename(script)}.mjs`);
  await build({
    entryPoints: [path.join(import.meta.dirname, `${script}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Includes packages: a process spends most of its start on resolving and reading them.
    external: ['libsql', 'pg-native', '@opentelemetry/api'],
    mainFields: ['module', 'main'],
    // CommonJS packages call `require` for Node modules.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return outfile;
}
