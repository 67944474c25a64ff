import { rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const ROOT: string = path.resolve(import.meta.dirname, '../..');
/** Inside of node_modules, so that what is compiled finds the packages, and no tool takes it for source. */
const OUT: string = path.join(ROOT, 'node_modules/.cache/iml-host-processes', String(process.pid));

// A folder of each test process: workers that are started later must not meet sources that have changed meanwhile.
process.once('exit', () => rmSync(OUT, { recursive: true, force: true }));

/**
 * Makes one file of a script in TypeScript and all it imports, which a process of plain Node can run: processes of one
 * file start sooner than those of hundreds. Only types are taken away, nothing is checked.
 *
 * @param script relative to this folder or one beside it, without extension
 * @returns its path
 */
export async function compileProcess(script: string): Promise<string> {
  const outfile = path.join(OUT, `${path.basename(script)}.mjs`);
  await build({
    entryPoints: [path.join(import.meta.dirname, `${script}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // With the packages in it: a process spends most of its start on finding and reading them.
    external: ['libsql', 'pg-native', '@opentelemetry/api'],
    mainFields: ['module', 'main'],
    // Packages in CommonJS ask for modules of Node.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return outfile;
}
