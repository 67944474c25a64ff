import path from 'node:path';
import { build, type Metafile } from 'esbuild';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * What importing an entry may load at once: files of ours, and kilobytes of code without blanks, its libraries included.
 * What waits for its first use does not count. Whoever exceeds a budget makes something wait, or raises it and says in the
 * commit what for. Files cost those who load single files: Node gets each entry in a few (see src/README.md), where kilobytes count.
 */
const BUDGETS: readonly (readonly [entry: string, files: number, kilobytes: number])[] = [
  // The language without its functions, which come by panel; with the zones of the world, but in Node.
  ['iml/index.ts', 104, 118],
  ['scenario/index.ts', 142, 151],
  // What any run needs. Reading folders, forms, connections, webhooks, polls, epochs, RPCs and endpoints wait.
  ['index.ts', 257, 314],
  // The same, with queues, hooks and schedules; databases wait.
  ['host/index.ts', 260, 290],
  // Schemas of all operations are compiled at the start, by ajv.
  ['rest/index.ts', 132, 313],
  // Running and recording the tests of apps is what it is for.
  ['testing/index.ts', 546, 853],
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
