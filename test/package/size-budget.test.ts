import path from 'node:path';
import { build, type Metafile } from 'esbuild';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * What importing an entry may load at once: files of ours, and kilobytes of code without blanks, its libraries included.
 * What waits for its first use does not count. Whoever exceeds a budget makes something wait, or raises it with a reason.
 */
const BUDGETS: readonly (readonly [entry: string, files: number, kilobytes: number])[] = [
  // The zones of the world wait, too, where Node loads it. Steps of paths and members of objects have files for their many functions,
  // and which engine a pattern goes to, its ceilings and the name that spreads have a file each.
  ['iml/index.ts', 99, 110],
  // What a long key, algorithm or header costs to sign with is counted: a kilobyte here and in the host.
  ['scenario/index.ts', 130, 139],
  // Reading folders, making connections and webhooks wait for their first use, as do the check of parameters, RPCs, epochs,
  // responders, polls and endpoints. So do the functions of the language, a panel at a time, and forms. The type a failed request ends
  // in and what a Unix time is told in have files of their names. The index of patterns is needed at once where a run fails, as are the steps of
  // addresses and headers and the turns that all share where any runs: three kilobytes.
  // What earlier answers have told is looked through before anything of a run is told or leaves for another host: two kilobytes.
  // Bodies are written in turns where they are long, as createJSON writes, whose file it needs: four kilobytes.
  ['index.ts', 238, 278],
  // Each file is one named thing: those that the claim and the statements of a store were parted into raised it, without a kilobyte more, as did what
  // is written and read in turns, two kilobytes in all: every store knows of its text.
  // Locks of rows, modes of private files, the clock that was set back, and what is tried alone, whether a process lives and which app is meant stand in files of their names.
  // What a column is sealed with is a file of every store, as whether the key is the right one is found out as it is opened. What is
  // taken together, and columns that are sealed in turns: three kilobytes.
  ['host/index.ts', 244, 273],
  ['rest/index.ts', 126, 308],
  // Running and recording the tests of apps is what it is for.
  // Which headers of answers are kept, what a file of an app is called, and the ceilings of forms are files.
  // Files are read once they are open, by one function: a kilobyte.
  // Whether a body of a case lies where it should is asked of the file that knows of links.
  ['testing/index.ts', 516, 800],
  ['cli/bin.ts', 2, 2],
];

interface Weight {
  readonly files: number;
  readonly kilobytes: number;
}

async function weigh(entry: string): Promise<Weight> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [`src/${entry}`],
    outdir: 'unwritten',
    write: false,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    minify: true,
    metafile: true,
    external: ['libsql', 'pg'],
    logLevel: 'error',
  });
  const outputs = loadedAtOnce(metafile, `src/${entry}`);
  const files = outputs.flatMap((output) => Object.keys(output.inputs));
  return {
    files: files.filter((file) => file.startsWith('src/')).length,
    kilobytes: Math.ceil(outputs.reduce((sum, output) => sum + output.bytes, 0) / 1000),
  };
}

type Outputs = Metafile['outputs'];

/** The file of an entry and what it imports, down to the last, without what is imported when it is needed. */
function loadedAtOnce({ outputs }: Metafile, entry: string): readonly Outputs[string][] {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { path: next, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && next in outputs) visit(next);
    }
  };
  for (const [file, { entryPoint }] of Object.entries(outputs)) if (entryPoint === entry) visit(file);
  return [...seen].flatMap((file) => outputs[file] ?? []);
}

describe('importing an entry loads no more than its budget', () => {
  it.each(BUDGETS)('%s: %i files, %i kB', async (entry, files, kilobytes) => {
    const weight = await weigh(entry);
    expect(weight.files).toBeGreaterThan(0);
    expect(weight.files).toBeLessThanOrEqual(files);
    expect(weight.kilobytes).toBeLessThanOrEqual(kilobytes);
  });
});
