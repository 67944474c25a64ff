import { randomInt } from 'node:crypto';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { builtEngine } from './built-engine.js';
import { inLanes } from './test-order.js';

// CI counts what was run: see .ci/count-tests.mjs.
const report = ['json', { outputFile: 'node_modules/.cache/vitest-report.json' }] as const;

/**
 * Properties draw other cases in every run, in CI, too: what they are to find is what nobody thought of. The seed is printed:
 * `IML_SEED=N` draws the cases of that run again; fast-check prints the path to a failing one.
 */
if (process.env['IML_SEED'] === undefined) {
  const seed = String(randomInt(2 ** 31));
  process.env['IML_SEED'] = seed;
  console.log(`Properties draw their cases with IML_SEED=${seed}`);
}

/** What measures the memory of its process. */
const APART: readonly string[] = ['test/sandbox/host.test.ts'];

/** Files of one worker share what they import, which takes longer than most of them, and one browser. */
const PROJECTS: readonly TestProjectInlineConfiguration[] = [
  { extends: true, test: { name: 'apart', include: [...APART] } },
  {
    extends: true,
    test: {
      name: 'shared',
      include: ['test/**/*.test.ts'],
      exclude: [...APART],
      isolate: false,
    },
  },
];

const built = builtEngine();

export default defineConfig({
  plugins: built === undefined ? [] : [built],
  // As Node has it: see `imports` of package.json, which names built files.
  resolve: { alias: { '#moment': path.join(import.meta.dirname, '../src/iml/date/moment-at-first-use.ts') } },
  test: {
    root: '.',
    env: built === undefined ? {} : { IML_BUILD: 'fresh' },
    server: { deps: { external: [/\/dist\//] } },
    setupFiles: ['.config/property-seed.ts'],
    reporters: process.env['CI'] === undefined ? ['default'] : ['default', [...report]],
    sequence: { sequencer: inLanes('apart') },
    // Twice what a small machine has cores: tests of hosts, servers and processes wait for much of their time.
    maxWorkers: 4,
    // What hangs fails; what is slow on a machine with other work does not.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [...PROJECTS],
  },
});
